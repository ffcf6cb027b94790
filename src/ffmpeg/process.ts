/** Runs ffmpeg: fed and read chunk by chunk (`FfmpegProcess`), or to its end for a short result (`run`). */
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { within } from '../../lib/host/deadline.ts';
import { childEnvironment } from '../../lib/host/environment.ts';

const ENCODER = 'libsvtav1';
const CAP_SETPCAP = 1n << 8n;
const CAP_SYS_NICE = 1n << 23n;

/** Of this process, as a bit mask; 0 if the system does not report them. */
function effectiveCapabilities(): bigint {
  try {
    const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return BigInt(`0x${mask ?? '0'}`);
  } catch {
    return 0n;
  }
}

/**
 * SVT-AV1 gives its threads real-time priority (SCHED_FIFO, 99) if permitted, as under root: nothing else on the
 * machine, including recordings, would then get a processor before they finish, whatever the niceness of the process.
 * Without CAP_SYS_NICE (capabilities(7)) it uses ordinary threads.
 * The command, run through `setpriv` (util-linux) if it would otherwise get real-time priority.
 */
export function withoutRealTimePriority(
  command: readonly string[],
  capabilities: bigint = effectiveCapabilities(),
  which: (name: string) => string | null = Bun.which,
): string[] {
  // Dropping the capability requires the permission to change the bounding set.
  const needed = CAP_SYS_NICE | CAP_SETPCAP;
  if (!command.includes(ENCODER) || (capabilities & needed) !== needed) return [...command];
  const setpriv = which('setpriv');
  if (setpriv === null) return [...command];
  return [setpriv, '--bounding-set=-sys_nice', '--inh-caps=-sys_nice', ...command];
}

interface ProcessEnd {
  /** Exit code, or 128 + signal. */
  code: number;
  /** The last lines that it wrote to stderr. */
  stderr: string;
}

export function exitReason({ code, stderr }: ProcessEnd): string {
  return stderr === '' ? `ffmpeg ended with ${code}` : stderr;
}

const MAX_STDERR_CHARS = 4096;
/** A GPU encoder gets this long to release its device properly. */
const TERM_GRACE_MS = 1_500;

/**
 * One running ffmpeg: fed by a bounded queue, read chunk by chunk, always terminated.
 *
 * The runtime reports a write to a dead child as successful, so only the exit shows its end.
 */
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
async function drained(...tails: readonly { done: Promise<void> }[]): Promise<void> {
  const GRACE_MS = 200;
  await within(GRACE_MS, Promise.all(tails.map((tail) => tail.done)), () => {});
}

/** Keeps the end of a text stream. */
function tailOf(
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

export interface RunResult {
  /** 128 + signal if it was killed. */
  code: number;
  /** The last 256 K characters. */
  stdout: string;
  /** The last lines. */
  stderr: string;
  elapsedMs: number;
}

const MAX_STDOUT_CHARS = 256 * 1024;
/** 128 + SIGKILL. */
const KILLED = 137;

interface RunOptions {
  timeoutMs: number;
  /** Run at the lowest priority. */
  background?: boolean;
  /** Kills it; already aborted: it is not started. */
  signal?: AbortSignal;
}

/**
 * Runs ffmpeg to its end for a short result: with a time limit and bounded output.
 * @throws Error if the executable cannot be started
 */
export async function run(command: readonly string[], options: RunOptions): Promise<RunResult> {
  if (options.signal?.aborted === true) return { code: KILLED, stdout: '', stderr: '', elapsedMs: 0 };
  const started = performance.now();
  const child = Bun.spawn(withoutRealTimePriority(command), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...childEnvironment(process.env), SVT_LOG: '1' },
  });
  if (options.background === true) lowerPriority(child.pid);
  const kill = (): void => child.kill('SIGKILL');
  const timer = setTimeout(kill, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  try {
    const stderr = tailOf(child.stderr);
    const stdout = tailOf(child.stdout, MAX_STDOUT_CHARS);
    const code = await child.exited;
    await drained(stdout, stderr);
    return {
      code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      elapsedMs: performance.now() - started,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', kill);
  }
}

/** Gives a process the lowest priority. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It has already ended, or the system does not permit it.
  }
}
