/**
 * Messages of a recording's data broadcast in step with its picture: after a seek all that was received by then, from then
 * on each message at its time. No more is read than some seconds ahead of the picture.
 */
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { addressOf, failureOf } from '../query/api.ts';
import type { DataTaker } from './data-broadcast.ts';
import { type RecordedItem, readItems } from './recorded-items.ts';

interface RecordedHost {
  /** From a second on; ends where the recording does. Throws `RecordingHasNone`, `RecordingIsRead`, or anything else. */
  items(from: number, aborted: AbortSignal): AsyncIterable<RecordedItem>;
  /** More may be recorded behind the end. */
  isGrowing(): boolean;
  /** s on the playback scale: of the picture, or of the one that is awaited. */
  position(): number;
  /** 0 while the picture stands. */
  rate(): number;
  /** Broadcast time of the beginning, epoch ms; null: unknown. */
  readonly broadcastAt: number | null;
  now(): MonotonicMs;
  /** @returns cancels it */
  later(ms: number, run: () => void): () => void;
}

/** The recording has no data broadcast. */
export class RecordingHasNone extends Error {}
/** The service is reading it from the original, which takes minutes. */
export class RecordingIsRead extends Error {}

/** Read ahead of the picture, s and octets. */
const AHEAD_S = 10;
const MAX_AHEAD_OCTETS = 8 << 20;
/** Steps of single pictures are no seeks. */
const SEEK_BACK_S = 0.25;
/** Between two looks at the position; a page in the background looks rarely. */
const JUMP_S = 2;
/** The state has the times at which its messages were sent. */
const EPSILON_S = 0.02;
/** Moving along the bar seeks many times. */
const BETWEEN_MS = 200;
const GROWING_MS = 3000;
const RETRY_MS: readonly number[] = [1000, 2000, 5000, 10_000];
/** One after another, before anything came. */
const MAX_FAILURES = 5;
/** Nearest and farthest next look at what is due. */
const [SOONEST_MS, LATEST_MS] = [10, 1000];
/** A message that is handed over late tells an earlier time than the picture's. */
const MAX_LATE_S = 30;
/** A broadcast with another time than that of the recording would start every timer of a document. */
const MAX_CLOCK_ERROR_MS = 2 * 86_400_000;

/** One answer, from a seek to the next. */
interface Reading {
  readonly aborted: AbortController;
  readonly queue: RecordedItem[];
  octets: number;
  /** s; everything before was read. */
  readTo: number;
  /** The state at the beginning is not complete. */
  isState: boolean;
  hasClock: boolean;
  wake: () => void;
}

export class RecordedMessages {
  readonly #host: RecordedHost;
  readonly #taker: DataTaker;
  #reading: Reading | undefined;
  /** Of the last look. */
  #position: number;
  /** s; everything before was handed over. */
  #handedTo = 0;
  #openedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #hasCome = false;
  #cancelOpen: () => void = () => {};
  #cancelDue: () => void = () => {};

  constructor(host: RecordedHost, taker: DataTaker) {
    this.#host = host;
    this.#taker = taker;
    this.#position = host.position();
    this.#open();
  }

  close(): void {
    this.#stop();
    this.#cancelOpen();
  }

  /** The picture is at another place, or moves at another rate. */
  moved(): void {
    const position = this.#host.position();
    const before = this.#position;
    this.#position = position;
    const readTo = this.#reading?.readTo ?? before;
    const isBack = position < this.#handedTo - SEEK_BACK_S;
    const isAhead = position > before + JUMP_S && position > readTo;
    if (isBack || isAhead) this.#seek();
    else this.#handOver();
  }

