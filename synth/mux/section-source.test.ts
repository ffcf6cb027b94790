import { expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import { type Carousel, SectionSource } from './section-source.ts';

const PACKET = 188;

/** A stand-in for a section of a given length, filled with an identifying byte. */
function section(mark: number, length: number): Uint8Array {
  return new Uint8Array(length).fill(mark);
}

function once(period: number, ...bursts: Uint8Array[][]): Carousel {
  return { period, bursts: () => bursts.map((sections) => () => sections) };
}

interface Sent {
  due: number;
  bytes: Uint8Array;
}

function send(source: SectionSource, count: number): Sent[] {
  return Array.from({ length: count }, () => {
    const { due } = source;
    const bytes = new Uint8Array(PACKET);
    source.emit(bytes, 0);
    return { due, bytes };
  });
}

test('a section of several packets begins at a pointer and continues without one', () => {
  const source = new SectionSource(pid(0x12), [once(90_000, [section(0xaa, 200)])]);
  source.seek(0);
  const [first, second] = send(source, 2).map(({ bytes }) => bytes);
  // PUSI and PID, payload only, counter 0; pointer_field 0; 183 bytes of the section.
  expect([...(first?.subarray(0, 6) ?? [])]).toEqual([0x47, 0x40, 0x12, 0x10, 0x00, 0xaa]);
  // No PUSI, counter 1; the other 17 bytes; stuffing.
  expect([...(second?.subarray(0, 4) ?? [])]).toEqual([0x47, 0x00, 0x12, 0x11]);
  expect(second?.subarray(4, 21).every((byte) => byte === 0xaa)).toBe(true);
  expect(second?.subarray(21).every((byte) => byte === 0xff)).toBe(true);
});

test('sections sent together share packets', () => {
  const source = new SectionSource(pid(0x12), [
    once(90_000, [section(1, 200), section(2, 30), section(3, 30)]),
  ]);
  source.seek(0);
  const [, second] = send(source, 2).map(({ bytes }) => bytes);
  // PUSI: a section begins after the 17 bytes that are left of the first.
  expect([...(second?.subarray(0, 5) ?? [])]).toEqual([0x47, 0x40, 0x12, 0x11, 17]);
  expect([...(second?.subarray(5 + 16, 5 + 18) ?? [])]).toEqual([1, 2]);
  expect([...(second?.subarray(5 + 46, 5 + 48) ?? [])]).toEqual([2, 3]);
});

test('the content of one turn is distributed evenly', () => {
  const source = new SectionSource(pid(0x12), [
    once(90_000, [section(1, 10)], [section(2, 10)], [section(3, 10)]),
  ]);
  source.seek(45_000);
  const sent = send(source, 5);
  expect(sent.map(({ due }) => due)).toEqual([60_000, 90_000, 120_000, 150_000, 180_000]);
  expect(sent.map(({ bytes }) => bytes[5])).toEqual([3, 1, 2, 3, 1]);
});

test('packets are sent at intervals that a decoder can process', () => {
  const source = new SectionSource(pid(0x12), [
    once(90_000, [section(1, 1_000)]),
    once(90_000, [section(2, 1_000)]),
  ]);
  source.seek(0);
  const due = send(source, 12).map((sent) => sent.due);
  for (const [index, ticks] of due.slice(1).entries())
    expect(ticks - (due[index] ?? 0)).toBeGreaterThanOrEqual(135);
});

test('a carousel with nothing to send leaves its packet slot empty', () => {
  const source = new SectionSource(pid(0x12), [once(90_000)]);
  source.seek(0);
  const [sent] = send(source, 1);
  expect([...(sent?.bytes.subarray(0, 3) ?? [])]).toEqual([0x47, 0x1f, 0xff]);
});
