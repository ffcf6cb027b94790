/**
 * Writes a multiplex to a file descriptor at the rate of its own clock references. After a short stall of the
 * consumer the output catches up; a consumer slower than the broadcast loses packets, like behind a real
 * tuner. Only the packets of one step are queued.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BroadcastMs } from '../lib/arib/time.ts';
import { momentOf, ticksAt } from './clock.ts';
import type { Line } from './fault/line.ts';
import { PACKET_SIZE } from './media/loop.ts';
import type { Multiplexer } from './mux/multiplexer.ts';

export interface AirOptions {
  /** Moment of the broadcast clock at which it begins. */
  from: BroadcastMs;
  /** Speed relative to real time; 0: as fast as the consumer reads. */
  speed: number;
  /** Broadcast seconds to send; null: unlimited. */
  seconds: number | null;
  /** A consumer that lags by this many broadcast seconds loses the packets in between. */
  maxLagSec: number;
  /** Monotonic milliseconds. */
  now: () => number;
  output: number;
  /** Faults applied to the packets. */
  line: Line;
}

const STEP_MS = 25;
/** Broadcast time generated per step without pacing. */
const UNPACED_TICKS = 9_000;
/** Backoff on a full pipe: first and longest delay, doubling. */
const BUSY_MS = { first: 1, longest: 16 };

/** Writes all bytes. @returns false if the reader closed its end */
async function writeAll(output: number, bytes: Uint8Array): Promise<boolean> {
  let sent = 0;
  let wait = BUSY_MS.first;
  while (sent < bytes.length) {
    try {
      sent += writeSync(output, bytes, sent, bytes.length - sent);
      wait = BUSY_MS.first;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'ECONNRESET') return false;
      if (code !== 'EAGAIN') throw error;
      await sleep(wait);
      wait = Math.min(2 * wait, BUSY_MS.longest);
    }
  }
  return true;
}

/** Why the broadcast ended: as requested, or by a fault. */
interface OffAir {
  exitCode: number;
  message: string | null;
}

const AS_ASKED: OffAir = { exitCode: 0, message: null };

/**
 * Returns when the time is over, the reader closed its end, or a fault ends it. @throws the output's error
 */
export async function goOnAir(multiplexer: Multiplexer, options: AirOptions): Promise<OffAir> {
  const { speed, output } = options;
  const begin = ticksAt(options.from);
  const end = options.seconds === null ? Number.POSITIVE_INFINITY : begin + options.seconds * 90_000;
  const startedAt = options.now();
  const ticksPerMs = 90 * speed;
  const maxLagTicks = options.maxLagSec * 90_000 * Math.max(1, speed);
  let buffer = new Uint8Array(0);
  multiplexer.seek(begin);
  while (multiplexer.packetsUntil(end) > 0) {
    const present = begin + (options.now() - startedAt) * ticksPerMs;
    const target =
      speed === 0
        ? multiplexer.ticks + UNPACED_TICKS
        : present - options.line.delayAt(momentOf(present)) * 90;
    if (speed !== 0 && target - multiplexer.ticks > maxLagTicks) {
      multiplexer.seek(target - STEP_MS * ticksPerMs);
    }
    const count = multiplexer.packetsUntil(Math.min(target, end));
    const size = count * PACKET_SIZE;
    if (buffer.length < size) buffer = new Uint8Array(size);
    const first = multiplexer.packet;
    multiplexer.fill(buffer, count);
    const arrived = options.line.pass(buffer.subarray(0, size), first, (packet) =>
      momentOf(multiplexer.ticksOf(packet)),
    );
    const arriving = buffer.subarray(0, arrived.length);
    if (arriving.length > 0 && !(await writeAll(output, arriving))) return AS_ASKED;
    if (arrived.end !== null) return arrived.end;
    if (speed !== 0) await sleep(STEP_MS);
  }
  return AS_ASKED;
}
