/**
 * A file of whole packets that only grows. Whatever ended its former life, it is continued at a packet's begin; what
 * an error leaves of a packet is cut off again. One caller at a time.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pid } from '../../arib/ids.ts';
import { PCR_HZ, pcrDifference } from '../../arib/ts/clock.ts';
import { PACKET_SIZE } from '../../arib/ts/packet.ts';
import { StreamStatistics } from '../../arib/ts/statistics.ts';
import { type WallMs, wallMs } from '../../host/clock.ts';
import { clockReferences, type ReceptionSums } from './reception-meter.ts';

/** Half a second of the fastest station holds several clock references. */
const TAIL_BYTES = 4096 * PACKET_SIZE;
/** What a killed process had not told of is a few seconds; more than this is not worth the wait. */
const MAX_RECOUNT_BYTES = 1_400_000 * PACKET_SIZE;
/** Of what is recounted: a few seconds in steps of a tenth of a second, of no fewer packets than tell what most are. */
const STEPS = 64;
const LEAST_STEP_BYTES = 32 * PACKET_SIZE;
const PCR_PER_MS = PCR_HZ / 1000;
const OWNER_WRITES = 0o644;

/** `create`: there must be none. `append`: continues after its content, of which `counted` octets were measured. */
export type FileOpening =
  | { path: string; mode: 'create' }
  | { path: string; mode: 'append'; counted: number };

/** Packets in a row that stayed scrambled for the most part, or did not. */
export interface RecountedRun extends ReceptionSums {
  /** From its first clock reference to the file's last one, ms; null: not known. */
  beforeEndMs: number | null;
}

/** What was found in a file that is continued. */
export interface FormerLife {
  /** What it holds beyond `counted`. */
  recounted: ReceptionSums;
  /** The same in order: where scrambling began and ended. */
  runs: readonly RecountedRun[];
  /** Its last program_clock_reference, 27 MHz; null: none. */
  pcr: number | null;
  /** When it was last written. */
  modifiedAt: WallMs;
}

/** The system's error, with how much of the bytes is in the file all the same: whole packets. */
export class WriteFailure extends Error {
  override readonly name = 'WriteFailure';
  constructor(
    readonly written: number,
    override readonly cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause));
  }
}

export class RecordedFile {
  private constructor(
    readonly path: string,
    readonly former: FormerLife | undefined,
    readonly handle: FileHandle,
    private length: number,
  ) {}

  /** Octets, whole packets. */
  get size(): number {
    return this.length;
  }

