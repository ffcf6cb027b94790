/**
 * Character devices that behave like those of px4_drv, served from user space by CUSE, so that the agent
 * opens, tunes and reads real device files. Runs in the guest of the rig, which has the kernel module `cuse`.
 */
import { dlopen, type Pointer, ptr, read } from 'bun:ffi';
import {
  DISABLE_LNB_POWER,
  ENABLE_LNB_POWER,
  GET_CNR,
  SET_CHANNEL,
  SET_SYSTEM_MODE,
  START_STREAMING,
  STOP_STREAMING,
} from '../../../agent/driver/px4/abi.ts';
import { ERRNO } from '../../../agent/driver/system-calls.ts';

const libc = dlopen('libc.so.6', {
  open: { args: ['ptr', 'i32'], returns: 'i32' },
  read: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  write: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  __errno_location: { args: [], returns: 'ptr' },
}).symbols;

const O_RDWR_NONBLOCK = 2 | 0o4000;
const HEADER_BYTES = 40;
const CUSE_INIT = 4096;
const FUSE_OPEN = 14;
const FUSE_READ = 15;
const FUSE_RELEASE = 18;
const FUSE_INTERRUPT = 36;
const FUSE_IOCTL = 39;
const UNRESTRICTED_IOCTL = 1;
const IOCTL_RETRY = 4;
const MAX_TRANSFER = 128 * 1024;

interface PendingRead {
  unique: bigint;
  size: number;
}

export class CusePx4 {
  /** Arguments of SET_CHANNEL, LNB and system mode in order of arrival. */
  readonly log: string[] = [];
  hasSignal = true;
  isGone = false;
  cnrRaw = 55_050;
  isOpen = false;
  isStreaming = false;
  readonly #fd: number;
  readonly #request = Buffer.alloc(256 * 1024);
  readonly #reads: PendingRead[] = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(readonly name: string) {
    this.#fd = libc.open(ptr(Buffer.from('/dev/cuse\0')), O_RDWR_NONBLOCK);
    if (this.#fd < 0) throw new Error(`/dev/cuse: errno ${read.i32(libc.__errno_location() as Pointer, 0)}`);
  }

