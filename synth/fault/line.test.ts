import { describe, expect, test } from 'bun:test';
import { STC_ZERO } from '../clock.ts';
import { Field, ScenarioError } from '../scenario/fields.ts';
import { readFault } from './file.ts';
import { Line } from './line.ts';
import type { Fault } from './model.ts';

const PACKET = 188;
const VIDEO = 0x100;
const OTHER = 0x1f0;
const MAIN_AUDIO = 0x110;
const OTHER_AUDIO = 0x111;
const CAPTIONS = 0x130;
/** One packet per millisecond. */
const momentOf = (index: number): number => STC_ZERO + index;

/** Packets with a running number in their payload, alternating between two PIDs. */
function packets(count: number, first = 0): Uint8Array {
  const bytes = new Uint8Array(count * PACKET);
  const view = new DataView(bytes.buffer);
  for (let number = 0; number < count; number++) {
    const at = number * PACKET;
    const pid = number % 2 === 0 ? VIDEO : OTHER;
    bytes.set([0x47, pid >> 8, pid & 0xff, 0x10], at);
    view.setUint32(at + 4, first + number);
  }
  return bytes;
}

function numbers(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: bytes.length / PACKET }, (_, index) => view.getUint32(index * PACKET + 4));
}

function fault(json: object): Fault {
  return readFault(new Field(json, 'faults[0]'));
}

function lineOf(...faults: Fault[]): Line {
  const station = {
    serviceId: 1,
    clock: VIDEO,
    audios: [MAIN_AUDIO, OTHER_AUDIO],
    captions: CAPTIONS,
    media: new Set([VIDEO, MAIN_AUDIO, OTHER_AUDIO, CAPTIONS]),
  };
  return new Line({ faults: { current: faults }, stations: [station] });
}

function arriving(line: Line, count: number, first = 0) {
  const bytes = packets(count, first);
  const { length, end } = line.pass(bytes, first, momentOf);
  return { bytes: bytes.subarray(0, length), end };
}

const iso = (ms: number): string => new Date(STC_ZERO + ms).toISOString();

