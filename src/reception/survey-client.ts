/**
 * The survey worker as promises: one a survey. It is started when one is wanted and ended when none was for a
 * while, because scans and logos are rare; one that died fails its surveys and is started anew.
 */
import type { Log } from '../../host/log.ts';
import type {
  FoundLogo,
  FromSurveyWorker,
  SurveyFindings,
  SurveyOrder,
  SurveyOutcome,
  ToSurveyWorker,
} from './survey-messages.ts';

export interface SurveyResult {
  outcome: SurveyOutcome;
  reason: string | null;
  findings: SurveyFindings;
}

export interface SurveyClientOptions {
  startWorker: () => Worker;
  log: Log;
  /** How long the worker is kept without work, ms. */
  idleMs?: number;
}

interface Open {
  onLogos: (logos: FoundLogo[]) => void;
  finish: (result: SurveyResult) => void;
}

/** Beyond the worker's own limit: it no longer answers. */
const GRACE_MS = 10_000;
const IDLE_MS = 60_000;

export class SurveyClient {
  #worker: Worker | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #serial = 0;
  #closed = false;
  readonly #open = new Map<number, Open>();

  constructor(private readonly options: SurveyClientOptions) {}

  /**
   * Never rejects. `onLogos` is called with what was found, any number of times, before it resolves; an aborted
   * signal ends the survey, and leaves the tuner.
   */
  survey(
    order: SurveyOrder,
    signal: AbortSignal,
    onLogos: (logos: FoundLogo[]) => void = () => {},
  ): Promise<SurveyResult> {
    if (this.#closed || signal.aborted) {
      return Promise.resolve({ outcome: 'cancelled', reason: 'closed', findings: {} });
    }
    this.#serial += 1;
    const survey = this.#serial;
    return new Promise((resolve) => {
      const overdue = setTimeout(
        () => this.#restart('survey worker does not answer'),
        order.limitMs + GRACE_MS,
      );
      const cancel = (): void => this.#worker?.postMessage({ kind: 'cancel', survey });
      signal.addEventListener('abort', cancel, { once: true });
      this.#open.set(survey, {
        onLogos,
        finish: (result) => {
          clearTimeout(overdue);
          signal.removeEventListener('abort', cancel);
          this.#open.delete(survey);
          this.#rest();
          resolve(result);
        },
      });
      this.#post({ kind: 'survey', survey, ...order });
    });
  }

  close(): void {
    this.#closed = true;
    this.#end();
    this.#failAll('cancelled', 'closed');
    clearTimeout(this.#idle);
  }

  #post(message: ToSurveyWorker): void {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = this.options.startWorker();
    worker.addEventListener('message', (event: MessageEvent<FromSurveyWorker>) => this.#receive(event.data));
    worker.addEventListener('error', (event) => {
      if (this.#worker === worker) this.#restart(`survey worker died: ${event.message}`);
    });
    return worker;
  }

  #receive(message: FromSurveyWorker): void {
    const open = this.#open.get(message.survey);
    if (open === undefined) return;
    if (message.kind === 'logos') open.onLogos(message.logos);
    else open.finish({ outcome: message.outcome, reason: message.reason, findings: message.findings });
  }

  /** Without work the worker goes after a while. */
  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#open.size > 0) return;
    this.#idle = setTimeout(() => this.#end(), this.options.idleMs ?? IDLE_MS);
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #restart(reason: string): void {
    this.options.log.error(reason);
    this.#end();
    this.#failAll('broken', reason);
  }

  #failAll(outcome: SurveyOutcome, reason: string): void {
    for (const open of [...this.#open.values()]) open.finish({ outcome, reason, findings: {} });
  }
}
