/** Messages between the agent and its device workers (`lib/host/worker-link.ts`). One worker drives one open device. */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { DetectedDevice } from '../../lib/wire/agent.ts';
import type { Signal } from './driver.ts';

export interface TuneOrder {
  readonly driver: 'dvb' | 'px4';
  readonly device: string;
  readonly type: BroadcastType;
  readonly channel: string;
  /** Null if unknown. */
  readonly tsid: number | null;
  /** Power the antenna's converter from the start. */
  readonly lnb: boolean;
  /** Timeout from tuning to the lock, ms. */
  readonly lockMs: number;
  /** Memory of `HeldDescriptors`, in which the worker records its open descriptors. */
  readonly held: SharedArrayBuffer;
}

export interface DeviceContract {
  requests: {
    /** Resolves when the receiver has locked; data follows as events. Fails with a `DeviceError` code. */
    tune: { ask: TuneOrder; answer: null };
    /** Stops a stream whose own worker is blocked in `read`, so that it returns. */
    interrupt: { ask: { fd: number }; answer: null };
    /** Closes descriptors that a crashed worker left open. */
    release: { ask: { fds: number[] }; answer: null };
    detect: { ask: null; answer: DetectedDevice[] };
  };
  orders:
    | { kind: 'lnb'; on: boolean }
    /** Acknowledges this many bytes of `data`. */
    | { kind: 'taken'; bytes: number };
  events:
    | { kind: 'data'; bytes: Uint8Array<ArrayBuffer> }
    | { kind: 'signal'; signal: Signal }
    /** Number of overflows of the device's ring buffer since the last message. */
    | { kind: 'overflow'; count: number }
    /** The descriptor of the stream, which `interrupt` can stop. */
    | { kind: 'streaming'; fd: number }
    /** For the log: the call that failed. Sent before the failure itself. */
    | { kind: 'detail'; text: string }
    /** Reception ended by itself; `code` is that of a `DeviceError`. */
    | { kind: 'ended'; code: string; message: string };
}
