import type { Section } from '../ts/section.ts';

/** An entitlement control message, from which a card derives the keys. ARIB STD-B25 Part 1, 3.2.3. */
interface Ecm {
  /** table_id_extension. */
  readonly extension: number;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  /** The first three octets of the message, the only ones that are not encrypted. */
  readonly protocol: number;
  readonly broadcasterGroupId: number;
  readonly workKeyId: number;
  /** The complete message for a card: without section header and CRC. */
  readonly message: Uint8Array;
}

const ECM_TABLE_IDS: readonly number[] = [0x82, 0x83];

/** Undefined if the section is not an ECM, is not current yet, or has no message. */
export function parseEcm(section: Section): Ecm | undefined {
  if (!ECM_TABLE_IDS.includes(section.tableId) || !section.long || !section.current) return undefined;
  const [protocol, broadcasterGroupId, workKeyId] = section.body;
  if (protocol === undefined || broadcasterGroupId === undefined || workKeyId === undefined) return undefined;
  return {
    extension: section.extension,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    protocol,
    broadcasterGroupId,
    workKeyId,
    message: section.body,
  };
}
