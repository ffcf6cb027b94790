/** What the agent's tuner list says about which tuner takes what. Pure. */
import type { BroadcastType } from '../../arib/ids.ts';
import type { Tuner } from '../../wire/agent.ts';

/** Whether the tuner is in use for this type. */
export function canServe(tuner: Tuner, type: BroadcastType): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.types.includes(type);
}

/** Whether any tuner takes the type at all. */
export function hasTunerFor(tuners: readonly Tuner[], type: BroadcastType): boolean {
  return tuners.some((tuner) => canServe(tuner, type));
}
