/**
 * Counters, clock references and time stamps are continuous: within a tuning, between two, and across every
 * wrap.
 */
import { expect, test } from 'bun:test';
import { mediaPids, type Packet, packetsOf, stampsOf, ticksAt, truthOf, tune } from './tuning.ts';

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const STC_WRAP = 2 ** 33;
const NULL_PID = 0x1fff;
/** PID of the clock reference of the one-segment station, the channel's third. */
const PARTIAL_CLOCK = 0x3ff;

/** Unwrapped 90 kHz time of a 33-bit stamp that is sent near `near`. */
function unwrap(stamp: number, near: number): number {
  return stamp + Math.round((near - stamp) / STC_WRAP) * STC_WRAP;
}

interface Stamp {
  pid: number;
  pts: number;
  dts: number;
  /** When its packet was sent, 90 kHz. */
  sent: number;
}

/** Checks counters and clock references of a stream. @returns the time stamps of its PES packets */
function inspect(
  stream: Uint8Array,
  at: number,
  media: ReadonlySet<number>,
): { stamps: Stamp[]; pcrs: number[] } {
  const counters = new Map<number, number>();
  const lastPcr = new Map<number, number>();
  const stamps: Stamp[] = [];
  const pcrs: number[] = [];
  const packets = stream.length / 188;
  const first = ticksAt(at);
  let sent = first;
  for (const packet of packetsOf(stream)) {
    const { pid, counter, hasPayload, pcr } = packet;
    if (pid === NULL_PID) continue;
    const before = counters.get(pid);
    if (before !== undefined && hasPayload && counter !== ((before + 1) & 15)) {
      throw new Error(
        `pid ${pid}: counter ${counter} after ${before} at packet ${packet.at / 188} of ${packets}`,
      );
    }
    if (before !== undefined && !hasPayload && counter !== before)
      throw new Error(`pid ${pid}: counted without payload`);
    counters.set(pid, counter);
    if (pcr !== undefined) {
      const ticks = unwrap(Math.floor(pcr / 300), sent);
      const last = lastPcr.get(pid);
      // One-segment references are sent every 225 ms, as measured, although the standard allows less.
      if (last !== undefined) expect(ticks - last).toBeWithin(1, pid === PARTIAL_CLOCK ? 22_500 : 9_000);
      lastPcr.set(pid, ticks);
      pcrs.push(ticks);
      sent = ticks;
    }
    if (media.has(pid) && packet.begins) stamps.push(stampOf(stream, packet, sent));
  }
  return { stamps, pcrs };
}

function stampOf(stream: Uint8Array, packet: Packet, sent: number): Stamp {
  const { pts, dts } = stampsOf(stream, packet);
  return { pid: packet.pid, pts: unwrap(pts, sent), dts: unwrap(dts, sent), sent };
}

function checkStamps(stamps: readonly Stamp[], frameTicks: ReadonlyMap<number, number>): void {
  const lastDts = new Map<number, number>();
  for (const { pid, pts, dts, sent } of stamps) {
    const last = lastDts.get(pid);
    if (last !== undefined) expect(dts - last).toBe(frameTicks.get(pid) ?? 0);
    lastDts.set(pid, dts);
    expect(pts).toBeGreaterThanOrEqual(dts);
    // It is sent before it is decoded, by a second at most.
    expect(dts - sent).toBeWithin(0, 90_000);
  }
}

async function frameTicks(type: string, channel: string): Promise<Map<number, number>> {
  const truth = await truthOf(type, channel, AT);
  const video = truth.stations.map(
    ({ video }) => [video.pid, video.codec === 'h264' ? 6_006 : 3_003] as const,
  );
  return new Map([...video, ...mediaPids(truth).audio.map((pid) => [pid, 1_920] as const)]);
}

/** 64.064 s: the common period of all loops of a channel. */
const ALL_LOOPS_MS = 64_064;

for (const [type, channel] of [
  ['GR', 'T27'],
  ['BS', 'BS01_0'],
] as const) {
  test(`${type} ${channel} is continuous across the ends of all loops`, async () => {
    const frames = await frameTicks(type, channel);
    // From shortly before a moment at which all loops restart.
    const joint = Math.ceil(ticksAt(AT) / 90 / ALL_LOOPS_MS) * ALL_LOOPS_MS;
    const at = AT - ticksAt(AT) / 90 + joint - 3_000;
    const stream = await tune({ type, channel, at, seconds: 70 });
    const { stamps, pcrs } = inspect(stream, at, new Set(frames.keys()));
    checkStamps(stamps, frames);
    expect(pcrs[0]).toBeCloseTo(ticksAt(at), -4);
    expect(new Set(stamps.map(({ pid }) => pid)).size).toBe(frames.size);
  });
}

test('clock references match their position in the stream', async () => {
  const stream = await tune({ type: 'GR', channel: 'T26', at: AT, seconds: 3 });
  const references = [...packetsOf(stream)].filter(({ pcr }) => pcr !== undefined);
  const [first, ...rest] = references;
  for (const { at, pcr } of rest) {
    const bytes = at - (first?.at ?? 0);
    const ticks = (pcr ?? 0) - (first?.pcr ?? 0);
    // Constant rate: the same number of 27 MHz ticks for every packet, within half a tick.
    const perPacket = Math.floor((27_000_000 * 188 * 8) / 4_000_000);
    expect(Math.abs(ticks - (bytes / 188) * perPacket)).toBeLessThanOrEqual(1);
  }
});

test('counters, stamps and references are continuous past the wrap of the 33-bit clock', async () => {
  const frames = await frameTicks('GR', 'T27');
  const wraps = Math.floor(ticksAt(AT) / STC_WRAP);
  const at = AT - ticksAt(AT) / 90 + Math.floor((wraps * STC_WRAP) / 90) - 2_000;
  const stream = await tune({ type: 'GR', channel: 'T27', at, seconds: 5 });
  const { stamps } = inspect(stream, at, new Set(frames.keys()));
  checkStamps(stamps, frames);
  const raw = [...packetsOf(stream)].flatMap(({ pcr }) => (pcr === undefined ? [] : [pcr]));
  expect(Math.max(...raw) - Math.min(...raw)).toBeGreaterThan(STC_WRAP * 200);
});

test('two tunings carry the same pictures and sounds with the same time stamps', async () => {
  const frames = await frameTicks('GR', 'T27');
  const read = async (at: number): Promise<Map<string, string>> => {
    const stream = await tune({ type: 'GR', channel: 'T27', at, seconds: 6 });
    const seen = new Map<string, string>();
    for (const packet of packetsOf(stream)) {
      if (!frames.has(packet.pid) || !packet.begins) continue;
      const { pts, dts } = stampsOf(stream, packet);
      const bytes = stream.subarray(packet.at, packet.at + 188);
      seen.set(`${packet.pid}/${dts}`, `${pts} ${Bun.hash(bytes)}`);
    }
    return seen;
  };
  const early = await read(AT);
  const late = await read(AT + 2_345);
  const both = [...late].filter(([key]) => early.has(key));
  expect(both.length).toBeGreaterThan(300);
  for (const [key, value] of both) expect(early.get(key)).toBe(value);
});
