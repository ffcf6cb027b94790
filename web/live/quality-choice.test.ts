import { describe, expect, test } from 'bun:test';
import { plusMs } from '../../lib/arib/time.ts';
import type { LiveQuality } from '../../lib/wire/api.ts';
import { monotonicMs } from '../../lib/wire/times.ts';
import { EncoderLag, QualityLadder, RawChoice, ReceivedRate, Starvation } from './quality-choice.ts';

const STEP_MS = 500;
const RATES: Readonly<Record<LiveQuality, number>> = {
  ...{ least: 290_000, low: 850_000, middle: 2_000_000, high: 4_300_000 },
};

/** A player on a network of the given bit rate: it stalls while the stream needs more. */
function watch(ladder: QualityLadder, network: (ms: number) => number, seconds: number): LiveQuality[] {
  const seen: LiveQuality[] = [ladder.level];
  const starvation = new Starvation();
  let isStarved = false;
  let received = 0;
  let changedAt = 0;
  for (let at = monotonicMs(0); at <= seconds * 1000; at = plusMs(at, STEP_MS)) {
    const needed = RATES[ladder.level];
    const carried = network(at);
    const bitRate = Math.min(carried, needed);
    received += (bitRate * STEP_MS) / 8_000;
    // Two seconds are buffered.
    isStarved = carried < needed && (isStarved || at - changedAt > 2_000);
    starvation.note({ at, isStarved, received });
    const { since: starvedSince, fedSince } = starvation;
    const quality = ladder.next({ at, bitRate, starvedSince, fedSince }, 'high');
    if (quality === undefined) continue;
    seen.push(quality);
    isStarved = false;
    changedAt = at;
  }
  return seen;
}

