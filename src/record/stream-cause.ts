/** The cause of a gap, from the reason why a stream could not be opened, or ended. Pure. */
import { Failure } from '../model/failure.ts';
import type { GapCause } from '../model/verdict.ts';
import { StreamFailure, type StreamProblem } from '../tuner/stream-failure.ts';

/**
 * The agent ends a stream that its tuner sends no data for, so a silent one is no matter of reception, unless the agent
 * says so.
 * @param silentBy why it was silent, if that is known
 */
export function causeOfEnd(
  { code }: Pick<StreamProblem, 'code'>,
  by: 'tuning' | 'worker',
  silentBy: GapCause | undefined,
): GapCause {
  if (by === 'worker') return 'recorder_failed';
  return code === 'silent' && silentBy !== 'stalled' ? 'agent_silent' : 'stream_ended';
}

export function causeOfRefusal(error: unknown): GapCause {
  if (!(error instanceof Failure)) return 'stream_ended';
  const problem = error instanceof StreamFailure ? error.problem.code : undefined;
  if (problem === 'agent_silent' || problem === 'silent') return 'agent_silent';
  const { code } = error;
  if (code === 'agent_unavailable' || code === 'no_tuner' || code === 'no_signal') return code;
  if (code === 'agent_misconfigured') return 'agent_unavailable';
  // The worker died while it tuned.
  return code === 'internal' ? 'recorder_failed' : 'stream_ended';
}
