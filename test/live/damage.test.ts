/**
 * Damaged reception through encoder and fragments: picture and sound stay in sync and memory stays bounded.
 * The stream is generated and damaged as fast as the machine can.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import { liveCommand, VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { TimeGuard } from '../../src/reception/time-guard.ts';
import { timeStamp } from '../stream-builder.ts';
import { flashes, onsets, pictures, sound } from './media.ts';
import { prepareAir, received } from './rig.ts';

const VIDEO = 0x100;
const SOUND = 0x110;
const PACKET = 188;
const SECONDS = 9;
/**
 * Just before the 33-bit clock of the broadcaster wraps for the 300th time: 300 * 2^33 / 90 ms after its
 * zero.
 */
const WRAP_AT = Date.UTC(2025, 0, 1) + Math.round((300 * 2 ** 33) / 90);

const HOUR_MS = 3_600_000;
/**
 * Over an hour ahead of the stream: more than half a gigabyte of silence. A larger value would endanger the
 * machine if the test fails.
 */
const WRONG_TIME = timeStamp(2, 4_500 * 90_000);
const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');

let air: Uint8Array;
beforeAll(async () => {
  await prepareAir();
  air = await received(SECONDS, WRAP_AT + HOUR_MS);
});

function* packets(stream: Uint8Array): Generator<{ packet: Uint8Array; pid: number; starts: boolean }> {
  for (let at = 0; at + PACKET <= stream.length; at += PACKET) {
    const packet = stream.slice(at, at + PACKET);
    const [, high = 0, low = 0] = packet;
    yield { packet, pid: ((high & 0x1f) << 8) | low, starts: (high & 0x40) !== 0 };
  }
}

interface Encoded {
  file: Uint8Array;
  /** Peak memory of the encoder. */
  megabytes: number;
}

/**
 * Peak resident memory of a running process. (The rusage that a parent gets after exit includes the parent's
 * own memory between fork and exec.)
 */
function peakMegabytes(pid: number): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(peak ?? 0) / 1024;
  } catch {
    // The process has exited.
    return 0;
  }
}

/** Like the worker of a station, without its timeouts. */
async function encode(stream: Uint8Array): Promise<Encoded> {
  const believed = new TimeGuard([VIDEO, SOUND]).feed(stream);
  if (encoder === undefined || believed === 'jump') throw new Error('nothing to encode');
  const command = liveCommand({
    ffmpeg: 'ffmpeg',
    video: { pid: VIDEO, kind: 'mpeg2', encoder },
    audio: { pid: SOUND, side: 'both', codec: 'aac' },
  });
  const child = Bun.spawn(command, { stdin: believed, stdout: 'pipe', stderr: 'ignore' });
  const fragmenter = new Fragmenter();
  const parts: Uint8Array[] = [];
  let megabytes = 0;
  for await (const chunk of child.stdout) {
    megabytes = Math.max(megabytes, peakMegabytes(child.pid));
    for (const piece of fragmenter.feed(chunk)) {
      if (piece.kind === 'jump') throw new Error('the times jump');
      parts.push(piece.bytes);
    }
  }
  await child.exited;
  return { file: Uint8Array.from(Buffer.concat(parts)), megabytes };
}

/** For every flash after `from` with a beep near it: offset in seconds. */
async function offsets(file: Uint8Array, from = 0): Promise<number[]> {
  const beeps = onsets(await sound(file));
  return flashes(await pictures(file)).flatMap((flash) => {
    if (flash < from) return [];
    const nearest = Math.min(...beeps.map((beep) => Math.abs(beep - flash)));
    return nearest < 0.5 ? [nearest] : [];
  });
}

describe('live encoding', () => {
  test('keeps picture and sound in sync after packets of both were lost', async () => {
    const total = air.length / PACKET;
    const kept = [...packets(air)].filter(({ pid }, index) => {
      // Drops one in 7 of the sound's packets, and bursts of everything; without the start of a beep its time
      // would be lost.
      if (index < total * 0.25 || index > total * 0.75) return true;
      return index % 1500 > 60 && !(pid === SOUND && index % 7 === 0);
    });
    const { file } = await encode(Uint8Array.from(Buffer.concat(kept.map(({ packet }) => packet))));
    const found = await offsets(file, SECONDS * 0.75);
    expect(found.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...found)).toBeLessThan(0.04);
  });

  test('survives a wrong time stamp of the sound without gigabytes of silence and without muting', async () => {
    let wrong = 0;
    const damaged = [...packets(air)].map(({ packet, pid, starts }, index) => {
      if (pid !== SOUND || !starts || wrong > 0 || index < air.length / PACKET / 3) return packet;
      const prefix = packet.findIndex(
        (_, at) => packet[at] === 0 && packet[at + 1] === 0 && packet[at + 2] === 1,
      );
      packet.set(WRONG_TIME, prefix + 9);
      wrong += 1;
      return packet;
    });
    const { file, megabytes } = await encode(Uint8Array.from(Buffer.concat(damaged)));
    expect(wrong).toBe(1);
    expect(megabytes).toBeGreaterThan(20);
    expect(megabytes).toBeLessThan(400);
    const found = await offsets(file);
    expect(found.length).toBeGreaterThanOrEqual(SECONDS - 3);
    expect(Math.max(...found)).toBeLessThan(0.04);
  });

  test('continues over a wrap of the stamps', async () => {
    const { file } = await encode(await received(SECONDS - 3, WRAP_AT - 3_000));
    const times = (await pictures(file)).map(({ time }) => time);
    // The first and last pictures may refer to some that are not in the stream.
    const steps = times.slice(10, -3).map((time, index) => time - (times[index + 9] ?? 0));
    expect(times[0]).toBeLessThan(0.5);
    expect(Math.max(...steps)).toBeLessThan(0.05);
    expect(Math.min(...steps)).toBeGreaterThan(0.02);
    const found = await offsets(file);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...found)).toBeLessThan(0.04);
  });
});
