/** Distributes a table over as many sections as necessary: ARIB STD-B10 Part 2, 5.1. */
import { ByteWriter, concat } from './bytes.ts';
import { longSection, type SectionHeader } from './section.ts';

/** Bytes of table content in one section of at most 1021 (section_length of PSI, NIT, SDT and BIT). */
const MAX_SHORT_BODY = 1_021 - 9;

interface LoopTable {
  header: Pick<SectionHeader, 'tableId' | 'extension' | 'version'>;
  /** The beginning of a section; only the first one contains the descriptors of the whole table. */
  head(first: boolean): Uint8Array;
  /** Elements of the table's loop, whole. */
  elements: readonly Uint8Array[];
  /** Whether a length of 12 bits precedes the loop. */
  counted: boolean;
}

/** @throws RangeError for an element that does not fit in a section */
export function tableSections({ header, head, elements, counted }: LoopTable): Uint8Array[] {
  const groups: Uint8Array[][] = [[]];
  const room = (first: boolean): number => MAX_SHORT_BODY - head(first).length - (counted ? 2 : 0);
  let left = room(true);
  for (const element of elements) {
    if (element.length > left) {
      groups.push([]);
      left = room(false);
    }
    if (element.length > left) throw new RangeError(`element of ${element.length} bytes`);
    groups.at(-1)?.push(element);
    left -= element.length;
  }
  return groups.map((group, number) => {
    const loop = concat(group);
    const body = new ByteWriter().bytes(head(number === 0));
    if (counted) body.counted12(0xf, loop);
    else body.bytes(loop);
    return longSection({ ...header, number, lastNumber: groups.length - 1 }, body.done());
  });
}
