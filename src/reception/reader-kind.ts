/**
 * Readers parse packets of a stream and post finished values (guide sections, scan result, logos). Each kind is one
 * file that calls `defineReader` and one row in `reception-kinds.ts`; stream, messages and pool do not depend on the
 * kinds.
 *
 * A reader never delays an output: it gets copies of its packets after all outputs were fed, within a time budget and
 * from a bounded backlog (`reader-set.ts`). A fault of a reader ends only that reader.
 */
import type { MonotonicClock, WallClock } from '../../lib/host/clock.ts';

export interface ReaderContext<Value> {
  readonly clock: MonotonicClock;
  /** For times that are compared with those of other threads. */
  readonly wall: WallClock;
  /** Selects the PIDs that the reader gets from now on. */
  select(pids: Iterable<number>): void;
  /** Posts to the owner in the main thread, in order. */
  post(value: Value): void;
  /** Called by a reader that has read everything: `close` is called, then the owner is notified. */
  finish(): void;
}

export interface StreamReader<Command> {
  /** Whole packets of the selected PIDs, in order. The bytes are valid during the call only. */
  feed(packets: Uint8Array): void;
  command?(command: Command): void;
  /** Packets were dropped before the next `feed` because the reader was too slow. */
  dropped?(packets: number): void;
  /** About ten times a second. */
  check?(): void;
  /** The reader is about to end and may post its last values. */
  close?(): void;
}

export interface ReaderKind<Options, Command, Value> {
  readonly name: string;
  /** If it throws, the reader ends with a fault. */
  start(options: Options, context: ReaderContext<Value>): StreamReader<Command>;
  /** Buffers of a value that are moved to the main thread instead of copied. */
  transfer(value: Value): ArrayBuffer[];
  /** Ports of the options, which are moved to the worker. */
  ports(options: Options): MessagePort[];
}

type Definition<Options, Command, Value> = Pick<ReaderKind<Options, Command, Value>, 'name' | 'start'> &
  Partial<Pick<ReaderKind<Options, Command, Value>, 'transfer' | 'ports'>>;

export function defineReader<Options, Command, Value>(
  definition: Definition<Options, Command, Value>,
): ReaderKind<Options, Command, Value> {
  return { transfer: () => [], ports: () => [], ...definition };
}

/**
 * Why a reader ended. `fault`: it threw or was too slow; `stream`: its stream ended; `finished`: it read everything.
 */
export interface ReaderEnd {
  cause: 'finished' | 'stopped' | 'stream' | 'fault';
  reason: string | null;
}

/** Any kind, for tables. */
export type AnyReaderKind = ReaderKind<never, never, never>;
