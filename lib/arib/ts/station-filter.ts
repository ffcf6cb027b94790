/**
 * Narrows a transport stream to one station: a PAT of this station only, its PMT, its streams, clock and ECM, and the
 * SI of the stream; null packets and other stations are removed. It is fed bytes in any pieces and decides about
 * every packet by a table of PIDs. ISO/IEC 13818-1 2.4; SI PIDs: ARIB STD-B10 Part 2, table 5-1.
 *
 * It does not descramble, interpret SI, or change any payload except PAT and PMT.
 */
import type { Pid, ServiceId, TransportStreamId } from '../ids.ts';
import { PacketFramer } from './framer.ts';
import {
  hasPayload,
  hasTransportError,
  type OwnedBytes,
  PACKET_SIZE,
  PAT_PID,
  PID_COUNT,
  packetPcr,
  packetPid,
} from './packet.ts';
import { number, stripPayload } from './packetizer.ts';
import { SI_PIDS } from './pat.ts';
import type { ProgramMap } from './pmt.ts';
import { type StationHandlers, StationTables } from './station-tables.ts';
import { StreamStatistics } from './statistics.ts';

type StationFilterHandlers = StationHandlers;

/** Action for packets of a PID. */
const DROP = 0;
const KEEP = 1;
/** Kept, with the PID's `#shift` added to every continuity counter. */
const SHIFT = 2;
/** Kept; the PID was part of the output before, and its counter must continue. */
const REJOIN = 3;
const PAT = 4;
const PMT = 5;

const NOTHING = new Uint8Array(0);

export class StationFilter {
  /** Statistics of the output: the station as received. */
  readonly statistics = new StreamStatistics();

  readonly #tables: StationTables;
  readonly #framer = new PacketFramer();
  readonly #actions = new Uint8Array(PID_COUNT);
  readonly #shift = new Uint8Array(PID_COUNT);

  /** Packets from `#read` to `#end` are still to be read; kept ones are moved down, after `#written`. */
  #buffer: Uint8Array = NOTHING;
  #read = 0;
  #end = 0;
  #written = 0;
  /** Buffer in which `feed` narrows its copy of a chunk. */
  #scratch: Uint8Array = NOTHING;
  /** Kept packets in another buffer that precede the output, in the space that `#written` already includes. */
  #head: Uint8Array = NOTHING;
  #headLength = 0;
  /** Output up to here is counted in `statistics`. */
  #counted = 0;

  /** PIDs of the tables in `#actions`. */
  #pmtPid: Pid | undefined;
  #pids: readonly Pid[] = [];

  constructor(serviceId: ServiceId, handlers: StationFilterHandlers = {}) {
    this.#tables = new StationTables(serviceId, handlers);
    this.#actions[PAT_PID] = PAT;
    for (const [first, last] of SI_PIDS) this.#actions.fill(KEEP, first, last + 1);
  }

  /** The station's last announced streams; undefined before, and while the station is absent. */
  get programMap(): ProgramMap | undefined {
    return this.#tables.programMap;
  }

  get transportStreamId(): TransportStreamId | undefined {
    return this.#tables.transportStreamId;
  }

  /** Number of missing sync bytes at expected positions. */
  get syncErrors(): number {
    return this.#framer.syncErrors;
  }

