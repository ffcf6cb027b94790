/** The order of tuners. The agent decides it; the service only reads the result. */
import type { BroadcastType } from '../arib/ids.ts';

interface Rankable {
  readonly types: readonly BroadcastType[];
  readonly disabled: boolean;
}

/**
 * Ranks of the tuners of one definition, in its order: tuners that support fewer types come first, equal counts
 * in the order in which their set of types first appears. Tuners of one rank support exactly the same types.
 * Disabled tuners have none.
 */
export function rankTuners(tuners: readonly Rankable[]): (number | null)[] {
  const sets = [...new Set(tuners.filter((tuner) => !tuner.disabled).map((tuner) => typeSet(tuner.types)))];
  const order = sets.sort((a, b) => a.split('+').length - b.split('+').length);
  return tuners.map((tuner) => (tuner.disabled ? null : order.indexOf(typeSet(tuner.types))));
}

/** Canonical spelling of a set of types, in any order. */
export function typeSet(types: readonly BroadcastType[]): string {
  return [...new Set(types)].sort().join('+');
}
