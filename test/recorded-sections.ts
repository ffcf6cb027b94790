/** Recorded sections stored one after another, without packets. */
import { readSection, type Section } from '../lib/arib/ts/section.ts';

/** The complete and valid sections; section_length gives the length of each. */
export function recordedSections(bytes: Uint8Array): Section[] {
  const sections: Section[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 3 + ((((bytes[at + 1] ?? 0) & 0x0f) << 8) | (bytes[at + 2] ?? 0));
    const section = readSection(bytes.slice(at, at + size));
    if (section !== undefined) sections.push(section);
    at += size;
  }
  return sections;
}
