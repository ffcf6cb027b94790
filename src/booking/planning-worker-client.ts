/**
 * The main thread's side of the planning worker. Requests to a worker that crashes or hangs fail, and the
 * next request starts another one: all its state is in the database.
 */
import type { Log } from '../../lib/host/log.ts';
import { type Ask, type RequestName, WorkerError, WorkerLink } from '../../lib/host/worker-link.ts';
import { PROBLEM_CODES, type ProblemCode } from '../../lib/wire/api.ts';
import { Failure } from '../model/failure.ts';
import type {
  Planned,
  PlanningContract,
  PlanOrder,
  Previewed,
  PreviewOrder,
} from './planning-worker-messages.ts';

interface PlanningWorkerClientOptions {
  startWorker: () => Worker;
  /** The database file. */
  path: string;
  log: Log;
  /** Time limit of an answer, ms. */
  limitMs?: number;
}

/** The first plan reads the whole guide without yielding: seconds on a slow machine. */
const LIMIT_MS = 60_000;
/** A plan that is running at shutdown is abandoned after this. */
const CLOSE_LIMIT_MS = 1_000;

/** The rule screen asks for a preview with every keystroke. */
const MAX_PREVIEWS = 8;

function unavailable(cause: unknown): Failure {
  return new Failure('busy', '予約の計画を計算できませんでした。しばらくしてからもう一度お試しください。', {
    cause,
  });
}

function isProblemCode(code: string | null): code is ProblemCode {
  return PROBLEM_CODES.some((one) => one === code);
}

export class PlanningWorkerClient {
  readonly #link: WorkerLink<PlanningContract>;
  #previews = 0;

  constructor({ startWorker, path, log, limitMs = LIMIT_MS }: PlanningWorkerClientOptions) {
    this.#link = new WorkerLink({
      name: 'planning worker',
      startWorker,
      log,
      setup: (send) => send({ kind: 'open', path }),
      // The watchdog's limit is that of an answer: the worker does not yield while it plans.
      watchdog: { limitMs, startLimitMs: limitMs, askMs: Math.min(1_000, limitMs / 4) },
      watchWhen: 'working',
      retryMs: 0,
    });
  }

  /** @throws Failure busy when the worker cannot answer */
  plan(order: PlanOrder): Promise<Planned> {
    return this.#request('plan', order);
  }

  /** @throws Failure for a rule that cannot be used, or busy when the worker cannot answer */
  async preview(order: PreviewOrder): Promise<Previewed> {
    if (this.#previews >= MAX_PREVIEWS) throw unavailable('too many previews');
    this.#previews += 1;
    try {
      return await this.#request('preview', order);
    } finally {
      this.#previews -= 1;
    }
  }

  /** Pending requests fail. Resolves when the worker has ended. */
  async close(): Promise<void> {
    await this.#link.close(CLOSE_LIMIT_MS);
  }

  async #request<K extends RequestName<PlanningContract>>(name: K, order: Ask<PlanningContract, K>) {
    try {
      return await this.#link.request(name, order);
    } catch (error) {
      if (error instanceof WorkerError && error.kind === 'failed' && isProblemCode(error.code)) {
        throw new Failure(error.code, error.message);
      }
      throw unavailable(error);
    }
  }
}
