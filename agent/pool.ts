/**
 * The tuners and their users. Executes the decisions of `select`: reserves a tuner and records its user in one step,
 * and tunes afterwards. There is no await between selection and reservation, so that requests do not race.
 */
import { type WallMs, wallMs } from '../lib/host/clock.ts';
import type { Log } from '../lib/host/log.ts';
import type { Tuner } from '../lib/wire/agent.ts';
import type { TunerState } from '../lib/wire/vocabulary.ts';
import { Consumer, type LeaveReason } from './consumer.ts';
import type { CreateDescrambler } from './descramble/descrambler.ts';
import type { Driver } from './driver/driver.ts';
import {
  type Decision,
  type PhysicalChannel,
  type RefusalReason,
  select,
  type TuneRequest,
  type TunerView,
} from './select.ts';
import { isSameEquipment, rankTuners, type TunerSettings } from './tuner-settings.ts';
import { Tuning, type TuningFailure, type TuningTiming } from './tuning.ts';

/** Number of tunings, of which the slowest counts: a late start loses data, an early one costs nothing. */
const KEPT = 5;
/** Uses that also tune to stations which are hardly received, and lock slowly on them. */
const BACKGROUND_USE = /^(?:epg|scan|logo|still) /;

/** Durations of a tuner's last tunings. Those of background uses count only until there are others. */
export class TuningTimes {
  readonly #times: number[] = [];
  readonly #background: number[] = [];

  /** @param use of the user that the tuner was tuned for; null: a probe */
  add(ms: number, use: string | null): void {
    const times = use === null || BACKGROUND_USE.test(use) ? this.#background : this.#times;
    times.push(ms);
    if (times.length > KEPT) times.shift();
  }

  /** Full ms; null: no tuning yet. */
  get longest(): number | null {
    const times = this.#times.length === 0 ? this.#background : this.#times;
    return times.length === 0 ? null : Math.round(Math.max(...times));
  }
}

/**
 * Retries of a device that could not be opened: soon at first, because a device that was plugged in again or released
 * by another program is usable at once, then with growing backoff.
 */
class Probe {
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt: WallMs | null = null;
  #closed = false;

  /**
   * @param delaysMs delays after consecutive failures; the last one repeats; empty: no retries
   * @param act opens it on the channel that failed last
   */
  constructor(
    private readonly delaysMs: readonly number[],
    private readonly act: (target: PhysicalChannel) => void,
  ) {}

  /** Time of the next retry, in the past while one is running; null: none. */
  get dueAt(): WallMs | null {
    return this.#dueAt;
  }