  #stop(): void {
    this.#cancelDue();
    const reading = this.#reading;
    this.#reading = undefined;
    reading?.aborted.abort();
    reading?.wake();
  }

  #seek(): void {
    this.#stop();
    this.#handedTo = this.#position;
    this.#openAfter(Math.max(0, this.#openedAt + BETWEEN_MS - this.#host.now()));
  }

  #openAfter(ms: number): void {
    this.#cancelOpen();
    this.#cancelOpen = this.#host.later(ms, () => this.#open());
  }

  #open(): void {
    this.#stop();
    const from = this.#host.position();
    this.#position = from;
    this.#handedTo = from;
    this.#openedAt = this.#host.now();
    const aborted = new AbortController();
    const reading: Reading = {
      ...{ aborted, queue: [], octets: 0, readTo: from },
      ...{ isState: true, hasClock: false, wake: () => {} },
    };
    this.#reading = reading;
    this.#taker.beginSnapshot();
    void this.#read(reading, from);
  }

  async #read(reading: Reading, from: number): Promise<void> {
    const isLeft = (): boolean => this.#reading !== reading;
    try {
      for await (const item of this.#host.items(from, reading.aborted.signal)) {
        if (isLeft()) return;
        this.#failures = 0;
        this.#hasCome = true;
        if (reading.isState) this.#takeState(reading, item, from);
        else await this.#enqueue(reading, item);
        if (isLeft()) return;
      }
      if (isLeft()) return;
      if (reading.isState) this.#endState(reading, from);
      await this.#follow(reading);
    } catch (error) {
      if (!isLeft()) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof RecordingHasNone) {
      this.#taker.failed('noBroadcast');
      return;
    }
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0;
    if (!(error instanceof RecordingIsRead)) this.#failures++;
    if (this.#failures >= MAX_FAILURES && !this.#hasCome) this.#taker.failed('silent');
    else this.#openAfter(wait);
  }

  #takeState(reading: Reading, item: RecordedItem, from: number): void {
    if (item.at > from + EPSILON_S) {
      this.#endState(reading, from);
      void this.#enqueue(reading, item);
      return;
    }
    this.#hand(reading, item, from);
    if (item.message.type === 'currentTime') this.#endState(reading, from);
  }

  /** Where the broadcast has not told its time by then, documents get that of the recording. */
  #endState(reading: Reading, from: number): void {
    const { broadcastAt } = this.#host;
    if (!reading.hasClock && broadcastAt !== null) this.#tellTime(broadcastAt + from * 1000);
    reading.isState = false;
    this.#taker.endSnapshot();
    this.#handOver();
  }

  #tellTime(at: number): void {
    this.#taker.message({ type: 'currentTime', at: Math.round(at) });
  }

  /** Waits while enough is read. */
  async #enqueue(reading: Reading, item: RecordedItem): Promise<void> {
    // Times that run backwards come as soon as what was before them.
    reading.readTo = Math.max(reading.readTo, item.at);
    reading.queue.push({ ...item, at: reading.readTo });
    reading.octets += item.octets;
    this.#handOver();
    const isEnough = (): boolean =>
      reading.queue.length > 0 &&
      (reading.readTo > this.#host.position() + AHEAD_S || reading.octets > MAX_AHEAD_OCTETS);
    while (this.#reading === reading && isEnough())
      await new Promise<void>((resolve) => {
        reading.wake = resolve;
      });
  }

  /** The end of the answer: of the recording, or of what is recorded so far. */
  async #follow(reading: Reading): Promise<void> {
    while (this.#host.isGrowing()) {
      await new Promise<void>((resolve) => {
        reading.wake = resolve;
        this.#cancelOpen();
        this.#cancelOpen = this.#host.later(GROWING_MS, resolve);
      });
      if (this.#reading !== reading) return;
      await this.#readOn(reading);
      if (this.#reading !== reading) return;
    }
    reading.readTo = Number.POSITIVE_INFINITY;
  }

  /** What was recorded since: behind the state, which is known. */
  async #readOn(reading: Reading): Promise<void> {
    const from = reading.readTo;
    let isState = true;
    for await (const item of this.#host.items(from, reading.aborted.signal)) {
      if (this.#reading !== reading) return;
      if (isState && item.at <= from) {
        isState = item.message.type !== 'currentTime';
        continue;
      }
      isState = false;
      await this.#enqueue(reading, item);
    }
  }

  /** Hands over what is due, and looks again when the next is. */
  #handOver(): void {
    const reading = this.#reading;
    if (reading === undefined || reading.isState) return;
    const position = this.#host.position();
    this.#handedTo = Math.max(this.#handedTo, position);
    for (let next = reading.queue[0]; next !== undefined && next.at <= position; next = reading.queue[0]) {
      reading.queue.shift();
      reading.octets -= next.octets;
      this.#hand(reading, next, position);
      if (this.#reading !== reading) return;
    }
    reading.wake();
    this.#cancelDue();
    const [next] = reading.queue;
    const rate = this.#host.rate();
    if (next === undefined || rate <= 0) return;
    const wait = ((next.at - position) / rate) * 1000;
    this.#cancelDue = this.#host.later(Math.min(LATEST_MS, Math.max(SOONEST_MS, wait)), () =>
      this.#handOver(),
    );
  }

  #hand(reading: Reading, { at, message }: RecordedItem, position: number): void {
    if (message.type !== 'currentTime') {
      this.#taker.message(message);
      return;
    }
    const late = position - at;
    const time = Number(message.at) + (late > 0 && late < MAX_LATE_S ? late * 1000 : 0);
    const { broadcastAt } = this.#host;
    const expected = broadcastAt === null ? time : broadcastAt + position * 1000;
    if (!(Math.abs(time - expected) < MAX_CLOCK_ERROR_MS)) return;
    reading.hasClock = true;
    this.#tellTime(time);
  }
}

// The data broadcast of a recording, as the service sends it.

const addressOfData = (id: RecordingId): URL => addressOf(`api/recordings/${id}/databroadcast`);

/** @param from s on the playback scale @throws RecordingHasNone, RecordingIsRead, ApiFailure, or what `fetch` throws */
export async function* itemsOf(
  id: RecordingId,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<RecordedItem, void> {
  const url = addressOfData(id);
  if (from > 0) url.searchParams.set('from', String(Math.round(from * 1000) / 1000));
  const response = await fetch(url, { signal, cache: 'no-store' });
  if (response.status === 404) throw new RecordingHasNone();
  if (response.status === 503) throw new RecordingIsRead();
  if (!response.ok) throw await failureOf(response);
  if (response.body !== null) yield* readItems(response.body);
}

/** Whether a recording in progress has one; undefined while the service does not tell. */
export async function hasData(id: RecordingId, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    const { ok, status } = await fetch(addressOfData(id), { method: 'HEAD', signal, cache: 'no-store' });
    return ok ? true : status === 404 ? false : undefined;
  } catch {
    return undefined;
  }
}
