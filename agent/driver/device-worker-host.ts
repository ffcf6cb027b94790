/**
 * Runs in a device worker: opens one device, tunes it and reads it until it is closed. Data is sent in pieces of some
 * tens of milliseconds; if the agent does not acknowledge them, reading pauses and the kernel's ring buffer
 * overflows, which is counted.
 */
import { detectEquipment } from '../detect/detect-equipment.ts';
import { Closing, type DeviceSystem, type OpenDevice } from './device.ts';
import { DeviceError } from './device-error.ts';
import type { DeviceContract, TuneOrder } from './device-messages.ts';
import { DvbDevice } from './dvb/dvb-device.ts';
import { HeldDescriptors } from './held-descriptors.ts';
import { STOP_STREAMING } from './px4/abi.ts';
import { Px4Device } from './px4/px4-device.ts';

type DeviceEvent = DeviceContract['events'];

interface DeviceWorkerOptions {
  readonly system: DeviceSystem;
  readonly send: (event: DeviceEvent, transfer?: ArrayBuffer[]) => void;
  /** Yields, so that messages are received. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Half a minute of the fastest broadcast; with this much unacknowledged the agent is stalled. */
const MAX_UNTAKEN_BYTES = 64 * 1024 * 1024;
/** Pause after a short read: data that arrives meanwhile is sent in one piece. */
const PAUSE_MS = 20;
const REPORT_MS = 1_000;

export class DeviceWorkerHost {
  #device: OpenDevice | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isClosing = false;
  #untaken = 0;

  constructor(private readonly options: DeviceWorkerOptions) {}

  /** @throws DeviceError, Closing */
  async tune(order: TuneOrder): Promise<null> {
    try {
      return await this.#tune(order);
    } catch (error) {
      this.#tellDetail(error);
      throw error;
    }
  }

  async #tune(order: TuneOrder): Promise<null> {
    const { send } = this.options;
    const calls = new HeldDescriptors(order.held).track(this.options.system.calls);
    const system = { ...this.options.system, calls };
    const device =
      order.driver === 'dvb' ? DvbDevice.open(order.device, system) : Px4Device.open(order.device, system);
    this.#device = device;
    try {
      await device.tune(order, {
        pause: (ms) => this.#pause(ms),
        onSignal: (signal) => send({ kind: 'signal', signal }),
      });
      this.#throwIfClosing();
    } catch (error) {
      device.close();
      throw error;
    }
    if (device.blockingFd !== null) send({ kind: 'streaming', fd: device.blockingFd });
    // After the answer was sent: the first read may block.
    this.#reading = this.options.sleep(0).then(() => this.#read(device));
    return null;
  }

  interrupt(fd: number): null {
    this.options.system.calls.ioctl(fd, STOP_STREAMING, 0);
    return null;
  }

  release(fds: readonly number[]): null {
    for (const fd of fds) this.options.system.calls.close(fd);
    return null;
  }

  detect(): ReturnType<typeof detectEquipment> {
    return detectEquipment();
  }

  order(order: DeviceContract['orders']): void {
    switch (order.kind) {
      case 'taken':
        this.#untaken -= order.bytes;
        break;
      case 'lnb':
        this.#setLnb(order.on);
        break;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#reading;
    this.#device?.close();
  }

  async #read(device: OpenDevice): Promise<void> {
    const { system, sleep } = this.options;
    const buffer = new Uint8Array(device.readBytes);
    let reportAt = system.clock();
    try {
      while (!this.#isClosing) {
        if (system.clock() >= reportAt) {
          reportAt = (system.clock() + REPORT_MS) as typeof reportAt;
          this.#report(device);
        }
        if (this.#untaken > MAX_UNTAKEN_BYTES) {
          await sleep(PAUSE_MS);
          continue;
        }
        const length = device.read(buffer);
        if (length > 0) this.#deliver(buffer.slice(0, length));
        await sleep(length * 2 < buffer.length ? PAUSE_MS : 0);
      }
    } catch (error) {
      // Closed at once: an unplugged device can only return under its name then.
      device.close();
      this.#fail(error);
    }
  }

  #deliver(bytes: Uint8Array<ArrayBuffer>): void {
    this.#untaken += bytes.length;
    this.options.send({ kind: 'data', bytes }, [bytes.buffer]);
  }

  #report(device: OpenDevice): void {
    const { send } = this.options;
    const signal = device.signal();
    if (signal !== null) send({ kind: 'signal', signal });
    const count = device.takeOverflows();
    if (count > 0) send({ kind: 'overflow', count });
  }

  #setLnb(on: boolean): void {
    try {
      this.#device?.setLnb(on);
    } catch (error) {
      this.#isClosing = true;
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#tellDetail(error);
    const { code, message } =
      error instanceof DeviceError
        ? error
        : {
            code: 'failed',
            message: '受信の処理でエラーが起きました。続くときは svc-agent のログを確認してください',
          };
    this.options.send({ kind: 'ended', code, message });
  }

  #tellDetail(error: unknown): void {
    if (error instanceof Closing) return;
    const text = error instanceof DeviceError ? error.detail : String(error);
    if (text !== undefined) this.options.send({ kind: 'detail', text });
  }

  async #pause(ms: number): Promise<void> {
    await this.options.sleep(ms);
    this.#throwIfClosing();
  }

  #throwIfClosing(): void {
    if (this.#isClosing) throw new Closing('the device is closed');
  }
}
