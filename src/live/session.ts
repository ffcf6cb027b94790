/** What the sessions of a station have in common for the station that holds them. */
import type { Notice } from '../../wire/api.ts';
import type { Viewer } from './viewer.ts';

export interface Joined {
  viewer: Viewer;
  /** RFC 6381 type. */
  mime: string;
  notices: Notice[];
}

export interface Session {
  /** Resolves when the viewer has its first bytes. @throws Failure, the abort's reason. */
  join(signal: AbortSignal): Promise<Joined>;
  /** The encoder ends, viewers are cut. */
  stop(): void;
}

/** Tells the worker in few messages how much was taken. */
export class Receipts {
  #bytes = 0;

  constructor(readonly send: (bytes: number) => void) {}

  add(bytes: number): void {
    const STEP = 256 * 1024;
    this.#bytes += bytes;
    if (this.#bytes < STEP) return;
    this.send(this.#bytes);
    this.#bytes = 0;
  }
}
