import { describe, expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import type { Loop } from '../media/loop.ts';
import { audioLoop } from '../media/packetise.ts';
import { Random } from '../random.ts';
import { endless, type Playlist, type Stretch } from './playlist.ts';
import { PlaylistSource } from './playlist-source.ts';

const FRAME = 1_920;
const PACKET = 188;

/** Sound of frames of given sizes, all bytes equal. */
function sound(mark: number, ...sizes: number[]): Loop {
  return audioLoop(
    sizes.map((size) => new Uint8Array(size).fill(mark)),
    FRAME,
  );
}

const LOUD = sound(1, 500, 400, 90, 1_200, 700);
const QUIET = sound(2, 20);
const LOOPS = [LOUD, QUIET, sound(3, 300, 301, 302), undefined];

/** An endless sequence of 1 to 40 frames each: a pure function of the frame. */
function mixed(seed: number): Playlist {
  return (frame) => {
    const block = Math.floor(frame / 40);
    const random = new Random('mixed', seed, block);
    const cut = block * 40 + 1 + random.below(39);
    const [first, second] = [LOOPS[random.below(LOOPS.length)], LOOPS[random.below(LOOPS.length)]];
    const begin = block * 40;
    const stretch = (loop: Loop | undefined, from: number, to: number): Stretch => {
      return { loop, from, to, phase: loop === LOUD ? 0 : from };
    };
    return frame < cut ? stretch(first, begin, cut) : stretch(second, cut, begin + 40);
  };
}

interface Sent {
  due: number;
  counter: number;
  bytes: Uint8Array;
}

function send(playlist: Playlist, from: number, count: number): Sent[] {
  const source = new PlaylistSource(pid(0x110), FRAME, playlist);
  source.seek(from);
  return Array.from({ length: count }, () => {
    const { due } = source;
    const bytes = new Uint8Array(PACKET);
    source.emit(bytes, 0);
    expect(source.lastCounter).toBe((bytes[3] ?? 0) & 15);
    return { due, counter: (bytes[3] ?? 0) & 15, bytes };
  });
}

/** 33-bit stamp of a PES packet whose header begins in a packet. */
function ptsOf(packet: Uint8Array): number {
  const at = 4 + (((packet[3] ?? 0) & 0x20) === 0 ? 0 : 1 + (packet[4] ?? 0)) + 9;
  const byte = (offset: number): number => packet[at + offset] ?? 0;
  return (
    ((byte(0) >> 1) & 7) * 2 ** 30 +
    (byte(1) << 22) +
    ((byte(2) >> 1) << 15) +
    (byte(3) << 7) +
    (byte(4) >> 1)
  );
}

describe('a stream of pieces', () => {
  const seed = Math.floor(performance.now() * 1000);
  const playlist = mixed(seed);
  const all = send(playlist, 0, 8_000);

  test('has a continuous counter across every joint', () => {
    for (const [index, { counter }] of all.slice(1).entries())
      expect([seed, index, counter]).toEqual([seed, index, ((all[index]?.counter ?? 0) + 1) & 15]);
  });

  test('is sent in order, with time stamps that match the time', () => {
    for (const [index, { due }] of all.slice(1).entries())
      expect([seed, index, due >= (all[index]?.due ?? 0)]).toEqual([seed, index, true]);
    const begins = all.filter(({ bytes }) => ((bytes[1] ?? 0) & 0x40) !== 0);
    for (const { bytes, due } of begins) {
      const pts = ptsOf(bytes);
      expect(pts % FRAME).toBe(0);
      expect([seed, pts, pts - due]).toEqual([seed, pts, 8_100]);
      const { loop } = playlist(pts / FRAME);
      expect([seed, pts, loop === undefined]).toEqual([seed, pts, false]);
    }
    const frames = new Set(begins.map(({ bytes }) => ptsOf(bytes) / FRAME));
    for (let frame = 10; frame < Math.max(...frames); frame++)
      expect([seed, frame, frames.has(frame)]).toEqual([seed, frame, playlist(frame).loop !== undefined]);
  });

  test('is the same from any entry point', () => {
    const random = new Random('enter', seed);
    for (let round = 0; round < 50; round++) {
      const from = random.below(Math.floor(all.at(-200)?.due ?? 0));
      const first = all.findIndex(({ due }) => due >= from);
      expect([seed, from, send(playlist, from, 100)]).toEqual([seed, from, all.slice(first, first + 100)]);
    }
  });
});

test('a loop without an end continues past its joint, also far from the zero of the clock', () => {
  const from = 5e12;
  const sent = send(endless(LOUD), from, 200);
  for (const [index, { counter }] of sent.slice(1).entries())
    expect(counter).toBe(((sent[index]?.counter ?? 0) + 1) & 15);
  expect(sent[0]?.due ?? 0).toBeGreaterThanOrEqual(from);
});

test('a stream without further data waits forever', () => {
  const nothing = { loop: undefined, from: 0, to: Number.POSITIVE_INFINITY, phase: 0 };
  const source = new PlaylistSource(pid(0x110), FRAME, () => nothing);
  source.seek(12_345);
  expect(source.due).toBe(Number.POSITIVE_INFINITY);
});