  /** @param again false: a client that requested the device left before it delivered anything */
  failed(target: PhysicalChannel, again: boolean): void {
    this.cancel();
    const delay = this.delaysMs[Math.min(this.#failures, this.delaysMs.length - 1)];
    if (delay === undefined || this.#closed) return;
    if (again) this.#failures++;
    this.#dueAt = wallMs(Date.now() + delay);
    this.#timer = setTimeout(() => this.act(target), delay);
  }

  /** The device can be used. */
  passed(): void {
    this.cancel();
    this.#failures = 0;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#dueAt = null;
  }

  close(): void {
    this.#closed = true;
    this.cancel();
  }
}

export interface PoolTiming extends TuningTiming {
  /** Time limit for an ended user to fetch its queued data, ms. */
  readonly drainMs: number;
  /** Time for sending the last chunks before an abort, which discards what the reader has not read, ms. */
  readonly flushMs: number;
  /** Retry delays of a device that cannot be opened; the last one repeats. */
  readonly probeMs: readonly number[];
}

interface PoolOptions {
  readonly drivers: Partial<Record<TunerSettings['driver'], Driver>>;
  /** Whether the tuner's device exists; called at every `define`. Default: true. */
  readonly isPresent?: (tuner: TunerSettings) => boolean;
  readonly createDescrambler: CreateDescrambler;
  /** Null when the channel's transport stream id is unknown. */
  readonly tsidOf: (type: TunerSettings['types'][number], channel: string) => number | null;
  readonly timing: PoolTiming;
  readonly lagLimitBytes: number;
  readonly log: Log;
  readonly onChange: () => void;
}

export interface StreamRequest extends TuneRequest {
  readonly use: string;
}

interface StreamLease {
  readonly tunerId: string;
  readonly consumer: Consumer;
}

/** No tuner is currently available for the request. The message can be shown to the user. */
export class NoTuner extends Error {
  override readonly name = 'NoTuner';
  constructor(readonly reason: RefusalReason) {
    super(
      reason === 'type'
        ? 'この放送の種類を受信できるチューナーがありません'
        : '空いているチューナーがありません（同じか高い優先度で使用中です）',
    );
  }
}

const TAKEN_AWAY = '優先度の高い利用にチューナーを譲りました';
const REDEFINED = 'チューナーの設定が変わりました';
const SHUTDOWN = 'チューナーエージェントが終了します';

/** The agent is shutting down: no tuner is the cause. The message can be shown to the user. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
  constructor() {
    super(SHUTDOWN);
  }
}

/** One tuner of the definition with its state. */
interface Slot {
  settings: TunerSettings;
  /** Its device file exists. */
  isPresent: boolean;
  rank: number | null;
  tuning: Tuning | null;
  /** Settles when the device is free after the last tuning. */
  free: Promise<void>;
  /**
   * Why the last tuning failed; reset to null by a successful one. Always shown, but it sets the state `error` only if
   * the device itself failed: after an empty channel or bad reception, the tuner is idle and usable.
   */
  failure: TuningFailure | null;
  /** Retries a failed device without a request. */
  readonly probe: Probe;
  readonly tuningTimes: TuningTimes;
  /** The last tuning whose time was added to `tuningTimes`. */
  measured: Tuning | null;
}

interface Release {
  readonly settings: TunerSettings;
  readonly free: Promise<void>;
}

export class TunerPool {
  #slots: Slot[] = [];
  /** Devices being released, also those of removed tuners. */
  readonly #releasing = new Set<Release>();
  #nextUser = 1;
  #closed = false;

  constructor(private readonly options: PoolOptions) {}

  /**
   * Replaces the tuner definitions, or updates them after devices were added or removed. Tunings on a tuner with an
   * unchanged definition continue, others are aborted.
   */
  define(tuners: readonly TunerSettings[]): void {
    const present = tuners.map((tuner) => this.options.isPresent?.(tuner) ?? true);
    // A tuner without driver or device gets no rank, so that clients do not plan with it.
    const ranks = rankTuners(
      tuners.map(({ types, disabled, driver }, index) => ({
        types,
        disabled: disabled || present[index] === false || !this.#hasDriver(driver),
      })),
    );
    const kept = new Map<string, Slot>();
    const gone: Slot[] = [];
    for (const slot of this.#slots) {
      const settings = tuners.find(({ id }) => id === slot.settings.id);
      if (settings !== undefined && isSameEquipment(slot.settings, settings)) kept.set(settings.id, slot);
      else gone.push(slot);
    }
    for (const slot of gone) {
      slot.probe.close();
      void slot.tuning?.end(REDEFINED).catch(() => {});
    }
    this.#slots = tuners.map((settings, index) => {
      const rank = ranks[index] ?? null;
      const isPresent = present[index] ?? true;
      const slot =
        kept.get(settings.id) ?? this.#createSlot(settings, rank, this.#whenFree(settings), isPresent);
      if (isPresent && !slot.isPresent) forgetFailure(slot);
      if (!isPresent) slot.probe.cancel();
      slot.settings = settings;
      slot.rank = rank;
      slot.isPresent = isPresent;
      return slot;
    });
    this.options.onChange();
  }

  /**
   * Reserves a tuner and records the user on it; the stream begins when `consumer.started` resolves.
   * @throws NoTuner, PoolClosed
   */
  open(request: StreamRequest): StreamLease {
    if (this.#closed) throw new PoolClosed();
    const decision: Decision = select(this.#slots.map(viewOf), request);
    if (decision.kind === 'refuse') throw new NoTuner(decision.reason);
    const slot = this.#slots.find((candidate) => candidate.settings.id === decision.tuner);
    if (slot === undefined) throw new Error(`the decision names an unknown tuner: ${decision.tuner}`);
    const ended = decision.end.map((id) => slot.tuning?.consumers.get(id));
    let tuning = slot.tuning;
    if (decision.kind === 'tune' || tuning === null) {
      tuning?.flush();
      for (const consumer of ended) consumer?.end();
      if (tuning !== null) slot.free = tuning.end(TAKEN_AWAY);
      tuning = this.#tune(slot, request, request.use);
    }
    const consumer = this.#createConsumer(request, tuning);
    tuning.join(consumer);
    // After the new user has joined, so that a shared tuning is never without one.
    for (const gone of ended) gone?.end();
    return { tunerId: slot.settings.id, consumer };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** In rank order, disabled ones last. */
  snapshot(): Tuner[] {
    return this.#slots
      .map((slot) => describe(slot, this.#hasDriver(slot.settings.driver)))
      .sort((a, b) => (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) || 0);
  }

  /** Aborts all users and releases all devices. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const slot of this.#slots) {
      slot.probe.close();
      void slot.tuning?.end(SHUTDOWN).catch(() => {});
    }
    await Promise.allSettled([...this.#releasing].map((release) => release.free));
  }

  /** Waits for the release of the device, also under a previous id. Rejects if it could not be released. */
  #whenFree(settings: TunerSettings): Promise<void> {
    const before = [...this.#releasing].filter((release) => isSameDevice(release.settings, settings));
    const free = Promise.all(before.map((release) => release.free)).then(() => {});
    // Avoids an unhandled rejection; the next request to tune it gets the error.
    free.catch(() => {});
    return free;
  }

  #hasDriver(driver: TunerSettings['driver']): boolean {
    return this.options.drivers[driver] !== undefined;
  }

  #createConsumer(request: StreamRequest, tuning: Tuning): Consumer {
    const id = this.#nextUser;
    this.#nextUser += 1;
    return new Consumer({
      id,
      use: request.use,
      priority: request.priority,
      lagLimitBytes: this.options.lagLimitBytes,
      ...this.options.timing,
      onLeave: (consumer, why) => this.#onLeave(consumer, why, tuning),
    });
  }

  #onLeave(consumer: Consumer, why: LeaveReason, tuning: Tuning): void {
    tuning.remove(consumer);
    if (why === 'lagged') {
      this.options.log.warn('user disconnected: too slow', {
        use: consumer.use,
        limit: this.options.lagLimitBytes,
      });
    }
  }

  #createSlot(settings: TunerSettings, rank: number | null, free: Promise<void>, isPresent: boolean): Slot {
    const slot: Slot = {
      settings,
      rank,
      isPresent,
      tuning: null,
      free,
      failure: null,
      tuningTimes: new TuningTimes(),
      measured: null,
      probe: new Probe(this.options.timing.probeMs, (target) => {
        if (slot.tuning === null && !this.#closed) this.#tune(slot, target, null);
      }),
    };
    return slot;
  }

  /** @param use null: a probe, without a user */
  #tune(slot: Slot, { type, channel }: PhysicalChannel, use: string | null): Tuning {
    if (use !== null) slot.probe.cancel();
    const driver = this.options.drivers[slot.settings.driver];
    if (driver === undefined) throw new Error(`no driver for ${slot.settings.driver}`);
    const tuning = new Tuning({
      tuner: slot.settings,
      target: { type, channel, tsid: this.options.tsidOf(type, channel) },
      driver,
      ...this.options,
      isProbe: use === null,
      onChange: () => {
        if (slot.tuning === tuning && tuning.phase === 'streaming') this.#onStreaming(slot, tuning, use);
        this.options.onChange();
      },
      onEnd: (ended, failure) => this.#onEnd(slot, ended, failure),
    });
    slot.tuning = tuning;
    this.options.log[use === null ? 'debug' : 'info']('tuning', {
      tuner: slot.settings.id,
      channel: `${type}/${channel}`,
      use: use ?? 'probe',
    });
    void tuning.start(slot.free);
    return tuning;
  }

  #onStreaming(slot: Slot, tuning: Tuning, use: string | null): void {
    if (slot.measured !== tuning && tuning.tunedInMs !== null) {
      slot.measured = tuning;
      slot.tuningTimes.add(tuning.tunedInMs, use);
    }
    if (slot.failure?.device === true) this.options.log.info('tuner is back', { tuner: slot.settings.id });
    slot.failure = null;
    slot.probe.passed();
    // The probe has succeeded, and no consumer has joined it.
    if (tuning.isProbe) void tuning.end('').catch(() => {});
  }

  #onEnd(slot: Slot, tuning: Tuning, failure: TuningFailure | null): void {
    const released = tuning.end('');
    const release = { settings: slot.settings, free: released };
    this.#releasing.add(release);
    const done = (): boolean => this.#releasing.delete(release);
    released.then(done, done);
    if (slot.tuning === tuning) {
      slot.tuning = null;
      slot.failure = failure ?? slot.failure;
      slot.free = released;
      if (slot.failure?.device !== true) slot.probe.passed();
      else if (!this.#closed && slot.isPresent && this.#slots.includes(slot))
        slot.probe.failed(tuning.target, failure !== null);
    }
    this.options.onChange();
  }
}

/** Called when the device was plugged in again, which makes its last failure obsolete. */
function forgetFailure(slot: Slot): void {
  slot.failure = null;
  slot.probe.passed();
}

function isSameDevice(a: TunerSettings, b: TunerSettings): boolean {
  return a.id === b.id || (a.driver === b.driver && a.device === b.device && a.driver !== 'fake');
}

function viewOf(slot: Slot): TunerView {
  return {
    id: slot.settings.id,
    rank: slot.rank,
    types: slot.settings.types,
    // A tuner with a probe counts as free: a request for it tunes it again.
    tuning:
      slot.tuning === null || slot.tuning.isProbing
        ? null
        : {
            type: slot.tuning.target.type,
            channel: slot.tuning.target.channel,
            users: [...slot.tuning.consumers.values()],
          },
    failed: slot.failure !== null,
    broken: slot.failure?.device === true && (slot.tuning === null || slot.tuning.isProbing),
  };
}

function stateOf(slot: Slot, usable: boolean): TunerState {
  if (slot.tuning === null || slot.tuning.isProbing)
    return slot.failure?.device === true || !usable ? 'error' : 'idle';
  if (slot.tuning.consumers.size === 0) return 'lingering';
  return slot.tuning.phase === 'streaming' ? 'tuned' : 'tuning';
}

function describe(slot: Slot, hasDriver: boolean): Tuner {
  const { settings, probe } = slot;
  const tuning = slot.tuning?.isProbing === true ? null : slot.tuning;
  const fault = settings.disabled ? null : faultOf(slot, hasDriver);
  const tunedInMs = slot.tuningTimes.longest;
  return {
    id: settings.id,
    name: settings.name,
    driver: settings.driver,
    device: settings.device,
    types: [...settings.types],
    disabled: settings.disabled,
    lnb: settings.lnb,
    rank: slot.rank,
    state: stateOf(slot, fault === null),
    tuned: tuning === null ? null : { type: tuning.target.type, channel: tuning.target.channel },
    users: [...(tuning?.consumers.values() ?? [])].map(({ use, priority, lagBytes }) => ({
      use,
      priority,
      lagBytes,
    })),
    signal: tuning?.signal ?? null,
    stats: tuning?.counts ?? null,
    descrambled: tuning?.descrambler.state === 'descrambled',
    descrambling: tuning === null ? null : descramblingOf(tuning),
    error: fault ?? slot.failure?.reason ?? null,
    ...(probe.dueAt === null ? {} : { retryAt: probe.dueAt }),
    ...(tunedInMs === null ? {} : { tunedInMs }),
  };
}

/** Why the tuner cannot be used, independent of its last tuning. */
function faultOf({ settings, isPresent }: Slot, hasDriver: boolean): string | null {
  if (!hasDriver) return `ドライバー ${settings.driver} はこの環境では使えません`;
  return isPresent
    ? null
    : `${settings.device} が見つかりません。チューナーの接続とドライバーを確認してください`;
}

function descramblingOf({ descrambler }: Tuning): NonNullable<Tuner['descrambling']> {
  const { state, failure, programFailures } = descrambler;
  return {
    ...{ state, failure: failure?.code ?? null },
    ...(programFailures === undefined ? {} : { programs: [...programFailures] }),
  };
}
