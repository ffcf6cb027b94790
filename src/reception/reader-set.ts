/**
 * The readers of one stream: copies the selected packets of each of them, passes these on after the outputs were fed,
 * and isolates the readers from the stream and from each other.
 *
 * Bounds, per reader: a backlog of MAX_BACKLOG (half a second of a full terrestrial stream; a guide's tables are under
 * 100 KB a second), beyond which the newest packets are dropped and counted; per turn of the event loop TURN_MS of
 * processing time for all readers of the stream together, in slices of SLICE packets. A slice that takes longer than
 * SLOW_CALL_MS of this thread's own processing time is a fault, and so is anything thrown.
 */
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { PACKET_SIZE, PID_COUNT, packetPid } from '../../lib/arib/ts/packet.ts';
import type { MonotonicClock, WallClock } from '../../lib/host/clock.ts';
import type { ReaderEnd, ReaderKind, StreamReader } from './reader-kind.ts';

const MAX_BACKLOG = 1024 * 1024;
const FIRST_BACKLOG = 32 * 1024;
/** A chunk of the stream comes every 10 to 30 ms. */
const TURN_MS = 4;
/** Processing time per chunk of a stream without outputs, which waits for its readers within this limit. */
const ONLY_USE_MS = 200;
const SLICE_PACKETS = 64;
/** A slice of 12 KB takes well under a millisecond in any correct reader. */
const SLOW_CALL_MS = 400;
/** Number of bits in a mask; more readers of one stream are refused. */
const MAX_READERS = 30;

/** Processing time of this thread, ms, so that a reader does not count as slow on a loaded machine. */
type ProcessingClock = () => number;

export const threadProcessingMs: ProcessingClock = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

interface ReaderSetOptions {
  clock: MonotonicClock;
  wall: WallClock;
  processing: ProcessingClock;
  /** The stream has readers only, no outputs. */
  isOnlyUse: boolean;
  post: (reader: number, value: unknown, transfer: ArrayBuffer[]) => void;
  ended: (reader: number, end: ReaderEnd & { dropped: number }) => void;
}

interface Running {
  readonly id: number;
  readonly bit: number;
  reader: StreamReader<unknown> | undefined;
  pids: Set<number>;
  backlog: Uint8Array;
  from: number;
  to: number;
  /** Packets dropped in total, and since the last call of `dropped`. */
  dropped: number;
  unreported: number;
  isOver: boolean;
}

export class ReaderSet {
  readonly #framer = new PacketFramer();
  readonly #running = new Map<number, Running>();
  /** Bit mask of the readers that selected a PID, by PID. */
  readonly #masks = new Int32Array(PID_COUNT);
  #turn: ReturnType<typeof setImmediate> | undefined;
  /** Number of packets received while there was a reader, selected or not. */
  packets = 0;

  constructor(private readonly options: ReaderSetOptions) {}

  get size(): number {
    return this.#running.size;
  }

  start(id: number, kind: ReaderKind<unknown, unknown, unknown>, options: unknown): void {
    const used = new Set(Array.from(this.#running.values(), ({ bit }) => bit));
    const bit = Array.from({ length: MAX_READERS }, (_, index) => 1 << index).find((one) => !used.has(one));
    const backlog = new Uint8Array(FIRST_BACKLOG);
    const base = {
      pids: new Set<number>(),
      backlog,
      from: 0,
      to: 0,
      dropped: 0,
      unreported: 0,
      isOver: false,
    };
    const running: Running = { id, bit: bit ?? 0, reader: undefined, ...base };
    this.#running.set(id, running);
    if (bit === undefined) {
      this.#end(running, { cause: 'fault', reason: 'too many readers of one stream' });
      return;
    }
    const { clock, wall, post } = this.options;
    this.#guard(running, () => {
      running.reader = kind.start(options, {
        clock,
        wall,
        select: (pids) => this.#select(running, pids),
        post: (value) => {
          if (!running.isOver) post(id, value, kind.transfer(value));
        },
        finish: () => this.stop(id, 'finished'),
      });
    });
  }

  command(id: number, command: unknown): void {
    const running = this.#running.get(id);
    if (running !== undefined) this.#guard(running, () => running.reader?.command?.(command));
  }

  stop(id: number, cause: 'finished' | 'stopped' | 'stream'): void {
    const running = this.#running.get(id);
    if (running === undefined || running.isOver) return;
    this.#guard(running, () => running.reader?.close?.());
    this.#end(running, { cause, reason: null });
  }

