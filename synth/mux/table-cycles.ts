/**
 * Seconds from repetition to repetition of all tables but those of events. Programme association and maps as MPEG
 * decoders want them; the rest within what ARIB TR-B14 (terrestrial) and TR-B15 (satellite) allow.
 */
export const TABLE_CYCLE = {
  GR: { pat: 0.1, cat: 1, nit: 1, sdt: 1, tot: 5, bit: 10, sdtt: 20, cdt: 60 },
  satellite: { pat: 0.1, cat: 1, nit: 5, sdt: 5, tot: 5, bit: 10, sdtt: 20, cdt: 60 },
  other: { sdt: 10 },
} as const;

/** Of what is on packet identifiers of its own. */
export const STREAM_CYCLE = {
  /** The list of modules of a carousel, and its blocks. */
  dii: 1,
  bml: 4,
  logos: 30,
  application: 1,
  /** Keys change every two seconds, ARIB STD-B25 Part 1, 4.9; a receiver that joins waits for the next message. */
  ecm: 0.1,
  emm: 10,
} as const;
