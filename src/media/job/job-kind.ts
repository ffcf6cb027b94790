/** How a feature declares a kind of background job; `job-runner.ts` runs all kinds by one policy. */
import { WorkerError } from '../../../lib/host/worker-link.ts';
import { Failure } from '../../model/failure.ts';
import type { HubEvent } from '../../notify/hub.ts';
import type { Excluded } from '../../store/query.ts';
import type { JobRun } from './job-run.ts';
import type { MachineNeed } from './machine-load.ts';

/** Unique within its kind. */
export type JobId = number | string;

/** Order in which kinds get a free machine, the most urgent first. */
export const JOB_PRIORITY = {
  receivedData: 1,
  endedData: 2,
  chapterFiles: 3,
  pictures: 4,
  commercials: 5,
  encodes: 6,
  trials: 7,
} as const;

/** What the error of a run means. */
export type FailureMeaning =
  /** Counts as an attempt: retried after growing pauses, then given up. Also that of a lost worker. */
  | 'fault'
  /** Circumstances of this job, such as a disk that does not respond: retried, not counted. */
  | 'later'
  /** No job of this kind can run now, because ffmpeg or the worker is missing: retried in the next round, not counted. */
  | 'blocked'
  /** Another attempt would fail, too. */
  | 'final';

export interface RetryPolicy {
  /** Attempts until a job is given up. */
  readonly attempts: number;
  /** Pause after the first fault, ms; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Pause after `later`, ms; infinite: until the next start. */
  readonly laterMs: number;
}

/** How a run ended without success. */
export interface RunFailure {
  /** `cancelled`: by a user, or its recording is gone. `stopped`: by the runner; it runs again. */
  readonly meaning: FailureMeaning | 'cancelled' | 'stopped';
  /** Faults so far, including this one. */
  readonly attempts: number;
  /** Pause before the next attempt, ms; undefined: there is none. */
  readonly retryMs: number | undefined;
}

export interface JobKind<Job extends { readonly id: JobId }> {
  /** For the log. */
  readonly name: string;
  /** Of `JOB_PRIORITY`. */
  readonly priority: number;
  /** Where it is not met, running jobs are paused (`JobRun`), and none is started. */
  readonly needs: MachineNeed;
  /** A further condition, of the feature. */
  isAllowed?(): boolean;
  /** Jobs that run at the same time. Default: 1. */
  readonly atOnce?: number | undefined;
  /** A further one starts when the last has run for this long, ms: it may hang. Default: 0. */
  readonly overlapMs?: number | undefined;
  /** Delay of the first round, ms. Default: 0. */
  readonly startMs?: number | undefined;
  /** Longest time between two rounds, ms. */
  readonly pollMs: number;
  /**
   * Shortest time between two rounds that events cause, ms: they arrive several times a second. Also the pause of a job
   * that succeeded and is next again.
   */
  readonly restMs: number;
  /** Events that cause a round. */
  wakesOn?(event: HubEvent): boolean;
  readonly retry: RetryPolicy;
  /** At the beginning of a round. */
  upkeep?(signal: AbortSignal): void | Promise<void>;
  /** The next job in the order of this kind. @param excluded those that are running or resting */
  next(excluded: Excluded<Job['id']>): Job | undefined | Promise<Job | undefined>;
  /** Its recording was deleted: the run is cancelled. Asked at each event `recordings`. */
  isGone?(job: Job): boolean;
  /** Stores the result. @throws the error that `meaningOf` and `failed` get, or the signal's reason */
  run(job: Job, run: JobRun): Promise<void>;
  /** Faults of earlier runs, where the store counts them; otherwise they are forgotten at the next start. */
  attemptsOf?(job: Job): number;
  /** Undefined: as `meaningOf`. */
  meaningOf?(error: unknown): FailureMeaning | undefined;
  /** Stores the failure. Without it, a job that is given up is not tried again before the next start. */
  failed?(job: Job, error: unknown, failure: RunFailure): void | Promise<void>;
}

/** What an error means for any kind. */
export function meaningOf(error: unknown): FailureMeaning {
  if (error instanceof WorkerError) return error.kind === 'busy' ? 'blocked' : 'fault';
  if (!(error instanceof Failure)) return 'fault';
  switch (error.code) {
    case 'busy':
      return 'later';
    case 'ffmpeg_unavailable':
      return 'blocked';
    case 'not_found':
      return 'final';
    default:
      return 'fault';
  }
}

/** Pause before the next attempt, ms; undefined: none follows. @param attempts faults so far */
export function retryPause(
  { attempts: most, firstMs, maxMs, laterMs }: RetryPolicy,
  meaning: RunFailure['meaning'],
  attempts: number,
): number | undefined {
  switch (meaning) {
    case 'fault':
      return attempts < most ? Math.min(maxMs, firstMs * 2 ** Math.min(attempts - 1, 30)) : undefined;
    case 'later':
      return laterMs;
    case 'blocked':
    case 'stopped':
      return 0;
    case 'final':
    case 'cancelled':
      return undefined;
  }
}
