/**
 * System calls with the C library of the machine (`bun:ffi`). Most of them can block: for workers and one-shot
 * commands.
 */
import { dlopen, type Pointer, ptr, read } from 'bun:ffi';
import type { SystemCalls } from './system-calls.ts';

export const DESCRIPTOR_SYMBOLS = {
  read: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
  __errno_location: { args: [], returns: 'ptr' },
} as const;

const SYMBOLS = {
  ...DESCRIPTOR_SYMBOLS,
  open: { args: ['ptr', 'i32'], returns: 'i32' },
  // The third argument is a pointer or a value; both use one register.
  ioctl: { args: ['i32', 'u64', 'u64'], returns: 'i32' },
  poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
} as const;

type Library = ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'];

const POLLIN = 1;

/** @throws Error if there is no glibc */
export function openLibc(): SystemCalls {
  const library: Library = dlopen('libc.so.6', SYMBOLS).symbols;
  const checked = (result: number): number =>
    result >= 0 ? result : -read.i32(library.__errno_location() as Pointer, 0);
  const ioctl = (fd: number, request: number, argument: number): number =>
    checked(library.ioctl(fd, request, argument));
  return {
    open: (path, flags) => checked(library.open(ptr(new TextEncoder().encode(`${path}\0`)), flags)),
    close: (fd) => checked(library.close(fd)),
    ioctl: (fd, request, argument) =>
      ioctl(fd, request, typeof argument === 'number' ? argument : ptr(argument)),
    ioctlProperties: (fd, request, properties, count) => {
      // struct dtv_properties { u32 num; struct dtv_property *props; }
      const list = new Uint8Array(16);
      const view = new DataView(list.buffer);
      view.setUint32(0, count, true);
      view.setBigUint64(8, BigInt(ptr(properties)), true);
      return ioctl(fd, request, ptr(list));
    },
    poll: (fd, timeoutMs) => {
      // struct pollfd { int fd; short events; short revents; }
      const entry = new DataView(new ArrayBuffer(8));
      entry.setInt32(0, fd, true);
      entry.setInt16(4, POLLIN, true);
      const result = checked(library.poll(ptr(entry), 1, timeoutMs));
      return result > 0 ? entry.getUint16(6, true) : result;
    },
    read: (fd, into) => checked(Number(library.read(fd, ptr(into), into.length))),
  };
}
