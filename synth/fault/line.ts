/**
 * The transmission path: turns a block of sent packets into the received one. A packet's fate depends on its number and
 * its time alone, so that every tuning of a channel is affected in the same way.
 */
import { broadcastMs } from '../../lib/arib/time.ts';
import { ticksAt } from '../clock.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { type Fault, type FaultOf, type Faults, isActive } from './model.ts';
import {
  announceDiscontinuity,
  carriesReference,
  corruptPacket,
  noisePacket,
  packetChance,
  pidAt,
  scramblePacket,
  setPid,
  shiftClock,
} from './packets.ts';

const PAYLOAD_FLAG = 0x10;
const ADAPTATION_FLAG = 0x20;

interface AbsentStream {
  counters: FaultOf<'absent'>['counters'];
  /** Counter of the last received packet with payload. */
  last: number;
  isAbsent: boolean;
  /** Added to the counters sent. */
  shift: number;
}

/**
 * Streams that are absent while the clock continues, without a sign in the continuity counters. Clock references in
 * packets of the stream are still sent, without payload.
 */
class AbsentStreams {
  readonly #streams = new Map<number, AbsentStream>();

  /** Counters may have to be changed although no fault is active any more. */
  get isNeeded(): boolean {
    return this.#streams.size > 0;
  }

  /** @param fault for the stream of this packet, if there is one @returns whether the packet is lost */
  isLost(
    bytes: Uint8Array,
    at: number,
    fault: FaultOf<'absent'> | undefined,
    isFaultActive: boolean,
  ): boolean {
    const pid = pidAt(bytes, at);
    const known = this.#streams.get(pid);
    if (fault === undefined && known === undefined) return false;
    const counter = (bytes[at + 3] as number) & 0x0f;
    const hasPayload = ((bytes[at + 3] as number) & PAYLOAD_FLAG) !== 0;
    const last = (counter + (hasPayload ? 15 : 0)) & 0x0f;
    const stream = known ?? { counters: 'continued', last, isAbsent: false, shift: 0 };
    this.#streams.set(pid, stream);
    if (fault !== undefined) stream.counters = fault.counters;
    const next = (stream.last + 1) & 0x0f;
    const isReturning = stream.isAbsent && !isFaultActive && hasPayload;
    stream.isAbsent =
      isFaultActive ||
      (stream.isAbsent && (!hasPayload || (stream.counters === 'matching' && counter !== next)));
    if (isReturning && stream.counters === 'continued') stream.shift = next - counter;
    if (stream.isAbsent) {
      if (hasPayload && !carriesReference(bytes, at)) return true;
      if (hasPayload) stripPayload(bytes, at);
      setCounter(bytes, at, stream.last);
    } else {
      setCounter(bytes, at, counter + stream.shift);
      if (hasPayload) stream.last = (counter + stream.shift) & 0x0f;
    }
    return false;
  }
}

function setCounter(bytes: Uint8Array, at: number, counter: number): void {
  bytes[at + 3] = ((bytes[at + 3] as number) & 0xf0) | (counter & 0x0f);
}

/** Leaves the adaptation field, with stuffing. */
function stripPayload(bytes: Uint8Array, at: number): void {
  const end = at + 5 + (bytes[at + 4] as number);
  bytes[at + 3] = ((bytes[at + 3] as number) & ~PAYLOAD_FLAG) | ADAPTATION_FLAG;
  bytes[at + 4] = PACKET_SIZE - 5;
  bytes.fill(0xff, end, at + PACKET_SIZE);
}

interface Arrived {
  /** Number of received bytes, from the beginning of the block. */
  length: number;
  /** The stream ends after them. */
  end: { exitCode: number; message: string | null } | null;
}

/** Packet identifiers of a station. */
export interface LineStation {
  serviceId: number;
  clock: number;
  /** In the order of the PMT. */
  audios: readonly number[];
  captions: number | null;
  /** All elementary streams. */
  media: ReadonlySet<number>;
}

