/**
 * A simulated kernel with a few device files, for drivers that make their system calls through `SystemCalls`:
 * each file has a table of results, and every call is logged.
 */
import type { DeviceFacts, DeviceUser } from '../../agent/driver/device-facts.ts';
import { ERRNO, type SystemCalls } from '../../agent/driver/system-calls.ts';

export type Errno = keyof typeof ERRNO;

/** Result of a call that failed with this error. */
export const fail = (errno: Errno): number => -ERRNO[errno];

export interface ScriptedFile {
  /** Handlers by request number, which may fill in the argument. Other requests return ENOTTY. */
  ioctl?: Record<number, (argument: Uint8Array | number) => number>;
  open?: () => number;
  poll?: () => number;
  read?: (into: Uint8Array) => number;
}

export class ScriptedKernel implements SystemCalls, DeviceFacts {
  readonly files = new Map<string, ScriptedFile>();
  /** Calls in order, such as `open /dev/px4video0`, `ioctl /dev/px4video0 0x8d02 0`. */
  readonly log: string[] = [];
  readonly openFiles = new Map<number, string>();
  readonly holders = new Map<string, DeviceUser>();
  readonly groups = new Map<string, string>();
  /** Paths that this user must not open. */
  readonly forbidden = new Set<string>();
  #next = 10;

  constructor(files: Record<string, ScriptedFile>) {
    for (const [path, file] of Object.entries(files)) this.files.set(path, file);
  }

  /** Names of the files in a folder, like `readdir`. */
  names(folder: string): string[] {
    const inside = [...this.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
  }

  open(path: string): number {
    this.log.push(`open ${path}`);
    const file = this.files.get(path);
    if (file === undefined) return fail('ENOENT');
    if (this.forbidden.has(path)) return fail('EACCES');
    const result = file.open?.() ?? 0;
    if (result < 0) return result;
    this.#next += 1;
    this.openFiles.set(this.#next, path);
    return this.#next;
  }

  close(fd: number): number {
    this.log.push(`close ${this.#path(fd)}`);
    return this.openFiles.delete(fd) ? 0 : -9;
  }

  ioctl(fd: number, request: number, argument: Uint8Array | number): number {
    const path = this.#path(fd);
    const shown = typeof argument === 'number' ? String(argument) : Buffer.from(argument).toString('hex');
    this.log.push(`ioctl ${path} 0x${request.toString(16)} ${shown}`);
    const handler = this.files.get(path)?.ioctl?.[request];
    return handler === undefined ? fail('ENOTTY') : handler(argument);
  }

  ioctlProperties(fd: number, request: number, properties: Uint8Array): number {
    return this.ioctl(fd, request, properties);
  }

  poll(fd: number): number {
    return this.files.get(this.#path(fd))?.poll?.() ?? 1;
  }

  read(fd: number, into: Uint8Array): number {
    return this.files.get(this.#path(fd))?.read?.(into) ?? fail('EAGAIN');
  }

  exists(path: string): boolean {
    return this.files.has(path);
  }

  mayOpen(path: string): boolean {
    return this.files.has(path) && !this.forbidden.has(path);
  }

  userOf(path: string): DeviceUser | undefined {
    return this.holders.get(path);
  }

  group(path: string): string | undefined {
    return this.groups.get(path);
  }

  #path(fd: number): string {
    return this.openFiles.get(fd) ?? `bad descriptor ${fd}`;
  }
}
