/** Which commercials playback skips, and which the viewer chose to see. Pure; seconds of the playback scale. */
import { effect, untracked } from '@preact/signals';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { CommercialSkipping } from '../device/preferences.ts';
import { showToast } from '../ui/toast.tsx';
import type { Chapter } from './bar-marks.ts';
import { TEXTS } from './texts.ts';
import type { WatchPlayer } from './watch-player.ts';
import type { WatchSource } from './watch-source.ts';

export interface Break {
  readonly start: number;
  readonly end: number;
}

export interface SkipMemory {
  /** Where the viewer sought last; undefined: nowhere yet. */
  readonly sought: number | undefined;
  /** Breaks whose skipping was taken back. */
  readonly kept: readonly Break[];
  /** Skipped since the viewer sought last: playback may resume a little before its end. */
  readonly passed: Break | undefined;
}

/** A shorter rest of a break is not worth a jump; a seek may also land this much early. */
const SLACK_S = 0.2;

export function isSkipping(choice: CommercialSkipping, reliable: boolean): boolean {
  return choice === 'always' || (choice === 'reliable' && reliable);
}

/** In order; consecutive commercials are one break, invalid ones are omitted. */
export function breaksOf(chapters: readonly Chapter[]): Break[] {
  const breaks: Break[] = [];
  const commercials = chapters.filter(({ start, end, title }) => title === 'CM' && end > start);
  for (const { start, end } of [...commercials].sort((a, b) => a.start - b.start)) {
    const last = breaks.at(-1);
    if (last !== undefined && start <= last.end + SLACK_S)
      breaks[breaks.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else breaks.push({ start, end });
  }
  return breaks;
}

/** Boundaries may have been corrected since: the same break overlaps. */
const overlaps = (one: Break, other: Break): boolean => one.start < other.end && other.start < one.end;

/** The break to skip now; undefined: the content at this position is shown. */
export function skipAt(breaks: readonly Break[], position: number, memory: SkipMemory): Break | undefined {
  const found = breaks.find(({ start, end }) => position >= start && position < end - SLACK_S);
  if (found === undefined) return undefined;
  const { sought, kept, passed } = memory;
  // The start of the recording is where every viewing begins, not a place within its first break.
  if (sought !== undefined && sought > 0 && sought >= found.start && sought < found.end) return undefined;
  if (kept.some((one) => overlaps(one, found))) return undefined;
  return passed !== undefined && overlaps(passed, found) ? undefined : found;
}

/** s until the next break begins; undefined: none follows. */
export function untilBreak(breaks: readonly Break[], position: number): number | undefined {
  const next = breaks.find(({ start }) => start > position);
  return next === undefined ? undefined : next.start - position;
}

/** The player tells its position four times a second: a break that begins sooner is awaited by a timer. */
const AWAITED_S = 0.6;

/** Skips the commercials of the recording that plays, with a notice and an undo action. */
export class CommercialSkip {
  readonly #player: WatchPlayer;
  readonly #stop: () => void;
  #breaks: readonly Break[] = [];
  #recordingId: RecordingId | undefined;
  #isOn = false;
  /** The subject of the other state: each viewing starts without memory. */
  #source: WatchSource | undefined;
  #kept: readonly Break[] = [];
  #passed: Break | undefined;
  /** Can be taken back. */
  #skipped: Break | undefined;
  #sought: { readonly at: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(player: WatchPlayer) {
    this.#player = player;
    this.#stop = effect(() => {
      void [player.position.value, player.state.value, player.paused.value, player.rate.value];
      untracked(() => this.#check());
    });
  }

  /** The chapters of a recording as they are now, and whether its commercials are skipped. */
  know(recordingId: RecordingId, chapters: readonly Chapter[], isOn: boolean): void {
    this.#recordingId = recordingId;
    this.#breaks = breaksOf(chapters);
    this.#isOn = isOn;
    this.#check();
  }

  /** Back to the start of the break that was skipped last, which is not skipped again in this viewing. */
  takeBack(): void {
    if (this.#skipped === undefined || this.#player.source !== this.#source)
      showToast(TEXTS.noSkipped, undefined, 'commercial');
    else this.#backTo(this.#skipped);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop();
  }

  #check(): void {
    clearTimeout(this.#timer);
    const { source, sought } = this.#player;
    if (source !== this.#source) {
      this.#source = source;
      this.#kept = [];
      this.#passed = undefined;
      this.#skipped = undefined;
    }
    if (sought !== this.#sought) this.#passed = undefined;
    this.#sought = sought;
    const isPlaying = this.#player.state.value.kind === 'playing' && !this.#player.paused.value;
    if (!this.#isOn || !isPlaying || source?.kind !== 'watch' || source.recordingId !== this.#recordingId)
      return;
    const position = this.#player.position.value;
    const memory = { sought: sought?.at, kept: this.#kept, passed: this.#passed };
    const found = skipAt(this.#breaks, position, memory);
    if (found === undefined) {
      const seconds = (untilBreak(this.#breaks, position) ?? Infinity) / this.#player.rate.value;
      if (seconds < AWAITED_S) this.#timer = setTimeout(() => this.#player.follow(), seconds * 1000);
      return;
    }
    this.#passed = found;
    this.#skipped = found;
    this.#player.pass(found.end);
    const run = (): void => {
      // The notice outlives the recording that it is about.
      if (this.#player.source === source) this.#backTo(found);
    };
    showToast(TEXTS.skipped, { label: TEXTS.undoSkip, run }, 'commercial');
  }

  #backTo(found: Break): void {
    this.#kept = [...this.#kept, found];
    this.#skipped = undefined;
    this.#player.seek(found.start);
    showToast(TEXTS.backToCommercials, undefined, 'commercial');
  }
}
