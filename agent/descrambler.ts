/** Where descrambling happens: once a tuning, before the bytes are handed to every user of it. */

export interface Descrambler {
  /** Whether what it gives out is descrambled, for display. */
  readonly active: boolean;
  /** The same packets, descrambled. The result may be the chunk itself. */
  feed(chunk: Uint8Array): Uint8Array;
  close(): void;
}

/** Without a card the packets pass as they are. */
export class PassThroughDescrambler implements Descrambler {
  readonly active = false;

  feed(chunk: Uint8Array): Uint8Array {
    return chunk;
  }

  close(): void {}
}
