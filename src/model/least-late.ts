/**
 * Offset of a clock from samples that are each too late by an unknown delay and never too early: tables of the
 * broadcast's time on a busy machine. The least late one counts. Pure.
 */

/** Tables that must agree: one alone may have a wrong time. */
export const ENOUGH = 3;
/** The tables that support the least late one are at most this much later. */
const SUPPORT_MS = 2000;
/** Spread of tables that arrive in time: they have whole seconds. */
const SPREAD_MS = 1200;

/** The highest offset that ENOUGH samples support, its own included; undefined: none. */
export function leastLate(offsets: readonly number[]): number | undefined {
  const sorted = [...offsets].sort((a, b) => b - a);
  return sorted.find((offset, index) => offset - (sorted[index + ENOUGH - 1] ?? -Infinity) <= SUPPORT_MS);
}

/** Whether at least half of the samples are at their least late value: delays of a busy machine are scattered. */
export function isSteady(offsets: readonly number[]): boolean {
  const top = leastLate(offsets);
  if (top === undefined) return false;
  return offsets.filter((offset) => Math.abs(top - offset) <= SPREAD_MS).length * 2 >= offsets.length;
}
