/**
 * The planning worker as promises. One that died, or answers no more, fails what it was asked and is started anew
 * with the next question: it holds nothing that is not in the database.
 */
import type { Log } from '../../host/log.ts';
import { Failure } from '../model/failure.ts';
import type {
  FromPlanWorker,
  PlanAnswer,
  Planned,
  PlanOrder,
  Previewed,
  PreviewOrder,
  ToPlanWorker,
} from './planning-worker-messages.ts';

export interface PlanningWorkerClientOptions {
  startWorker: () => Worker;
  /** The database file. */
  path: string;
  log: Log;
  /** How long an answer is waited for, ms. */
  limitMs?: number;
}

/** The first plan reads the whole guide: seconds on a slow machine. */
const LIMIT_MS = 60_000;
/** A plan that is being made is not waited for longer. */
const CLOSE_LIMIT_MS = 1_000;

/** A screen asks for a preview with every word that is typed. */
const MAX_PREVIEWS = 8;

interface Asked {
  resolve: (message: PlanAnswer) => void;
  reject: (error: Error) => void;
}

function unavailable(cause: unknown): Failure {
  return new Failure('busy', '予約の計画を計算できませんでした。しばらくしてからもう一度お試しください。', {
    cause,
  });
}

export class PlanningWorkerClient {
  #worker: Worker | undefined;
  #serial = 0;
  readonly #asked = new Map<number, Asked>();
  #previews = 0;
  #closed = false;
  #down: (() => void) | undefined;

  constructor(private readonly options: PlanningWorkerClientOptions) {}

  /** @throws Failure busy when the worker cannot answer */
  async plan(order: PlanOrder): Promise<Planned> {
    const answer = await this.#ask((serial) => ({ kind: 'plan', serial, order }));
    if (answer.kind !== 'planned') throw unavailable(answer.kind);
    return answer.planned;
  }

  /** @throws Failure for a rule that cannot be used, or busy when the worker cannot answer */
  async preview(order: PreviewOrder): Promise<Previewed> {
    if (this.#previews >= MAX_PREVIEWS) throw unavailable('too many previews');
    this.#previews += 1;
    try {
      const answer = await this.#ask((serial) => ({ kind: 'preview', serial, order }));
      if (answer.kind !== 'previewed') throw unavailable(answer.kind);
      return answer.previewed;
    } finally {
      this.#previews -= 1;
    }
  }

  /** Nobody is answered any more. Resolves when the worker is gone. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject } of [...this.#asked.values()]) reject(new Error('closed'));
    if (this.#worker !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, CLOSE_LIMIT_MS);
      this.#down = resolve;
      this.#worker.postMessage({ kind: 'close' } satisfies ToPlanWorker);
      await promise;
      clearTimeout(limit);
    }
    this.#end(new Error('closed'));
  }

  async #ask(message: (serial: number) => ToPlanWorker): Promise<PlanAnswer> {
    if (this.#closed) throw unavailable('closed');
    this.#serial += 1;
    const serial = this.#serial;
    const worker = this.#worker ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<PlanAnswer>();
    const overdue = setTimeout(
      () => this.#fail('planning worker does not answer'),
      this.options.limitMs ?? LIMIT_MS,
    );
    this.#asked.set(serial, { resolve, reject });
    try {
      worker.postMessage(message(serial));
      const answer = await promise;
      if (answer.kind !== 'failed') return answer;
      if (answer.code !== null) throw new Failure(answer.code, answer.message);
      throw new Error(answer.message);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw unavailable(error);
    } finally {
      clearTimeout(overdue);
      this.#asked.delete(serial);
    }
  }

  #start(): Worker {
    const worker = this.options.startWorker();
    this.#worker = worker;
    worker.addEventListener('message', (event: MessageEvent<FromPlanWorker>) => {
      if (event.data.kind === 'down') this.#down?.();
      else this.#asked.get(event.data.serial)?.resolve(event.data);
    });
    worker.addEventListener('error', (event) => {
      if (this.#worker === worker) this.#fail(`planning worker died: ${event.message}`);
    });
    worker.postMessage({ kind: 'open', path: this.options.path } satisfies ToPlanWorker);
    return worker;
  }

  #fail(reason: string): void {
    this.options.log.error(reason);
    this.#end(new Error(reason));
  }

  #end(error: Error): void {
    this.#worker?.terminate();
    this.#down?.();
    this.#worker = undefined;
    for (const { reject } of [...this.#asked.values()]) reject(error);
  }
}
