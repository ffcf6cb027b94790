/** PIDs whose meaning is fixed for every stream. ISO/IEC 13818-1 table 2-3; ARIB STD-B10 Part 2, table 5-1. */
import type { Pid } from '../ids.ts';

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
