/**
 * Follows one station through the PAT and PMT of its stream: its PIDs, and the tables for a stream of this station
 * alone. ISO/IEC 13818-1 2.4.4.3 to 2.4.4.9. It is fed packets of the PAT and of the PMT's PID; damaged, scrambled
 * and not yet current tables are ignored.
 */
import type { Pid, ServiceId, TransportStreamId } from '../ids.ts';
import { NULL_PID, PAT_PID } from './packet.ts';
import { type PatEntry, packetize, writePat } from './packetizer.ts';
import { isSiPid, PAT_TABLE_ID, parsePat } from './pat.ts';
import { PMT_TABLE_ID, type ProgramMap, parsePmt, programPids } from './pmt.ts';
import { type Section, SectionAssembler } from './section.ts';
import { equalBytes, SubTable } from './sub-table.ts';

export interface StationHandlers {
  /** The station's PMT was received for the first time, or with changed content. */
  onProgramMap?(map: ProgramMap): void;
  /** The stream's PAT does not list the station (any more). */
  onAbsent?(): void;
}

const NO_PACKETS = new Uint8Array(0);

export class StationTables {
  /** From the last PAT, whether it lists the station or not. */
  transportStreamId: TransportStreamId | undefined;
  /** The station's last announced streams; undefined before, and while the station is absent. */
  programMap: ProgramMap | undefined;
  /** PID of the station's PMT; undefined while it is absent. */
  pmtPid: Pid | undefined;
  /** Streams, clock and ECMs of the station, without the PMT's PID and those of SI. A new array when they change. */
  pids: readonly Pid[] = [];
  /** The PAT of this station only, as packets counted from 0; empty before the first. */
  patPackets: Uint8Array = NO_PACKETS;
  /** The station's PMT, likewise. */
  pmtPackets: Uint8Array = NO_PACKETS;

  readonly #serviceId: ServiceId;
  readonly #handlers: StationHandlers;
  readonly #patSections = new SectionAssembler();
  readonly #patTable = new SubTable();
  #pat: Uint8Array | undefined;
  #patVersion = -1;
  #absent = false;
  #pmtSections = new SectionAssembler();
  #pmt: Uint8Array | undefined;

  constructor(serviceId: ServiceId, handlers: StationHandlers) {
    this.#serviceId = serviceId;
    this.#handlers = handlers;
  }

  /** Processes the packet of PID 0 at `offset`; true at the end of a PAT, where `patPackets` must be output. */
  takePat(bytes: Uint8Array, offset: number): boolean {
    let ends = false;
    for (const section of this.#patSections.feed(bytes, offset)) {
      if (section.tableId !== PAT_TABLE_ID || !section.long || !section.current) continue;
      const table = this.#patTable.add(section);
      if (table !== undefined) this.#applyPat(table);
      ends = section.number === section.lastNumber && this.#patTable.complete !== undefined;
    }
    return ends && !this.#absent;
  }

  /** Processes the packet of `pmtPid` at `offset`; true at the end of the station's PMT. */
  takePmt(bytes: Uint8Array, offset: number): boolean {
    let ends = false;
    for (const section of this.#pmtSections.feed(bytes, offset)) {
      // Another station's PMT may share the PID; it must not reach the output.
      if (section.tableId !== PMT_TABLE_ID || section.extension !== this.#serviceId) continue;
      if (!section.current || section.number !== 0) continue;
      if (this.#pmt === undefined || !equalBytes(this.#pmt, section.bytes)) this.#applyPmt(section);
      ends = true;
    }
    return ends && this.#pmt !== undefined;
  }

  #applyPat(sections: readonly Section[]): void {
    const parts = sections.map(parsePat).filter((part) => part !== undefined);
    const [first] = parts;
    // A truncated loop with a correct CRC is the broadcaster's error, and is ignored.
    if (first === undefined || parts.length < sections.length) return;
    const other = this.transportStreamId !== undefined && this.transportStreamId !== first.transportStreamId;
    if (other) this.#forgetProgram();
    this.transportStreamId = first.transportStreamId;
    const entry = parts
      .flatMap((part) => part.programs)
      .find((program) => program.programNumber === this.#serviceId && canCarryPmt(program.pid));
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

  /** The version starts with the stream's own first one and changes with the narrowed content. */
  #renewPat(version: number, id: TransportStreamId, entries: readonly PatEntry[]): void {
    if (this.#patVersion < 0) this.#patVersion = version;
    const same = writePat(id, this.#patVersion, entries);
    if (this.#pat !== undefined && equalBytes(this.#pat, same)) return;
    if (this.#pat !== undefined) this.#patVersion = (this.#patVersion + 1) & 0x1f;
    this.#pat = writePat(id, this.#patVersion, entries);
    this.patPackets = packetize(this.#pat, PAT_PID);
  }

  #leave(): void {
    this.#forgetProgram();
    if (this.#absent) return;
    this.#absent = true;
    this.#handlers.onAbsent?.();
  }

  #forgetProgram(): void {
    this.#pmt = undefined;
    this.pmtPackets = NO_PACKETS;
    this.programMap = undefined;
    this.pmtPid = undefined;
    this.pids = [];
  }

  /** The streams stay until the PMT is received on its new PID. */
  #listenForPmt(pid: Pid): void {
    if (pid === this.pmtPid) return;
    this.pmtPid = pid;
    this.#pmtSections = new SectionAssembler();
    this.#settle();
  }

  #applyPmt(section: Section): void {
    const map = parsePmt(section);
    if (map === undefined) return;
    this.#pmt = section.bytes;
    this.programMap = map;
    this.#settle();
    this.#handlers.onProgramMap?.(map);
  }

  /** Updates the values that depend on the PMT's PID and content. */
  #settle(): void {
    if (this.#pmt === undefined || this.programMap === undefined || this.pmtPid === undefined) return;
    this.pmtPackets = packetize(this.#pmt, this.pmtPid);
    this.pids = programPids(this.programMap).filter((pid) => pid !== this.pmtPid && !isSiPid(pid));
  }
}

/** A PMT cannot be on a PID with another fixed meaning. */
function canCarryPmt(pid: Pid): boolean {
  return pid !== PAT_PID && pid !== NULL_PID && !isSiPid(pid);
}
