/** How far back a query for the programmes at a given time has to search. */

/** No programme is longer (ARIB TR-B14: under 100 hours, in practice a day). */
export const LONGEST_MS = 100 * 3_600_000;

/** Longer ones have a separate index, `programs_long`. */
export const ORDINARY_MS = 12 * 3_600_000;
