/** Common parts of all drivers: files, power for the antenna's converter, and errors of `read`. */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { DeviceSystem } from './device.ts';
import { callError, lnbError, openError, systemError } from './device-error.ts';
import { ERRNO, O_CLOEXEC } from './system-calls.ts';

const TYPE_WORDS: Record<BroadcastType, string> = { GR: '地上波', BS: ' BS ', CS: ' CS ' };
/** The driver does not have this call, or no power supply. */
const LNB_REFUSALS: readonly number[] = [ERRNO.EOPNOTSUPP, ERRNO.ENOTTY, ERRNO.EINVAL, ERRNO.ENOSYS];

export abstract class TunerDevice {
  #isPowering = false;
  #overflows = 0;

  protected constructor(
    /** Path of the tuned device file. */
    protected readonly path: string,
    protected readonly system: DeviceSystem,
  ) {}

  /** @returns the result of the call */
  protected abstract switchLnb(on: boolean): number;

  /** Idempotent. */
  protected abstract closeFiles(): void;

  /** @throws DeviceError */
  setLnb(on: boolean): void {
    const result = this.switchLnb(on);
    if (LNB_REFUSALS.includes(-result)) throw lnbError(this.path);
    if (result < 0) throw callError(this.path, 'LNB', -result);
    this.#isPowering = on;
  }

  takeOverflows(): number {
    const overflows = this.#overflows;
    this.#overflows = 0;
    return overflows;
  }

  close(): void {
    // Closing would do the same, but later: the next tuner may power the antenna at once.
    if (this.#isPowering) this.switchLnb(false);
    this.#isPowering = false;
    this.closeFiles();
  }

  /** @throws DeviceError */
  protected openFile(path: string, flags: number): number {
    const fd = this.system.calls.open(path, flags | O_CLOEXEC);
    if (fd < 0) throw openError(path, -fd, this.system.facts);
    return fd;
  }

  /** @returns null if there is no data yet, or after an overflow, which is counted @throws DeviceError */
  protected readFile(fd: number, path: string, into: Uint8Array): number | null {
    const length = this.system.calls.read(fd, into);
    if (length >= 0) return length;
    switch (-length) {
      case ERRNO.EOVERFLOW:
        this.#overflows += 1;
        return null;
      case ERRNO.EAGAIN:
      case ERRNO.EINTR:
        return null;
      default:
        throw callError(path, 'read', -length);
    }
  }

  /** @throws DeviceError if it does not receive this kind of broadcast */
  protected require(receives: boolean, type: BroadcastType): void {
    if (!receives) throw systemError(this.path, TYPE_WORDS[type]);
  }
}
