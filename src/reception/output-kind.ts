/**
 * Outputs: consumers of a station's narrowed stream (file, encoder, raw viewers). Each kind is one file that calls
 * `defineOutput` and one row in `reception-kinds.ts`; stream, messages and pool do not depend on the kinds.
 *
 * An output runs in a reception worker, has its own bounded queue towards its sink, and ends independently.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import type { StreamBurst } from './stream-burst.ts';

/** The stream or its worker was lost, or the output failed (`reason`). Any output may end like this. */
export interface OutputLost {
  cause: 'lost';
  reason?: string;
}

/** State of the stream that feeds an output. */
export interface OutputStream {
  /** The last seconds of the stream, from an entry point on. */
  readonly burst: StreamBurst;
  /** PID of the programme clock; undefined before the PMT was received. */
  pcrPid(): Pid | undefined;
  /** Recording the current programme is forbidden. */
  isCopyForbidden(): boolean;
  /** When the last data of the whole channel arrived. */
  heardAt(): MonotonicMs;
  /** Which of these PIDs are not sent, or only scrambled. */
  unreadable(pids: readonly number[]): number[];
  /** Called by an output that detected a jump of the station's clock: every output gets `layoutChanged`. */
  clockJumped(): void;
}

export interface OutputContext<Event, End> {
  readonly stream: OutputStream;
  readonly clock: MonotonicClock;
  /** Posts to the owner in the main thread, in order. */
  event(event: Event): void;
  /** Called once when the output has ended completely. Nothing may be posted afterwards. */
  ended(end: End | OutputLost): void;
  /** Registers a child process of this output, which the main thread kills if the worker dies. */
  spawned(pid: number): void;
}

export interface Output<Command> {
  /** Whole packets of the station. The bytes are shared with other outputs: read only. Must not block. */
  feed(packets: Uint8Array): void;
  command?(command: Command): void;
  /** The next packets have other PIDs, codecs or time stamps. Called between two calls of `feed`. */
  layoutChanged?(): void;
  /** Copy control of the next packets. */
  copyControlChanged?(isForbidden: boolean): void;
  /** About once a second. */
  check?(): void;
  /** Ends the output; resolves when `ended` was called. @param cause its owner dropped it, or the stream broke */
  stop(cause: 'dropped' | 'stream'): Promise<void> | void;
}

export interface OutputKind<Options, Command, Event, End> {
  readonly name: string;
  /**
   * Fed before the stream is analysed, so that it loses no packet if the analysis throws. If the output itself throws,
   * the whole stream ends, so that its owner opens it again.
   */
  readonly isEssential: boolean;
  /** If it throws, the output ends as lost. */
  start(options: Options, context: OutputContext<Event, End>): Output<Command>;
  /** Buffers of an event that are moved to the main thread instead of copied. */
  transfer(event: Event): ArrayBuffer[];
}

/** A kind in which some parts are optional, because they have a default. */
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

/** Any kind, for tables, in which options, commands, events and ends are opaque. */
export type AnyOutputKind = OutputKind<never, never, never, never>;
