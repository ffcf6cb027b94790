/**
 * FAKE_TUNE of the conformance suite: `bun source.ts {type} {channel} {tsid}`. The channel selects the
 * behaviour (`channels.ts`); every packet contains its sender (`stamped.ts`).
 */
import { writeSync } from 'node:fs';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import { BURST, CHANNEL, DAMAGE, LAST, LATE_MS, REASON, SPARSE, SPARSE_MS } from './channels.ts';
import { stampedPackets } from './stamped.ts';

const [type = '', channel = '', tsid = ''] = process.argv.slice(2);
const asked = `${type}/${channel}`;
const TICK_MS = 20;
/** 1 MB/s: enough to see that data flows. */
const ORDERLY = 106;
const FAST = 4_256;
const BURST_TICK = 6_650;

let sent = 0;

function send(count: number, spoil: (bytes: Uint8Array) => void = () => {}): void {
  const bytes = stampedPackets(sent, count, process.pid, `${type} ${channel} ${tsid}`);
  spoil(bytes);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  } catch (error) {
    // The reader has disconnected; the `deaf` channel waits to be killed.
    if (asked !== CHANNEL.deaf) throw error;
  }
  sent += count;
}

/** Faults that counters must detect, each separately, with valid packets between them. */
function damage(bytes: Uint8Array): void {
  let packet = 20;
  const next = (): number => {
    packet += 4;
    return packet * PACKET_SIZE;
  };
  for (let index = 0; index < DAMAGE.scrambled; index += 1) {
    const at = next();
    bytes[at + 3] = (bytes[at + 3] ?? 0) | 0x80;
  }
  // A packet on a PID of its own with transport_error_indicator.
  for (let index = 0; index < DAMAGE.transportErrors; index += 1) {
    const at = next();
    bytes[at + 1] = (bytes[at + 1] ?? 0) | 0x80;
    // A discarded packet must leave no gap: the next valid one takes its counter.
    shiftCounters(bytes, at + PACKET_SIZE, -1);
  }
  for (let index = 0; index < DAMAGE.continuityErrors; index += 1) shiftCounters(bytes, next(), 3);
}

/** Shifts the continuity counter of every packet from `from` on. */
function shiftCounters(bytes: Uint8Array, from: number, by: number): void {
  for (let at = from; at < bytes.length; at += PACKET_SIZE) {
    const octet = bytes[at + 3] ?? 0;
    bytes[at + 3] = (octet & 0xf0) | ((octet + by) & 0x0f);
  }
}

async function forEver(count: number, tickMs = TICK_MS, spoil?: (bytes: Uint8Array) => void): Promise<never> {
  const startedAt = performance.now();
  for (let tick = 1; ; tick += 1) {
    send(count, spoil);
    await Bun.sleep(Math.max(0, startedAt + tick * tickMs - performance.now()));
  }
}

async function noise(): Promise<never> {
  const words = `${'noise '.repeat(2_000)}\n`;
  for (;;) {
    for (let line = 0; line < 20; line += 1) process.stderr.write(words);
    await Bun.sleep(1);
  }
}

switch (asked) {
  case CHANNEL.dead:
    process.stderr.write(`${REASON}\n`);
    process.exit(7);
    break;
  case CHANNEL.silent:
    await Bun.sleep(600_000);
    break;
  case CHANNEL.garbage:
    await forEver(ORDERLY, TICK_MS, (bytes) => bytes.fill(0x5a));
    break;
  case CHANNEL.stops:
    send(LAST);
    await Bun.sleep(600_000);
    break;
  case CHANNEL.ends:
    for (let part = 0; part < 10; part += 1) {
      send(LAST / 10);
      await Bun.sleep(TICK_MS * 5);
    }
    process.exit(0);
    break;
  case CHANNEL.deaf:
    process.on('SIGTERM', () => {});
    await forEver(ORDERLY);
    break;
  case CHANNEL.burst:
    while (sent < BURST) {
      send(Math.min(BURST_TICK, BURST - sent));
      await Bun.sleep(TICK_MS);
    }
    await forEver(ORDERLY);
    break;
  case CHANNEL.noisy:
    void noise();
    await forEver(ORDERLY);
    break;
  case CHANNEL.late:
    await Bun.sleep(LATE_MS);
    await forEver(ORDERLY);
    break;
  case CHANNEL.fast:
    await forEver(FAST);
    break;
  case CHANNEL.sparse:
    await forEver(SPARSE, SPARSE_MS);
    break;
  case CHANNEL.damaged:
    send(400, damage);
    // The counters continue from their shifted values.
    {
      const moved = (DAMAGE.continuityErrors * 3 - DAMAGE.transportErrors) & 0x0f;
      await forEver(ORDERLY, TICK_MS, (bytes) => shiftCounters(bytes, 0, moved));
    }
    break;
  default:
    await forEver(ORDERLY);
}
