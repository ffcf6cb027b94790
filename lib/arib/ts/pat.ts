import type { Pid, ServiceId, TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from './section.ts';

// PIDs whose meaning is fixed for every stream. ISO/IEC 13818-1 table 2-3; ARIB STD-B10 Part 2, table 5-1.

/** CAT and SI tables, first and last PID of each range. Does not include PAT (0) and null packets (0x1fff). */
export const SI_PIDS: readonly (readonly [first: number, last: number])[] = [
  [0x0001, 0x0002], // CAT, TSDT
  [0x0010, 0x0014], // NIT, SDT and BAT, EIT, RST, TDT and TOT
  [0x0017, 0x0017], // DCT
  [0x001e, 0x001f], // DIT, SIT
  [0x0020, 0x0029], // LIT, ERT, PCAT, SDTT, BIT, NBIT and LDT, M-EIT, L-EIT, SDTT, CDT
  [0x002e, 0x002f], // AMT, multi-frame header information
];

export function isSiPid(pid: Pid): boolean {
  return SI_PIDS.some(([first, last]) => pid >= first && pid <= last);
}

/** One section of a program association table. ISO/IEC 13818-1 2.4.4.3. */
interface Pat {
  readonly transportStreamId: TransportStreamId;
  readonly version: number;
  /** PID of the NIT (program_number 0); undefined if this section does not list it. */
  readonly networkPid: Pid | undefined;
  readonly programs: readonly PatProgram[];
}

interface PatProgram {
  /** program_number, which equals the service_id in ARIB broadcasts. */
  readonly programNumber: ServiceId;
  /** program_map_PID. */
  readonly pid: Pid;
}

export const PAT_TABLE_ID = 0x00;

/** Undefined if the section is not a PAT or its loop is truncated. */
export function parsePat(section: Section): Pat | undefined {
  if (section.tableId !== PAT_TABLE_ID || !section.long) return undefined;
  const r = new Reader(section.body);
  const programs: PatProgram[] = [];
  let networkPid: Pid | undefined;
  while (r.remaining > 0) {
    const programNumber = r.u16() as ServiceId;
    const pid = r.pid();
    if (programNumber === 0) networkPid = pid;
    else programs.push({ programNumber, pid });
  }
  if (r.exhausted) return undefined;
  const transportStreamId = section.extension as TransportStreamId;
  return { transportStreamId, version: section.version, networkPid, programs };
}
