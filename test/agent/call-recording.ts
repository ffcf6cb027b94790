/**
 * Recorded system calls of a driver on a real kernel, for replay: a driver that makes the same calls gets the
 * same results, and the first call that differs fails.
 */
import type { SystemCalls } from '../../agent/driver/system-calls.ts';

export interface RecordedCall {
  call: 'open' | 'close' | 'ioctl' | 'poll' | 'read';
  /** Path of the device that the descriptor was opened for. */
  path: string;
  /** Number of an ioctl, or the flags of an open call. */
  request?: number;
  /** Hexadecimal for a structure, without trailing zero bytes. */
  argument?: string | number;
  result: number;
  /** Content of the structure afterwards, if changed. */
  answer?: string;
}

/** Without trailing zeros, which are most of a structure. */
const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/(00)+$/, '');

export class RecordingCalls implements SystemCalls {
  readonly calls: RecordedCall[] = [];
  readonly #paths = new Map<number, string>();

  constructor(private readonly real: SystemCalls) {}

  open(path: string, flags: number): number {
    const fd = this.real.open(path, flags);
    if (fd >= 0) this.#paths.set(fd, path);
    this.calls.push({ call: 'open', path, request: flags, result: Math.min(fd, 0) });
    return fd;
  }

  close(fd: number): number {
    const result = this.real.close(fd);
    this.calls.push({ call: 'close', path: this.#path(fd), result });
    return result;
  }

  ioctl(fd: number, request: number, argument: Uint8Array | number): number {
    return this.#record(fd, request, argument, () => this.real.ioctl(fd, request, argument));
  }

  ioctlProperties(fd: number, request: number, properties: Uint8Array, count: number): number {
    return this.#record(fd, request, properties, () =>
      this.real.ioctlProperties(fd, request, properties, count),
    );
  }

  poll(fd: number, timeoutMs: number): number {
    const result = this.real.poll(fd, timeoutMs);
    this.calls.push({ call: 'poll', path: this.#path(fd), result });
    return result;
  }

  read(fd: number, into: Uint8Array): number {
    const result = this.real.read(fd, into);
    this.calls.push({ call: 'read', path: this.#path(fd), result });
    return result;
  }

  #record(fd: number, request: number, argument: Uint8Array | number, act: () => number): number {
    const before = typeof argument === 'number' ? argument : hex(argument);
    const result = act();
    const answer = typeof argument === 'number' ? argument : hex(argument);
    this.calls.push({
      call: 'ioctl',
      path: this.#path(fd),
      request,
      argument: before,
      result,
      ...(answer === before ? {} : { answer: String(answer) }),
    });
    return result;
  }

  #path(fd: number): string {
    return this.#paths.get(fd) ?? '';
  }
}

export class ReplayedCalls implements SystemCalls {
  readonly #calls: readonly RecordedCall[];
  readonly #paths = new Map<number, string>();
  #next = 0;
  #nextFd = 10;

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  /** Recorded calls that were not made. */
  get left(): number {
    return this.#calls.length - this.#next;
  }

  open(path: string, flags: number): number {
    const { result } = this.#expect({ call: 'open', path, request: flags });
    if (result < 0) return result;
    this.#nextFd += 1;
    this.#paths.set(this.#nextFd, path);
    return this.#nextFd;
  }

  close(fd: number): number {
    return this.#expect({ call: 'close', path: this.#path(fd) }).result;
  }

  ioctl(fd: number, request: number, argument: Uint8Array | number): number {
    const shown = typeof argument === 'number' ? argument : hex(argument);
    const { result, answer } = this.#expect({
      call: 'ioctl',
      path: this.#path(fd),
      request,
      argument: shown,
    });
    if (answer !== undefined && typeof argument !== 'number') {
      argument.fill(0);
      argument.set(Buffer.from(answer, 'hex'));
    }
    return result;
  }

  ioctlProperties(fd: number, request: number, properties: Uint8Array): number {
    return this.ioctl(fd, request, properties);
  }

  poll(fd: number): number {
    return this.#expect({ call: 'poll', path: this.#path(fd) }).result;
  }

  read(fd: number): number {
    return this.#expect({ call: 'read', path: this.#path(fd) }).result;
  }

  #expect(made: Omit<RecordedCall, 'result'>): RecordedCall {
    const recorded = this.#calls[this.#next];
    const { result: _result, answer: _answer, ...wanted } = recorded ?? { result: 0 };
    if (recorded === undefined || !Bun.deepEquals(wanted, made)) {
      throw new Error(`call ${this.#next}: ${JSON.stringify(made)}, recorded ${JSON.stringify(wanted)}`);
    }
    this.#next += 1;
    return recorded;
  }

  #path(fd: number): string {
    return this.#paths.get(fd) ?? '';
  }
}
