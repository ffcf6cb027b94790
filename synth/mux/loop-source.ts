/** Sends a loop for ever: its place is a pure function of time, its continuity counter too. */
import type { Pid } from '../../arib/ids.ts';
import { type Loop, PACKET_SIZE } from '../media/loop.ts';
import { writeStamps } from '../media/packetise.ts';
import type { PacketSource } from './source.ts';

/** Index of the first element that is not less than `value`. */
function lowerBound(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class LoopSource implements PacketSource {
  due = 0;
  readonly #count: number;
  /** Number of the round since the clock's zero, and its first tick. */
  #round = 0;
  #origin = 0;
  #packet = 0;
  #unit = 0;

  constructor(
    private readonly loop: Loop,
    private readonly pid: Pid,
  ) {
    this.#count = loop.due.length;
  }

  seek(ticks: number): void {
    const { due, period } = this.loop;
    this.#round = Math.floor((ticks - (due[0] as number)) / period);
    this.#origin = this.#round * period;
    this.#packet = lowerBound(due, ticks - this.#origin);
    if (this.#packet === this.#count) this.#nextRound();
    this.#unit = lowerBound(this.loop.unitPacket, this.#packet);
    this.due = this.#origin + (due[this.#packet] as number);
  }

  #nextRound(): void {
    this.#round += 1;
    this.#origin = this.#round * this.loop.period;
    this.#packet = 0;
    this.#unit = 0;
  }

  /** Counter of the next packet. Remainders first: the product may exceed 2^53 far from the clock's zero. */
  #counter(): number {
    return ((((this.#round % 16) * (this.#count % 16) + this.#packet) % 16) + 16) & 0x0f;
  }

  /** Counter of the packet that left last, or would have. */
  get lastCounter(): number {
    return (this.#counter() + 15) & 0x0f;
  }

  emit(out: Uint8Array, at: number): void {
    const { packets, unitPacket, unitPts, unitDts, due } = this.loop;
    const from = this.#packet * PACKET_SIZE;
    for (let i = 4; i < PACKET_SIZE; i++) out[at + i] = packets[from + i] as number;
    out[at] = 0x47;
    out[at + 1] = (packets[from + 1] as number) | (this.pid >> 8);
    out[at + 2] = this.pid & 0xff;
    out[at + 3] = (packets[from + 3] as number) | this.#counter();
    if (unitPacket[this.#unit] === this.#packet) {
      const pts = this.#origin + (unitPts[this.#unit] as number);
      const dts = this.#origin + (unitDts[this.#unit] as number);
      writeStamps(out, at, pts, dts);
      this.#unit += 1;
    }
    this.#packet += 1;
    if (this.#packet === this.#count) this.#nextRound();
    this.due = this.#origin + (due[this.#packet] as number);
  }
}
