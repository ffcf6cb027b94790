/**
 * Outputs: consumers of a station's narrowed stream (file, encoder, raw viewers). Each kind is one file that calls
 * `defineOutput` and one row in `reception-kinds.ts`; stream, messages and pool know no kind.
 *
 * An output runs in a reception worker, has its own bounded queue towards whatever it feeds, and ends alone.
 */

import type { Pid } from '../../arib/ids.ts';
import type { MonotonicClock } from '../../host/clock.ts';
import type { StreamBurst } from './stream-burst.ts';

/** The stream or its worker is gone, or the output failed (`reason`). Every output may end so. */
export interface OutputLost {
  cause: 'lost';
  reason?: string;
}

/** State of the stream that feeds an output. */
export interface OutputStream {
  /** The last seconds, from an entry point on. */
  readonly burst: StreamBurst;
  /** PID of the programme clock; undefined before the PMT came. */
  pcrPid(): Pid | undefined;
  /** Recording the current programme is forbidden. */
  isCopyForbidden(): boolean;
  /** Those of these PIDs that are not sent, or only scrambled. */
  unreadable(pids: readonly number[]): number[];
  /** The output saw the station's clock jump: every output gets `layoutChanged`. */
  clockJumped(): void;
}

export interface OutputContext<Event, End> {
  readonly stream: OutputStream;
  readonly clock: MonotonicClock;
  /** To the owner in the main thread, in order. */
  event(event: Event): void;
  /** Called once when the output has ended completely. Nothing may be posted afterwards. */
  ended(end: End | OutputLost): void;
  /** A child process of this output: killed by the main thread when the worker dies. */
  spawned(pid: number): void;
}

export interface Output<Command> {
  /** Whole packets of the station. The bytes are shared with other outputs: read only. Must not block. */
  feed(packets: Uint8Array): void;
  command?(command: Command): void;
  /** The next packets have other PIDs, codecs or times. Called between two `feed`s. */
  layoutChanged?(): void;
  /** Copy control of what follows. */
  copyControlChanged?(isForbidden: boolean): void;
  /** About once a second. */
  check?(): void;
  /** Ends it; resolves when `ended` was called. @param cause why: its owner dropped it, or the stream broke */
  stop(cause: 'dropped' | 'stream'): Promise<void> | void;
}

export interface OutputKind<Options, Command, Event, End> {
  readonly name: string;
  /**
   * Fed before the stream is analysed, so that no fault of the analysis costs it a packet; a fault of its own ends the
   * whole stream, so that its owner opens it again.
   */
  readonly isEssential: boolean;
  /** What it throws ends the output as lost. */
  start(options: Options, context: OutputContext<Event, End>): Output<Command>;
  /** Buffers of an event that are moved to the main thread instead of copied. */
  transfer(event: Event): ArrayBuffer[];
}

/** Parts of a kind that have a default. */
type Definition<Options, Command, Event, End> = Pick<
  OutputKind<Options, Command, Event, End>,
  'name' | 'start'
> &
  Partial<Pick<OutputKind<Options, Command, Event, End>, 'isEssential' | 'transfer'>>;

export function defineOutput<Options, Command, Event, End>(
  definition: Definition<Options, Command, Event, End>,
): OutputKind<Options, Command, Event, End> {
  return { isEssential: false, transfer: () => [], ...definition };
}

/** Any kind, for tables: options, commands, events and ends are opaque there. */
export type AnyOutputKind = OutputKind<never, never, never, never>;
