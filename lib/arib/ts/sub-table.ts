/**
 * Collects the sections of one sub-table (one table_id and extension on one PID) until all of one version were
 * received. ISO/IEC 13818-1 2.4.4.5, ARIB STD-B10 Part 2, 5.1. Stores at most 256 sections.
 */
import type { Section } from './section.ts';

export class SubTable {
  #sections: (Section | undefined)[] = [];
  #missing = 0;

  /** The sections in order if none is missing; undefined otherwise. */
  get complete(): readonly Section[] | undefined {
    if (this.#sections.length === 0 || this.#missing > 0) return undefined;
    return this.#sections.filter((section) => section !== undefined);
  }

  /**
   * Adds the next section of the sub-table; returns all of them if this one completed the table. Undefined while
   * sections are missing and for a known one. Sections that are not current yet are ignored; a section that does not
   * match the stored ones (version, extension, count, or other content under the same number) restarts the collection.
   */
  add(section: Section): readonly Section[] | undefined {
    if (!section.current || section.number > section.lastNumber) return undefined;
    const known = this.#sections[section.number];
    if (known !== undefined && equalBytes(known.bytes, section.bytes)) return undefined;
    if (known !== undefined || !this.#belongs(section)) {
      this.#sections = new Array(section.lastNumber + 1).fill(undefined);
      this.#missing = section.lastNumber + 1;
    }
    this.#sections[section.number] = section;
    this.#missing--;
    return this.complete;
  }

  reset(): void {
    this.#sections = [];
    this.#missing = 0;
  }

  #belongs(section: Section): boolean {
    const held = this.#sections.find((other) => other !== undefined);
    return (
      held !== undefined &&
      held.tableId === section.tableId &&
      held.extension === section.extension &&
      held.version === section.version &&
      held.lastNumber === section.lastNumber
    );
  }
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
