/**
 * Logs failures of a repeated task: internal errors always, an invalid response of the agent once, its unavailability
 * never.
 */
import type { Log } from '../../lib/host/log.ts';
import { Failure } from '../model/failure.ts';

export class TaskFailures {
  #last: string | undefined;

  /** @param what the log message */
  constructor(
    private readonly log: Log,
    private readonly what: string,
  ) {}

  report(error: unknown): void {
    if (!(error instanceof Failure)) {
      this.log.error(this.what, { error: String(error) });
      return;
    }
    // A connection error has a cause, and the link to the agent already reports it.
    const isNew = error.options.cause === undefined && error.message !== this.#last;
    this.#last = error.message;
    this.log[isNew ? 'warn' : 'debug'](this.what, { reason: error.message });
  }

  /** The task succeeded: the next failure is logged again. */
  over(): void {
    this.#last = undefined;
  }
}
