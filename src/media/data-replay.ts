/**
 * Reads the data broadcast of recorded packets as it was received: the clock of the reader is that of the stream (PCR), so
 * that the same octets always give the same items, however fast and in whatever pieces they are read.
 */
import type { Pid, ServiceId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import { type Pts90k, TICKS_PER_MS } from '../../lib/arib/time.ts';
import { pcrToPts, ptsDifference } from '../../lib/arib/ts/clock.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { PACKET_SIZE, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { type MonotonicMs, monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import { dataReader } from '../reception/data-reader.ts';
import type { StreamReader } from '../reception/reader-kind.ts';
import type { SideItem } from '../reception/side-item.ts';
import { ProgramTables } from './program-tables.ts';

/** Fed at once, as to a reader of a received stream (`reader-set.ts`). */
const SLICE_PACKETS = 64;
const SLICE_BYTES = SLICE_PACKETS * PACKET_SIZE;
const CHECK_MS = 100;
/** PCR come every 0.1 s: a longer step is no time that passed. */
const MAX_STEP_MS = 1_000;
/** A slice of a station of 24 Mbit/s, for a stream without a clock. */
const SLICE_MS = 4;
/** Slices without a clock after which it counts as missing. */
const CLOCKLESS = 2_000;

export interface ReplayPlace {
  /** Octets read before, to a few kB. */
  readonly octet: number;
  /** The stream's clock; undefined before its first. */
  readonly stamp: Pts90k | undefined;
}

interface DataReplayOptions {
  readonly serviceId: ServiceId | undefined;
  /** As known from earlier. */
  readonly broadcaster?: ServiceBroadcaster | undefined;
  readonly give: (item: SideItem, place: ReplayPlace) => void;
}

export class DataReplay {
  readonly #framer = new PacketFramer();
  readonly #tables: ProgramTables;
  readonly #slice = new Uint8Array(SLICE_BYTES);
  #filled = 0;
  #reader: StreamReader<never> | undefined;
  #now: MonotonicMs = monotonicMs(0);
  #checkedAt = 0;
  /** Of the first packet that was not given to the reader. */
  #octet = 0;
  #stamp: Pts90k | undefined;
  #clockless = 0;

  constructor(private readonly options: DataReplayOptions) {
    this.#tables = new ProgramTables(options.serviceId);
  }

  /** Octets of the stream before this were read by the reader, to a few packets. */
  get position(): number {
    return this.#octet;
  }

  /** Continues the octets before. @param octet position of the first one */
  feed(bytes: Uint8Array, octet: number): void {
    this.#framer.scan(bytes, (packets, from, to) => {
      for (let at = from; at < to; ) {
        // Packets that began before are in an array of their own.
        if (this.#filled === 0) this.#octet = packets === bytes ? octet + at : octet;
        const count = Math.min(to - at, SLICE_BYTES - this.#filled);
        this.#slice.set(packets.subarray(at, at + count), this.#filled);
        this.#filled += count;
        at += count;
        if (this.#filled === SLICE_BYTES) this.end();
      }
    });
  }

  /** Takes the last packets, too. */
  end(): void {
    const packets = this.#slice.subarray(0, this.#filled);
    this.#filled = 0;
    const pcr = this.#read(packets);
    const reader = this.#reader ?? this.#begin();
    reader?.feed(packets);
    this.#octet += packets.length;
    this.#pass(pcr);
    if (this.#now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = this.#now;
    reader?.check?.();
  }

  /** @returns the last PCR among the packets */
  #read(packets: Uint8Array): Pts90k | undefined {
    const pcrPid: Pid | undefined = this.#tables.pcrPid;
    let pcr: number | undefined;
    for (let at = 0; at < packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      if (pid === pcrPid) pcr = packetPcr(packets, at) ?? pcr;
      this.#tables.feed(packets, at);
    }
    return pcr === undefined ? undefined : pcrToPts(pcr);
  }

  #begin(): StreamReader<never> | undefined {
    const { serviceId } = this.#tables;
    if (serviceId === undefined) return undefined;
    this.#reader = dataReader.start(
      { serviceId, broadcaster: this.options.broadcaster },
      {
        ...{ clock: () => this.#now, wall: systemWallClock, select: () => {}, finish: () => {} },
        post: (item) => this.options.give(item, { octet: this.#octet, stamp: this.#stamp }),
      },
    );
    return this.#reader;
  }

  #pass(stamp: Pts90k | undefined): void {
    if (stamp === undefined) {
      this.#clockless += 1;
      if (this.#clockless > CLOCKLESS) this.#now = monotonicMs(this.#now + SLICE_MS);
      return;
    }
    this.#clockless = 0;
    const stepMs = this.#stamp === undefined ? 0 : ptsDifference(stamp, this.#stamp) / TICKS_PER_MS;
    if (stepMs > 0 && stepMs <= MAX_STEP_MS) this.#now = monotonicMs(this.#now + stepMs);
    this.#stamp = stamp;
  }
}
