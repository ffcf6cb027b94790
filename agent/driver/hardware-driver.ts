/** Drivers `dvb` and `px4` for the pool: each open device is driven by a worker of its own, since its calls block. */
import type { Log } from '../../lib/host/log.ts';
import { WorkerError, WorkerLink } from '../../lib/host/worker-link.ts';
import type { TunerSettings } from '../tuner-settings.ts';
import { isDeviceFault } from './device-error.ts';
import type { DeviceContract, TuneOrder } from './device-messages.ts';
import type { Driver, Signal, TuneSession, TuneSink, TuneTarget } from './driver.ts';
import { HeldDescriptors } from './held-descriptors.ts';

interface LnbMember {
  /** Switches the power of a running tuning; not called for the one that `join` selected. */
  setPower(on: boolean): void;
}

/**
 * Power for the antenna's converter, which the tuners of a household share through one cable: only one of the tunings
 * with this setting supplies it. Two supplies on one cable can damage each other.
 */
export class LnbSupply {
  readonly #members = new Set<LnbMember>();
  #powering: LnbMember | undefined;

  /** @returns whether the new tuning supplies power from its start */
  join(member: LnbMember): boolean {
    this.#members.add(member);
    if (this.#powering !== undefined) return false;
    this.#powering = member;
    return true;
  }

  /** Called when its power is off: the next one is switched on at once. */
  leave(member: LnbMember): void {
    if (!this.#members.delete(member) || this.#powering !== member) return;
    const [next] = this.#members;
    this.#powering = next;
    next?.setPower(true);
  }
}

interface HardwareDriverOptions {
  readonly driver: 'dvb' | 'px4';
  readonly startWorker: () => Worker;
  /** Shared by all drivers of the machine. */
  readonly lnb: LnbSupply;
  /** Timeout from tuning to the lock, ms. */
  readonly lockMs: number;
  readonly log: Log;
}

/** Above the lock timeout of the slowest receiver (15 s): then a call into the kernel hangs. */
const TUNE_LIMIT_MS = 30_000;
/** Longer than SET_CHANNEL may block (3 s). */
const CLOSE_LIMIT_MS = 8_000;
/** A worker that has not closed within this time is blocked in `read`. */
const INTERRUPT_AFTER_MS = 250;
const INTERRUPT_LIMIT_MS = 5_000;
const RELEASE_LIMIT_MS = 5_000;

export class HardwareDriver implements Driver {
  readonly limitsTuning = true;

  constructor(private readonly options: HardwareDriverOptions) {}

  open(tuner: TunerSettings, target: TuneTarget, sink: TuneSink): TuneSession {
    return new DeviceSession(this.options, tuner, target, sink);
  }
}

class DeviceSession implements TuneSession, LnbMember {
  readonly #link: WorkerLink<DeviceContract>;
  readonly #held = new HeldDescriptors();
  #signal: Signal | null = null;
  #overflows = 0;
  /** Descriptor of the stream, if its `read` blocks. */
  #streamFd: number | undefined;
  #closing: Promise<void> | undefined;
  #hasEnded = false;
  /** Why it ended, for the log. */
  #detail: string | undefined;

  constructor(
    private readonly options: HardwareDriverOptions,
    private readonly tuner: TunerSettings,
    target: TuneTarget,
    private readonly sink: TuneSink,
  ) {
    const { driver, log, lnb, lockMs } = options;
    this.#link = this.#createLink((event) => this.#onEvent(event));
    const mayPower = tuner.lnb && target.type !== 'GR';
    void this.#tune({
      driver,
      device: tuner.device,
      type: target.type,
      channel: target.channel,
      tsid: target.tsid,
      lnb: mayPower && lnb.join(this),
      lockMs,
      held: this.#held.memory,
    });
    log.debug('device opened', { device: tuner.device, channel: `${target.type}/${target.channel}` });
  }

  get overflows(): number {
    return this.#overflows;
  }

