/** A frontend of the Linux DVB API with its demultiplexer: tuned by properties, read through the dvr device. */
import type { DeviceSystem, OpenDevice, TuneControl } from '../device.ts';
import {
  busyError,
  callError,
  DeviceError,
  missingError,
  noSignalError,
  rangeError,
} from '../device-error.ts';
import type { TuneOrder } from '../device-messages.ts';
import type { Signal } from '../driver.ts';
import { type ChannelFrequency, channelFrequency } from '../physical-channel.ts';
import { ERRNO, O_NONBLOCK, O_RDONLY, O_RDWR } from '../system-calls.ts';
import { TunerDevice } from '../tuner-device.ts';
import {
  DMX_SET_BUFFER_SIZE,
  DMX_SET_PES_FILTER,
  DTV_BANDWIDTH_HZ,
  DTV_CLEAR,
  DTV_DELIVERY_SYSTEM,
  DTV_FREQUENCY,
  DTV_STAT_CNR,
  DTV_STAT_SIGNAL_STRENGTH,
  DTV_STREAM_ID,
  DTV_TUNE,
  FE_GET_PROPERTY,
  FE_HAS_LOCK,
  FE_READ_STATUS,
  FE_SET_PROPERTY,
  FE_SET_VOLTAGE,
  propertyArray,
  propertyStatistic,
  SEC_VOLTAGE_18,
  SEC_VOLTAGE_OFF,
  SYS_ISDBS,
  SYS_ISDBT,
  wholeStreamFilter,
} from './abi.ts';
import { type FrontendPaths, frontendPaths, readDeliverySystems, readFrontendName } from './frontend.ts';

/** 4 s of the fastest broadcast; the kernel's default is 0.9 s. */
const RING_BYTES = 8 * 1024 * 1024;
const READ_BYTES = 2048 * 188;
const POLL_MS = 20;
const LOCK_POLL_MS = 10;
const SIGNAL_MS = 500;
const BANDWIDTH_HZ = 6_000_000;

/** Receivers that load firmware or search at each tuning need longer than `lockMs`. */
const SLOW_RECEIVERS: readonly { readonly name: RegExp; readonly lockMs: number }[] = [
  { name: /siano/i, lockMs: 15_000 },
];

export class DvbDevice extends TunerDevice implements OpenDevice {
  readonly readBytes = READ_BYTES;
  readonly blockingFd = null;
  #frontend = -1;
  #demux = -1;
  #dvr = -1;

  private constructor(
    private readonly paths: FrontendPaths,
    system: DeviceSystem,
  ) {
    super(paths.frontend, system);
  }

  /** @throws DeviceError */
  static open(path: string, system: DeviceSystem): DvbDevice {
    const paths = frontendPaths(path, (other) => system.facts.exists(other));
    if (paths === undefined) throw missingError(path);
    const device = new DvbDevice(paths, system);
    device.#frontend = device.openFile(paths.frontend, O_RDWR | O_NONBLOCK);
    return device;
  }

