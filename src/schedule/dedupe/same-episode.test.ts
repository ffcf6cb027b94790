import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { type Episode, readEpisode } from './episode.ts';
import { type EpisodeAiring, episodeKey, isSameEpisode, sameEpisodes } from './same-episode.ts';

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
    startAt: fc.constantFrom(...[0, 1, 10 * 3_600_000].map(broadcastMs)),
  }) satisfies fc.Arbitrary<EpisodeAiring>;
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

/** A title, or a title with its summary. */
type Form = string | readonly [name: string, description: string];

function read(form: Form): Episode {
  const [name, description = ''] = typeof form === 'string' ? [form] : form;
  return readEpisode({ name, description, extended: null });
}

describe('sameEpisodes', () => {
  const groups = (forms: readonly (readonly [Form, number])[]): number[][] => {
    const airings = forms.map(([form, startAt], index) => ({
      episode: read(form),
      startAt: broadcastMs(startAt),
      index,
    }));
    return sameEpisodes(airings).map((group) => group.map(({ index }) => index));
  };

  test('series, number and subtitle must be the same', () => {
    const forms: [Form, number][] = [
      ['星の港 #3「波」', 0],
      ['星の港 第3話「波」[再]', 9],
      ['星の港 #3「風」', 20],
      ['星の港 #4「波」', 30],
      ['月の港 #3「波」', 40],
      ['星の港 Season2 #3「波」', 50],
    ];
    expect(groups(forms)).toEqual([[0, 1], [2], [3], [4], [5]]);
  });

  test('a missing subtitle matches a single known one, but none of several', () => {
    expect(
      groups([
        ['星の港 #3', 0],
        ['星の港 #3「波」', 9],
        ['星の港(3)', 20],
      ]),
    ).toEqual([[0, 1, 2]]);
    expect(
      groups([
        ['星の港 #3', 0],
        ['星の港 #3「波」', 9],
        ['星の港 #3「風」', 20],
        ['星の港(3)', 30],
      ]),
    ).toEqual([[0, 3], [1], [2]]);
    expect(
      groups([
        ['星の港「波」', 0],
        ['星の港「波」', 9],
        ['星の港「風」', 9],
      ]),
    ).toEqual([[0, 1], [2]]);
  });

  test('without number and subtitle only a simulcast is the same episode', () => {
    expect(
      groups([
        ['港のニュース', 0],
        ['港のニュース[字]', 0],
        ['港のニュース', 9],
        ['海のニュース', 0],
      ]),
    ).toEqual([[0, 1], [2], [3]]);
  });

  const HOUR = 3_600_000;

  test('the number of an event alone does not identify an episode', () => {
    for (const form of ['球の祭典　第１試合', '第74回歌の祭典', '球の祭典 第５節', '囲碁の時間 第4局'])
      expect([
        form,
        groups([
          [form, 0],
          [`${form}[字]`, 0],
          [form, 2 * HOUR],
          [form, 24 * HOUR],
        ]),
      ]).toEqual([form, [[0, 1], [2], [3]]]);
  });

  test('an event continued after the news is one, a repeat on another day is the same episode', () => {
    const form = '球の祭典　第１試合　北高×南高';
    expect(
      groups([
        [form, 0],
        [form, 2 * HOUR],
        ['球の祭典　第１試合　東高×西高', 2 * HOUR],
        [form, 30 * HOUR],
        [form, 32 * HOUR],
        [form, 60 * HOUR],
      ]),
    ).toEqual([[0, 3, 5], [1, 4], [2]]);
  });

  test('a weekly digest is not the episode with the number of the week', () => {
    expect(
      groups([
        ['連続テレビ小説　こもれび（１）「秋の風」', 0],
        ['連続テレビ小説　こもれび　第１週「秋の風」', 5 * 24 * HOUR],
      ]),
    ).toEqual([[0], [1]]);
  });

  test('comparing two airings gives the same as a list of two', () => {
    const forms = [
      '星の港 #3',
      '星の港 #3「波」',
      '星の港「波」',
      '星の港',
      '星の港[再]',
      '月の港 #3「波」',
      '星の港 #4',
      '星の港 第3戦 東×西',
      '星の港 第3戦',
    ];
    const airings = forms.flatMap((form) =>
      [0, 9, 12 * HOUR].map((startAt) => ({ episode: read(form), startAt: broadcastMs(startAt) })),
    );
    for (const a of airings) {
      for (const b of airings)
        expect([a, b, isSameEpisode(a, b)]).toEqual([a, b, a === b || sameEpisodes([a, b]).length === 1]);
    }
  });
});
