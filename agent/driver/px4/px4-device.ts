/**
 * A character device with the interface of px4_drv. SET_CHANNEL blocks until the lock or 3 s, `read` until it has the
 * full count or the stream is stopped; there is no `poll`.
 */
import type { BroadcastType } from '../../../lib/arib/ids.ts';
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
import { channelFrequency } from '../physical-channel.ts';
import { ERRNO, O_RDONLY } from '../system-calls.ts';
import { TunerDevice } from '../tuner-device.ts';
import {
  CNR_BYTES,
  channelArgument,
  DISABLE_LNB_POWER,
  ENABLE_LNB_POWER,
  GET_CNR,
  LNB_15V,
  SET_CHANNEL,
  SET_SYSTEM_MODE,
  START_STREAMING,
  STOP_STREAMING,
  SYSTEM_ISDB_S,
  SYSTEM_ISDB_T,
} from './abi.ts';
import { type CharacterDevice, characterDevice, FAMILIES } from './device-names.ts';

const ISDB_T_FULL_SCALE = 5_505_024;
const ISDB_S_OFFSET = 3_000;

/**
 * Carrier-to-noise ratio from the raw value of a TC90522 demodulator, by the manufacturer's approximations as
 * documented in the Linux driver `tc90522`. dB; null if the chip gives no value. @param raw 24 bits
 */
export function terrestrialCnr(raw: number): number | null {
  if (raw <= 0) return null;
  const p = 10 * Math.log10(ISDB_T_FULL_SCALE / raw);
  return rounded(0.000024 * p ** 4 - 0.0016 * p ** 3 + 0.0398 * p ** 2 + 0.5491 * p + 3.0965);
}

/** dB; null if the chip gives no value. @param raw 16 bits */
export function satelliteCnr(raw: number): number | null {
  if (raw < ISDB_S_OFFSET) return null;
  const p = Math.sqrt(raw - ISDB_S_OFFSET) / 64;
  const millidecibels =
    -1634.6 * p ** 5 + 14341 * p ** 4 - 50259 * p ** 3 + 88977 * p ** 2 - 89565 * p + 58857;
  return rounded(millidecibels / 1000);
}

/** Not below 0, in hundredths: the raw value is not more precise. */
function rounded(decibels: number): number {
  return Math.max(0, Math.round(decibels * 100) / 100);
}

/** 23 ms of a terrestrial channel: a close has to wait this long. */
const READ_BYTES = 256 * 188;
/** Number of empty reads, each followed by a pause, after which the driver has stopped the stream. */
const MAX_EMPTY_READS = 100;
/** px4_drv's own limit. */
const DRIVER_LOCK_MS = 3_000;

export class Px4Device extends TunerDevice implements OpenDevice {
  readonly readBytes = READ_BYTES;
  #fd: number;
  #type: BroadcastType = 'GR';
  #isStreaming = false;
  #emptyReads = 0;

  private constructor(
    path: string,
    private readonly device: CharacterDevice,
    system: DeviceSystem,
  ) {
    super(path, system);
    this.#fd = this.openFile(path, O_RDONLY);
  }

  /** @throws DeviceError */
  static open(path: string, system: DeviceSystem): Px4Device {
    const device = characterDevice(path);
    if (device === undefined) throw missingError(path);
    return new Px4Device(path, device, system);
  }

  get blockingFd(): number | null {
    return this.#isStreaming ? this.#fd : null;
  }

  async tune(order: TuneOrder, control: TuneControl): Promise<void> {
    // The next calls block: a pending close request is handled first.
    await control.pause(0);
    this.#type = order.type;
    this.require(this.device.types.includes(order.type), order.type);
    if (FAMILIES[this.device.family].hasSystemMode) this.#setSystemMode(order.type);
    if (order.lnb && order.type !== 'GR') this.setLnb(true);
    this.#setChannel(order);
    await control.pause(0);
    this.#start();
  }

