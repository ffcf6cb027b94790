/** Skips the commercials of the recording that plays, with a notice and an undo action. */
import { effect, untracked } from '@preact/signals';
import type { RecordingId } from '../../wire/ids.ts';
import { showToast } from '../ui/toast.tsx';
import type { Chapter } from './bar-marks.ts';
import { type Break, breaksOf, skipAt, untilBreak } from './skip-rules.ts';
import { TEXTS } from './texts.ts';
import type { WatchPlayer } from './watch-player.ts';
import type { WatchSource } from './watch-source.ts';

/** The player tells its position four times a second: a break that begins sooner is awaited by a timer. */
const AWAITED_S = 0.6;

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
