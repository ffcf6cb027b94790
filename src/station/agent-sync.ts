/** Synchronises the station list with the agent: when it (re)connects, on its events, and at an interval. */
import type { Log } from '../../host/log.ts';
import type { Channel } from '../../wire/agent.ts';
import { TaskFailures } from '../tuner/task-failures.ts';

interface AgentSyncOptions {
  channels: (signal: AbortSignal) => Promise<Channel[]>;
  /** @returns whether the stations changed */
  import: (channels: readonly Channel[], signal: AbortSignal) => Promise<boolean>;
  onChanged: () => void;
  /** Adds standard channels to the agent's table; the change causes another import. */
  complete: (channels: readonly Channel[], signal: AbortSignal) => Promise<void>;
  /** The agent answered. */
  onAnswer: () => void;
  intervalMs: number;
  log: Log;
}

export class AgentSync {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  readonly #ending = new AbortController();

  readonly #trouble: TaskFailures;

  constructor(private readonly options: AgentSyncOptions) {
    this.#trouble = new TaskFailures(options.log, 'stations not imported');
  }

  /** Imports now; once more if requested meanwhile. */
  sync(): void {
    if (this.#ending.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#running = this.#once().finally(() => {
      this.#running = undefined;
      if (this.#ending.signal.aborted) return;
      if (this.#again) {
        this.#again = false;
        this.sync();
        return;
      }
      this.#timer = setTimeout(() => this.sync(), this.options.intervalMs);
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #once(): Promise<void> {
    try {
      const channels = await this.options.channels(this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      this.options.onAnswer();
      if (await this.options.import(channels, this.#ending.signal)) this.options.onChanged();
      await this.options.complete(channels, this.#ending.signal);
      this.#trouble.over();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#trouble.report(error);
    }
  }
}
