import { expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import type { Track, Transmission } from '../caption/track.ts';
import { CaptionSource } from './caption-source.ts';

const PACKET = 188;
const WINDOW = 900_000;

function track(all: readonly Transmission[]): Track {
  return { transmissions: (from, to) => all.filter(({ due }) => due >= from && due < to) };
}

function send(source: CaptionSource, count: number): { due: number; bytes: Uint8Array }[] {
  return Array.from({ length: count }, () => {
    const { due } = source;
    const bytes = new Uint8Array(PACKET);
    source.emit(bytes, 0);
    return { due, bytes };
  });
}

test('a PES packet begins a packet, ends by an adaptation field, and keeps its rate', () => {
  const source = new CaptionSource(track([{ due: 1_000, pes: new Uint8Array(200).fill(0xaa) }]), pid(0x130));
  source.seek(0);
  const [first, second] = send(source, 2);
  // PUSI and PID; payload only, counter 0.
  expect([...(first?.bytes.subarray(0, 5) ?? [])]).toEqual([0x47, 0x41, 0x30, 0x10, 0xaa]);
  // Counter 1; adaptation field of 167 bytes with no flags; 16 bytes are left.
  expect([...(second?.bytes.subarray(0, 6) ?? [])]).toEqual([0x47, 0x01, 0x30, 0x31, 167, 0]);
  expect(second?.bytes.subarray(6, PACKET - 16).every((byte) => byte === 0xff)).toBe(true);
  expect(second?.bytes.subarray(PACKET - 16).every((byte) => byte === 0xaa)).toBe(true);
  // 188 bytes at 256 kbit/s are 528.75 ticks.
  expect([first?.due, second?.due]).toEqual([1_000, 1_529]);
});

test('one byte too few is an adaptation field of no length', () => {
  const source = new CaptionSource(track([{ due: 0, pes: new Uint8Array(183).fill(0xaa) }]), pid(0x130));
  source.seek(0);
  expect([...(send(source, 1)[0]?.bytes.subarray(3, 6) ?? [])]).toEqual([0x30, 0, 0xaa]);
});

test('a packet due while another is sent follows it; others wait for their time', () => {
  const transmissions = [0, 100, 50_000, WINDOW, 5 * WINDOW + 3].map((due, index) => ({
    due,
    pes: new Uint8Array(10).fill(index),
  }));
  const source = new CaptionSource(track(transmissions), pid(0x130));
  source.seek(0);
  const sent = send(source, 9).filter(({ bytes }) => (bytes[1] ?? 0) === 0x41);
  expect(sent.map(({ due, bytes }) => [due, bytes[PACKET - 1]])).toEqual([
    [0, 0],
    [529, 1],
    [50_000, 2],
    [WINDOW, 3],
    [5 * WINDOW + 3, 4],
  ]);
  source.seek(60_000);
  expect(send(source, 1)[0]?.due).toBe(WINDOW);
});

test('an empty window costs one null packet', () => {
  const source = new CaptionSource(track([]), pid(0x130));
  source.seek(0);
  const sent = send(source, 3);
  expect(sent.map(({ due }) => due)).toEqual([WINDOW, 2 * WINDOW, 3 * WINDOW]);
  expect(sent.every(({ bytes }) => bytes[1] === 0x1f && bytes[2] === 0xff)).toBe(true);
});
