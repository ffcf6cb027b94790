/** The guide worker as promises: one a visit. A worker that died fails its visits and is started anew. */
import type { Log } from '../../host/log.ts';
import type { NowAndNext } from '../model/program.ts';
import type { FromGuideWorker, ToGuideWorker, VisitOutcome } from './messages.ts';

export interface VisitResult {
  outcome: VisitOutcome;
  reason: string | null;
  clockOffsetMs: number | null;
}

export type VisitOrder = Omit<Extract<ToGuideWorker, { kind: 'visit' }>, 'kind' | 'visit'>;

export interface GuideVisitsOptions {
  startWorker: () => Worker;
  log: Log;
}

interface Open {
  onFound: (items: NowAndNext[]) => void;
  finish: (result: VisitResult) => void;
}

/** Beyond the worker's own limits: it no longer answers. */
const GRACE_MS = 10_000;

export class GuideVisits {
  #worker: Worker | undefined;
  #serial = 0;
  readonly #open = new Map<number, Open>();

  constructor(private readonly options: GuideVisitsOptions) {}

  /** Never rejects. `onFound` is called with what the visit learned, any number of times, before it resolves. */
  visit(order: VisitOrder, onFound: (items: NowAndNext[]) => void): Promise<VisitResult> {
    this.#serial += 1;
    const visit = this.#serial;
    return new Promise((resolve) => {
      const overdue = setTimeout(
        () => this.#restart('guide worker does not answer'),
        order.openMs + order.capMs + GRACE_MS,
      );
      this.#open.set(visit, {
        onFound,
        finish: (result) => {
          clearTimeout(overdue);
          this.#open.delete(visit);
          resolve(result);
        },
      });
      this.#post({ kind: 'visit', visit, ...order });
    });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#failAll('closed');
  }

  #post(message: ToGuideWorker): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = this.options.startWorker();
    worker.addEventListener('message', (event: MessageEvent<FromGuideWorker>) => this.#receive(event.data));
    worker.addEventListener('error', (event) => {
      if (this.#worker === worker) this.#restart(`guide worker died: ${event.message}`);
    });
    return worker;
  }

  #receive(message: FromGuideWorker): void {
    const open = this.#open.get(message.visit);
    if (open === undefined) return;
    if (message.kind === 'found') open.onFound(message.items);
    else
      open.finish({ outcome: message.outcome, reason: message.reason, clockOffsetMs: message.clockOffsetMs });
  }

  #restart(reason: string): void {
    this.options.log.error(reason);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#failAll(reason);
  }

  #failAll(reason: string): void {
    for (const open of [...this.#open.values()]) {
      open.finish({ outcome: 'failed', reason, clockOffsetMs: null });
    }
  }
}
