/**
 * Why a running stream of the agent sends nothing: the tuner receives nothing, or the data does not arrive here. An
 * agent that also does not answer other requests is silent altogether.
 */
import type { Tuner } from '../../wire/agent.ts';

/** Undefined: not known yet. */
export type SilenceQuery = (tunerId: string) => Promise<'agent_silent' | 'stalled' | undefined>;

/** The agent answers from memory; and it is asked again every second. */
const ANSWER_MS = 2_500;

/** @param tuners rejects if the agent does not answer */
export function silenceQuery(tuners: (signal: AbortSignal) => Promise<readonly Tuner[]>): SilenceQuery {
  /** Packets of each tuner when it was last asked about. */
  const before = new Map<string, number>();
  return async (tunerId) => {
    let packets: number | undefined;
    try {
      const list = await tuners(AbortSignal.timeout(ANSWER_MS));
      packets = list.find(({ id }) => id === tunerId)?.stats?.packets;
    } catch {
      before.delete(tunerId);
      return 'agent_silent';
    }
    const known = before.get(tunerId);
    if (packets === undefined) before.delete(tunerId);
    else before.set(tunerId, packets);
    if (packets === undefined || known === undefined) return undefined;
    // Its counters begin again with each tuning.
    return packets > known ? 'agent_silent' : 'stalled';
  };
}
