/** Program clock references in packets of their own, without payload: ISO/IEC 13818-1 2.4.3.5. */
import type { Pid } from '../../lib/arib/ids.ts';
import { wrapTicks } from '../clock.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { NULL_PID } from '../scenario/layout.ts';
import type { PacketSource } from './source.ts';

/**
 * As measured in a terrestrial channel: 57 ms, and 225 ms for one-segment, which exceeds the 100 ms of the
 * standard.
 */
export const CLOCK_PERIOD = { main: 5_130, partial: 20_250 };
/** Packets without payload do not count: the counter stays that of the last packet with payload. */
type CounterOf = () => number;
/** A reference is the time of the byte with the last bit of its base. */
const REFERENCE_BYTE = 10;
const ADAPTATION_LENGTH = PACKET_SIZE - 5;
const PCR_FLAG = 0x10;

/** The time of the next reference to be sent, at or after the given ticks; equal if one is sent then. */
export type NextReference = (ticks: number) => number;

const ALWAYS: NextReference = (ticks) => ticks;

export class ClockSource implements PacketSource {
  due = 0;

  /** @param systemPerPacket 27 MHz ticks per packet */
  constructor(
    private readonly pid: Pid,
    private readonly systemPerPacket: number,
    private readonly lastCounter: CounterOf,
    private readonly period: number = CLOCK_PERIOD.main,
    private readonly next: NextReference = ALWAYS,
  ) {}

  seek(ticks: number): void {
    this.#settle(ticks);
  }

  #settle(ticks: number): void {
    this.due = Math.ceil(this.next(ticks) / this.period) * this.period;
  }

  emit(out: Uint8Array, at: number, system: number): void {
    const moment = Math.round(system + (this.systemPerPacket * REFERENCE_BYTE) / PACKET_SIZE);
    const ticks = Math.floor(moment / 300);
    const extension = moment - ticks * 300;
    const base = wrapTicks(ticks);
    out.fill(0xff, at, at + PACKET_SIZE);
    out[at] = 0x47;
    if (this.next(this.due) > this.due) {
      out.set([NULL_PID >> 8, NULL_PID & 0xff, 0x10], at + 1);
      this.#settle(this.due + this.period);
      return;
    }
    out[at + 1] = this.pid >> 8;
    out[at + 2] = this.pid & 0xff;
    out[at + 3] = 0x20 | this.lastCounter();
    out[at + 4] = ADAPTATION_LENGTH;
    out[at + 5] = PCR_FLAG;
    const high = Math.floor(base / 2);
    out[at + 6] = high >>> 24;
    out[at + 7] = high >>> 16;
    out[at + 8] = high >>> 8;
    out[at + 9] = high;
    out[at + 10] = ((base % 2) << 7) | 0x7e | (extension >> 8);
    out[at + 11] = extension & 0xff;
    this.#settle(this.due + this.period);
  }
}
