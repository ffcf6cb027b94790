/** A tuner as its worker drives it: one implementation a kind of device, over `SystemCalls`. */
import type { MonotonicClock } from '../../host/clock.ts';
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
  /** Lets messages in. @throws Closing when the tuning was given up meanwhile */
  pause(ms: number): Promise<void>;
  /** The state while it waits for the lock, about twice a second. */
  onSignal(signal: Signal): void;
}

/** The owner wants the device closed: no failure. */
export class Closing extends Error {
  override readonly name = 'Closing';
}

export interface OpenDevice {
  /** What `read` takes at most. */
  readonly readBytes: number;
  /** Where `read` blocks without a limit: the descriptor by which another thread can stop it. Null elsewhere. */
  readonly blockingFd: number | null;
  /** Resolves when the receiver has locked and its stream is on. @throws DeviceError, Closing */
  tune(order: TuneOrder, control: TuneControl): Promise<void>;
  /** @returns the number of bytes, 0 when there are none yet @throws DeviceError */
  read(into: Uint8Array): number;
  /** Null where the device tells nothing. @throws DeviceError when it is gone */
  signal(): Signal | null;
  /** @throws DeviceError */
  setLnb(on: boolean): void;
  /** Overflows of the device's ring buffer since the last call. */
  takeOverflows(): number;
  /** Powers the antenna down where it was powered, and frees everything. Idempotent. */
  close(): void;
}
