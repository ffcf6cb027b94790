/**
 * Narrows a transport stream to one station: a PAT of this station alone, its PMT, its streams, clock and ECM,
 * and the SI of the stream; null packets and other stations go. It is fed bytes in any pieces and decides
 * every packet by a table of PIDs. ISO/IEC 13818-1 2.4; SI PIDs: ARIB STD-B10 Part 2, table 5-1.
 *
 * What it does not do: descramble, judge SI, touch a payload other than PAT and PMT.
 */
import type { Pid, ServiceId, TransportStreamId } from '../ids.ts';
import { PacketFramer } from './framer.ts';
import {
  hasPayload,
  hasTransportError,
  NULL_PID,
  PACKET_SIZE,
  PAT_PID,
  PID_COUNT,
  packetPcr,
  packetPid,
} from './packet.ts';
import { number, packetize, stripPayload, writePat } from './packetizer.ts';
import { PAT_TABLE_ID, parsePat } from './pat.ts';
import { PMT_TABLE_ID, type ProgramMap, parsePmt, programPids } from './pmt.ts';
import { type Section, SectionAssembler } from './section.ts';
import { StreamStatistics } from './statistics.ts';
import { equalBytes, SubTable } from './sub-table.ts';

export interface StationFilterHandlers {
  /** The station's PMT came for the first time, or with another content. */
  onProgramMap?(map: ProgramMap): void;
  /** The stream's PAT does not list the station (any more). */
  onAbsent?(): void;
}

/** PIDs that pass whatever the PMT says: CAT, TSDT and SI, first and last. ARIB STD-B10 Part 2, table 5-1. */
const SI_PIDS: readonly (readonly [first: number, last: number])[] = [
  [0x0001, 0x0002], // CAT, TSDT
  [0x0010, 0x0014], // NIT, SDT and BAT, EIT, RST, TDT and TOT
  [0x0017, 0x0017], // DCT
  [0x001e, 0x001f], // DIT, SIT
  [0x0020, 0x0029], // LIT, ERT, PCAT, SDTT, BIT, NBIT and LDT, M-EIT, L-EIT, SDTT, CDT
  [0x002e, 0x002f], // AMT, multi-frame header information
];

/** What happens to a packet of a PID. */
const DROP = 0;
const KEEP = 1;
/** Kept, with every continuity counter moved on by the PID's `#shift`. */
const SHIFT = 2;
/** Kept; the PID was part of the output before, and its counter must go on from where it was. */
const REJOIN = 3;
const PAT = 4;
const PMT = 5;

const NOTHING = new Uint8Array(0);

export class StationFilter {
  /** Counts what was given out: the station as it was received. */
  readonly statistics = new StreamStatistics();

  readonly #serviceId: ServiceId;
  readonly #handlers: StationFilterHandlers;
  readonly #framer = new PacketFramer();
  readonly #actions = new Uint8Array(PID_COUNT);
  readonly #shift = new Uint8Array(PID_COUNT);

  /** Packets from `#read` to `#end` are to be read; those kept are moved down, behind `#written`. */
  #buffer: Uint8Array = NOTHING;
  #read = 0;
  #end = 0;
  #written = 0;
  /** Where `feed` narrows its copy of a chunk. */
  #scratch: Uint8Array = NOTHING;
  /** What was kept in another buffer and belongs in front, in the room that `#written` counts already. */
  #head: Uint8Array = NOTHING;
  #headLength = 0;
  /** Output up to here is in `statistics`. */
  #counted = 0;

  readonly #patSections = new SectionAssembler();
  readonly #patTable = new SubTable();
  #transportStreamId: TransportStreamId | undefined;
  /** The section that is sent as PAT, while the station is not absent, and its packets. */
  #pat: Uint8Array | undefined;
  #patPackets: Uint8Array = NOTHING;
  #patVersion = -1;
  #absent = false;

  #pmtPid: Pid | undefined;
  #pmtSections = new SectionAssembler();
  #pmt: Uint8Array | undefined;
  #pmtPackets: Uint8Array = NOTHING;
  #programMap: ProgramMap | undefined;
  /** PIDs that the PMT brought in. */
  #programPids: readonly Pid[] = [];

  constructor(serviceId: ServiceId, handlers: StationFilterHandlers = {}) {
    this.#serviceId = serviceId;
    this.#handlers = handlers;
    this.#actions[PAT_PID] = PAT;
    for (const [first, last] of SI_PIDS) this.#actions.fill(KEEP, first, last + 1);
  }

  /** The station's streams as last announced; undefined before, and while the station is absent. */
  get programMap(): ProgramMap | undefined {
    return this.#programMap;
  }

  get transportStreamId(): TransportStreamId | undefined {
    return this.#transportStreamId;
  }

