/**
 * Watches an event stream that is silent most of the time. A hung service closes nothing, so silence is followed by a
 * short request: without an answer the connection counts as lost long before the stream's own limit.
 */

interface SilenceWatchNeeds {
  /** Silence before the request, ms. */
  readonly quietMs: number;
  /** A stream without any event for this long is dead although the service answers: a proxy may have dropped it. */
  readonly silenceMs: number;
  /** Whether silence is to be followed by requests: nobody looks at a hidden page. */
  readonly isWatched: () => boolean;
  /** Whether the service answers, within a limit of its own. */
  readonly ask: () => Promise<boolean>;
  readonly onLost: () => void;
}

export class SilenceWatch {
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Answers to a request before the last event, and those after `stop`, do not count. */
  #turn = 0;

  constructor(private readonly needs: SilenceWatchNeeds) {}

  /** Something arrived, or a connection is being made. */
  heard(): void {
    this.stop();
    this.#silence = setTimeout(() => this.#lose(), this.needs.silenceMs);
    this.#wait();
  }

  stop(): void {
    this.#turn += 1;
    clearTimeout(this.#quiet);
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /** Asks now, as after the page was hidden. */
  check(): void {
    if (this.#silence === undefined) return;
    clearTimeout(this.#quiet);
    void this.#ask();
  }

  #wait(): void {
    this.#quiet = setTimeout(() => void this.#ask(), this.needs.quietMs);
  }

  async #ask(): Promise<void> {
    // `check` asks when the page is shown again.
    if (!this.needs.isWatched()) return;
    this.#turn += 1;
    const turn = this.#turn;
    const answers = await this.needs.ask();
    if (turn !== this.#turn) return;
    if (answers) this.#wait();
    else this.#lose();
  }

  #lose(): void {
    this.stop();
    this.needs.onLost();
  }
}
