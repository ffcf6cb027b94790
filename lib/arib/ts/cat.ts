import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import { Reader } from '../reader.ts';
import type { Section } from './section.ts';

/** One section of a conditional access table: the PIDs of the EMMs. ISO/IEC 13818-1 2.4.4.6. */
interface Cat {
  readonly version: number;
  readonly descriptors: readonly Descriptor[];
}

const CAT_TABLE_ID = 0x01;

/** Undefined if the section is not a CAT or its descriptor loop is truncated. */
export function parseCat(section: Section): Cat | undefined {
  if (section.tableId !== CAT_TABLE_ID || !section.long) return undefined;
  const r = new Reader(section.body);
  const descriptors = readDescriptors(r);
  return r.exhausted ? undefined : { version: section.version, descriptors };
}
