/** Output `raw`: sends the narrowed stream to the main thread, in batches, with a bound on unacknowledged bytes. */
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { type MonotonicMs, untilSharedTick } from '../../lib/host/clock.ts';
import { defineOutput, type Output, type OutputContext } from './output-kind.ts';

/** Batch size while a viewer starts: 10 ms of a full terrestrial station. */
const FIRST_BATCH_BYTES = 16 * 1024;
const FIRST_BATCH_MS = 20;
/** Duration of small batches after the last viewer joined. */
const STARTING_MS = 2_000;
/** Later batch size: message, wake-up and socket write cost more than the bytes; every player buffers more. */
const BATCH_BYTES = 384 * 1024;
const BATCH_MS = 150;
/** 15 s of a full terrestrial station; the main thread is never blocked that long. */
const MAX_UNTAKEN = 32 * 1024 * 1024;

type RawCommand =
  /** Answered by `burst`, in order with the batches. `viewer`: a number chosen by the owner. */
  | { kind: 'join'; viewer: number }
  /** Acknowledges `bytes` that the main thread has taken. */
  | { kind: 'taken'; bytes: number };

export type RawEvent =
  | { kind: 'batch'; bytes: Uint8Array<ArrayBuffer> }
  /** Start of a viewer's stream; the next batch continues it. */
  | { kind: 'burst'; viewer: number; bytes: Uint8Array<ArrayBuffer> };

/** The main thread did not take its data in time. */
interface RawEnd {
  cause: 'behind';
}

export const rawOutput = defineOutput<null, RawCommand, RawEvent, RawEnd>({
  name: 'raw',
  start: (_options, context) => new RawOutput(context),
  transfer: ({ bytes }) => [bytes.buffer],
});

class RawOutput implements Output<RawCommand> {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #untaken = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #joinedAt: MonotonicMs;
  #isOver = false;

  constructor(private readonly context: OutputContext<RawEvent, RawEnd>) {
    this.#joinedAt = context.clock();
  }

  /** The bytes are copied only when they are sent. */
  feed(packets: Uint8Array): void {
    if (this.#isOver) return;
    this.#pending.push(packets);
    this.#pendingBytes += packets.length;
    const now = this.context.clock();
    const isStarting = now - this.#joinedAt < STARTING_MS;
    if (this.#pendingBytes >= (isStarting ? FIRST_BATCH_BYTES : BATCH_BYTES)) this.#flush();
    else {
      const delay = isStarting ? FIRST_BATCH_MS : untilSharedTick(now, BATCH_MS);
      this.#timer ??= setTimeout(() => this.#flush(), delay);
    }
  }

  command(command: RawCommand): void {
    if (command.kind === 'taken') this.#untaken -= command.bytes;
    else this.#join(command.viewer);
  }

  stop(): void {
    this.#end({ cause: 'lost' });
  }

  #join(viewer: number): void {
    if (this.#isOver) return;
    this.#flush();
    if (this.#isOver) return;
    this.#joinedAt = this.context.clock();
    const { burst } = this.context.stream;
    const bytes = joinBytes(burst.from('late') ?? burst.since(0));
    this.#untaken += bytes.length;
    this.context.event({ kind: 'burst', viewer, bytes });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pendingBytes === 0) return;
    const bytes = joinBytes(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#untaken += bytes.length;
    if (this.#untaken > MAX_UNTAKEN) this.#end({ cause: 'behind' });
    else this.context.event({ kind: 'batch', bytes });
  }

  #end(end: RawEnd | { cause: 'lost' }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#pending = [];
    this.context.ended(end);
  }
}