  /** How often the sync byte was missing where it had to be. */
  get syncErrors(): number {
    return this.#framer.syncErrors;
  }

  /** Takes bytes of the stream; gives the packets kept, whole, in a buffer of its own. It may be empty. */
  feed(chunk: Uint8Array): Uint8Array {
    if (this.#scratch.length < chunk.length) this.#scratch = new Uint8Array(chunk.length);
    this.#scratch.set(chunk);
    this.#framer.scan(this.#scratch.subarray(0, chunk.length), this.#narrow);
    return this.#finish(true);
  }

  /**
   * Like `feed`, but narrows the chunk where it lies, which is twice as fast: `chunk` is the filter's from now
   * on, and the result may be a view of it.
   */
  take(chunk: Uint8Array): Uint8Array {
    this.#framer.scan(chunk, this.#narrow);
    return this.#finish(false);
  }

  /** The end of the stream: the last packets, where they were still waiting for confirmation of their sync. */
  flush(): Uint8Array {
    const rest = this.#framer.flush();
    this.#narrow(rest, 0, rest.length);
    return this.#finish(false);
  }

  /** Gives what was kept: a view of the buffer, or a copy where the buffer is only `borrowed`. */
  #finish(borrowed: boolean): Uint8Array {
    this.#placeHead();
    const buffer = this.#buffer;
    const length = this.#written;
    this.#buffer = NOTHING;
    this.#written = 0;
    this.#counted = 0;
    if (length === 0) return new Uint8Array(0);
    // What is given out may wait in a queue, whose bound counts what it sees: no view of much more than it.
    const copied = borrowed || length * 2 < buffer.length;
    return copied ? Uint8Array.prototype.slice.call(buffer, 0, length) : buffer.subarray(0, length);
  }

  /** Narrows a run of packets in the memory where it lies; what was kept before comes in front of it. */
  readonly #narrow = (bytes: Uint8Array, from: number, to: number): void => {
    this.#read = from;
    this.#end = to;
    if (bytes !== this.#buffer) this.#enter(bytes);
    this.#decide();
    this.#count();
  };

  /** Makes `bytes` the buffer. The place of the head in it is filled last: packets to be read may lie there. */
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
   * Every packet by the table. Packets to be kept are moved at the end of their run, not one by one. The state
   * is in local variables, which makes it three times as fast, but where a packet is looked into.
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

