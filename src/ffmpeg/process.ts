import { childEnvironment } from '../../host/child-environment.ts';
import { within } from '../../host/deadline.ts';
import { withoutRealTimePriority } from './thread-priority.ts';

/**
 * One running ffmpeg: fed by a bounded queue, read chunk by chunk, always terminated.
 *
 * The runtime reports a write to a dead child as successful, so only the exit shows its end.
 */

export interface ProcessEnd {
  /** Exit code, or 128 + signal. */
  code: number;
  /** The last lines that it wrote to stderr. */
  stderr: string;
}

const MAX_STDERR_CHARS = 4096;
/** A GPU encoder gets this long to release its device properly. */
const TERM_GRACE_MS = 1_500;

export class FfmpegProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: Bun.Subprocess<ReadableStream<Uint8Array>, 'pipe', 'pipe'>;
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #closing = false;
  #stopping = false;
  #wanted: (() => void) | undefined;
  #taken: (() => void) | undefined;
  #exited = false;

  /** @throws Error if the executable cannot be started */
  constructor(
    command: readonly string[],
    readonly maxQueuedBytes: number,
  ) {
    const input = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#drop() },
      { highWaterMark: 0 },
    );
    this.#child = Bun.spawn(withoutRealTimePriority(command), {
      stdin: input,
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...childEnvironment(process.env), SVT_LOG: '1' },
    });
    this.pid = this.#child.pid;
    this.ended = this.#watch();
  }

  get output(): ReadableStream<Uint8Array> {
    return this.#child.stdout;
  }

  /** Bytes that wait for the encoder. */
  get queuedBytes(): number {
    return this.#queued;
  }

  /** False if the queue is full: the encoder is too slow and the bytes were not accepted. */
  write(bytes: Uint8Array): boolean {
    if (this.#closing || this.#exited) return true;
    if (this.#queued + bytes.length > this.maxQueuedBytes) return false;
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    this.#wanted?.();
    return true;
  }

  /** Resolves when fewer bytes are queued, or when the process has ended. One call at a time. */
  async room(bytes: number): Promise<void> {
    while (this.#queued >= bytes && !this.#exited && !this.#closing) {
      await new Promise<void>((resolve) => {
        this.#taken = resolve;
      });
      this.#taken = undefined;
    }
  }

  /** Closes its input: it processes what was written, then ends by itself. */
  finish(): void {
    this.#closing = true;
    this.#wanted?.();
  }

  /** Ends it now. Resolves when the process has ended. */
  async stop(): Promise<void> {
    if (!this.#stopping && !this.#exited) {
      this.#stopping = true;
      this.#drop();
      this.finish();
      this.#child.kill('SIGTERM');
      const kill = setTimeout(() => this.#child.kill('SIGKILL'), TERM_GRACE_MS);
      void this.ended.finally(() => clearTimeout(kill));
    }
    await this.ended;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#queue.length === 0 && !this.#closing) {
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
      this.#wanted = undefined;
    }
    const next = this.#queue.shift();
    if (next === undefined) {
      controller.close();
      return;
    }
    this.#queued -= next.length;
    controller.enqueue(next);
    this.#taken?.();
  }

  #drop(): void {
    this.#queue.length = 0;
    this.#queued = 0;
    this.#taken?.();
  }

  async #watch(): Promise<ProcessEnd> {
    const stderr = tailOf(this.#child.stderr);
    const code = await this.#child.exited;
    this.#exited = true;
    this.#drop();
    this.finish();
    await drained(stderr);
    return { code, stderr: stderr.text() };
  }
}

/** Waits for the rest of the output of a process that has ended; a grandchild may keep its pipe open forever. */
export async function drained(...tails: readonly { done: Promise<void> }[]): Promise<void> {
  const GRACE_MS = 200;
  await within(GRACE_MS, Promise.all(tails.map((tail) => tail.done)), () => {});
}

/** Keeps the end of a text stream. */
export function tailOf(
  stream: ReadableStream<Uint8Array>,
  maxChars = MAX_STDERR_CHARS,
): { text(): string; done: Promise<void> } {
  const decoder = new TextDecoder();
  let tail = '';
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of stream) {
        tail = (tail + decoder.decode(chunk, { stream: true })).slice(-maxChars);
      }
    } catch {
      // The pipe breaks when its process ends; its text is complete.
    }
  };
  return { text: () => tail.trimEnd(), done: read() };
}
