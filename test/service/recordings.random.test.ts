/** Random unusual requests about recordings over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../fuzz/random.ts';
import { HOME_STATION } from './harness.ts';
import { RecordedHome, STATIONS } from './recorded-home.ts';
import { fillRecordings } from './recording-rows.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

describe('unusual requests', () => {
  const seed = fuzzSeed();
  const VALUES = [
    ...[
      '',
      '0',
      '1',
      '-1',
      '100',
      '501',
      '999999999',
      '9999999999',
      '1e3',
      '0x1',
      ' 1',
      '1.5',
      'NaN',
      'null',
      'true',
    ],
    ...[
      'newest',
      'title',
      'largest',
      'failed',
      'bin',
      'protected',
      'recording',
      'constructor',
      '__proto__',
      '[]',
    ],
    ...[
      '%',
      "'",
      '";--',
      '\\',
      '*',
      '"',
      'あ',
      '\u0000',
      '\ud800',
      '🈑',
      '字'.repeat(2000),
      String(HOME_STATION),
      '123456789012345',
    ],
  ];
  const NAMES = [
    'limit',
    'offset',
    'cursor',
    'q',
    'sort',
    'unwatched',
    'show',
    'series',
    'ruleId',
    'stationId',
    'genre',
    'other',
    'source',
    'audio',
  ];

  test(
    `are answered or refused, never an error (FUZZ_SEED=${seed})`,
    async () => {
      const random = new Random(seed);
      fillRecordings(home.database, { stations: STATIONS, count: 60, now: Date.now(), folder: home.folder });
      const paths = ['', '/series', '/1', '/1/status', '/x/detail', `/${home.put()}/file`, '/-1/poster'];
      for (let round = fuzzRounds(400); round > 0; round--) {
        const query = new URLSearchParams();
        for (let count = random.below(5); count > 0; count--)
          query.append(random.pick(NAMES), random.pick(VALUES));
        const path = `/api/recordings${random.pick(paths)}?${query}`;
        const response = await home.get(path);
        await response.arrayBuffer();
        expect([path, [200, 400, 404].includes(response.status) || response.status]).toEqual([path, true]);
      }
      for (let round = fuzzRounds(200); round > 0; round--) {
        const name = random.pick(['at', 'length', 'source', 'watched', 'protected', 'x']);
        const value = random.pick([
          0,
          -1,
          1e308,
          5,
          29.9,
          30,
          3600,
          'ts',
          'encoded',
          '',
          true,
          false,
          null,
          [],
          {},
        ]);
        const body =
          random.below(6) === 0 ? value : { [name]: value, at: random.pick([1, 40, 3590, '9', null]) };
        const path = `/api/recordings/${random.pick([home.put(), 1, 'x'])}/${random.pick(['resume', 'watched', 'protect', 'bin', 'restore'])}`;
        const response = await home.send('POST', path, body);
        const isPlain = [200, 204, 400, 404].includes(response.status);
        expect([path, body, isPlain || response.status]).toEqual([path, body, true]);
      }
      expect(home.service.lines.filter((line) => line.startsWith('ERROR'))).toEqual([]);
    },
    FUZZ_TIMEOUT,
  );
});
