import { afterAll, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from '../lib/arib/ids.ts';
import { type AirOptions, goOnAir } from './air.ts';
import { STC_ZERO } from './clock.ts';
import { Line } from './fault/line.ts';
import { NO_FAULTS } from './fault/model.ts';
import { ClockSource } from './mux/clock-source.ts';
import { Multiplexer } from './mux/multiplexer.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-air-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const CLEAR = new Line({ faults: NO_FAULTS, stations: [] });

/** 27 MHz ticks per packet: 1.5 Mbit/s. */
const PER_PACKET = 27_072;

/** Clock references of the sent packets, in ms after the clock's zero. */
async function air(name: string, options: Partial<AirOptions>): Promise<number[]> {
  const path = join(FOLDER, name);
  const output = openSync(path, 'w');
  const multiplexer = new Multiplexer(PER_PACKET, [new ClockSource(pid(0x1ff), PER_PACKET, () => 0)]);
  await goOnAir(multiplexer, {
    from: STC_ZERO,
    speed: 1,
    seconds: null,
    maxLagSec: 2,
    now: () => 0,
    output,
    line: CLEAR,
    ...options,
  });
  closeSync(output);
  const bytes = readFileSync(path);
  const references: number[] = [];
  for (let at = 0; at < bytes.length; at += 188) {
    if (bytes[at + 5] === 0x10) references.push(bytes.readUInt32BE(at + 6) / 45);
  }
  return references;
}

test('as fast as possible, it sends the whole requested time', async () => {
  const references = await air('all.ts', { speed: 0, seconds: 10 });
  expect(references[0]).toBeCloseTo(0, 0);
  expect(references.at(-1)).toBeWithin(9_960, 10_000);
  for (const [index, at] of references.slice(1).entries())
    expect(at - (references[index] ?? 0)).toBeLessThan(60);
});

test('it catches up after a short stall', async () => {
  const clock = [0, 100, 1_600, 1_700, 4_000];
  const references = await air('stall.ts', { seconds: 2, now: () => clock.shift() ?? 10_000 });
  for (const [index, at] of references.slice(1).entries())
    expect(at - (references[index] ?? 0)).toBeLessThan(60);
});

test('packets that a consumer could not take for long are dropped', async () => {
  const clock = [0, 100, 20_100, 20_200, 20_300];
  const references = await air('skip.ts', { seconds: 20.3, now: () => clock.shift() ?? 20_400 });
  const gaps = references.slice(1).map((at, index) => at - (references[index] ?? 0));
  expect(gaps.filter((gap) => gap > 60)).toHaveLength(1);
  expect(Math.max(...gaps)).toBeWithin(19_900, 20_100);
  expect(references.at(-1)).toBeGreaterThan(20_200);
});

test('a delayed delivery sends everything later, and catches up at once when the delay is over', async () => {
  const late = { kind: 'late', byMs: 3000, type: null, channel: null, every: null } as const;
  const faults = { current: [{ ...late, from: STC_ZERO + 1000, to: STC_ZERO + 8000 }] };
  const steps = Array.from({ length: 41 }, (_, index) => index * 250);
  const ends: number[] = [];
  let now = 0;
  const line = new (class extends Line {
    override pass(...args: Parameters<Line['pass']>): ReturnType<Line['pass']> {
      const [bytes, first, momentOf] = args;
      ends[now] = momentOf(first + bytes.length / 188) - STC_ZERO;
      return super.pass(...args);
    }
  })({ faults, stations: [] });
  const references = await air('delayed.ts', {
    ...{ seconds: 9.9, maxLagSec: 60, line },
    now: () => (now = steps.shift() ?? now + 250),
  });
  for (const [index, at] of references.slice(1).entries())
    expect(at - (references[index] ?? 0)).toBeLessThan(60);
  const at = (moment: number): number => ends[moment] ?? Number.NaN;
  expect([at(750), at(2000), at(6000), at(8250)].map((end) => Math.round(end / 100))).toEqual([8, 8, 30, 83]);
});

test('everything is sent, late, to a consumer that may lag that far', async () => {
  const clock = [0, 100, 20_100, 20_200, 20_300];
  const references = await air('late.ts', {
    ...{ seconds: 20.3, maxLagSec: 60 },
    now: () => clock.shift() ?? 20_400,
  });
  for (const [index, at] of references.slice(1).entries())
    expect(at - (references[index] ?? 0)).toBeLessThan(60);
});