interface LineOptions {
  /** The current faults of this channel, which may change from block to block. */
  faults: Faults;
  stations: readonly LineStation[];
}

const TICKS_PER_MS = 90;
/** Faults that change packets. */
const CHANGES: ReadonlySet<Fault['kind']> = new Set(['scramble', 'corrupt', 'pmt', 'swap', 'noise']);

export class Line {
  #tunedAt: number | undefined;
  /** The tuning began while the channel could not be received, and this has not changed. */
  #waiting = false;
  /** Offset added to the clock so far, to detect a change. */
  #shift = 0;
  /** Whether any packet has passed: a tuning that begins after a jump does not notice it. */
  #shifted = false;
  readonly #absent = new AbsentStreams();
  /** Packet identifiers of clock references that have yet to announce a jump. */
  #unannounced = new Set<number>();

  constructor(private readonly options: LineOptions) {}

  /** Whether `pass` would change nothing at present. */
  get isClear(): boolean {
    const isFaulty = this.options.faults.current.length > 0 || this.#absent.isNeeded;
    return !isFaulty && !this.#waiting && this.#shift === 0;
  }

  /**
   * @param bytes whole packets, changed in place @param first number of the first one @param momentOf the
   * moment (epoch ms) at which a packet is sent, by its number
   */
  pass(bytes: Uint8Array, first: number, momentOf: (index: number) => number): Arrived {
    const count = bytes.length / PACKET_SIZE;
    const begun = this.#tunedAt ?? momentOf(first);
    if (this.#tunedAt === undefined) {
      this.#tunedAt = begun;
      this.#waiting = this.#lockFault(begun) !== undefined;
    }
    if (this.isClear) return { length: bytes.length, end: null };
    let length = 0;
    for (let number = 0; number < count; number++) {
      const index = first + number;
      const at = momentOf(index);
      const end = this.#endAt(at, begun);
      if (end !== null) return { length, end };
      const from = number * PACKET_SIZE;
      if (this.#isLost(bytes, from, index, at)) continue;
      this.#change(bytes, from, index, at);
      if (length !== from) bytes.copyWithin(length, from, from + PACKET_SIZE);
      length += PACKET_SIZE;
    }
    return { length, end: null };
  }

  /** How much later packets arrive at a moment (epoch ms), ms. */
  delayAt(at: number): number {
    return this.#active('late', at)?.byMs ?? 0;
  }

  #active<K extends Fault['kind']>(kind: K, at: number): FaultOf<K> | undefined {
    return this.options.faults.current.find(
      (fault): fault is FaultOf<K> => fault.kind === kind && isActive(fault, at),
    );
  }

