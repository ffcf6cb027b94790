/**
 * One tuner on one physical channel, from its reservation until its device is released: opens the driver, monitors the
 * transport stream with timeouts, descrambles once and passes the same chunk to every user. It does not decide who may
 * use the tuner.
 */
import { PacketFramer } from '../lib/arib/ts/framer.ts';
import { StreamStatistics } from '../lib/arib/ts/statistics.ts';
import {
  type MonotonicClock,
  type MonotonicMs,
  systemMonotonicClock,
  untilSharedTick,
} from '../lib/host/clock.ts';
import { AwakeTimer } from '../lib/host/deadline.ts';
import type { Log } from '../lib/host/log.ts';
import { releaseBuffer } from '../lib/host/release-buffer.ts';
import type { Tuner } from '../lib/wire/agent.ts';
import type { Consumer } from './consumer.ts';
import type { CreateDescrambler, Descrambler } from './descramble/descrambler.ts';
import type { Driver, Signal, TuneSession, TuneTarget } from './driver/driver.ts';
import type { TunerSettings } from './tuner-settings.ts';

type StreamCounts = NonNullable<Tuner['stats']>;

/** Counts the packets of a tuning, and detects whether it is a transport stream. */
export class StreamCounter {
  readonly #framer = new PacketFramer();
  readonly #statistics = new StreamStatistics();

  get counts(): StreamCounts {
    const { packets, transportErrors, continuityErrors, scrambled } = this.#statistics;
    return { packets, syncErrors: this.#framer.syncErrors, transportErrors, continuityErrors, scrambled };
  }

  /** @returns packets completed by this chunk; 0 if it is not a transport stream */
  count(chunk: Uint8Array): number {
    const before = this.#statistics.packets;
    this.#statistics.count(this.#framer.feed(chunk));
    return this.#statistics.packets - before;
  }
}

/** Longest delay of a batch, ms. Small compared to the buffer of any player (200 ms and more). */
const BATCH_MS = 50;
/** 50 ms of the fastest transponder (24 Mbit/s). */
const BATCH_BYTES = 160 * 1024;
/** A chunk of this size is a batch of its own and is not copied. */
const LARGE_CHUNK_BYTES = 64 * 1024;
/** Duration without batching after `passAtOnce`, ms. */
const STARTING_MS = 2_000;

/**
 * Joins the small reads of a device into batches: each write to a connection, and each wake-up of its reader, costs
 * more than the bytes. For a while after a consumer has joined, every chunk passes at once, so that its stream starts
 * early.
 */
export class ChunkBatcher {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt: MonotonicMs;

  /** @param output receives the chunks in order, joined but otherwise unchanged */
  constructor(
    private readonly output: (bytes: Uint8Array) => void,
    private readonly clock: MonotonicClock,
  ) {
    this.#startedAt = clock();
  }

  /** @param chunk belongs to the batcher from now on; nothing else may refer to its buffer */
  push(chunk: Uint8Array): void {
    if (this.#pendingBytes === 0 && (chunk.length >= LARGE_CHUNK_BYTES || this.#isStarting())) {
      this.output(chunk);
      return;
    }
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), untilSharedTick(this.clock(), BATCH_MS));
  }

  /** Passes pending chunks, and every chunk of the next STARTING_MS at once. */
  passAtOnce(): void {
    this.flush();
    this.#startedAt = this.clock();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    const [only] = pending;
    if (only === undefined) return;
    const bytes = pending.length === 1 ? only : Buffer.concat(pending, this.#pendingBytes);
    if (pending.length > 1) pending.forEach(releaseBuffer);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.output(bytes);
  }

  #isStarting(): boolean {
    return this.clock() - this.#startedAt < STARTING_MS;
  }

  /** Drops pending chunks, because there is no consumer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** All in ms. */
export interface TuningTiming {
  /** Timeout from opening the device to the first packets. */
  readonly syncMs: number;
  /** Timeout without packets, after which the device counts as failed. */
  readonly stallMs: number;
  /** Time for which a tuning is kept after its last reader has left. */
  readonly lingerMs: number;
}

