/** Programmes that do not keep to what was announced, from the air to the file: nothing of them is missing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { INVENTED_REGION, terrestrialNetwork, terrestrialService } from '../../synth/scenario/identity.ts';
import { BEFORE, Evening, type Outcome } from './evening.ts';

let evening: Evening;

/** The station of a channel, by its place in the list. */
const stationOf = (index: number) => ({
  networkId: terrestrialNetwork(INVENTED_REGION, index),
  serviceId: terrestrialService(INVENTED_REGION, index, 'tv', 0),
});
const HOUR_SEC = 3600;

const AIR = {
  T20: [{ at: 0, durationSec: 8, title: '二度延びる試合', overrunSec: 8, overrunSteps: 2, noticeSec: 2 }],
  T21: [
    {
      at: 0,
      durationSec: 8,
      title: '終わりの決まらない試合',
      overrunSec: 8,
      undefinedEnd: true,
      noticeSec: 1,
    },
  ],
  T22: [
    { at: -HOUR_SEC, durationSec: HOUR_SEC, title: BEFORE, overrunSec: 8, undefinedEnd: true, noticeSec: 0 },
    { at: 0, durationSec: 9, title: '遅れる映画' },
  ],
  T23: [{ at: 0, durationSec: 8, title: 'リレーする試合', relayTo: stationOf(4) }],
  T24: [{ at: 8, durationSec: 8, title: 'リレーのつづき' }],
  T25: [{ at: 0, durationSec: 10, title: '番号の変わる番組', overrunSec: 4, overrunSteps: 1, noticeSec: 2 }],
  T26: [
    {
      at: 0,
      durationSec: 12,
      title: '中断される映画',
      interruption: { afterSec: 4, forSec: 5, title: '緊急ニュース' },
    },
  ],
  T27: [{ at: 0, durationSec: 14, title: '黙って延びる番組' }],
  T28: [
    {
      at: 0,
      durationSec: 12,
      title: '番号を変えて再開する映画',
      interruption: { afterSec: 4, forSec: 5, title: '緊急放送', newId: true },
    },
  ],
};
const BOOKED = Object.values(AIR).flatMap((shows) =>
  shows.map(({ title }) => title).filter((title) => title !== BEFORE && title !== 'リレーのつづき'),
);

beforeAll(async () => {
  evening = await Evening.start(AIR, 'GR:9');
  const window = (from: number, to: number) => ({ from: evening.at(from), to: evening.at(to) });
  // Present/following says eight seconds; it goes on for fourteen.
  const short = { kind: 'eit', channel: 'T27', ...window(-HOUR_SEC, 14) };
  evening.air.fault({ ...short, which: 'present', longerSec: -6, ...window(0, 14) });
  evening.air.fault({ ...short, which: 'following', delaySec: -6, ...window(0, 14) });
  evening.air.fault({ kind: 'eit', channel: 'T25', which: 'present', newId: true, ...window(4, 60) });
  for (const title of BOOKED) await evening.book(title);
}, 60_000);

afterAll(() => evening?.close());

/** All of it, from its real start to its real end, and nothing that was not sent. */
function whole({ kept, told, loss, verdict }: Outcome, from: number, to: number): void {
  expect({ told, level: verdict.level, gaps: verdict.gaps }).toEqual({
    told: { from, to },
    level: 'complete',
    gaps: [],
  });
  expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
  // Pictures are sent up to a second before they are shown.
  expect(kept.from).toBeLessThan(from - 1);
  expect(kept.to).toBeGreaterThan(to);
}

describe('from its real start to its real end', () => {
  test('a programme that is extended twice while it is on', async () => {
    whole(await evening.outcome('二度延びる試合', 'T20'), 0, 16);
  }, 60_000);

  test('one whose end is not known until it is near', async () => {
    whole(await evening.outcome('終わりの決まらない試合', 'T21'), 0, 16);
  }, 60_000);

  test('one that waits for the one before, of which nobody knows when it ends', async () => {
    const outcome = await evening.outcome('遅れる映画', 'T22');
    whole(outcome, 8, 17);
    // Its tuner was held from the announced start on.
    expect(outcome.kept.from).toBeLessThan(-1);
  }, 60_000);

  test('one of which the tables tell another end than the air has', async () => {
    const { kept, loss, verdict } = await evening.outcome('黙って延びる番組', 'T27');
    expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
    expect(verdict.level).toBe('complete');
    expect(kept.from).toBeLessThan(-1);
    expect(kept.to).toBeGreaterThan(14);
  }, 60_000);

  test('one that goes on under another id', async () => {
    whole(await evening.outcome('番号の変わる番組', 'T25'), 0, 14);
    expect(await evening.recordings('番号の変わる番組')).toHaveLength(1);
  }, 60_000);

  test('one that other news break into', async () => {
    whole(await evening.outcome('中断される映画', 'T26'), 0, 17);
    expect(await evening.recordings('中断される映画')).toHaveLength(1);
  }, 60_000);

  test('one that other news break into and that goes on under another id', async () => {
    const { kept, loss, verdict } = await evening.outcome('番号を変えて再開する映画', 'T28');
    expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
    expect(verdict.level).toBe('complete');
    expect(kept.from).toBeLessThan(-1);
    expect(kept.to).toBeGreaterThan(17);
  }, 60_000);

  test('one that goes on on another station, as two recordings', async () => {
    whole(await evening.outcome('リレーする試合', 'T23'), 0, 8);
    whole(await evening.outcome('リレーのつづき', 'T24'), 8, 16);
  }, 60_000);
});