  signal(): Signal | null {
    return this.#signal;
  }

  setPower(on: boolean): void {
    this.#link.sendIfRunning({ kind: 'lnb', on });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #createLink(onEvent?: (event: DeviceContract['events']) => void): WorkerLink<DeviceContract> {
    return new WorkerLink<DeviceContract>({
      name: `worker of ${this.tuner.device}`,
      startWorker: this.options.startWorker,
      log: this.options.log,
      onEvent,
      onLost: () => this.#end('チューナーの処理が異常終了しました', true),
      // Its calls block by design; the tuning itself has timeouts.
      watchdog: null,
    });
  }

  async #tune(order: TuneOrder): Promise<void> {
    try {
      await this.#link.request('tune', order, { timeoutMs: TUNE_LIMIT_MS });
      if (this.#closing === undefined && !this.#hasEnded) this.sink.locked();
    } catch (error) {
      // Without a code it is no `DeviceError`: its message is for the log.
      if (error instanceof WorkerError && error.kind === 'failed' && error.code !== null) {
        this.#end(error.message, isDeviceFault(error.code));
      } else if (error instanceof WorkerError && error.kind === 'timeout') {
        this.#end(`${this.tuner.device} が応答しません。接続し直してください`, true);
      } else {
        this.#detail ??= String(error);
        this.#end(`${this.tuner.device} を開けません。続くときは svc-agent のログを確認してください`, true);
      }
    }
  }

  #onEvent(event: DeviceContract['events']): void {
    switch (event.kind) {
      case 'data':
        this.#link.sendIfRunning({ kind: 'taken', bytes: event.bytes.length });
        if (this.#closing === undefined && !this.#hasEnded) this.sink.data(event.bytes);
        break;
      case 'signal':
        this.#signal = event.signal;
        break;
      case 'overflow':
        this.#overflows += event.count;
        this.options.log.warn('ring buffer overflow', { device: this.tuner.device, count: event.count });
        break;
      case 'streaming':
        this.#streamFd = event.fd;
        break;
      case 'detail':
        this.#detail = event.text;
        break;
      case 'ended':
        this.#end(event.message, isDeviceFault(event.code));
        break;
    }
  }

  #end(reason: string, isDevice: boolean): void {
    if (this.#hasEnded || this.#closing !== undefined) return;
    this.#hasEnded = true;
    this.sink.ended(reason, isDevice, this.#detail);
  }

  async #close(): Promise<void> {
    const interrupt = setTimeout(() => void this.#interrupt(), INTERRUPT_AFTER_MS);
    const isFree = await this.#link.close(CLOSE_LIMIT_MS);
    clearTimeout(interrupt);
    // A session that may still power the antenna keeps its place.
    if (!isFree) throw new Error(`${this.tuner.device} を閉じられません。接続し直してください`);
    if (this.#held.open.length > 0) await this.#release();
    this.options.lnb.leave(this);
  }

  /** The worker crashed, and its descriptors are still open. @throws Error */
  async #release(): Promise<void> {
    const helper = this.#createLink();
    const { device } = this.tuner;
    try {
      await helper.request('release', { fds: this.#held.open }, { timeoutMs: RELEASE_LIMIT_MS });
      this.options.log.warn('descriptors of a crashed worker closed', { device });
    } catch (error) {
      throw new Error(`${device} を閉じられません。接続し直してください`, { cause: error });
    } finally {
      await helper.close(1_000);
    }
  }

  /** The worker is blocked in `read`, so another worker stops the stream. */
  async #interrupt(): Promise<void> {
    if (this.#streamFd === undefined) return;
    const helper = this.#createLink();
    try {
      await helper.request('interrupt', { fd: this.#streamFd }, { timeoutMs: INTERRUPT_LIMIT_MS });
    } catch (error) {
      this.options.log.warn('stream not stopped', { device: this.tuner.device, reason: String(error) });
    }
    await helper.close(1_000);
  }
}
