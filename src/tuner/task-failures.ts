/** Logs why a repeated task failed: trouble of our own always, a bad answer of the agent once, its absence never. */
import type { Log } from '../../host/log.ts';
import { Failure } from '../model/failure.ts';

export class TaskFailures {
  #last: string | undefined;

  /** @param what failed, as a log message */
  constructor(
    private readonly log: Log,
    private readonly what: string,
  ) {}

  report(error: unknown): void {
    if (!(error instanceof Failure)) {
      this.log.error(this.what, { error: String(error) });
      return;
    }
    // A connection that failed has a cause, and the link to the agent reports it; this is its echo.
    const news = error.options.cause === undefined && error.message !== this.#last;
    this.#last = error.message;
    this.log[news ? 'warn' : 'debug'](this.what, { reason: error.message });
  }

  /** The task succeeded: the next trouble is news. */
  over(): void {
    this.#last = undefined;
  }
}