describe('the transmission path', () => {
  test('is clear without faults', () => {
    const { bytes, end } = arriving(lineOf(), 50);
    expect(bytes).toEqual(packets(50));
    expect(end).toBeNull();
  });

  test('loses the configured share, and the same packets in every tuning, wherever its blocks begin', () => {
    const lossy = fault({ kind: 'loss', rate: 0.01 });
    const whole = numbers(arriving(lineOf(lossy), 100_000).bytes);
    expect(Math.abs(whole.length - 99_000)).toBeLessThan(350);
    const line = lineOf(lossy);
    const pieces = [0, 33_333, 70_001].flatMap((from, index, all) =>
      numbers(arriving(line, (all[index + 1] ?? 100_000) - from, from).bytes),
    );
    expect(pieces).toEqual(whole);
  });

  test('loses consecutive packets in a burst', () => {
    const kept = numbers(arriving(lineOf(fault({ kind: 'loss', rate: 0.02, burst: 50 })), 50_000).bytes);
    const gaps = kept.slice(1).map((number, index) => number - (kept[index] ?? 0) - 1);
    expect(gaps.filter((gap) => gap > 0).every((gap) => gap % 50 === 0)).toBe(true);
    expect(kept.length).toBeLessThan(50_000);
  });

  test('damages only the configured part', () => {
    const { bytes } = arriving(
      lineOf(fault({ kind: 'corrupt', rate: 0.1, flagged: true, pids: [VIDEO] })),
      2_000,
    );
    const clean = packets(2_000);
    let damaged = 0;
    for (let at = 0; at < bytes.length; at += PACKET) {
      const same = Buffer.compare(bytes.subarray(at, at + PACKET), clean.subarray(at, at + PACKET)) === 0;
      if (same) continue;
      damaged += 1;
      expect((at / PACKET) % 2).toBe(0);
      expect((bytes[at + 1] ?? 0) & 0x80).toBe(0x80);
      expect(bytes[at]).toBe(0x47);
    }
    expect(damaged).toBeGreaterThan(50);
    expect(damaged).toBeLessThan(160);
  });

  /** PID, counter and number of each packet with payload that arrives, and of which PID the others are. */
  function absentOf(counters: string) {
    const line = lineOf(fault({ kind: 'absent', pids: [VIDEO], counters, from: iso(20), to: iso(61) }));
    const bytes = packets(200);
    for (let number = 0; number < 200; number += 1) {
      const at = number * PACKET;
      bytes[at + 3] = 0x10 | ((number >> 1) & 0x0f);
      // Every tenth packet of the stream has a clock reference.
      if (number % 20 === 0) bytes.set([0x30 | ((number >> 1) & 0x0f), 7, 0x10, 1, 2, 3, 4, 5, 6], at + 3);
    }
    const { length } = line.pass(bytes, 0, momentOf);
    const found = [];
    for (let at = 0; at < length; at += PACKET) {
      if (bytes[at + 2] !== (VIDEO & 0xff)) continue;
      const control = bytes[at + 3] ?? 0;
      found.push({ counter: control & 15, hasPayload: (control & 0x10) !== 0 });
    }
    return found;
  }

  test.each(['continued', 'matching'])('hides that a stream is absent: counters %s', (counters) => {
    const found = absentOf(counters);
    const passed = found.filter(({ hasPayload }) => hasPayload);
    for (const [index, { counter }] of passed.entries()) expect(counter).toBe(index & 15);
    // 20 packets are absent, or a multiple of 16; their clock references are sent.
    expect(passed.length).toBe(counters === 'continued' ? 100 - 21 : 100 - 32);
    expect(found.length - passed.length).toBe(counters === 'continued' ? 3 : 4);
  });

  test('exchanges the PIDs of two streams, and makes payloads random', () => {
    const swapped = arriving(lineOf(fault({ kind: 'swap', pids: [VIDEO, OTHER] })), 4).bytes;
    expect(numbers(swapped)).toEqual([0, 1, 2, 3]);
    expect([2, PACKET + 2].map((at) => swapped[at])).toEqual([OTHER & 0xff, VIDEO & 0xff]);
    const noisy = arriving(lineOf(fault({ kind: 'noise', pids: [VIDEO] })), 4).bytes;
    const clean = packets(4);
    for (const number of [0, 1, 2, 3]) {
      const [from, to] = [number * PACKET, (number + 1) * PACKET];
      expect(noisy.subarray(from, from + 4)).toEqual(clean.subarray(from, from + 4));
      const isSame = Buffer.compare(noisy.subarray(from, to), clean.subarray(from, to)) === 0;
      expect(isSame).toBe(number % 2 === 1);
    }
  });

  test('is silent in a stall and continues at the current position of the broadcast', () => {
    const line = lineOf(fault({ kind: 'stall', from: iso(10), to: iso(20) }));
    expect(numbers(arriving(line, 30).bytes)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => index),
      ...Array.from({ length: 10 }, (_, index) => 20 + index),
    ]);
  });

  test('faults can be periodic', () => {
    const line = lineOf(fault({ kind: 'stall', everySec: 0.01, forSec: 0.004 }));
    expect(numbers(arriving(line, 20).bytes)).toEqual([4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 18, 19]);
  });

  test('ends when configured', () => {
    const { bytes, end } = arriving(lineOf(fault({ kind: 'end', from: iso(7), exitCode: 3 })), 20);
    expect(numbers(bytes)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(end).toEqual({ exitCode: 3, message: null });
  });

  test('delivers nothing to a tuning without lock, and everything to one that had it before', () => {
    const lost = fault({ kind: 'no_lock', from: iso(5), to: iso(15) });
    expect(numbers(arriving(lineOf(lost), 10, 10).bytes)).toEqual([15, 16, 17, 18, 19]);
    expect(numbers(arriving(lineOf(lost), 20).bytes).length).toBe(20);
  });

  test('fails without lock when configured', () => {
    const { bytes, end } = arriving(lineOf(fault({ kind: 'no_lock', exitAfterSec: 0.005 })), 20);
    expect(bytes.length).toBe(0);
    expect(end).toEqual({ exitCode: 1, message: 'no signal lock' });
  });

  test('scrambles only elementary streams, and signals it', () => {
    const { bytes } = arriving(lineOf(fault({ kind: 'scramble' })), 10);
    for (let number = 0; number < 10; number++) {
      const at = number * PACKET;
      expect((bytes[at + 3] ?? 0) >> 6 >= 2).toBe(number % 2 === 0);
      expect(numbers(bytes.subarray(at, at + PACKET))[0] === number).toBe(number % 2 === 1);
    }
  });
});