  /** Processes bytes of the stream; returns the kept packets, complete, in their own buffer. May be empty. */
  feed(chunk: Uint8Array): Uint8Array {
    if (this.#scratch.length < chunk.length) this.#scratch = new Uint8Array(chunk.length);
    this.#scratch.set(chunk);
    this.#framer.scan(this.#scratch.subarray(0, chunk.length), this.#narrow);
    return this.#finish(true);
  }

  /** Like `feed`, but narrows the chunk in place, which is twice as fast; the result may be a view of it. */
  take(chunk: OwnedBytes): Uint8Array {
    this.#framer.scan(chunk.handOver(), this.#narrow);
    return this.#finish(false);
  }

  /** The end of the stream: the last packets, if they were still waiting for confirmation of their sync. */
  flush(): Uint8Array {
    const rest = this.#framer.flush();
    this.#narrow(rest, 0, rest.length);
    return this.#finish(false);
  }

  /** Returns the kept packets: a view of the buffer, or a copy if the buffer is only `borrowed`. */
  #finish(borrowed: boolean): Uint8Array {
    this.#placeHead();
    const buffer = this.#buffer;
    const length = this.#written;
    this.#buffer = NOTHING;
    this.#written = 0;
    this.#counted = 0;
    if (length === 0) return new Uint8Array(0);
    // The result may wait in a queue whose limit only counts its own size: it must not be a view of a much larger
    // buffer.
    const copied = borrowed || length * 2 < buffer.length;
    return copied ? Uint8Array.prototype.slice.call(buffer, 0, length) : buffer.subarray(0, length);
  }

  /** Narrows a run of packets in place; packets kept before are put in front of it. */
  readonly #narrow = (bytes: Uint8Array, from: number, to: number): void => {
    this.#read = from;
    this.#end = to;
    if (bytes !== this.#buffer) this.#enter(bytes);
    this.#decide();
    this.#count();
  };

  /** Makes `bytes` the buffer. The space for the head is filled last: packets to be read may be there. */
  #enter(bytes: Uint8Array): void {
    this.#placeHead();
    this.#head = this.#buffer;
    this.#headLength = this.#written;
    this.#counted = this.#written;
    this.#buffer = bytes;
    if (this.#headLength > bytes.length) this.#moveUp(this.#read, 0);
  }

