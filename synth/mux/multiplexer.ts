/**
 * A constant-rate stream: each packet slot goes to the source that has waited longest, or to a null packet.
 */
import { PACKET_SIZE } from '../media/loop.ts';
import { NULL_PID } from '../scenario/layout.ts';
import type { PacketSource } from './source.ts';

const NULL_PACKET = new Uint8Array(PACKET_SIZE).fill(0xff);
NULL_PACKET.set([0x47, NULL_PID >> 8, NULL_PID & 0xff, 0x10]);

export class Multiplexer {
  #packet = 0;

  /**
   * @param systemPerPacket 27 MHz ticks per packet, an integer: packet n is sent at n times this @param
   * sources in order of preference if equally due
   */
  constructor(
    readonly systemPerPacket: number,
    private readonly sources: readonly PacketSource[],
  ) {}

  /** Number of the next packet since the clock's zero. */
  get packet(): number {
    return this.#packet;
  }

  /** Unwrapped 90 kHz time of a packet, by its number. */
  ticksOf(packet: number): number {
    return (packet * this.systemPerPacket) / 300;
  }

  /** Unwrapped 90 kHz time of the next packet. */
  get ticks(): number {
    return this.ticksOf(this.#packet);
  }

  /** Moves to the first packet at or after `ticks`. */
  seek(ticks: number): void {
    this.#packet = Math.ceil((ticks * 300) / this.systemPerPacket);
    for (const source of this.sources) source.seek(this.ticks);
  }

  /** Number of packets sent before `ticks`. */
  packetsUntil(ticks: number): number {
    return Math.max(0, Math.ceil((ticks * 300) / this.systemPerPacket) - this.#packet);
  }

  /** Writes the next `count` packets. */
  fill(out: Uint8Array, count: number): void {
    const { sources } = this;
    for (let index = 0; index < count; index++) {
      const system = this.#packet * this.systemPerPacket;
      const ticks = system / 300;
      let chosen: PacketSource | undefined;
      let earliest = ticks;
      for (const source of sources) {
        const { due } = source;
        if (due < earliest || (due === earliest && chosen === undefined)) {
          earliest = due;
          chosen = source;
        }
      }
      const at = index * PACKET_SIZE;
      if (chosen === undefined) out.set(NULL_PACKET, at);
      else chosen.emit(out, at, system);
      this.#packet += 1;
    }
  }
}