test('a sound that is no longer listed is not sent, captions use the PID that is announced', () => {
  const bytes = packets(4);
  for (const [number, pid] of [VIDEO, MAIN_AUDIO, OTHER_AUDIO, CAPTIONS].entries()) {
    bytes.set([pid >> 8, pid & 0xff], number * PACKET + 1);
  }
  const line = lineOf(fault({ kind: 'pmt', audios: 1, captionPid: 0x145 }));
  const { length } = line.pass(bytes, 0, momentOf);
  const pids = [0, 1, 2].map(
    (number) => ((bytes[number * PACKET + 1] ?? 0) << 8) | (bytes[number * PACKET + 2] ?? 0),
  );
  expect([length / PACKET, ...pids]).toEqual([3, VIDEO, MAIN_AUDIO, 0x145]);
});

/** A packet with a PCR, and one that begins a PES packet with PTS and DTS. */
function stamped(base: number, pts: number, dts: number): Uint8Array {
  const bytes = new Uint8Array(2 * PACKET).fill(0xff);
  const half = Math.floor(base / 2);
  bytes.set([0x47, 0x01, 0x00, 0x20, 183, 0x10], 0);
  bytes.set(
    [half >>> 24, half >>> 16, half >>> 8, half, ((base % 2) << 7) | 0x7e | 1, 0x23].map((b) => b & 0xff),
    6,
  );
  const stamp = (prefix: number, ticks: number): number[] => [
    (prefix << 4) | (Math.floor(ticks / 2 ** 30) << 1) | 1,
    Math.floor(ticks / 2 ** 22) & 0xff,
    ((Math.floor(ticks / 2 ** 15) & 0x7f) << 1) | 1,
    Math.floor(ticks / 2 ** 7) & 0xff,
    ((ticks & 0x7f) << 1) | 1,
  ];
  bytes.set([0x47, 0x41, 0x00, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10], PACKET);
  bytes.set([...stamp(3, pts), ...stamp(1, dts)], PACKET + 13);
  return bytes;
}

describe('the clock', () => {
  const passed = (line: Line, bytes: Uint8Array, at: number): Uint8Array => {
    line.pass(bytes, at, momentOf);
    return bytes;
  };

  test('jumps in PCR, PTS and DTS, modulo 2^33', () => {
    const line = lineOf(fault({ kind: 'clock', offsetMs: 1_000 }));
    const near = 2 ** 33 - 45_000;
    expect(passed(line, stamped(near, near + 7, near - 90_000), 5)).toEqual(stamped(45_000, 45_007, near));
  });

  test('signals the discontinuity when configured, once', () => {
    const line = lineOf(fault({ kind: 'clock', offsetMs: -20, announced: true, from: iso(10) }));
    const base = 8_100_001;
    expect(passed(line, stamped(base, base, base), 4)).toEqual(stamped(base, base, base));
    const jumped = stamped(base - 1_800, base - 1_800, base - 1_800);
    jumped[5] = 0x90;
    expect(passed(line, stamped(base, base, base), 12)).toEqual(jumped);
    jumped[5] = 0x10;
    expect(passed(line, stamped(base, base, base), 14)).toEqual(jumped);
  });

  test('passes through zero at the configured time', () => {
    const line = lineOf(fault({ kind: 'wrap', from: iso(50) }));
    const ticks = 50 * 90;
    expect(passed(line, stamped(ticks, ticks + 1, ticks - 1), 50)).toEqual(stamped(0, 1, 2 ** 33 - 1));
  });
});

describe('a fault in a file', () => {
  test('is refused with the invalid field', () => {
    const message = (json: object): string => {
      try {
        fault(json);
      } catch (error) {
        if (error instanceof ScenarioError) return error.message;
        throw error;
      }
      return '';
    };
    expect(message({ kind: 'rain' })).toStartWith('faults[0].kind: ');
    expect(message({ kind: 'loss', rate: 2 })).toStartWith('faults[0].rate: ');
    expect(message({ kind: 'stall', forSec: 1 })).toStartWith('faults[0].everySec: ');
    expect(message({ kind: 'stall', sometimes: true })).toStartWith('faults[0].sometimes: ');
    expect(message({ kind: 'wrap' })).toStartWith('faults[0].from: ');
    expect(message({ kind: 'clock', offsetMs: 1, from: 'soon' })).toStartWith('faults[0].from: ');
  });
});
