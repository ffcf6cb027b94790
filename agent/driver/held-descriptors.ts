/**
 * The open descriptors of a device worker, in memory shared with its owner: if the worker crashes they stay open in
 * the process, so the owner must close them.
 */
import type { SystemCalls } from './system-calls.ts';

/** Frontend, demultiplexer and dvr; twice as many. */
const PLACES = 6;
const FREE = 0;

export class HeldDescriptors {
  /** Descriptor plus one in each place. */
  readonly #places: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT)) {
    this.#places = new Int32Array(memory);
  }

  get open(): number[] {
    return [...this.#places].filter((place) => place !== FREE).map((place) => place - 1);
  }

  /** The same calls, recording opened and closed descriptors. */
  track(calls: SystemCalls): SystemCalls {
    return {
      open: (path, flags) => {
        const fd = calls.open(path, flags);
        const place = this.#places.indexOf(FREE);
        if (fd >= 0 && place >= 0) this.#places[place] = fd + 1;
        return fd;
      },
      close: (fd) => {
        const place = this.#places.indexOf(fd + 1);
        // Before the call: afterwards the number may belong to another file.
        if (place >= 0) this.#places[place] = FREE;
        return calls.close(fd);
      },
      ioctl: (fd, request, argument) => calls.ioctl(fd, request, argument),
      ioctlProperties: (fd, request, properties, count) =>
        calls.ioctlProperties(fd, request, properties, count),
      poll: (fd, timeoutMs) => calls.poll(fd, timeoutMs),
      read: (fd, into) => calls.read(fd, into),
    };
  }
}
