/**
 * Interface of a device to the pool: it is opened on a physical channel, delivers bytes until it is closed, and
 * reports the reason if it ends early. One implementation per kind of device.
 */
import type { PhysicalChannel } from '../select.ts';
import type { TunerSettings } from '../tuner-settings.ts';

export interface TuneTarget extends PhysicalChannel {
  /** Null if neither the stored nor the standard table has it. */
  readonly tsid: number | null;
}

export interface Signal {
  readonly locked: boolean;
  /** dB. */
  readonly cnr: number | null;
  /** dBm. */
  readonly strength: number | null;
}

/**
 * Receives the output of a session, never from within `open`. Nothing is delivered after `close` was called or
 * `ended` was reported.
 */
export interface TuneSink {
  /** The receiver has locked: data must follow soon. Only used by drivers that limit the tuning time themselves. */
  locked(): void;
  /** The callee may keep the chunk: the driver never writes to it again. */
  data(chunk: Uint8Array): void;
  /**
   * The device stopped by itself.
   * @param reason for display
   * @param isDevice the device itself is unusable; otherwise it may be the channel or the reception
   * @param detail for the log: what the system or a command said
   */
  ended(reason: string, isDevice: boolean, detail?: string): void;
}

export interface TuneSession {
  /** Null if the device reports none. */
  signal(): Signal | null;
  /** Number of overflows of the device's own buffer; undefined if it does not report them. */
  readonly overflows?: number | undefined;
  /** Idempotent. Resolves when the device is free for the next tuning, rejects when it could not be freed. */
  close(): Promise<void>;
}

export interface Driver {
  /** The driver limits the tuning time itself, calls `locked` and gives the reason if there is no signal. */
  readonly limitsTuning?: boolean;
  /** @throws Error with a reason for display if the device cannot be opened at all */
  open(tuner: TunerSettings, target: TuneTarget, sink: TuneSink): TuneSession;
}
