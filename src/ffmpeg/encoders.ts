/** Which encoders this machine's ffmpeg really has. */
import type { Log } from '../../host/log.ts';

export interface EncodersOptions {
  /** FFMPEG_PATH; undefined looks on `searchPath`. */
  path: string | undefined;
  /** PATH. */
  searchPath: string;
  log: Log;
  /** Epoch ms. */
  now: () => number;
}

export interface EncoderStatus {
  state: 'probing' | 'ready' | 'missing';
  path: string | null;
  version: string | null;
  /** Names of encoders that passed a trial. */
  usable: string[];
  /** Preset and measured speed (times real time) of live AV1; null while unknown or not possible. */
  av1: { encoder: string; preset: number | null; speed: number | null } | null;
}

export class Encoders {
  #status: EncoderStatus = { state: 'probing', path: null, version: null, usable: [], av1: null };

  constructor(readonly options: EncodersOptions) {}

  /** Begins probing in the background. */
  start(): void {}

  status(): EncoderStatus {
    return this.#status;
  }

  /** Waits for the probe's end, for `svc check`. */
  async settled(): Promise<EncoderStatus> {
    return this.#status;
  }

  async close(): Promise<void> {}
}
