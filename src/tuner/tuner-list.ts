/** Queries on the agent's tuner list: which tuner supports which type. Pure. */
import type { BroadcastType } from '../../arib/ids.ts';
import type { Tuner } from '../../wire/agent.ts';

/** Whether the tuner is enabled and supports this type. */
export function canServe(tuner: Tuner, type: BroadcastType): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.types.includes(type);
}

/** Whether any tuner supports the type. */
export function hasTunerFor(tuners: readonly Tuner[], type: BroadcastType): boolean {
  return tuners.some((tuner) => canServe(tuner, type));
}