  read(into: Uint8Array): number {
    const length = this.readFile(this.#fd, this.path, into);
    if (length !== 0) {
      if (length !== null) this.#emptyReads = 0;
      return length ?? 0;
    }
    this.#emptyReads += 1;
    if (this.#emptyReads < MAX_EMPTY_READS) return 0;
    throw new DeviceError('gone', `${this.path} の受信が止まりました。チューナーの接続を確認してください`);
  }

  signal(): Signal | null {
    const value = new Uint8Array(CNR_BYTES);
    const result = this.system.calls.ioctl(this.#fd, GET_CNR, value);
    if (result === -ERRNO.EIO || result === -ERRNO.ENODEV) throw callError(this.path, 'GET_CNR', -result);
    // Called between successful reads, so the receiver is locked.
    if (result < 0) return { locked: true, cnr: null, strength: null };
    const raw = new DataView(value.buffer).getUint32(0, true);
    return { locked: true, cnr: this.#cnr(raw), strength: null };
  }

  override close(): void {
    if (this.#isStreaming) this.system.calls.ioctl(this.#fd, STOP_STREAMING, 0);
    this.#isStreaming = false;
    super.close();
  }

  protected override switchLnb(on: boolean): number {
    const { calls } = this.system;
    return on
      ? calls.ioctl(this.#fd, ENABLE_LNB_POWER, LNB_15V)
      : calls.ioctl(this.#fd, DISABLE_LNB_POWER, 0);
  }

  protected override closeFiles(): void {
    if (this.#fd >= 0) this.system.calls.close(this.#fd);
    this.#fd = -1;
  }

  #setSystemMode(type: BroadcastType): void {
    const mode = type === 'GR' ? SYSTEM_ISDB_T : SYSTEM_ISDB_S;
    const result = this.system.calls.ioctl(this.#fd, SET_SYSTEM_MODE, mode);
    this.require(result !== -ERRNO.EINVAL, type);
    // Older drivers do not have this call and select the system by the channel.
    if (result < 0 && result !== -ERRNO.ENOSYS && result !== -ERRNO.ENOTTY) {
      throw callError(this.path, 'SET_SYSTEM_MODE', -result);
    }
  }

  #setChannel(order: TuneOrder): void {
    const { slotOnly } = FAMILIES[this.device.family];
    const frequency = channelFrequency(order.type, order.channel);
    const slot = frequency.system === 'satellite' ? frequency.slot : 0;
    const setTo = (stream: number): number =>
      this.system.calls.ioctl(this.#fd, SET_CHANNEL, channelArgument(frequency, order.type === 'CS', stream));
    const byId = frequency.system === 'satellite' && order.tsid !== null && !slotOnly;
    let result = setTo(byId ? (order.tsid ?? slot) : slot);
    // Early px4_drv only supports relative slots.
    if (byId && result === -ERRNO.EINVAL) result = setTo(slot);
    switch (-result) {
      case ERRNO.EAGAIN:
        throw noSignalError(order.channel, DRIVER_LOCK_MS, null);
      case ERRNO.EIO:
        // pt1_drv and pt3_drv return this instead of px4_drv's EAGAIN.
        if (slotOnly) throw noSignalError(order.channel, DRIVER_LOCK_MS, null);
        throw callError(this.path, 'SET_CHANNEL', ERRNO.EIO);
      case ERRNO.EINVAL:
        throw rangeError(this.path, order.channel);
      case ERRNO.EALREADY:
        throw busyError(this.path, this.system.facts);
    }
    if (result < 0) throw callError(this.path, 'SET_CHANNEL', -result);
  }

  #start(): void {
    const { calls } = this.system;
    let result = calls.ioctl(this.#fd, START_STREAMING, 0);
    if (result === -ERRNO.EALREADY) {
      // Stops a stream that was left running.
      calls.ioctl(this.#fd, STOP_STREAMING, 0);
      result = calls.ioctl(this.#fd, START_STREAMING, 0);
    }
    if (result < 0) throw callError(this.path, 'START_STREAMING', -result);
    this.#isStreaming = true;
  }

  #cnr(raw: number): number | null {
    if (this.#type === 'GR') return terrestrialCnr(raw);
    return FAMILIES[this.device.family].hasSatelliteCnr ? satelliteCnr(raw) : null;
  }
}
