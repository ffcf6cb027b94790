/**
 * Sections, the transport unit of tables. A `Section` is only created after its length and its CRC were checked, so
 * table parsers never get damaged bytes. ISO/IEC 13818-1 2.4.4.10 (private section; its long header is common to all
 * tables), 2.4.4.1 (pointer_field), 2.4.4 (stuffing); ARIB STD-B10 Part 2, 5.1.
 */
import type { Pid } from '../ids.ts';
import {
  ContinuityCheck,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  PID_COUNT,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from './packet.ts';

// CRC_32 of sections, ISO/IEC 13818-1 Annex A: polynomial 0x04C11DB7, register starting at all ones, no reflection,
// no final inversion. Over a complete section, including its CRC field, the result is 0.
//
// Eight octets per step: table n has the effect of an octet on the register after n further octets, so that the
// octets of a step do not depend on each other.

const POLYNOMIAL = 0x04c11db7;
const STEP = 8;

const T0 = Int32Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 24;
  for (let bit = 0; bit < 8; bit++) register = register < 0 ? (register << 1) ^ POLYNOMIAL : register << 1;
  return register;
});
const T1 = afterOneMore(T0);
const T2 = afterOneMore(T1);
const T3 = afterOneMore(T2);
const T4 = afterOneMore(T3);
const T5 = afterOneMore(T4);
const T6 = afterOneMore(T5);
const T7 = afterOneMore(T6);

function afterOneMore(table: Int32Array): Int32Array {
  return table.map((register) => (register << 8) ^ (T0[register >>> 24] as number));
}

/** The CRC of `bytes[from, to)` as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let register = -1;
  let at = from;
  for (const last = to - STEP; at <= last; at += STEP) {
    register =
      (T7[(register >>> 24) ^ (bytes[at] as number)] as number) ^
      (T6[((register >>> 16) & 0xff) ^ (bytes[at + 1] as number)] as number) ^
      (T5[((register >>> 8) & 0xff) ^ (bytes[at + 2] as number)] as number) ^
      (T4[(register & 0xff) ^ (bytes[at + 3] as number)] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number);
  }
  for (; at < to; at++) {
    register = (register << 8) ^ (T0[(register >>> 24) ^ (bytes[at] as number)] as number);
  }
  return register >>> 0;
}

/**
 * Limit of cached sections; beyond it the cache is cleared and all are read once more. The schedules of a hundred BS
 * and CS stations for eight days have 50000.
 */
const LIMIT = 65_536;
const SHORTEST = 12;

/**
 * Cache of the latest sections, so that repetitions, which are nearly all sections of a broadcast, are recognised
 * before anything is computed or copied. ARIB STD-B10 Part 2, 5.1 (version_number, sub-tables).
 *
 * A section is known if the latest one with its PID, table_id, extension and number had the same length, version and
 * CRC_32. Ignoring the other bytes loses nothing: a difference there is a damaged repetition, or one of 2^32 changes
 * that keep the CRC without the new version that the standard requires. EIT of two networks with the same service_id
 * share an entry and are then never recognised, which only costs time.
 */
export class SectionMemory {
  /** Number of recognised sections. */
  repetitions = 0;
  /** Key to length, version and CRC. */
  readonly #known = new Map<number, number>();