describe('QualityLadder', () => {
  test('stays at the top while the network suffices', () => {
    expect(watch(new QualityLadder('high'), () => 20_000_000, 3_600)).toEqual(['high']);
  });

  test('steps down at once, and tries to step up less often after each failure', () => {
    const seen = watch(new QualityLadder('high'), () => 400_000, 3_600);
    expect(seen.slice(0, 4)).toEqual(['high', 'least', 'low', 'least']);
    // Tries after 10, 30, 90, 270 and 600 s, and each 600 s later.
    expect(seen.length).toBeLessThan(24);
    expect(seen.length).toBeGreaterThan(10);
    expect(new Set(seen)).toEqual(new Set(['high', 'least', 'low']));
  });

  test('climbs to the top within a minute once the network is good again', () => {
    const seen = watch(new QualityLadder('high'), (at) => (at < 20_000 ? 300_000 : 10_000_000), 80);
    expect(seen[1]).toBe('least');
    expect(seen.at(-1)).toBe('high');
  });

  test('steps down after three interruptions within 30 s, not after one', () => {
    const ladder = new QualityLadder('high');
    const stumble = (ms: number): LiveQuality | undefined => {
      const [at, later] = [monotonicMs(ms), monotonicMs(ms + 500)];
      const playing = { starvedSince: undefined, fedSince: undefined };
      ladder.next({ at, bitRate: 3_000_000, ...playing }, 'high');
      return ladder.next({ at: later, bitRate: 3_000_000, starvedSince: later, fedSince: later }, 'high');
    };
    expect(stumble(0)).toBeUndefined();
    expect(stumble(60_000)).toBeUndefined();
    expect(stumble(65_000)).toBeUndefined();
    expect(stumble(70_000)).toBe('middle');
  });

  test('a station without data does not count as a slow network, for ten seconds', () => {
    const ladder = new QualityLadder('high');
    const silent = (ms: number) =>
      ladder.next(
        { at: monotonicMs(ms), bitRate: 0, starvedSince: monotonicMs(0), fedSince: undefined },
        'high',
      );
    expect(silent(9_500)).toBeUndefined();
    expect(silent(10_000)).toBe('middle');
  });

  test('a pause of the station that is shorter than that costs no quality, nor does its end', () => {
    const ladder = new QualityLadder('high');
    const rate = new ReceivedRate();
    const starvation = new Starvation();
    let received = 0;
    for (let at = monotonicMs(0); at <= 30_000; at = plusMs(at, STEP_MS)) {
      const sends = at <= 10_000 || at > 18_000;
      if (sends) received += (RATES.high * STEP_MS) / 8_000;
      // Half a second is buffered, and a second is needed to play again.
      const isStarved = at > 10_500 && at <= 19_000;
      rate.note(received, at);
      const { bitRate } = rate;
      starvation.note({ at, isStarved, received });
      const { since: starvedSince, fedSince } = starvation;
      expect([at, ladder.next({ at, bitRate, starvedSince, fedSince }, 'high')]).toEqual([at, undefined]);
    }
  });

  test('a picture now and then does not hide a slow network', () => {
    const ladder = new QualityLadder('high');
    const rate = new ReceivedRate();
    const starvation = new Starvation();
    let received = 0;
    let changedAt: number | undefined;
    for (let at = monotonicMs(0); changedAt === undefined && at <= 30_000; at = plusMs(at, STEP_MS)) {
      // A fragment of half a second comes every five.
      if (at % 5_000 === 0) received += (RATES.high * 500) / 8_000;
      const isStarved = at % 5_000 >= 500;
      rate.note(received, at);
      const { bitRate } = rate;
      starvation.note({ at, isStarved, received });
      const { since: starvedSince, fedSince } = starvation;
      if (ladder.next({ at, bitRate, starvedSince, fedSince }, 'high') === 'least') changedAt = at;
    }
    expect(changedAt).toBeLessThan(10_000);
  });

  test('the wait for one station does not count for the next', () => {
    const starvation = new Starvation();
    const sample = (ms: number, received: number) => ({ at: monotonicMs(ms), isStarved: true, received });
    starvation.note(sample(0, 0));
    starvation.note(sample(2_500, 1_000_000));
    starvation.clear();
    starvation.note(sample(3_000, 1_000_000));
    expect([starvation.since, starvation.fedSince]).toEqual([monotonicMs(3_000), undefined]);
  });

  test('never exceeds the selected quality', () => {
    const ladder = new QualityLadder('low');
    for (let at = monotonicMs(0); at < 600_000; at = plusMs(at, STEP_MS))
      expect(
        ladder.next({ at, bitRate: 800_000, starvedSince: undefined, fedSince: undefined }, 'low'),
      ).toBeUndefined();
  });
});

describe('the cause of a late picture', () => {
  test('a slow encoder leaves its media behind the times of the broadcast, a slow network delays both', () => {
    const lag = new EncoderLag();
    for (const lead of [1.2, 1, 1.6, 1.1]) lag.note(lead);
    expect(lag.isSlow).toBe(false);
    for (const lead of [2.1, 3.2]) lag.note(lead);
    expect(lag.isSlow).toBe(true);
    lag.clear();
    lag.note(3.2);
    expect(lag.isSlow).toBe(false);
  });

  test('the broadcast as it is sent is given up where its picture stands for a third of the time', () => {
    const fallsBackAfter = (stands: (ms: number) => boolean, bitRate: number): number | undefined => {
      const raw = new RawChoice();
      raw.begin();
      for (let at = monotonicMs(0); at <= 120_000; at = plusMs(at, STEP_MS)) {
        const starvedSince = stands(at) ? at : undefined;
        if (raw.isLate({ at, bitRate, starvedSince, fedSince: undefined })) {
          expect(raw.problem).toBe('late');
          return at;
        }
      }
      return undefined;
    };
    expect(fallsBackAfter((ms) => ms % 4_000 < 2_000, 9_000_000)).toBeLessThan(21_000);
    expect(fallsBackAfter((ms) => ms % 20_000 < 2_000, 9_000_000)).toBeUndefined();
    // Nothing comes: another path would bring nothing either.
    expect(fallsBackAfter(() => true, 0)).toBeUndefined();
  });
});
