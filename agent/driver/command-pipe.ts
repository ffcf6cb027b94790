/**
 * The output of a tuning command, read in pieces of 20 ms. The runtime's own pipes wake up for every write of the command
 * and need three system calls for each piece; with eight tunings these were two thirds of all the agent's.
 */
import { dlopen, type Pointer, ptr, read } from 'bun:ffi';
import {
  type MonotonicClock,
  type MonotonicMs,
  systemMonotonicClock,
  untilSharedTick,
} from '../../lib/host/clock.ts';
import { DESCRIPTOR_SYMBOLS } from './libc.ts';
import { ERRNO, errnoName, O_CLOEXEC, O_NONBLOCK } from './system-calls.ts';

const SYMBOLS = {
  ...DESCRIPTOR_SYMBOLS,
  pipe2: { args: ['ptr', 'i32'], returns: 'i32' },
  // The third argument is a value in a register, as if it were declared.
  fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
} as const;

/** `fcntl`, Linux. */
const F_SETFL = 4;
const F_SETPIPE_SZ = 1031;

/** The most that a user may set; 400 ms of the fastest broadcast (24 Mbit/s). */
const PIPE_BYTES = 1024 * 1024;
const READ_MS = 20;
/** Until STARTING_MS after the first bytes, so that a stream starts early, and while the pipe is half full. */
const SHORT_MS = 4;
const STARTING_MS = 500;

let library: ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'] | undefined;
const buffer = new Uint8Array(PIPE_BYTES);

interface CommandPipeHandlers {
  data(bytes: Uint8Array): void;
  /** Once, unless closed: every writer has closed the pipe. @param errno why it cannot be read */
  ended(errno: string | undefined): void;
}

export class CommandPipe {
  /** For the command; `start` closes it in this process. */
  readonly writeEnd: number;
  readonly #readEnd: number;
  readonly #capacity: number;
  readonly #libc: NonNullable<typeof library>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delayMs = SHORT_MS;
  #firstAt: MonotonicMs | undefined;
  #isWriteEndOpen = true;
  #isOpen = true;

  /** @throws Error with `code` if there are no more descriptors */
  constructor(
    private readonly handlers: CommandPipeHandlers,
    private readonly clock: MonotonicClock = systemMonotonicClock,
  ) {
    library ??= dlopen('libc.so.6', SYMBOLS).symbols;
    this.#libc = library;
    const ends = new Int32Array(2);
    if (library.pipe2(ptr(ends), O_CLOEXEC) < 0) {
      const code = errnoName(this.#errno());
      throw Object.assign(new Error(`pipe2: ${code}`), { code });
    }
    const [readEnd = -1, writeEnd = -1] = ends;
    this.#readEnd = readEnd;
    this.writeEnd = writeEnd;
    library.fcntl(readEnd, F_SETFL, O_NONBLOCK);
    // Negative where the user has too many pipes.
    this.#capacity = library.fcntl(readEnd, F_SETPIPE_SZ, PIPE_BYTES);
  }

  /** The command has the pipe. */
  start(): void {
    this.#closeWriteEnd();
    this.#wait();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#closeWriteEnd();
    this.#libc.close(this.#readEnd);
  }

  #wait(): void {
    const delay = untilSharedTick(this.clock(), this.#delayMs);
    this.#timer = setTimeout(() => this.#read(), delay);
  }

  #read(): void {
    const length = Number(this.#libc.read(this.#readEnd, ptr(buffer), buffer.length));
    const errno = length < 0 ? this.#errno() : undefined;
    if (errno === undefined && length > 0) {
      const now = this.clock();
      this.#firstAt ??= now;
      const isShort = now - this.#firstAt < STARTING_MS || length * 2 >= this.#capacity;
      this.#delayMs = isShort ? SHORT_MS : READ_MS;
      this.handlers.data(buffer.slice(0, length));
    } else if (errno !== ERRNO.EAGAIN && errno !== ERRNO.EINTR) {
      this.close();
      this.handlers.ended(errno === undefined ? undefined : errnoName(errno));
      return;
    }
    // The receiver may have closed it.
    if (this.#isOpen) this.#wait();
  }

  #closeWriteEnd(): void {
    if (!this.#isWriteEndOpen) return;
    this.#isWriteEndOpen = false;
    this.#libc.close(this.writeEnd);
  }

  #errno(): number {
    return read.i32(this.#libc.__errno_location() as Pointer, 0);
  }
}
