/** A tuner as driven by its worker: one implementation per kind of device, over `SystemCalls`. */
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { DeviceFacts } from './device-facts.ts';
import type { TuneOrder } from './device-messages.ts';
import type { Signal } from './driver.ts';
import type { SystemCalls } from './system-calls.ts';

export interface DeviceSystem {
  readonly calls: SystemCalls;
  readonly facts: DeviceFacts;
  readonly clock: MonotonicClock;
}

export interface TuneControl {
  /** Yields, so that messages are received. @throws Closing if the tuning was cancelled in the meantime */
  pause(ms: number): Promise<void>;
  /** Signal state during the wait for the lock, about twice a second. */
  onSignal(signal: Signal): void;
}

/** The owner wants the device closed: not a failure. */
export class Closing extends Error {
  override readonly name = 'Closing';
}

export interface OpenDevice {
  /** Maximum size of a `read`. */
  readonly readBytes: number;
  /** If `read` may block without a limit: the descriptor with which another thread can stop it. Null otherwise. */
  readonly blockingFd: number | null;
  /** Resolves when the receiver has locked and its stream is on. @throws DeviceError, Closing */
  tune(order: TuneOrder, control: TuneControl): Promise<void>;
  /** @returns the number of bytes, 0 if there are none yet @throws DeviceError */
  read(into: Uint8Array): number;
  /** Null if the device reports nothing. @throws DeviceError if it was removed */
  signal(): Signal | null;
  /** @throws DeviceError */
  setLnb(on: boolean): void;
  /** Overflows of the device's ring buffer since the last call. */
  takeOverflows(): number;
  /** Switches antenna power off if it was on, and releases everything. Idempotent. */
  close(): void;
}
