/**
 * One receiver of a channel: the transmission path with its faults, and a bounded queue in front of a socket. A
 * receiver that is too slow loses packets, like behind a real tuner.
 */
import type { Line } from '../fault/line.ts';
import { PACKET_SIZE } from '../media/loop.ts';

/** Where the stream of a tuning goes; like Bun's socket. */
export interface TuningOutput {
  /** @returns bytes taken; negative after the end */
  write(bytes: Uint8Array): number;
  /** After everything that was taken. */
  end(): void;
}

/** Why a tuning ended. */
export interface Ending {
  exitCode: number;
  message: string | null;
}

export class Tuning {
  #queue: Uint8Array[] = [];
  #queued = 0;
  /** Bytes of the first block that were taken. */
  #taken = 0;
  #ending: Ending | undefined;

  /** @param maxQueued bytes @param ended is called once everything was taken */
  constructor(
    private readonly output: TuningOutput,
    private readonly line: Line,
    private readonly maxQueued: number,
    private readonly ended: (ending: Ending) => void,
  ) {}

  /** @param block is shared with other tunings: it is copied if a fault changes it */
  take(block: Uint8Array, first: number, momentOf: (packet: number) => number): void {
    if (this.#ending !== undefined || block.length === 0) return;
    const own = this.line.isClear ? block : block.slice();
    const { length, end } = this.line.pass(own, first, momentOf);
    this.#push(own.subarray(0, length));
    if (end !== null) this.#ending = end;
    this.flush();
  }

  end(ending: Ending): void {
    this.#ending ??= ending;
    this.flush();
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#queued + bytes.length > this.maxQueued) this.#drop();
    this.#queue.push(bytes);
    this.#queued += bytes.length;
  }

  /** Everything but the rest of a packet that was taken in part. */
  #drop(): void {
    const [first] = this.#queue;
    const end = Math.ceil(this.#taken / PACKET_SIZE) * PACKET_SIZE;
    this.#queue = first === undefined || end === this.#taken ? [] : [first.subarray(0, end)];
    this.#queued = end - this.#taken;
    if (this.#queue.length === 0) this.#taken = 0;
  }

  /** Writes as much as the output takes. */
  flush(): void {
    for (let block = this.#queue[0]; block !== undefined; block = this.#queue[0]) {
      const taken = this.output.write(block.subarray(this.#taken));
      if (taken < 0) return;
      this.#taken += taken;
      this.#queued -= taken;
      if (this.#taken < block.length) return;
      this.#queue.shift();
      this.#taken = 0;
    }
    if (this.#ending === undefined) return;
    this.ended(this.#ending);
    this.output.end();
  }
}
