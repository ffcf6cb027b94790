import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import { Reader } from '../reader.ts';
import type { BroadcastMs } from '../time.ts';
import type { Section } from '../ts/section.ts';

/** The broadcaster's clock: time offset table, ARIB STD-B10 Part 2, 5.2.9, or time and date table, 5.2.8. */
export interface Tot {
  /** Whole seconds; about five seconds apart in operation. */
  readonly time: BroadcastMs;
  /** local_time_offset during daylight saving time; always empty in a TDT. */
  readonly descriptors: readonly Descriptor[];
}

export const TOT_PID = 0x0014;
const TDT_TABLE_ID = 0x70;
const TOT_TABLE_ID = 0x73;

/** Undefined if the section is neither, its time is invalid, or a length in it is wrong. */
export function parseTot(section: Section): Tot | undefined {
  const isTot = section.tableId === TOT_TABLE_ID;
  if (!isTot && section.tableId !== TDT_TABLE_ID) return undefined;
  const r = new Reader(section.body);
  const time = r.mjdTime();
  const descriptors = isTot ? readDescriptors(r.slice(r.length12())) : [];
  return time === undefined || r.exhausted ? undefined : { time, descriptors };
}
