/**
 * A stretch of one station's planned programmes and what happens to them: which overrun, have an open end,
 * are interrupted or cancelled, when that is announced, and how the following programmes move. Later
 * stretches are not affected.
 */
import type { EventId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { Content, Programme } from './programme.ts';

export type Incident =
  | {
      kind: 'overrun';
      byMs: number;
      /** Announced in this many steps, each this long before the end announced last. */
      steps: number;
      noticeMs: number;
    }
  /** The tables leave the duration open from `openMs` before the planned end to `noticeMs` before the real one. */
  | { kind: 'open'; byMs: number; openMs: number; noticeMs: number }
  | { kind: 'cancelled'; noticeMs: number; instead: { eventId: EventId; content: () => Content } }
  /**
   * The next two, of zero length until then, are the interrupting programme and the rest of the interrupted
   * one.
   */
  | { kind: 'interrupted'; afterMs: number; forMs: number };

export interface Planned {
  eventId: EventId;
  startAt: BroadcastMs;
  durationMs: number;
  content: () => Content;
  incident?: Incident;
  /** Its beginning may be shortened by an overrunning preceding programme. */
  absorbs?: boolean;
  /** On air, but not listed in any table. */
  silent?: boolean;
}

/** Changes to a planned programme by one announcement. */
interface Announcement {
  at: BroadcastMs;
  index: number;
  durationMs?: number;
  /** Also of the programmes planned after it. */
  following?: readonly number[];
  open?: boolean;
  cancelled?: true;
}

interface State {
  durationMs: number;
  open: boolean;
  cancelled: boolean;
}

/** Start and duration of a programme, without its texts. */
export interface Span {
  index: number;
  eventId: EventId;
  startAt: BroadcastMs;
  durationMs: number;
  open: boolean;
  content: () => Content;
}

function overrunSteps(
  index: number,
  startAt: BroadcastMs,
  durationMs: number,
  incident: Incident,
): Announcement[] {
  if (incident.kind === 'cancelled')
    return [{ at: broadcastMs(startAt - incident.noticeMs), index, cancelled: true }];
  if (incident.kind === 'interrupted') {
    const { afterMs, forMs } = incident;
    const following = [forMs, durationMs - afterMs];
    return [{ at: broadcastMs(startAt + afterMs), index, durationMs: afterMs, following }];
  }
  const end = startAt + durationMs;
  if (incident.kind === 'open') {
    const opened = broadcastMs(Math.max(startAt, end - incident.openMs));
    const known = broadcastMs(Math.max(opened + 1, end + incident.byMs - incident.noticeMs));
    return [
      { at: opened, index, open: true },
      { at: known, index, open: false, durationMs: durationMs + incident.byMs },
    ];
  }
  const { byMs, steps, noticeMs } = incident;
  return Array.from({ length: steps }, (_, step) => ({
    at: broadcastMs(Math.max(startAt, Math.round(end + (byMs * step) / steps - noticeMs))),
    index,
    durationMs: durationMs + Math.round((byMs * (step + 1)) / steps / 1000) * 1000,
  }));
}

export class Stretch {
  /** The programmes actually on air, including those that no table lists. */
  readonly real: readonly Span[];
  readonly #announcements: readonly Announcement[];
  readonly #announced = new Map<number, readonly Span[]>();

  constructor(readonly planned: readonly Planned[]) {
    const announcements: Announcement[] = [];
    const states = this.#initial();
    // In order: the time of an announcement depends on the real start, which depends on the preceding
    // programmes.
    for (const [index, { incident }] of planned.entries()) {
      if (incident === undefined) continue;
      const span = this.#spans(states)[index];
      if (span === undefined) continue;
      const own = overrunSteps(index, span.startAt, span.durationMs, incident);
      announcements.push(...own);
      for (const announcement of own) this.#apply(states, announcement);
    }
    this.#announcements = announcements.sort((a, b) => a.at - b.at);
    this.real = this.#spans(states);
  }

  #initial(): State[] {
    return this.planned.map(({ durationMs }) => ({ durationMs, open: false, cancelled: false }));
  }

  #apply(states: State[], { index, durationMs, following = [], open, cancelled }: Announcement): void {
    const state = states[index];
    if (state === undefined) return;
    if (durationMs !== undefined) state.durationMs = durationMs;
    if (open !== undefined) state.open = open;
    if (cancelled) state.cancelled = true;
    for (const [offset, length] of following.entries()) {
      const behind = states[index + 1 + offset];
      if (behind !== undefined) behind.durationMs = length;
    }
  }

  #spans(states: readonly State[]): Span[] {
    let free = Number.NEGATIVE_INFINITY;
    return this.planned.map((planned, index): Span => {
      const state = states[index] as State;
      const startAt = broadcastMs(Math.max(planned.startAt, free));
      const late = startAt - planned.startAt;
      const gives = planned.absorbs === true && late < state.durationMs;
      const durationMs = state.durationMs - (gives ? late : 0);
      free = startAt + durationMs;
      const { instead } = planned.incident?.kind === 'cancelled' ? planned.incident : { instead: planned };
      const { eventId, content } = state.cancelled ? instead : planned;
      return { index, eventId, startAt, durationMs, open: state.open, content };
    });
  }

  /** Times of unplanned announcements, in order. */
  get announcedAt(): readonly BroadcastMs[] {
    return this.#announcements.map(({ at }) => at);
  }

  /** Number of revisions of the schedule up to a time: an open end is only announced in present/following. */
  revisions(at: BroadcastMs): number {
    return this.#announcements.filter((one) => one.at <= at && one.open !== true).length;
  }

  /** Everything as announced at a time, in order; an open end is the planned one. */
  announced(at: BroadcastMs): readonly Span[] {
    let count = 0;
    while ((this.#announcements[count]?.at ?? Number.POSITIVE_INFINITY) <= at) count += 1;
    const known = this.#announced.get(count);
    if (known !== undefined) return known;
    const states = this.#initial();
    for (const announcement of this.#announcements.slice(0, count)) this.#apply(states, announcement);
    const spans = this.#spans(states);
    this.#announced.set(count, spans);
    return spans;
  }

  /** Whether no table lists it. */
  isSilent({ index, durationMs }: Span): boolean {
    return this.planned[index]?.silent === true || durationMs === 0;
  }
}

export function programmeOf(span: Span, flags: { openStart: boolean } = { openStart: false }): Programme {
  const { eventId, startAt, durationMs, open } = span;
  return { ...span.content(), eventId, startAt, durationMs, openEnd: open, openStart: flags.openStart };
}