  /** Whether the section of `size` octets at the start of `bytes` equals the last one with its key; counts it if so. */
  knows(bytes: Uint8Array, size: number, pid: number): boolean {
    if (!isLong(bytes, size) || this.#known.get(placeOf(bytes, pid)) !== identityOf(bytes, size))
      return false;
    this.repetitions++;
    return true;
  }

  /** Must be called with a section whose CRC was verified. */
  remember(bytes: Uint8Array, pid: number): void {
    if (!isLong(bytes, bytes.length)) return;
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(placeOf(bytes, pid), identityOf(bytes, bytes.length));
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Short sections (time, discontinuity) have new content each time. */
function isLong(bytes: Uint8Array, size: number): boolean {
  return size >= SHORTEST && ((bytes[1] as number) & 0x80) !== 0;
}

/** PID 13, table_id 8, extension 16, section_number 8: 45 bits. */
function placeOf(bytes: Uint8Array, pid: number): number {
  const low = ((bytes[3] as number) << 16) | ((bytes[4] as number) << 8) | (bytes[6] as number);
  return (pid * 0x100 + (bytes[0] as number)) * 0x1000000 + low;
}

/** Length 12, reserved 2, version 5 and current_next 1, CRC 32: 52 bits. */
function identityOf(bytes: Uint8Array, size: number): number {
  const head = size * 0x100 + (bytes[5] as number);
  const high = ((bytes[size - 4] as number) << 8) | (bytes[size - 3] as number);
  return (
    (head * 0x10000 + high) * 0x10000 + (((bytes[size - 2] as number) << 8) | (bytes[size - 1] as number))
  );
}

export interface Section {
  /** The PID, if it was read by a demultiplexer. */
  readonly pid?: Pid;
  readonly tableId: number;
  /** section_syntax_indicator. Without it the five fields below are 0, 0, true, 0, 0. */
  readonly long: boolean;
  /** table_id_extension: transport_stream_id of a PAT, program_number of a PMT, service_id of an EIT. */
  readonly extension: number;
  /** 5-bit version_number. */
  readonly version: number;
  /** current_next_indicator: false for a table that is not valid yet. */
  readonly current: boolean;
  readonly number: number;
  readonly lastNumber: number;
  /** The data between the header (three or eight octets) and the CRC (or the end, if there is none). */
  readonly body: Uint8Array;
  /** The complete section, including header and CRC. */
  readonly bytes: Uint8Array;
}

const SHORT_HEADER = 3;
const LONG_HEADER = 8;
const CRC_SIZE = 4;
const STUFFING = 0xff;
const MAX_SECTION_LENGTH = 4093;

/** Tables whose section_length may not exceed 1021: ISO/IEC 13818-1 2.4.4, ARIB STD-B10 Part 2, 5.2. */
const SMALL_TABLES: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x03], // PAT, CAT, PMT, TSDT
  [0x40, 0x4a], // NIT, SDT, BAT
  [0x70, 0x73], // TDT, RST, ST, TOT
];

/** Short sections that have a CRC_32: TOT, ARIB STD-B10 Part 2, 5.2.9. */
const SHORT_WITH_CRC: readonly number[] = [0x73];

function maxSectionLength(tableId: number): number {
  const small = SMALL_TABLES.some(([first, last]) => tableId >= first && tableId <= last);
  return small ? 1021 : MAX_SECTION_LENGTH;
}

/** Octets of the section (three are readable), 0 if the length is not permitted. */
function sectionSize(bytes: Uint8Array): number {
  const length = (((bytes[1] as number) & 0x0f) << 8) | (bytes[2] as number);
  if (length > maxSectionLength(bytes[0] as number)) return 0;
  const long = ((bytes[1] as number) & 0x80) !== 0;
  if (long && length < LONG_HEADER - SHORT_HEADER + CRC_SIZE) return 0;
  return SHORT_HEADER + length;
}

/**
 * Parses `bytes` as exactly one section; undefined if a length or the CRC is wrong. The result has views of `bytes`.
 */
export function readSection(bytes: Uint8Array, pid?: Pid): Section | undefined {
  if (bytes.length < SHORT_HEADER || sectionSize(bytes) !== bytes.length) return undefined;
  const tableId = bytes[0] as number;
  const source = pid === undefined ? {} : { pid };
  const long = ((bytes[1] as number) & 0x80) !== 0;
  if (!long) {
    const withCrc = SHORT_WITH_CRC.includes(tableId);
    if (withCrc && (bytes.length < SHORT_HEADER + CRC_SIZE || crc32(bytes) !== 0)) return undefined;
    const body = bytes.subarray(SHORT_HEADER, withCrc ? bytes.length - CRC_SIZE : bytes.length);
    const none = { extension: 0, version: 0, current: true, number: 0, lastNumber: 0 };
    return { ...source, tableId, long, ...none, body, bytes };
  }
  if (crc32(bytes) !== 0) return undefined;
  return {
    ...source,
    tableId,
    long,
    extension: ((bytes[3] as number) << 8) | (bytes[4] as number),
    version: ((bytes[5] as number) >> 1) & 0x1f,
    current: ((bytes[5] as number) & 0x01) !== 0,
    number: bytes[6] as number,
    lastNumber: bytes[7] as number,
    body: bytes.subarray(LONG_HEADER, bytes.length - CRC_SIZE),
    bytes,
  };
}

const NO_SECTIONS: readonly Section[] = [];

/**
 * Reassembles the sections of one PID from its packets. It stores at most one section (4096 octets) and drops a
 * section with a missing part: damaged, scrambled or missing packets never reach a parser.
 */
export class SectionAssembler {
  /** Number of sections with an impossible length or a wrong CRC. */
  invalidSections = 0;
  /** Number of sections dropped because a part was missing. */
  incompleteSections = 0;

  readonly #pid: Pid | undefined;
  readonly #memory: SectionMemory | undefined;
  readonly #buffer = new Uint8Array(SHORT_HEADER + MAX_SECTION_LENGTH);
  #length = 0;
  /** Size of the section in `#buffer`; SHORT_HEADER until its length is known, 0 if there is none. */
  #size = 0;
  readonly #continuity = new ContinuityCheck();
  /** Result of the last packet, if it began and ended with complete sections: its repetition gives the same. */
  #repeatable: readonly Section[] | undefined;

  /** @param memory sections in it are not returned again */
  constructor(pid?: Pid, memory?: SectionMemory) {
    this.#pid = pid;
    this.#memory = memory;
  }