  #lockFault(at: number): FaultOf<'no_lock'> | undefined {
    return this.#active('no_lock', at);
  }

  #endAt(at: number, begun: number): Arrived['end'] {
    const end = this.#active('end', at);
    if (end !== undefined) return { exitCode: end.exitCode, message: null };
    if (!this.#waiting) return null;
    const fault = this.#lockFault(at);
    if (fault === undefined) {
      this.#waiting = false;
      return null;
    }
    const { exitAfterSec } = fault;
    if (exitAfterSec === null || at < begun + exitAfterSec * 1000) return null;
    return { exitCode: 1, message: 'no signal lock' };
  }

  #isLost(bytes: Uint8Array, from: number, index: number, at: number): boolean {
    if (this.#waiting || this.#active('stall', at) !== undefined) return true;
    for (const [salt, fault] of this.options.faults.current.entries()) {
      if (fault.kind !== 'loss' || !isActive(fault, at)) continue;
      if (fault.pids !== null && !fault.pids.includes(pidAt(bytes, from))) continue;
      // Packets of a burst share one random decision.
      if (packetChance(Math.floor(index / fault.burst), salt, fault.rate)) return true;
    }
    return this.#isSilenced(pidAt(bytes, from), at) || this.#isAbsent(bytes, from, at);
  }

  #isAbsent(bytes: Uint8Array, from: number, at: number): boolean {
    const pid = pidAt(bytes, from);
    const own = this.options.faults.current.filter(
      (fault): fault is FaultOf<'absent'> => fault.kind === 'absent' && fault.pids.includes(pid),
    );
    const active = own.find((fault) => isActive(fault, at));
    return this.#absent.isLost(bytes, from, active ?? own[0], active !== undefined);
  }

  *#stationsOf(serviceId: number | null): Generator<LineStation> {
    for (const station of this.options.stations) {
      if (serviceId === null || station.serviceId === serviceId) yield station;
    }
  }

  /** A sound that the PMT no longer lists is not sent either. */
  #isSilenced(pid: number, at: number): boolean {
    for (const fault of this.options.faults.current) {
      if (fault.kind !== 'pmt' || fault.audios === null || !isActive(fault, at)) continue;
      for (const { audios } of this.#stationsOf(fault.serviceId)) {
        if (audios.indexOf(pid) >= fault.audios) return true;
      }
    }
    return false;
  }

  /** Captions use the PID of the PMT. */
  #relay(bytes: Uint8Array, from: number, fault: FaultOf<'pmt'>): void {
    if (fault.captionPid === null) return;
    const pid = pidAt(bytes, from);
    for (const { captions } of this.#stationsOf(fault.serviceId)) {
      if (captions === pid) setPid(bytes, from, fault.captionPid);
    }
  }

  #change(bytes: Uint8Array, from: number, index: number, at: number): void {
    const { current } = this.options.faults;
    this.#shiftClock(bytes, from, at);
    const pid = pidAt(bytes, from);
    for (const [salt, fault] of current.entries()) {
      if (!CHANGES.has(fault.kind) || !isActive(fault, at)) continue;
      if (fault.kind === 'pmt') {
        this.#relay(bytes, from, fault);
      } else if (fault.kind === 'swap') {
        const other = fault.pids[1 - fault.pids.indexOf(pid)];
        if (fault.pids.includes(pid) && other !== undefined) setPid(bytes, from, other);
      } else if (fault.kind === 'noise') {
        if (fault.pids === null || fault.pids.includes(pid)) noisePacket(bytes, from, index);
      } else if (fault.kind === 'scramble') {
        for (const { media } of this.#stationsOf(fault.serviceId)) {
          if (media.has(pid)) scramblePacket(bytes, from, index);
        }
      } else if (fault.kind === 'corrupt' && (fault.pids === null || fault.pids.includes(pid))) {
        if (packetChance(index, salt + 0x100, fault.rate)) corruptPacket(bytes, from, index, fault);
      }
    }
  }

  #shiftClock(bytes: Uint8Array, from: number, at: number): void {
    let shift = 0;
    let announced = false;
    for (const fault of this.options.faults.current) {
      // A wrap is active before its moment as well: the clock runs towards zero.
      if (fault.kind === 'wrap' && fault.from !== null) shift -= Math.floor(ticksAt(broadcastMs(fault.from)));
      if (fault.kind !== 'clock' || !isActive(fault, at)) continue;
      shift += fault.offsetMs * TICKS_PER_MS;
      announced ||= fault.announced;
    }
    if (shift !== this.#shift) {
      // Every clock of the multiplex jumps: each announces it once, with its first reference.
      const clocks = this.options.stations.map(({ clock }) => clock);
      this.#unannounced = new Set(announced && this.#shifted ? clocks : []);
      this.#shift = shift;
    }
    this.#shifted = true;
    if (shift !== 0) shiftClock(bytes, from, shift);
    const pid = pidAt(bytes, from);
    if (!this.#unannounced.has(pid) || !carriesReference(bytes, from)) return;
    announceDiscontinuity(bytes, from);
    this.#unannounced.delete(pid);
  }
}
