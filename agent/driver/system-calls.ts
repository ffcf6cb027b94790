/**
 * Interface of the system calls of drivers: `libc.ts` for devices, a scripted kernel for tests. A failed call returns
 * the negative errno, like the kernel.
 */
export interface SystemCalls {
  /** @returns the descriptor */
  open(path: string, flags: number): number;
  close(fd: number): number;
  /** @param argument a structure, which the call may modify, or a plain value */
  ioctl(fd: number, request: number, argument: Uint8Array | number): number;
  /**
   * `ioctl` with a `struct dtv_properties` around the given array of `struct dtv_property`, which the call may
   * modify.
   */
  ioctlProperties(fd: number, request: number, properties: Uint8Array, count: number): number;
  /** Waits until the descriptor is readable. @returns `revents`, 0 after `timeoutMs` */
  poll(fd: number, timeoutMs: number): number;
  /** @returns the number of bytes read */
  read(fd: number, into: Uint8Array): number;
}

/** Flags of `open`, Linux on x86-64 and arm64. */
export const O_RDONLY = 0;
export const O_RDWR = 2;
export const O_NONBLOCK = 0o4000;
export const O_CLOEXEC = 0o2000000;

/** Error numbers of Linux, `asm-generic/errno.h`. */
export const ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EBUSY: 16,
  ENODEV: 19,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOTTY: 25,
  ENOSYS: 38,
  EOVERFLOW: 75,
  EOPNOTSUPP: 95,
  ESHUTDOWN: 108,
  ETIMEDOUT: 110,
  EALREADY: 114,
  EREMOTEIO: 121,
  ECANCELED: 125,
} as const;

const NAMES = new Map<number, string>(Object.entries(ERRNO).map(([name, number]) => [number, name]));

/** For messages: `EINVAL`, or the number if it is not in the table. */
export function errnoName(errno: number): string {
  return NAMES.get(errno) ?? `errno ${errno}`;
}
