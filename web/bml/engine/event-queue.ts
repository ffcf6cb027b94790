/**
 * Events of a document, one at a time (ARIB STD-B24 Vol. 2 Appendix 2, 5.1): focus, blur, change and click of what a
 * handler did, as soon as it has ended; then keys, timers and events of the broadcast in the order of their arrival.
 */
import type { BmlElement } from '../document/document.ts';
import { type TaskClock, TURN_MS } from './timers.ts';

// `document.currentEvent` (ARIB STD-B24 Vol. 2 Appendix 2, 5.3.1.5).

/** Properties that only events of `beitem` have. */
export interface BroadcastEventFields {
  readonly status: number;
  readonly privateData: string;
  readonly esRef: string;
  readonly messageId: number;
  readonly messageVersion: number;
  readonly messageGroupId: number;
  readonly moduleRef: string;
  readonly languageTag: number;
  readonly peripheralRef: string;
  readonly segmentId: string | null;
  readonly object: BmlElement | null;
}

const NO_FIELDS: BroadcastEventFields = {
  status: 0,
  privateData: '',
  esRef: '',
  messageId: 0,
  messageVersion: 0,
  messageGroupId: 0,
  moduleRef: '',
  languageTag: 0,
  peripheralRef: '',
  segmentId: null,
  object: null,
};

export interface BmlEvent {
  /** Undefined in code that no event started: scripts at load, timers. */
  readonly type: string | undefined;
  readonly target: BmlElement | null;
  /** Of key events. */
  readonly keyCode?: number;
  /** Of events of `beitem`. */
  readonly fields?: BroadcastEventFields;
}

/** In timers and scripts at load: an event without a type, never null. */
export const NO_EVENT: BmlEvent = { type: undefined, target: null };

export function broadcastEvent(
  type: string,
  target: BmlElement,
  fields: Partial<BroadcastEventFields>,
): BmlEvent {
  return { type, target, fields: { ...NO_FIELDS, ...fields } };
}

type Job = () => Promise<void>;

/** Of keys, timers and broadcast events; a handler that takes long must not collect more. The oldest is dropped. */
const MAX_WAITING = 256;
/** Without a rest: far more than any document queues at once. */
const MAX_JOBS = 64;
const REST_MS = 2 * TURN_MS;

export class EventQueue {
  #immediate: Job[] = [];
  #waiting: Job[] = [];
  #isRunning = false;
  #isHeld = false;
  /** Changes when everything is dropped: what ran before does not continue. */
  #generation = 0;
  readonly #clock: TaskClock;
  readonly #failed: (error: unknown) => void;

  constructor(clock: TaskClock, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#failed = failed;
  }

  /** After the running handler, before all others. */
  addImmediate(job: Job): void {
    if (this.#immediate.length >= MAX_WAITING) return;
    this.#immediate.push(job);
    void this.#run();
  }

  add(job: Job): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(job);
    void this.#run();
  }

  /** Events wait, until `release`: a document is loading. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    void this.#run();
  }

  /** Drops what waits. A job that is running is not waited for. */
  clear(): void {
    this.#generation++;
    this.#immediate = [];
    this.#waiting = [];
    this.#isRunning = false;
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#isHeld) return;
    this.#isRunning = true;
    const generation = this.#generation;
    let turn = this.#clock.now();
    let jobs = 0;
    while (!this.#isHeld) {
      const job = this.#immediate.shift() ?? this.#waiting.shift();
      if (job === undefined) break;
      try {
        await job();
      } catch (error) {
        this.#failed(error);
      }
      // Handlers that queue each other for ever are no load: messages are taken, and the worker rests.
      if (
        generation === this.#generation &&
        (++jobs % MAX_JOBS === 0 || this.#clock.now() - turn > TURN_MS)
      ) {
        await new Promise<void>((resolve) => this.#clock.after(REST_MS, resolve));
        turn = this.#clock.now();
      }
      if (generation !== this.#generation) return;
    }
    this.#isRunning = false;
  }
}