  /** Answers pending requests; call it every few milliseconds. */
  serve(): void {
    for (;;) {
      const length = Number(libc.read(this.#fd, ptr(this.#request), this.#request.length));
      if (length <= 0) return;
      this.#handle(Buffer.from(this.#request.subarray(0, length)));
    }
  }

  /** Adds received data of the tuner. Reads are answered when complete, like by the driver. */
  receive(bytes: Uint8Array): void {
    if (!this.isStreaming || !this.hasSignal || this.isGone) return;
    this.#waiting.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    this.#answerReads();
  }

  #answerReads(): void {
    for (;;) {
      const next = this.#reads[0];
      if (next === undefined) return;
      const error = this.isGone ? -ERRNO.EIO : 0;
      if (error === 0 && this.isStreaming && this.#waitingBytes < next.size) return;
      this.#reads.shift();
      if (error !== 0 || !this.isStreaming) {
        this.#reply(next.unique, error);
        continue;
      }
      const all = Buffer.concat(this.#waiting);
      this.#waiting = [all.subarray(next.size)];
      this.#waitingBytes = all.length - next.size;
      this.#reply(next.unique, 0, all.subarray(0, next.size));
    }
  }

  /** Simulates unplugging: everything fails from now on. */
  remove(): void {
    this.isGone = true;
    this.#answerReads();
  }

  #handle(request: Buffer): void {
    const opcode = request.readUInt32LE(4);
    const unique = request.readBigUInt64LE(8);
    const body = request.subarray(HEADER_BYTES);
    switch (opcode) {
      case CUSE_INIT:
        this.#reply(unique, 0, this.#initAnswer());
        break;
      case FUSE_OPEN:
        if (this.isOpen) this.#reply(unique, -ERRNO.EALREADY);
        else {
          this.isOpen = true;
          this.#reply(unique, 0, Buffer.alloc(16));
        }
        break;
      case FUSE_RELEASE:
        this.isOpen = false;
        this.isStreaming = false;
        this.#reply(unique, 0);
        break;
      case FUSE_READ:
        this.#reads.push({ unique, size: body.readUInt32LE(16) });
        this.#answerReads();
        break;
      case FUSE_IOCTL:
        this.#ioctl(unique, body);
        break;
      case FUSE_INTERRUPT:
        break;
      default:
        this.#reply(unique, -ERRNO.ENOSYS);
    }
  }

  #initAnswer(): Buffer {
    const out = Buffer.alloc(72);
    out.writeUInt32LE(7, 0);
    out.writeUInt32LE(31, 4);
    out.writeUInt32LE(UNRESTRICTED_IOCTL, 12);
    out.writeUInt32LE(MAX_TRANSFER, 16);
    out.writeUInt32LE(MAX_TRANSFER, 20);
    return Buffer.concat([out, Buffer.from(`DEVNAME=${this.name}\0`)]);
  }

  #ioctl(unique: bigint, body: Buffer): void {
    const request = body.readUInt32LE(12);
    const argument = body.readBigUInt64LE(16);
    const [inSize, outSize] = [body.readUInt32LE(24), body.readUInt32LE(28)];
    const answer = (result: number, data = Buffer.alloc(0)): void =>
      this.#reply(unique, 0, ioctlAnswer(result, 0, 0, 0, data));
    if (this.isGone) {
      this.#reply(unique, -ERRNO.EIO);
      return;
    }
    switch (request) {
      case SET_CHANNEL:
        if (inSize === 0) {
          this.#reply(unique, 0, ioctlAnswer(0, IOCTL_RETRY, 1, 0, vector(argument, 8)));
          return;
        }
        this.log.push(`channel ${body.readInt32LE(32)} ${body.readInt32LE(36)}`);
        if (this.hasSignal) answer(0);
        else this.#reply(unique, -ERRNO.EAGAIN);
        return;
      case GET_CNR: {
        if (outSize === 0) {
          this.#reply(unique, 0, ioctlAnswer(0, IOCTL_RETRY, 0, 1, vector(argument, 4)));
          return;
        }
        const value = Buffer.alloc(4);
        value.writeUInt32LE(this.cnrRaw);
        answer(0, value);
        return;
      }
      case START_STREAMING:
      case STOP_STREAMING: {
        const wanted = request === START_STREAMING;
        if (this.isStreaming === wanted) {
          this.#reply(unique, -ERRNO.EALREADY);
          return;
        }
        this.isStreaming = wanted;
        this.#waiting = [];
        this.#waitingBytes = 0;
        answer(0);
        this.#answerReads();
        return;
      }
      case ENABLE_LNB_POWER:
      case DISABLE_LNB_POWER:
        this.log.push(`lnb ${request === ENABLE_LNB_POWER ? argument : 0}`);
        answer(0);
        return;
      case SET_SYSTEM_MODE:
        this.log.push(`system ${argument}`);
        answer(0);
        return;
      default:
        this.#reply(unique, -ERRNO.ENOSYS);
    }
  }

  #reply(unique: bigint, error: number, body: Buffer = Buffer.alloc(0)): void {
    const header = Buffer.alloc(16);
    header.writeUInt32LE(16 + body.length, 0);
    header.writeInt32LE(error, 4);
    header.writeBigUInt64LE(unique, 8);
    const message = Buffer.concat([header, body]);
    libc.write(this.#fd, ptr(message), message.length);
  }
}

/**
 * `struct fuse_ioctl_out`, with the data, or with the memory areas that the kernel has to fetch for a retry.
 */
function ioctlAnswer(result: number, flags: number, inputs: number, outputs: number, data: Buffer): Buffer {
  const out = Buffer.alloc(16);
  out.writeInt32LE(result, 0);
  out.writeUInt32LE(flags, 4);
  out.writeUInt32LE(inputs, 8);
  out.writeUInt32LE(outputs, 12);
  return Buffer.concat([out, data]);
}

function vector(base: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(base, 0);
  bytes.writeBigUInt64LE(BigInt(length), 8);
  return bytes;
}