  #placeHead(): void {
    const length = this.#headLength;
    if (length === 0) return;
    this.#buffer.set(length === this.#head.length ? this.#head : this.#head.subarray(0, length));
    this.#head = NOTHING;
    this.#headLength = 0;
  }

  /**
   * Decides about every packet by the table. Packets to be kept are moved at the end of their run, not one by one.
   * The state is in local variables, which makes it three times as fast, except when a packet is parsed.
   */
  #decide(): void {
    const actions = this.#actions;
    let buffer = this.#buffer;
    let end = this.#end;
    let written = this.#written;
    let run = -1;
    let at = this.#read;
    while (at < end) {
      const pid = (((buffer[at + 1] as number) & 0x1f) << 8) | (buffer[at + 2] as number);
      const action = actions[pid] as number;
      if (action === KEEP) {
        if (run < 0) run = at;
      } else if (action === DROP && (run < 0 || written + at - run <= at + PACKET_SIZE)) {
        if (run >= 0) {
          if (run !== written) buffer.copyWithin(written, run, at);
          written += at - run;
          run = -1;
        }
      } else if (action === SHIFT || action === REJOIN) {
        this.#moveCounter(action, at);
        if (run < 0) run = at;
      } else {
        this.#read = at;
        this.#written = written;
        if (run >= 0) this.#keep(run);
        run = -1;
        if (action === PAT) this.#takePat();
        else if (action === PMT) this.#takePmt();
        buffer = this.#buffer;
        end = this.#end;
        written = this.#written;
        at = this.#read;
      }
      at += PACKET_SIZE;
    }
    this.#read = at;
    this.#written = written;
    if (run >= 0) this.#keep(run);
  }

  /** Keeps the packets from `from` to the current one, which stays readable. */
  #keep(from: number): void {
    const length = this.#read - from;
    const start = this.#written + length <= this.#read ? from : from + this.#moveUp(from, length);
    this.#buffer.copyWithin(this.#written, start, start + length);
    this.#written += length;
  }

  /**
   * Moves unread packets, from `from` on, to a larger buffer with room for `size` octets before them; returns the
   * distance. Needed if a head or a PMT is longer than the packets dropped so far.
   */
  #moveUp(from: number, size: number): number {
    const gap = this.#buffer.length + this.#written + size;
    const larger = new Uint8Array(this.#buffer.length + gap);
    larger.set(this.#buffer.subarray(0, this.#written));
    larger.set(this.#buffer.subarray(from, this.#end), from + gap);
    this.#buffer = larger;
    this.#read += gap;
    this.#end += gap;
    return gap;
  }

  #count(): void {
    this.statistics.count(this.#buffer, this.#counted, this.#written);
    this.#counted = this.#written;
  }

  /** The counter that the PID's next generated packet must have. */
  #nextCounter(pid: Pid): number {
    this.#count();
    return ((this.statistics.lastCounter(pid) ?? -1) + 1) & 0x0f;
  }

  #moveCounter(action: number, at: number): void {
    const pid = packetPid(this.#buffer, at);
    // The counter of an errored packet is unreliable.
    if (hasTransportError(this.#buffer, at)) return;
    const control = this.#buffer[at + 3] as number;
    if (action === REJOIN) {
      // `statistics` is exact here: the PID was not output since its programme left.
      const last = this.statistics.lastCounter(pid) ?? 0;
      const next = hasPayload(this.#buffer, at) ? last + 1 : last;
      this.#shift[pid] = (next - control) & 0x0f;
      this.#actions[pid] = this.#shift[pid] === 0 ? KEEP : SHIFT;
    }
    this.#buffer[at + 3] = (control & 0xf0) | ((control + (this.#shift[pid] as number)) & 0x0f);
  }

  #takePat(): void {
    const due = this.#tables.takePat(this.#buffer, this.#read);
    this.#follow();
    if (due) this.#write(this.#tables.patPackets, PAT_PID);
  }

  #takePmt(): void {
    const due = this.#tables.takePmt(this.#buffer, this.#read);
    this.#follow();
    if (this.#pmtPid === undefined) return;
    if (due) this.#write(this.#tables.pmtPackets, this.#pmtPid);
    this.#keepClockOfPmtPid(this.#pmtPid);
  }

  /** Updates the table of PIDs from the current PAT and PMT. */
  #follow(): void {
    const { pids, pmtPid } = this.#tables;
    if (pids === this.#pids && pmtPid === this.#pmtPid) return;
    for (const pid of this.#pids) if (!pids.includes(pid)) this.#actions[pid] = DROP;
    if (this.#pmtPid !== undefined) this.#actions[this.#pmtPid] = DROP;
    for (const pid of pids) if (!this.#pids.includes(pid)) this.#admit(pid);
    if (pmtPid !== undefined) this.#actions[pmtPid] = PMT;
    this.#pids = pids;
    this.#pmtPid = pmtPid;
  }

  #admit(pid: Pid): void {
    this.#count();
    this.#actions[pid] = this.statistics.lastCounter(pid) === undefined ? KEEP : REJOIN;
  }

  /** PCR_PID may be the PMT's own PID: then its packets are passed on as clock only, besides the rewritten PMT. */
  #keepClockOfPmtPid(pid: Pid): void {
    if (this.programMap?.pcrPid !== pid) return;
    if (hasTransportError(this.#buffer, this.#read)) return;
    if (packetPcr(this.#buffer, this.#read) === undefined) return;
    const last = this.#nextCounter(pid) - 1;
    if (this.#written + PACKET_SIZE > this.#read) this.#moveUp(this.#read, PACKET_SIZE);
    this.#buffer.copyWithin(this.#written, this.#read, this.#read + PACKET_SIZE);
    stripPayload(this.#buffer, this.#written, last);
    this.#written += PACKET_SIZE;
  }

  #write(packets: Uint8Array, pid: Pid): void {
    const counter = this.#nextCounter(pid);
    if (this.#written + packets.length > this.#read) this.#moveUp(this.#read, packets.length);
    const from = this.#written;
    this.#buffer.set(packets, from);
    this.#written += packets.length;
    number(this.#buffer, from, this.#written, counter);
  }
}