interface TuningOptions {
  readonly tuner: TunerSettings;
  readonly target: TuneTarget;
  readonly driver: Driver;
  readonly createDescrambler: CreateDescrambler;
  /** Opened without a user, to check whether a failed device works again. */
  readonly isProbe: boolean;
  readonly timing: TuningTiming;
  readonly log: Log;
  /** Default: the system's clock. */
  readonly monotonicClock?: MonotonicClock | undefined;
  /** Called when the displayed state has changed. */
  readonly onChange: () => void;
  /** Called once, when the tuning has ended for its consumers; the device may still be closing. */
  readonly onEnd: (tuning: Tuning, failure: TuningFailure | null) => void;
}

export interface TuningFailure {
  readonly reason: string;
  /** The device itself could not be opened. If false, the cause may be the channel or the reception. */
  readonly device: boolean;
}

/** Limit of data kept before the first recognised packets and passed on with them; enough for any framing. */
const PREAMBLE_BYTES = 256 * 1024;
/** Timeout from the receiver's lock to its first packets, ms. */
const FIRST_DATA_MS = 3_000;

export class Tuning {
  readonly target: TuneTarget;
  readonly consumers = new Map<number, Consumer>();
  readonly #counter = new StreamCounter();
  readonly #descrambler: Descrambler;
  readonly #batcher: ChunkBatcher;
  #phase: 'tuning' | 'streaming' | 'ended' = 'tuning';
  #session: TuneSession | undefined;
  #released: Promise<void> = Promise.resolve();
  #preamble: Uint8Array[] = [];
  #preambleBytes = 0;
  /** Timeout for the first signal, later for packets. Does not count time in which the process was suspended. */
  #watchdog: AwakeTimer | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  readonly #clock: MonotonicClock;
  #startedAt: MonotonicMs | undefined;
  #tunedInMs: number | null = null;