  /** Keeps the packets from `from` to the one being read, which stays readable. */
  #keep(from: number): void {
    const length = this.#read - from;
    const start = this.#written + length <= this.#read ? from : from + this.#moveUp(from, length);
    this.#buffer.copyWithin(this.#written, start, start + length);
    this.#written += length;
  }

  /**
   * Moves what is to be read, from `from` on, to a larger buffer with room for `size` octets before it; gives
   * how far it moved. Happens where a head or a PMT is longer than what was dropped up to here.
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

  /** The counter that the PID's next packet of the filter's own making must have. */
  #nextCounter(pid: Pid): number {
    this.#count();
    return ((this.statistics.lastCounter(pid) ?? -1) + 1) & 0x0f;
  }

  #moveCounter(action: number, at: number): void {
    const pid = packetPid(this.#buffer, at);
    // The counter of an errored header means nothing, to be moved or to be moved by.
    if (hasTransportError(this.#buffer, at)) return;
    const control = this.#buffer[at + 3] as number;
    if (action === REJOIN) {
      // `statistics` is exact here: the PID was not given out since its program left.
      const last = this.statistics.lastCounter(pid) ?? 0;
      const next = hasPayload(this.#buffer, at) ? last + 1 : last;
      this.#shift[pid] = (next - control) & 0x0f;
      this.#actions[pid] = this.#shift[pid] === 0 ? KEEP : SHIFT;
    }
    this.#buffer[at + 3] = (control & 0xf0) | ((control + (this.#shift[pid] as number)) & 0x0f);
  }

  #takePat(): void {
    let ends = false;
    for (const section of this.#patSections.feed(this.#buffer, this.#read)) {
      if (section.tableId !== PAT_TABLE_ID || !section.long || !section.current) continue;
      const whole = this.#patTable.add(section);
      if (whole !== undefined) this.#applyPat(whole);
      ends = section.number === section.lastNumber && this.#patTable.complete !== undefined;
    }
    if (ends && !this.#absent) this.#write(this.#patPackets, PAT_PID);
  }

  #applyPat(sections: readonly Section[]): void {
    const parts = sections.map(parsePat).filter((part) => part !== undefined);
    const [first] = parts;
    // A loop that is cut under a right CRC: the broadcaster's fault, and nothing to act on.
    if (first === undefined || parts.length < sections.length) return;
    if (this.#transportStreamId !== undefined && this.#transportStreamId !== first.transportStreamId) {
      this.#forgetProgram();
    }
    this.#transportStreamId = first.transportStreamId;
    const entry = parts
      .flatMap((part) => part.programs)
      .find((program) => program.programNumber === this.#serviceId && this.#canCarryPmt(program.pid));
    if (entry === undefined) {
      this.#leave();
      return;
    }
    this.#absent = false;
    const network = parts.find((part) => part.networkPid !== undefined)?.networkPid;
    const entries = network === undefined ? [entry] : [{ programNumber: 0 as const, pid: network }, entry];
    this.#renewPat(first.version, first.transportStreamId, entries);
    this.#listenForPmt(entry.pid);
  }

  /** The version goes on from the stream's own first one and changes when the narrowed content does. */
  #renewPat(version: number, id: TransportStreamId, entries: Parameters<typeof writePat>[2]): void {
    if (this.#patVersion < 0) this.#patVersion = version;
    const same = writePat(id, this.#patVersion, entries);
    if (this.#pat !== undefined && equalBytes(this.#pat, same)) return;
    if (this.#pat !== undefined) this.#patVersion = (this.#patVersion + 1) & 0x1f;
    this.#pat = writePat(id, this.#patVersion, entries);
    this.#patPackets = packetize(this.#pat, PAT_PID);
  }

  #leave(): void {
    this.#forgetProgram();
    if (this.#absent) return;
    this.#absent = true;
    this.#handlers.onAbsent?.();
  }

  #forgetProgram(): void {
    this.#pmt = undefined;
    this.#programMap = undefined;
    this.#usePids([]);
    if (this.#pmtPid !== undefined) this.#actions[this.#pmtPid] = DROP;
    this.#pmtPid = undefined;
  }

  /** A PMT cannot be on a PID that means something else to every receiver. */
  #canCarryPmt(pid: Pid): boolean {
    return pid !== PAT_PID && pid !== NULL_PID && !isSiPid(pid);
  }

  #listenForPmt(pid: Pid): void {
    if (pid === this.#pmtPid) return;
    const previous = this.#pmtPid;
    this.#pmtPid = pid;
    this.#pmtSections = new SectionAssembler();
    this.#actions[pid] = PMT;
    if (this.#pmt !== undefined) this.#pmtPackets = packetize(this.#pmt, pid);
    if (previous === undefined) return;
    this.#actions[previous] = DROP;
    // The old PID may be a stream of the programme by now.
    if (this.#programPids.includes(previous)) this.#admit(previous);
  }

  #takePmt(): void {
    let came = false;
    for (const section of this.#pmtSections.feed(this.#buffer, this.#read)) {
      // Another station's PMT may share the PID; it must not reach the output.
      if (section.tableId !== PMT_TABLE_ID || section.extension !== this.#serviceId) continue;
      if (!section.current || section.number !== 0) continue;
      if (this.#pmt === undefined || !equalBytes(this.#pmt, section.bytes)) this.#applyPmt(section);
      came = true;
    }
    if (came && this.#pmt !== undefined && this.#pmtPid !== undefined)
      this.#write(this.#pmtPackets, this.#pmtPid);
    this.#keepClockOfPmtPid();
  }

  #applyPmt(section: Section): void {
    const map = parsePmt(section);
    if (map === undefined || this.#pmtPid === undefined) return;
    this.#pmt = section.bytes;
    this.#pmtPackets = packetize(this.#pmt, this.#pmtPid);
    this.#programMap = map;
    this.#usePids(programPids(map).filter((pid) => pid !== this.#pmtPid && !isSiPid(pid)));
    this.#handlers.onProgramMap?.(map);
  }

  #usePids(pids: readonly Pid[]): void {
    for (const pid of this.#programPids) {
      // A PID that carries the PMT by now stays what it is.
      if (pid !== this.#pmtPid && !pids.includes(pid)) this.#actions[pid] = DROP;
    }
    for (const pid of pids) if (!this.#programPids.includes(pid)) this.#admit(pid);
    this.#programPids = pids;
  }

  #admit(pid: Pid): void {
    this.#count();
    this.#actions[pid] = this.statistics.lastCounter(pid) === undefined ? KEEP : REJOIN;
  }

  /** PCR_PID may be the PMT's own PID: then its packets go on as clock alone, beside the rewritten PMT. */
  #keepClockOfPmtPid(): void {
    const pid = this.#pmtPid;
    if (pid === undefined || this.#programMap?.pcrPid !== pid) return;
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

function isSiPid(pid: Pid): boolean {
  return SI_PIDS.some(([first, last]) => pid >= first && pid <= last);
}
