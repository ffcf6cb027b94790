/** Runs tasks of the script machine to their end: in slices, between which the worker handles keys and messages. */
import { SUSPEND } from '../script/functions.ts';
import { type Machine, ScriptFault } from '../script/machine.ts';
import type { Value } from '../script/values.ts';
import { type TaskClock, TURN_MS } from './timers.ts';

// The share of time that a document's scripts may take.

const WINDOW_MS = 10_000;
const SHARE = 0.4;
/** Time is counted in buckets of this length; slices are much shorter. */
const BUCKET_MS = 100;
const BUCKETS = WINDOW_MS / BUCKET_MS;

/** Counts the time of slices; the document is to be stopped when scripts took more than 40 % of the last 10 s. */
export class RunBudget {
  readonly #spent = new Float64Array(BUCKETS);
  /** Number of the newest bucket. */
  #newest: number | undefined;
  #total = 0;

  /** @param clock milliseconds of any origin, never going back */
  constructor(private readonly clock: () => number) {}

  /** Runs a slice and counts its time. */
  spend<T>(slice: () => T): T {
    const from = this.clock();
    try {
      return slice();
    } finally {
      const to = this.clock();
      this.#advance(to);
      const at = (this.#newest ?? 0) % BUCKETS;
      this.#spent[at] = (this.#spent[at] ?? 0) + (to - from);
      this.#total += to - from;
    }
  }

  get exceeded(): boolean {
    this.#advance(this.clock());
    return this.#total > WINDOW_MS * SHARE;
  }

  #advance(now: number): void {
    const bucket = Math.floor(now / BUCKET_MS);
    this.#newest ??= bucket;
    for (let left = Math.min(bucket - this.#newest, BUCKETS); left > 0; left -= 1) {
      const at = (bucket - left + 1) % BUCKETS;
      this.#total -= this.#spent[at] ?? 0;
      this.#spent[at] = 0;
    }
    if (bucket > this.#newest) this.#newest = bucket;
  }
}

/** Why a document is ended by the engine. */
export type StopReason = 'busy' | 'memory';

interface TaskHost {
  readonly clock: TaskClock;
  readonly budget: RunBudget;
  fault(fault: ScriptFault): void;
  stop(reason: StopReason): void;
  /** A script waits: what it has changed is to be seen. */
  waits(): void;
}

/** Of compiled texts of timers. */
const MAX_TEXTS = 64;
/** An event handler is the bare call of a function. */
const CALL = /^\s*([A-Za-z_$][\w$]*)\s*\(\s*\)\s*;?\s*$/;

export class ScriptTasks {
  readonly #machine: Machine;
  readonly #host: TaskHost;
  readonly #units = new Map<string, ReturnType<Machine['compile']>>();
  #pending: Promise<Value> | undefined;
  #isClosed = false;
  /** Number of the task: one that was abandoned while it waited does not touch the next. */
  #task = 0;

  constructor(machine: Machine, host: TaskHost) {
    this.#machine = machine;
    this.#host = host;
  }

  /** In a host function: the script waits for the value. A promise that fails is NaN. */
  suspend(value: Promise<Value>): typeof SUSPEND {
    this.#pending = value.catch((error: unknown) => {
      this.#host.fault(new ScriptFault(`engine: ${String(error)}`, '', 0));
      return Number.NaN;
    });
    return SUSPEND;
  }

  /** Work that a script causes outside of its slices counts as its time. */
  spend<Result>(work: () => Result): Result {
    return this.#host.budget.spend(work);
  }

  async run(source: string, name: string): Promise<void> {
    const unit = this.#machine.compile(source, name);
    if (unit instanceof ScriptFault) this.#host.fault(unit);
    else if (!this.#isClosed) {
      this.#machine.start(unit);
      await this.#drive();
    }
  }

  /** Runs `name();` of a handler attribute. Anything else, and functions that do not exist, do nothing. */
  async handler(text: string): Promise<void> {
    const [, name] = CALL.exec(text) ?? [];
    if (name !== undefined && !this.#isClosed && this.#machine.startCall(name)) await this.#drive();
  }

  async timer(text: string): Promise<void> {
    if (CALL.test(text)) {
      await this.handler(text);
      return;
    }
    let unit = this.#units.get(text);
    if (unit === undefined) {
      unit = this.#machine.compile(text, 'setInterval');
      if (unit instanceof ScriptFault) this.#host.fault(unit);
      if (this.#units.size < MAX_TEXTS) this.#units.set(text, unit);
    }
    if (unit instanceof ScriptFault || this.#isClosed) return;
    this.#machine.start(unit);
    await this.#drive();
  }

  async #drive(): Promise<void> {
    const { budget, clock } = this.#host;
    const task = ++this.#task;
    let turn = clock.now();
    while (!this.#isClosed && task === this.#task) {
      const outcome = budget.spend(() => this.#machine.run());
      if (budget.exceeded) {
        this.#host.stop('busy');
        return;
      }
      if (outcome.state === 'more' || outcome.state === 'suspended') {
        if (outcome.state === 'suspended') this.#host.waits();
        const value = outcome.state === 'suspended' ? await this.#pending : undefined;
        // Also a script that waits for what is there at once lets keys and messages in between.
        if (outcome.state === 'more' || clock.now() - turn > TURN_MS) {
          await new Promise<void>((resolve) => clock.after(0, resolve));
          turn = clock.now();
        }
        if (outcome.state === 'more') continue;
        if (!this.#isClosed && task === this.#task) this.#machine.resume(value);
      } else {
        if (outcome.state === 'error') this.#host.fault(outcome.fault);
        if (outcome.state === 'stopped') this.#host.stop('memory');
        return;
      }
    }
  }

  /** The running task never continues; another may be started (`onunload`). */
  abandon(): void {
    this.#task++;
    this.#machine.abandon();
  }

  close(): void {
    this.#isClosed = true;
    this.#machine.abandon();
  }
}
