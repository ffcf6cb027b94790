/**
 * The way from the viewer's press to the first picture, step by step: as `performance.mark`s (`live:<step>`) for the
 * browser's tools and benches, and as times for the panel of the stream's facts. One at a time; the marks of the one
 * before are removed.
 */
import type { WallMs } from '../../lib/wire/times.ts';
import { lastPress } from '../device/last-press.ts';

/** In their order. */
export const START_STEPS = [
  /** Key, click or touch. */
  'press',
  /** The player asks for the station: its screen and scripts are there. */
  'asked',
  /** The service lets the connection be made; none if one was open. */
  'ticket',
  'sent',
  /** The service has the station. */
  'tuned',
  /** First media. */
  'data',
  /** First picture that can be decoded. */
  'intra',
  'decoded',
  'shown',
] as const;
export type StartStep = (typeof START_STEPS)[number];

const PREFIX = 'live:';

/** Moments of `performance.now()`, ms. */
export class StartSteps {
  #times = new Map<StartStep, number>();

  begin(): void {
    for (const step of START_STEPS) performance.clearMarks(PREFIX + step);
    this.#times = new Map();
    const now = performance.now();
    this.#add('press', lastPress(now) ?? now);
    this.#add('asked', now);
  }

  /** Only the first time counts, and none after the picture. @param at of `performance.now()`, ms */
  note(step: StartStep, at = performance.now()): void {
    const times = this.#times;
    if (times.size > 0 && !times.has(step) && !times.has('shown')) this.#add(step, at);
  }

  #add(step: StartStep, at: number): void {
    this.#times.set(step, at);
    performance.mark(PREFIX + step, { startTime: at });
  }

  /** The same by the scale that page and workers share. */
  noteWall(step: StartStep, at: WallMs): void {
    this.note(step, at - performance.timeOrigin);
  }

  /** What each step took after the one before, ms; empty until the picture is shown. */
  get durations(): readonly (readonly [StartStep, number])[] {
    const times = this.#times;
    if (!times.has('shown')) return [];
    let before = times.get('press') ?? 0;
    return START_STEPS.flatMap((step) => {
      const at = times.get(step);
      if (at === undefined || step === 'press') return [];
      const taken = Math.max(0, at - before);
      before = Math.max(before, at);
      return [[step, taken] as const];
    });
  }
}