  /** Called at the end of the stream: the backlogs are processed first, within the bounds. */
  close(): void {
    for (const running of [...this.#running.values()]) {
      while (!running.isOver && running.to > running.from) this.#slice(running);
      this.stop(running.id, 'stream');
    }
    clearImmediate(this.#turn);
    this.#turn = undefined;
  }

  /** Takes the stream's next bytes, in chunks of any size. Copies selected packets, which are processed later. */
  feed(chunk: Uint8Array): void {
    if (this.#running.size === 0) return;
    this.#framer.scan(chunk, (bytes, from, to) => this.#pick(bytes, from, to));
    if (this.options.isOnlyUse) this.#process(ONLY_USE_MS);
    this.#schedule();
  }

  check(): void {
    for (const running of [...this.#running.values()]) this.#guard(running, () => running.reader?.check?.());
  }

  #pick(bytes: Uint8Array, from: number, to: number): void {
    const masks = this.#masks;
    this.packets += (to - from) / PACKET_SIZE;
    for (let at = from; at < to; at += PACKET_SIZE) {
      const mask = masks[packetPid(bytes, at)] as number;
      if (mask === 0) continue;
      for (const running of this.#running.values())
        if ((running.bit & mask) !== 0) this.#keep(running, bytes, at);
    }
  }

  #keep(running: Running, bytes: Uint8Array, at: number): void {
    if (running.to + PACKET_SIZE > running.backlog.length && !makeRoom(running)) {
      running.dropped += 1;
      running.unreported += 1;
      return;
    }
    running.backlog.set(bytes.subarray(at, at + PACKET_SIZE), running.to);
    running.to += PACKET_SIZE;
  }

  #schedule(): void {
    if (this.#turn !== undefined) return;
    for (const { from, to } of this.#running.values()) {
      if (to === from) continue;
      this.#turn = setImmediate(() => this.#work());
      return;
    }
  }

  #work(): void {
    this.#turn = undefined;
    this.#process(TURN_MS);
    this.#schedule();
  }

  /** One slice of each reader in turn, until the time is up or nothing is left. */
  #process(limitMs: number): void {
    const until = this.options.clock() + limitMs;
    let isBusy = true;
    while (isBusy && this.options.clock() < until) {
      isBusy = false;
      for (const running of [...this.#running.values()]) {
        if (running.to === running.from) continue;
        this.#slice(running);
        isBusy ||= running.to > running.from;
      }
    }
  }

  #slice(running: Running): void {
    const { processing, clock } = this.options;
    const to = Math.min(running.to, running.from + SLICE_PACKETS * PACKET_SIZE);
    const packets = running.backlog.subarray(running.from, to);
    running.from = to;
    const startedAt = clock();
    const before = running.unreported > 0 || packets.length > 0 ? processing() : 0;
    this.#guard(running, () => {
      if (running.unreported > 0) {
        const { unreported } = running;
        running.unreported = 0;
        running.reader?.dropped?.(unreported);
      }
      running.reader?.feed(packets);
    });
    if (running.from === running.to) running.from = running.to = 0;
    if (clock() - startedAt < SLOW_CALL_MS || running.isOver) return;
    const usedMs = Math.round(processing() - before);
    if (usedMs >= SLOW_CALL_MS)
      this.#end(running, { cause: 'fault', reason: `took ${usedMs} ms for ${packets.length} octets` });
  }

  #select(running: Running, pids: Iterable<number>): void {
    for (const pid of running.pids) (this.#masks[pid] as number) &= ~running.bit;
    running.pids = new Set(pids);
    for (const pid of running.pids)
      if (pid >= 0 && pid < PID_COUNT) (this.#masks[pid] as number) |= running.bit;
  }

  #guard(running: Running, act: () => void): void {
    if (running.isOver) return;
    try {
      act();
    } catch (error) {
      this.#end(running, { cause: 'fault', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  #end(running: Running, end: ReaderEnd): void {
    if (running.isOver) return;
    running.isOver = true;
    this.#select(running, []);
    this.#running.delete(running.id);
    running.from = running.to = 0;
    this.options.ended(running.id, { ...end, dropped: running.dropped });
  }
}

/** Moves the rest to the front, or doubles the buffer up to its bound. */
function makeRoom(running: Running): boolean {
  const rest = running.backlog.subarray(running.from, running.to);
  if (running.from > 0) {
    running.backlog.copyWithin(0, running.from, running.to);
  } else {
    if (running.backlog.length >= MAX_BACKLOG) return false;
    const larger = new Uint8Array(Math.min(MAX_BACKLOG, running.backlog.length * 2));
    larger.set(rest);
    running.backlog = larger;
  }
  running.to = rest.length;
  running.from = 0;
  return running.to + PACKET_SIZE <= running.backlog.length;
}
