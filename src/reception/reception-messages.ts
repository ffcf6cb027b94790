/**
 * Messages between the main thread and a reception worker, over `lib/host/worker-link`. `stream` and `part` are numbers
 * chosen by the main thread, unique in a process. A part is an output or a reader; its options, commands, events and
 * ends are opaque here and typed at both ends by its kind (`output-kind.ts`, `reader-kind.ts`).
 */
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import type { AgentStreamLimits, StreamProblem } from '../tuner/agent-stream.ts';
import type { ReaderEnd } from './reader-kind.ts';
import type { StationLayout } from './station-layout.ts';

export type ReceptionOrder =
  /**
   * Read a stream of the agent. With a service, it is narrowed to that station and opened once its PMT was received;
   * with null, it is a whole physical channel for readers only. Answered by `opened` or `failed`, later `layout`,
   * `ended`.
   */
  | {
      kind: 'open';
      stream: number;
      url: string;
      /** Tried where every tuner is in use; null: nothing else may be tried. */
      busyUrl: string | null;
      serviceId: ServiceId | null;
      limits: AgentStreamLimits;
      /** Readers present from the first byte on. */
      readers: { part: number; name: string; options: unknown }[];
    }
  /** Release the tuner and end every part. Answered by `closed`. */
  | { kind: 'close'; stream: number }
  | { kind: 'output'; stream: number; part: number; name: string; options: unknown }
  | { kind: 'reader'; stream: number; part: number; name: string; options: unknown }
  /** Send a command to an output or reader; ignored after its end. */
  | { kind: 'command'; stream: number; part: number; command: unknown }
  /** End one output or reader. */
  | { kind: 'stop'; stream: number; part: number };

export type ReceptionEvent =
  | { kind: 'opened'; stream: number; tunerId: string | null; layout: StationLayout | null }
  | { kind: 'failed'; stream: number; problem: StreamProblem }
  | { kind: 'layout'; stream: number; layout: StationLayout }
  /** The stream broke after `opened`. All its parts have already ended. */
  | { kind: 'ended'; stream: number; problem: StreamProblem }
  /** `packets`: number of packets received while there was a reader. */
  | { kind: 'closed'; stream: number; packets: number }
  /** A value of an output or reader. `at`: the worker's clock. */
  | { kind: 'value'; part: number; at: MonotonicMs; value: unknown }
  /** A child process of an output. */
  | { kind: 'spawned'; part: number; pid: number }
  | { kind: 'outputEnded'; part: number; end: unknown }
  | { kind: 'readerEnded'; part: number; end: ReaderEnd & { dropped: number } };

export interface ReceptionContract {
  requests: Record<never, never>;
  orders: ReceptionOrder;
  events: ReceptionEvent;
}
