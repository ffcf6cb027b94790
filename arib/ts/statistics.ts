/**
 * What a stream suffered on its way, counted a PID and in all. ISO/IEC 13818-1 2.4.3.3: transport errors,
 * scrambling, continuity and duplicates. It looks at headers only and keeps one small record a PID seen.
 */
import type { Pid } from '../ids.ts';
import { isDiscontinuity, NULL_PID, PACKET_SIZE, PID_COUNT } from './packet.ts';

export interface PidStatistics {
  readonly pid: Pid;
  readonly packets: number;
  /** Packets with transport_error_indicator. Their continuity is not judged. */
  readonly transportErrors: number;
  /** Places where packets are missing (or too many), not packets missing: the counter has only four bits. */
  readonly continuityErrors: number;
  /** Packets with payload under transport_scrambling_control. */
  readonly scrambled: number;
  /** Packets sent twice in a row, which the standard allows once. */
  readonly duplicates: number;
}

class PidCount implements PidStatistics {
  packets = 0;
  transportErrors = 0;
  continuityErrors = 0;
  scrambled = 0;
  duplicates = 0;
  /** continuity_counter of the last judged packet; -1 before. */
  counter = -1;
  /** Header octets 1 to 3 of the last packet with payload: a duplicate repeats them. */
  header = -1;
  duplicated = false;

  constructor(readonly pid: Pid) {}
}

export class StreamStatistics {
  packets = 0;
  transportErrors = 0;
  continuityErrors = 0;
  scrambled = 0;
  duplicates = 0;

  readonly #pids: (PidCount | undefined)[] = new Array(PID_COUNT).fill(undefined);

  /** Counts whole, aligned packets of `bytes[from, to)`. */
  count(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    for (let offset = from; offset + PACKET_SIZE <= to; offset += PACKET_SIZE) {
      const header =
        ((bytes[offset + 1] as number) << 16) |
        ((bytes[offset + 2] as number) << 8) |
        (bytes[offset + 3] as number);
      const pid = (header >> 8) & 0x1fff;
      let count = this.#pids[pid];
      if (count === undefined) {
        count = new PidCount(pid as Pid);
        this.#pids[pid] = count;
      }
      this.packets++;
      count.packets++;
      const plain = (header & 0x8000d0) === 0x10 && pid !== NULL_PID;
      if (plain && (header & 0x0f) === ((count.counter + 1) & 0x0f) && count.counter >= 0) {
        // The usual packet: clear payload, in its turn.
        count.counter = header & 0x0f;
        count.header = header;
        count.duplicated = false;
      } else if (pid !== NULL_PID) {
        this.#judge(count, header, bytes, offset);
      }
    }
  }

  /** What was counted on a PID; undefined when it never came. The object lives on and keeps counting. */
  pid(pid: Pid): PidStatistics | undefined {
    return this.#pids[pid];
  }

  /** All PIDs that came, in ascending order. */
  pids(): PidStatistics[] {
    return this.#pids.filter((count) => count !== undefined);
  }

  /** continuity_counter of the last packet of the PID that could be believed; undefined before the first. */
  lastCounter(pid: Pid): number | undefined {
    const counter = this.#pids[pid]?.counter ?? -1;
    return counter < 0 ? undefined : counter;
  }

  #judge(count: PidCount, header: number, bytes: Uint8Array, offset: number): void {
    if ((header & 0x800000) !== 0) {
      count.transportErrors++;
      this.transportErrors++;
      return;
    }
    const payload = (header & 0x10) !== 0;
    // adaptation_field_control 00 is reserved: decoders discard such packets.
    if ((header & 0x30) === 0) return;
    if (payload && (header & 0xc0) !== 0) {
      count.scrambled++;
      this.scrambled++;
    }
    const counter = header & 0x0f;
    const previous = count.counter;
    count.counter = counter;
    if (!payload) {
      if (previous >= 0 && counter !== previous && !isDiscontinuity(bytes, offset)) this.#missing(count);
      return;
    }
    const repeats = header === count.header && counter === previous && !count.duplicated;
    count.header = header;
    count.duplicated = false;
    if (previous < 0 || counter === ((previous + 1) & 0x0f) || isDiscontinuity(bytes, offset)) return;
    if (repeats) {
      count.duplicated = true;
      count.duplicates++;
      this.duplicates++;
    } else this.#missing(count);
  }

  #missing(count: PidCount): void {
    count.continuityErrors++;
    this.continuityErrors++;
  }
}