  async tune(order: TuneOrder, control: TuneControl): Promise<void> {
    const { calls } = this.system;
    const { path } = this;
    const frequency = channelFrequency(order.type, order.channel);
    // A frontend accepts every delivery system, but then may never lock.
    const systems = readDeliverySystems(calls, this.#frontend, path);
    const wanted = frequency.system === 'terrestrial' ? SYS_ISDBT : SYS_ISDBS;
    this.require(systems.includes(wanted), order.type);
    const properties = tuningProperties(order, frequency);
    if (order.lnb && frequency.system === 'satellite') this.setLnb(true);
    const result = calls.ioctlProperties(
      this.#frontend,
      FE_SET_PROPERTY,
      propertyArray(properties),
      properties.length,
    );
    if (result === -ERRNO.EINVAL || result === -ERRNO.EOPNOTSUPP) throw rangeError(path, order.channel);
    if (result < 0) throw callError(path, 'FE_SET_PROPERTY', -result);
    await this.#waitForLock(order, control);
    this.#startStream();
  }

  read(into: Uint8Array): number {
    const { calls } = this.system;
    const ready = calls.poll(this.#dvr, POLL_MS);
    if (ready === 0 || ready === -ERRNO.EINTR) return 0;
    if (ready < 0) throw callError(this.paths.dvr, 'poll', -ready);
    // `read` then gives the reason of an error event: an overflow, or a removed device.
    return this.readFile(this.#dvr, this.paths.dvr, into) ?? 0;
  }

  signal(): Signal {
    const { calls } = this.system;
    const status = new Uint8Array(4);
    const result = calls.ioctl(this.#frontend, FE_READ_STATUS, status);
    if (result < 0 && result !== -ERRNO.EAGAIN && result !== -ERRNO.EINTR) {
      throw callError(this.paths.frontend, 'FE_READ_STATUS', -result);
    }
    const locked = result >= 0 && ((status[0] ?? 0) & FE_HAS_LOCK) !== 0;
    const statistics = propertyArray([
      [DTV_STAT_CNR, 0],
      [DTV_STAT_SIGNAL_STRENGTH, 0],
    ]);
    // Not every driver provides statistics.
    if (calls.ioctlProperties(this.#frontend, FE_GET_PROPERTY, statistics, 2) < 0) {
      return { locked, cnr: null, strength: null };
    }
    return { locked, cnr: decibels(statistics, 0), strength: decibels(statistics, 1) };
  }

  protected override switchLnb(on: boolean): number {
    return this.system.calls.ioctl(this.#frontend, FE_SET_VOLTAGE, on ? SEC_VOLTAGE_18 : SEC_VOLTAGE_OFF);
  }

  protected override closeFiles(): void {
    for (const fd of [this.#demux, this.#dvr, this.#frontend]) if (fd >= 0) this.system.calls.close(fd);
    this.#demux = -1;
    this.#dvr = -1;
    this.#frontend = -1;
  }

  async #waitForLock(order: TuneOrder, control: TuneControl): Promise<void> {
    const { clock, calls } = this.system;
    const name = readFrontendName(calls, this.#frontend, this.paths.frontend);
    const slow = SLOW_RECEIVERS.find((receiver) => receiver.name.test(name));
    const limitMs = Math.max(order.lockMs, slow?.lockMs ?? 0);
    const startedAt = clock();
    let reportedAt = startedAt;
    for (;;) {
      const signal = this.signal();
      if (signal.locked) return;
      const now = clock();
      if (now - startedAt >= limitMs) throw noSignalError(order.channel, limitMs, signal.cnr);
      if (now - reportedAt >= SIGNAL_MS) {
        reportedAt = now;
        control.onSignal(signal);
      }
      await control.pause(LOCK_POLL_MS);
    }
  }

  #startStream(): void {
    const { calls } = this.system;
    this.#dvr = this.openFile(this.paths.dvr, O_RDONLY | O_NONBLOCK);
    // A refusal only means a shorter buffer.
    calls.ioctl(this.#dvr, DMX_SET_BUFFER_SIZE, RING_BYTES);
    this.#demux = this.openFile(this.paths.demux, O_RDWR | O_NONBLOCK);
    const result = calls.ioctl(this.#demux, DMX_SET_PES_FILTER, wholeStreamFilter());
    if (result === -ERRNO.EBUSY) throw busyError(this.paths.demux, this.system.facts);
    if (result < 0) throw callError(this.paths.demux, 'DMX_SET_PES_FILTER', -result);
  }
}

function tuningProperties(order: TuneOrder, frequency: ChannelFrequency): [number, number][] {
  if (frequency.system === 'terrestrial') {
    return [
      [DTV_CLEAR, 0],
      [DTV_DELIVERY_SYSTEM, SYS_ISDBT],
      [DTV_FREQUENCY, frequency.hertz],
      [DTV_BANDWIDTH_HZ, BANDWIDTH_HZ],
      [DTV_TUNE, 0],
    ];
  }
  if (order.tsid === null) {
    throw new DeviceError(
      'no_tsid',
      `${order.channel} のトランスポートストリーム ID が分かりません。チャンネルスキャンをしてください`,
    );
  }
  return [
    [DTV_CLEAR, 0],
    [DTV_DELIVERY_SYSTEM, SYS_ISDBS],
    [DTV_FREQUENCY, frequency.kilohertz],
    [DTV_STREAM_ID, order.tsid],
    [DTV_TUNE, 0],
  ];
}

function decibels(statistics: Uint8Array, index: number): number | null {
  const statistic = propertyStatistic(statistics, index);
  return statistic?.scale === 'decibel' ? statistic.value : null;
}
