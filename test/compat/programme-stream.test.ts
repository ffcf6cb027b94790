/**
 * Streams of programmes by the Mirakurun-compatible interface, as EPGStation records them: asked for before the programme,
 * sent from its actual begin to its actual end, and ended cleanly.
 */
import { afterAll, expect } from 'bun:test';
import { BEFORE, ProgrammeChanges } from '../follow/programme-changes.ts';
import { realTime } from '../real-time.ts';

/** Present/following is repeated every 3 s at most, and is used within a second or two on a busy machine. */
const LATE_SEC = 6;
const HOUR_SEC = 3_600;
/** Well after the interruption. */
const RESUMED = 16;

interface Received {
  readonly bytes: Uint8Array;
  readonly isClean: boolean;
  /** Second of the evening at which the head arrived. */
  readonly headAt: number;
}

const AIR = {
  T20: [{ at: 0, durationSec: 8, title: '延びる試合', overrunSec: 8, overrunSteps: 2, noticeSec: 2 }],
  T21: [
    { at: -HOUR_SEC, durationSec: HOUR_SEC, title: BEFORE, overrunSec: 8, undefinedEnd: true, noticeSec: 0 },
    { at: 0, durationSec: 9, title: '遅れる映画' },
  ],
  T22: [
    {
      // An end within half a minute of the announced one is no interruption.
      ...{ at: 0, durationSec: 50, title: '中断される映画' },
      interruption: { afterSec: 5, forSec: 6, title: '緊急ニュース' },
    },
  ],
};

const { prepare, test } = realTime();
let evening: ProgrammeChanges;
const received = new Map<string, Promise<Received>>();

/** @param enough second of the evening at which it is left */
async function streamed(title: string, enough = Number.POSITIVE_INFINITY): Promise<Received> {
  const { id } = await evening.programme(title);
  const url = `http://127.0.0.1:${evening.service.service.compat.mirakurunPort}/api/programs/${id}/stream?decode=1`;
  const response = await fetch(url, { headers: { 'x-mirakurun-priority': '2' } });
  const headAt = (Date.now() - evening.zero) / 1000;
  const parts: Uint8Array[] = [];
  let isClean = false;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (value !== undefined) parts.push(value);
      if (done) break;
      if (evening.stretchOf(Buffer.concat(parts.slice(-4))).to > enough) {
        await reader?.cancel();
        break;
      }
    }
    isClean = true;
  } catch {
    // It broke off.
  }
  return { bytes: Buffer.concat(parts), isClean, headAt };
}

prepare(async () => {
  evening = await ProgrammeChanges.start(AIR, 'GR:3', 1, { MIRAKURUN_PORT: '0' });
  for (const title of ['延びる試合', '遅れる映画']) received.set(title, streamed(title));
  received.set('中断される映画', streamed('中断される映画', RESUMED));
});

afterAll(() => evening.close());

async function stretch(title: string) {
  const stream = await received.get(title);
  if (stream === undefined) throw new Error(`${title} was not asked for`);
  return { ...stream, ...evening.stretchOf(stream.bytes) };
}

test('an extended programme is sent to its actual end', async () => {
  const { from, to, isClean, headAt } = await stretch('延びる試合');
  expect(isClean).toBe(true);
  expect(from).toBeLessThan(LATE_SEC);
  expect(to).toBeGreaterThan(15.5);
  expect(to).toBeLessThan(16 + LATE_SEC);
  // The head comes with the programme, not when it was asked for.
  expect(headAt).toBeGreaterThan(-0.5);
});

test('a delayed programme is waited for', async () => {
  const { from, to, isClean } = await stretch('遅れる映画');
  expect(isClean).toBe(true);
  expect(from).toBeGreaterThan(7.5);
  expect(from).toBeLessThan(8 + LATE_SEC);
  expect(to).toBeGreaterThan(16.5);
});

test('an interrupted programme pauses, and continues in the same stream', async () => {
  const { from, to, isClean, bytes } = await stretch('中断される映画');
  expect(isClean).toBe(true);
  expect(from).toBeLessThan(LATE_SEC);
  expect(to).toBeGreaterThan(RESUMED);
  // What interrupted it is not sent, except until and from the tables that say so.
  const whole = await evening.air.sent('T22', evening.at(from), evening.at(to));
  const share = bytes.length / whole.length;
  expect(share).toBeLessThan(0.85);
});