  /** Drops an incomplete section. */
  reset(): void {
    this.#size = 0;
    this.#repeatable = undefined;
    this.#continuity.reset();
  }

  /**
   * Processes the packet of this PID at `offset`; returns the sections that it completed. They own their bytes. A
   * packet that repeats the last one, like most of a PAT or PMT, returns the same objects again. Packets of other
   * PIDs must not be passed.
   */
  feed(bytes: Uint8Array, offset: number): readonly Section[] {
    // The header of an errored packet is unreliable; the gap is detected at the next packet.
    if (hasTransportError(bytes, offset) || !hasPayload(bytes, offset)) return NO_SECTIONS;
    const continuity = this.#continuity.next(bytes, offset);
    if (continuity === 'duplicate') return NO_SECTIONS;
    if (continuity === 'again' && this.#repeatable !== undefined) return this.#repeatable;
    this.#repeatable = undefined;
    if (continuity === 'gap') this.#abandon();
    if (scramblingControl(bytes, offset) !== 0) {
      this.#abandon();
      return NO_SECTIONS;
    }
    const end = offset + PACKET_SIZE;
    const start = payloadStart(bytes, offset);
    if (start >= end) return NO_SECTIONS;
    if (!startsUnit(bytes, offset)) {
      if (this.#size === 0) return NO_SECTIONS;
      const sections: Section[] = [];
      this.#continue(bytes, start, end, sections);
      return sections;
    }
    const first = start + 1 + (bytes[start] as number);
    if (first > end) {
      this.invalidSections++;
      this.#size = 0;
      return NO_SECTIONS;
    }
    const sections: Section[] = [];
    const fresh = this.#size === 0;
    if (!fresh) this.#continue(bytes, start + 1, first, sections);
    this.#abandon();
    let at = first;
    while (at < end && bytes[at] !== STUFFING) {
      this.#size = SHORT_HEADER;
      this.#length = 0;
      at = this.#continue(bytes, at, end, sections);
    }
    if (fresh && this.#size === 0 && this.#memory === undefined) this.#repeatable = sections;
    return sections;
  }

  #abandon(): void {
    if (this.#size !== 0) this.incompleteSections++;
    this.#size = 0;
  }

  /** Appends to the current section until it is complete or `to` is reached; returns the position. */
  #continue(bytes: Uint8Array, from: number, to: number, sections: Section[]): number {
    const buffer = this.#buffer;
    let at = from;
    let length = this.#length;
    if (length < SHORT_HEADER) {
      while (at < to && length < SHORT_HEADER) buffer[length++] = bytes[at++] as number;
      this.#length = length;
      if (length < SHORT_HEADER) return at;
      this.#size = sectionSize(buffer);
      if (this.#size === 0) {
        // The start of the next section is unknown until the next pointer_field.
        this.invalidSections++;
        return to;
      }
    }
    const end = Math.min(to, at + this.#size - length);
    while (at < end) buffer[length++] = bytes[at++] as number;
    this.#length = length;
    if (length === this.#size) this.#complete(sections);
    return at;
  }

  #complete(sections: Section[]): void {
    const size = this.#size;
    this.#size = 0;
    if (this.#memory?.knows(this.#buffer, size, this.#pid ?? 0)) return;
    const section = readSection(this.#buffer.slice(0, size), this.#pid);
    if (section === undefined) {
      this.invalidSections++;
      return;
    }
    this.#memory?.remember(section.bytes, this.#pid ?? 0);
    sections.push(section);
  }
}

/** Sections of selected PIDs from a complete stream. */
export class SectionDemux {
  readonly #assemblers = new Map<number, SectionAssembler>();
  readonly #wanted = new Uint8Array(PID_COUNT);

  readonly #memory: SectionMemory | undefined;

  /** @param memory sections in it are not returned again */
  constructor(pids: Iterable<Pid> = [], memory?: SectionMemory) {
    this.#memory = memory;
    for (const pid of pids) this.add(pid);
  }

  add(pid: Pid): void {
    if (this.#assemblers.has(pid)) return;
    this.#assemblers.set(pid, new SectionAssembler(pid, this.#memory));
    this.#wanted[pid] = 1;
  }

  remove(pid: Pid): void {
    this.#assemblers.delete(pid);
    this.#wanted[pid] = 0;
  }

  has(pid: Pid): boolean {
    return this.#wanted[pid] === 1;
  }

  /** Processes complete, aligned packets (see `PacketFramer`); returns the completed sections in order. */
  feed(packets: Uint8Array): readonly Section[] {
    let sections: Section[] | undefined;
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      const pid = packetPid(packets, offset);
      if (this.#wanted[pid] !== 1) continue;
      const found = this.#assemblers.get(pid)?.feed(packets, offset) ?? NO_SECTIONS;
      if (found.length === 0) continue;
      sections ??= [];
      sections.push(...found);
    }
    return sections ?? NO_SECTIONS;
  }
}