  /**
   * @param pcrPid where the clock is, for what is found in the file
   * @throws the system's error
   */
  static async open(opening: FileOpening, pcrPid: Pid | undefined): Promise<RecordedFile> {
    const { path } = opening;
    if (opening.mode === 'create') {
      const made = await mkdir(dirname(path), { recursive: true });
      const handle = await open(path, 'ax', OWNER_WRITES);
      try {
        // The name itself is durable only once the folder is on disk, and those that were made for it.
        await asFarAsItCan(() => handle.sync());
        await syncFolder(dirname(path));
        for (let at = dirname(path); made !== undefined && at.length >= made.length; at = dirname(at)) {
          await syncFolder(dirname(at));
        }
        return new RecordedFile(path, undefined, handle, 0);
      } catch (error) {
        await handle.close();
        // The caller drops its name.
        await unlink(path).catch(() => {});
        throw error;
      }
    }
    // Without O_CREAT: a file that has gone is an error, not created again.
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND);
    try {
      const { size, mtimeMs } = await handle.stat();
      const whole = size - (size % PACKET_SIZE);
      if (whole < size) await handle.truncate(whole);
      const pcr = await lastClock(handle, whole, pcrPid);
      const runs = await recount(handle, opening.counted, whole, { pid: pcrPid, last: pcr });
      const former = { recounted: sumOf(runs), runs, pcr: pcr ?? null, modifiedAt: wallMs(mtimeMs) };
      return new RecordedFile(path, former, handle, whole);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** @throws WriteFailure */
  async append(bytes: Uint8Array): Promise<void> {
    let done = 0;
    try {
      while (done < bytes.length) {
        done += (await this.handle.write(bytes, done, bytes.length - done)).bytesWritten;
      }
      this.length += done;
    } catch (error) {
      const written = await this.#cut();
      throw new WriteFailure(written, error);
    }
  }

  /** @throws the system's error */
  async sync(): Promise<void> {
    await asFarAsItCan(() => this.handle.datasync());
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** Cuts off what a failed write left of a packet; gives how much of the write stays. */
  async #cut(): Promise<number> {
    try {
      const { size } = await this.handle.stat();
      const whole = size - (size % PACKET_SIZE);
      if (whole < size) await this.handle.truncate(whole);
      const written = Math.max(0, whole - this.length);
      this.length = whole;
      return written;
    } catch {
      // The disk is gone. Nothing is claimed to be on it.
      return 0;
    }
  }
}

/**
 * What was found in a file that is not continued; a torn packet is cut off. Undefined when it cannot be read: it is gone,
 * or its folder is away.
 * @param bytes octets of it that were measured
 */
export async function lastLife(part: { path: string; bytes: number }): Promise<FormerLife | undefined> {
  try {
    const file = await RecordedFile.open({ path: part.path, mode: 'append', counted: part.bytes }, undefined);
    await file.close();
    return file.former;
  } catch {
    return undefined;
  }
}

/** @throws the system's error */
export async function syncFolder(path: string): Promise<void> {
  await asFarAsItCan(async () => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** fsync(2) of a file system that cannot: of folders, many shares. */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** What cannot be synced is on its disk when its system likes; no reason not to record there. */
export async function asFarAsItCan(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!CANNOT_SYNC.has((error as { code?: unknown }).code)) throw error;
  }
}

async function recount(
  handle: FileHandle,
  counted: number,
  size: number,
  clock: { pid: Pid | undefined; last: number | undefined },
): Promise<RecountedRun[]> {
  const statistics = new StreamStatistics();
  const aligned = counted - (counted % PACKET_SIZE);
  let at = Math.max(aligned, size - MAX_RECOUNT_BYTES);
  const packets = Math.floor((size - at) / PACKET_SIZE / STEPS);
  const block = new Uint8Array(Math.min(Math.max(packets * PACKET_SIZE, LEAST_STEP_BYTES), TAIL_BYTES));
  const runs: RecountedRun[] = [];
  let before = sumsOf(statistics);
  while (at < size) {
    const length = await fill(handle, block, at, Math.min(block.length, size - at));
    if (length === 0) break;
    statistics.count(block, 0, length);
    at += length;
    const after = sumsOf(statistics);
    const { first } = clockReferences(block.subarray(0, length), clock.pid);
    const beforeEndMs =
      first === undefined || clock.last === undefined ? null : pcrDifference(clock.last, first) / PCR_PER_MS;
    addStep(runs, { ...difference(after, before), beforeEndMs });
    before = after;
  }
  return runs;
}

function addStep(runs: RecountedRun[], step: RecountedRun): void {
  const last = runs.at(-1);
  if (last === undefined || isMostlyScrambled(last) !== isMostlyScrambled(step)) {
    runs.push(step);
    return;
  }
  Object.assign(last, sumOf([last, step]), { beforeEndMs: last.beforeEndMs ?? step.beforeEndMs });
}

function isMostlyScrambled({ packets, scrambled }: ReceptionSums): boolean {
  return scrambled * 2 > packets;
}

function sumsOf({ packets, continuityErrors, transportErrors, scrambled }: StreamStatistics): ReceptionSums {
  return { packets, drops: continuityErrors, errors: transportErrors, scrambled };
}

function difference(after: ReceptionSums, before: ReceptionSums): ReceptionSums {
  return {
    packets: after.packets - before.packets,
    drops: after.drops - before.drops,
    errors: after.errors - before.errors,
    scrambled: after.scrambled - before.scrambled,
  };
}

function sumOf(all: readonly ReceptionSums[]): ReceptionSums {
  const sum = { packets: 0, drops: 0, errors: 0, scrambled: 0 };
  for (const one of all) {
    sum.packets += one.packets;
    sum.drops += one.drops;
    sum.errors += one.errors;
    sum.scrambled += one.scrambled;
  }
  return sum;
}

async function lastClock(
  handle: FileHandle,
  size: number,
  pcrPid: Pid | undefined,
): Promise<number | undefined> {
  const from = Math.max(0, size - TAIL_BYTES);
  const block = new Uint8Array(size - from);
  const length = await fill(handle, block, from, block.length);
  return clockReferences(block.subarray(0, length), pcrPid).last;
}

/** Reads as much as is wanted, less at the file's end. */
async function fill(handle: FileHandle, into: Uint8Array, from: number, wanted: number): Promise<number> {
  let done = 0;
  while (done < wanted) {
    const { bytesRead } = await handle.read(into, done, wanted - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}