  constructor(private readonly options: TuningOptions) {
    this.target = options.target;
    this.#clock = options.monotonicClock ?? systemMonotonicClock;
    this.#batcher = new ChunkBatcher((bytes) => {
      for (const consumer of this.consumers.values()) consumer.push(bytes);
    }, this.#clock);
    this.#descrambler = options.createDescrambler(
      (packets) => {
        if (this.consumers.size > 0) this.#batcher.push(packets);
      },
      () => {
        if (this.#phase !== 'ended') options.onChange();
      },
    );
  }

  get phase(): 'tuning' | 'streaming' | 'ended' {
    return this.#phase;
  }

  get isProbe(): boolean {
    return this.options.isProbe;
  }

  /** A probe without a result yet. */
  get isProbing(): boolean {
    return this.isProbe && this.#phase === 'tuning';
  }

  get counts(): StreamCounts {
    const { counts } = this.#counter;
    const overflows = this.#session?.overflows;
    return {
      ...counts,
      scrambled: this.#descrambler.leftScrambled ?? counts.scrambled,
      ...(overflows === undefined ? {} : { overflows }),
    };
  }

  /** Time from the request, including the release of the device, to the first packets; null: none were received yet. */
  get tunedInMs(): number | null {
    return this.#tunedInMs;
  }

  get signal(): Signal | null {
    return this.#session?.signal() ?? null;
  }

  get descrambler(): Pick<Descrambler, 'state' | 'failure' | 'programFailures'> {
    return this.#descrambler;
  }

  /** Opens the device once it is released; any failure ends the tuning. */
  async start(free: Promise<void>): Promise<void> {
    this.#released = free.catch(() => {});
    this.#startedAt = this.#clock();
    try {
      await free;
      if (this.#phase === 'ended') return;
      this.#session = this.options.driver.open(this.options.tuner, this.target, {
        locked: () => this.#onLocked(),
        data: (chunk) => this.#receive(chunk),
        ended: (reason, isDevice, detail) => this.#fail(reason, isDevice, detail),
      });
      if (this.options.driver.limitsTuning !== true) {
        this.#watch(this.options.timing.syncMs, () => this.#onSyncTimeout());
      }
    } catch (error) {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      this.#fail(message, true, cause === undefined ? undefined : String(cause));
    }
  }

  join(consumer: Consumer): void {
    clearTimeout(this.#linger);
    this.#batcher.passAtOnce();
    this.consumers.set(consumer.id, consumer);
    this.options.onChange();
  }

  /** Passes received data to the consumers' queues, before some of the consumers are ended. */
  flush(): void {
    this.#batcher.flush();
  }

  /** Removes a user. After the last one has left, the tuning lingers in case a user comes back. */
  remove(consumer: Consumer): void {
    if (!this.consumers.delete(consumer.id)) return;
    if (this.#phase !== 'ended') {
      this.options.onChange();
      if (this.consumers.size === 0) {
        this.#batcher.clear();
        clearTimeout(this.#linger);
        this.#linger = setTimeout(() => void this.#stop(null), this.options.timing.lingerMs);
      }
    }
  }

  /**
   * Ends the tuning: remaining users are aborted with the reason. Resolves when the device is released, rejects if it
   * could not be released.
   */
  end(reason: string): Promise<void> {
    return this.#stop(null, reason);
  }

  #receive(chunk: Uint8Array): void {
    if (this.#phase === 'ended') return;
    const packets = this.#counter.count(chunk);
    if (this.#phase === 'streaming') {
      if (packets > 0) this.#watchdog?.restart();
      this.#descrambler.feed(chunk);
      return;
    }
    this.#preamble.push(chunk);
    this.#preambleBytes += chunk.length;
    while (this.#preambleBytes > PREAMBLE_BYTES && this.#preamble.length > 1) {
      this.#preambleBytes -= this.#preamble.shift()?.length ?? 0;
    }
    if (packets === 0) return;
    this.#phase = 'streaming';
    const now = this.#clock();
    this.#tunedInMs = now - (this.#startedAt ?? now);
    const waiting = this.#preamble;
    this.#preamble = [];
    this.#watch(this.options.timing.stallMs, () => this.#onStalled());
    for (const part of waiting) this.#descrambler.feed(part);
    this.options.onChange();
  }

  #onLocked(): void {
    if (this.#phase === 'tuning') this.#watch(FIRST_DATA_MS, () => this.#onNoData());
  }

  #watch(limitMs: number, onExpired: () => void): void {
    this.#watchdog?.stop();
    this.#watchdog = new AwakeTimer({ limitMs, clock: this.#clock, onExpired });
    this.#watchdog.restart();
  }

  #onStalled(): void {
    this.#fail(`放送の信号が ${seconds(this.options.timing.stallMs)} 秒間届きませんでした`, false);
  }

  #onNoData(): void {
    this.#fail(
      `電波は受信していますが、${seconds(FIRST_DATA_MS)} 秒以内に放送の信号が届きませんでした`,
      false,
    );
  }

  #onSyncTimeout(): void {
    const limit = seconds(this.options.timing.syncMs);
    this.#fail(
      this.#preambleBytes === 0
        ? `選局しましたが ${limit} 秒以内に信号が届きませんでした`
        : `選局しましたが ${limit} 秒以内に放送の信号 (TS) として読める出力がありませんでした`,
      false,
    );
  }

  #fail(reason: string, device: boolean, detail?: string): void {
    if (this.#phase === 'ended') return;
    this.options.log[this.options.isProbe ? 'debug' : 'warn']('tuning failed', {
      tuner: this.options.tuner.id,
      channel: `${this.target.type}/${this.target.channel}`,
      users: this.consumers.size,
      reason,
      ...(detail === undefined ? {} : { detail }),
    });
    void this.#stop({ reason, device }).catch(() => {});
  }

  #stop(failure: TuningFailure | null, reason = failure?.reason ?? '選局を終えました'): Promise<void> {
    if (this.#phase === 'ended') return this.#released;
    this.#phase = 'ended';
    this.#watchdog?.stop();
    clearTimeout(this.#linger);
    this.#preamble = [];
    this.#descrambler.close();
    this.#batcher.flush();
    const session = this.#session;
    this.#released = session === undefined ? this.#released : session.close();
    this.#released.catch((error) => {
      this.options.log.error('tuner not released', { tuner: this.options.tuner.id, reason: String(error) });
    });
    for (const consumer of [...this.consumers.values()]) consumer.fail(reason, failure === null);
    this.consumers.clear();
    this.options.onEnd(this, failure);
    return this.#released;
  }
}

function seconds(milliseconds: number): string {
  return String(Math.round(milliseconds / 100) / 10);
}
