import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Airing, episodeKey, isSameEpisode } from './same-episode.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

test('airings that show the same episode have one key', () => {
  const few = fc.constantFrom(null, '1', '2', '波');
  const airing = fc.record({
    episode: fc.record({
      series: fc.constant('灯台'),
      number: few,
      isOfEvent: fc.boolean(),
      subtitle: few,
      title: fc.constantFrom('灯台', '灯台1'),
    }),
    startAt: fc.constantFrom(0, 1, 10 * 3_600_000),
  }) satisfies fc.Arbitrary<Airing>;
  let same = 0;
  fc.assert(
    fc.property(airing, airing, (a, b) => {
      if (!isSameEpisode(a, b)) return;
      same += 1;
      expect(episodeKey(a)).toBe(episodeKey(b));
    }),
    { seed: SEED, numRuns: 2000 },
  );
  expect(same).toBeGreaterThan(50);
});
