/** How far back a query for the programmes of a moment has to look. */

/** No programme is longer (ARIB TR-B14: under 100 hours, in practice a day). */
export const LONGEST_MS = 100 * 3_600_000;

/** Longer ones have an index of their own, `programs_long`. */
export const ORDINARY_MS = 12 * 3_600_000;
