/** When the raw path falls back to the encoded one. Pure; evaluated once a second. */
import type { RawProblem } from './raw-messages.ts';

interface RawSecond {
  /** The sound plays, so pictures are due. */
  readonly isRunning: boolean;
  /** 95th percentile of decoding, as a part of a frame's duration. */
  readonly load: number;
  /** s between the sound and the picture beside it. */
  readonly behind: number;
  /** Sound came since the last call. */
  readonly hasAudio: boolean;
  /** Sound that cannot be played, in a row. */
  readonly audioFailures: number;
}

/** A frame's decoding must leave room for what else the device does. */
const MAX_LOAD = 0.8;
const MAX_BEHIND_S = 0.25;
const SLOW_SECONDS = 5;
const SILENT_SECONDS = 5;
const MAX_AUDIO_FAILURES = 20;

export class RawRules {
  #slow = 0;
  #silent = 0;

  /** Undefined: all is well. */
  judge(second: RawSecond): RawProblem | undefined {
    const isSlow = second.isRunning && (second.load > MAX_LOAD || second.behind > MAX_BEHIND_S);
    this.#slow = isSlow ? this.#slow + 1 : 0;
    this.#silent = second.hasAudio ? 0 : this.#silent + 1;
    if (second.audioFailures >= MAX_AUDIO_FAILURES || this.#silent >= SILENT_SECONDS) return 'no_audio';
    return this.#slow >= SLOW_SECONDS ? 'slow' : undefined;
  }
}
