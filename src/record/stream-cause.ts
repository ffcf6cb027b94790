/** The cause of a gap: why a stream could not be opened, ended, or stays scrambled. */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import { Failure } from '../model/failure.ts';
import { isUnreadable, type PacketSums } from '../model/verdict.ts';
import { AgentStreamFailure, type StreamProblem } from '../tuner/agent-stream.ts';

/** Interval of the query: a card with a contract may have been inserted. */
const ASK_AGAIN_MS = 5_000;

/** Why the packets of a recording stay scrambled. */
export class ScramblingCause {
  /** The current run of scrambled packets: its cause if known, and when that was last queried. */
  #run: { cause: GapCause | undefined; askedAt: BroadcastMs } | undefined;

  /**
   * @param query never rejects; undefined: the cause stays unknown
   * @param explained the cause of the current run is known now
   */
  constructor(
    readonly query: (() => Promise<GapCause | undefined>) | undefined,
    readonly explained: (cause: GapCause) => void,
    readonly onChange: () => void,
  ) {}

  get cause(): GapCause | undefined {
    return this.#run?.cause;
  }

  /** The cause for these packets, if known; it is queried when they are scrambled, and applies to their run only. */
  of(sums: PacketSums, at: BroadcastMs): GapCause | undefined {
    if (this.query === undefined) return undefined;
    if (!isUnreadable(sums)) {
      const wasKnown = this.cause !== undefined;
      this.#run = undefined;
      if (wasKnown) this.onChange();
      return undefined;
    }
    this.#run ??= { cause: undefined, askedAt: broadcastMs(Number.NEGATIVE_INFINITY) };
    const run = this.#run;
    if (Math.abs(at - run.askedAt) < ASK_AGAIN_MS) return run.cause;
    run.askedAt = at;
    void this.query().then((cause) => {
      if (run !== this.#run || cause === undefined || cause === run.cause) return;
      run.cause = cause;
      this.explained(cause);
      this.onChange();
    });
    return run.cause;
  }
}

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
  const problem = error instanceof AgentStreamFailure ? error.problem.code : undefined;
  if (problem === 'agent_silent' || problem === 'silent') return 'agent_silent';
  const { code } = error;
  if (code === 'agent_unavailable' || code === 'no_tuner' || code === 'no_signal') return code;
  if (code === 'agent_misconfigured') return 'agent_unavailable';
  // The worker died while it tuned.
  return code === 'internal' ? 'recorder_failed' : 'stream_ended';
}
