import { describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { RuleBodySchema } from '../../lib/wire/schedule.ts';
import { fuzzRounds, fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { type CompleteBody, formOf, formOfQuery, isLimited, keywordFor, readForm, sameForm } from './form.ts';
import { dateTimeOf, minuteText, readDateTime, readMinute, readSeconds } from './time-text.ts';

const TYPES = ['GR', 'BS', 'CS'] as const;
const PLACES = ['title', 'description', 'extended'] as const;
const WORDS = ['灯台守', '"朝の 汽車"', '-再放送', 'a|b', 'ﾄﾞﾗﾏ', '＃１', '\\d+話', '', '第1話 '];
const ENCODES = ['none', 'av1', 'h264', 'both', null] as const;

/** A body as somebody may have sent it to the service. */
function randomBody(random: Random): CompleteBody {
  const maybe = <T>(value: () => T): T | null => (random.below(2) === 0 ? null : value());
  const some = <T>(values: readonly T[]): T[] => values.filter(() => random.below(2) === 0);
  const places = some(PLACES);
  return {
    name: random.pick(WORDS).trim(),
    enabled: random.below(2) === 0,
    keyword: random.pick(WORDS).trim(),
    regex: random.below(2) === 0,
    keywordIn: places.length === 0 ? ['title', 'description', 'extended'] : places,
    excludeKeyword: random.pick(WORDS).trim(),
    stationIds: Array.from(
      { length: random.below(4) },
      () => (3_274_001_024 + random.below(5_000)) as StationId,
    ),
    types: some(TYPES),
    genres: Array.from({ length: random.below(4) }, () => ({
      lv1: random.below(16),
      lv2: maybe(() => random.below(16)),
    })),
    weekdays: some([0, 1, 2, 3, 4, 5, 6]),
    timeFrom: maybe(() => random.below(1_440)),
    timeTo: maybe(() => random.below(1_441)),
    durationMin: maybe(() => random.below(10_081)),
    durationMax: maybe(() => random.below(10_081)),
    freeOnly: random.below(2) === 0,
    periodFrom: maybe(() =>
      broadcastMs(random.pick([1, 1_000, 60_000, 3_600_000]) * random.below(1_800_000)),
    ),
    periodTo: maybe(() => broadcastMs(random.pick([1, 1_000, 60_000, 3_600_000]) * random.below(1_800_000))),
    priority: random.below(101),
    dedupe: random.below(2) === 0,
    marginBefore: maybe(() => random.below(3_600_001)),
    marginAfter: maybe(() => random.below(3_600_001)),
    encode: random.pick(ENCODES),
    keepTs: maybe(() => random.below(2) === 0),
    commercials: random.pick(['chapters', 'cut', 'none', null] as const),
    keepNewest: maybe(() => 1 + random.below(100_000)),
    keepDays: maybe(() => 1 + random.below(100_000)),
  };
}

describe('the rule form', () => {
  test('converting body → form → body and form → body → form loses nothing', () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    for (let round = 0; round < fuzzRounds(2_000); round += 1) {
      const body = randomBody(random);
      const form = formOf(body);
      const read = readForm(form);
      expect({ seed, round, ...read }).toEqual({ seed, round, body, faults: [] });
      expect(sameForm(formOf(read.body), form)).toBe(true);
      expect(Value.Check(RuleBodySchema, read.body)).toBe(true);
    }
  });

  test('a new rule has dedupe and free programmes only, and nothing else set', () => {
    const { body, faults } = readForm(formOf({}));
    expect(faults).toEqual([]);
    expect(body).toMatchObject({
      dedupe: true,
      freeOnly: true,
      enabled: true,
      priority: 1,
      marginBefore: null,
    });
    expect(body.keywordIn).toEqual(['title', 'description', 'extended']);
    expect(isLimited(body)).toBe(false);
    expect(isLimited({ ...body, weekdays: [1] })).toBe(true);
    expect(isLimited({ ...body, timeFrom: 0 })).toBe(true);
  });

  test('invalid input is reported at its field and kept', () => {
    const form = { ...formOf({}), timeFrom: '夕方', durationMin: '-3', marginAfter: '9999', keepNewest: '0' };
    const { faults } = readForm({ ...form, periodTo: { date: '', time: '19:00' }, priority: '101' });
    expect(new Set<string>(faults.map(({ path }) => path))).toEqual(
      new Set(['durationMin', 'keepNewest', 'marginAfter', 'periodTo', 'priority', 'timeFrom']),
    );
    for (const { message } of faults) expect(message).toMatch(/入力してください/u);
  });

  test('an address fills it; invalid parts are ignored', () => {
    const query = new URLSearchParams(
      'new&keyword=灯台守&stationId=3274001024&stationId=x&genre=3&weekday=5,1&type=BS&type=XX',
    );
    expect(readForm(formOfQuery(query)).body).toMatchObject({
      keyword: '灯台守',
      stationIds: [3_274_001_024],
      genres: [{ lv1: 3, lv2: null }],
      weekdays: [1, 5],
      types: ['BS'],
    });
  });

  test('a title used as a keyword is taken literally', () => {
    expect(keywordFor('灯台守の娘')).toBe('灯台守の娘');
    expect(keywordFor('海と空 -青の記録-')).toBe('"海と空 -青の記録-"');
    expect(keywordFor('朝|夜 "詩"')).toBe('朝 夜 詩');
  });
});

describe('times as text', () => {
  test('times of day in the forms that people type', () => {
    const read: Record<string, number | undefined> = {
      '19:00': 1_140,
      '1900': 1_140,
      '930': 570,
      '19': 1_140,
      '７：０５': 425,
      '19時': 1_140,
      '19時30分': 1_170,
      '7時半': 450,
      '25:30': 90,
      '24:00': 1_440,
      '30:00': undefined,
      '12:60': undefined,
      '-1': undefined,
      夜: undefined,
    };
    for (const [text, minute] of Object.entries(read))
      expect([text, readMinute(text, true)]).toEqual([text, minute]);
    expect(readMinute('24:00', false)).toBe(0);
    for (let minute = 0; minute <= 1_440; minute += 1)
      expect(readMinute(minuteText(minute), true)).toBe(minute);
  });

  test('a day without a time is a broadcast day', () => {
    // 2026-11-20 05:00 in Japan.
    const begin = broadcastMs(Date.UTC(2026, 10, 19, 20));
    expect(dateTimeOf(begin, false)).toEqual({ date: '2026-11-20', time: '' });
    expect(dateTimeOf(begin, true)).toEqual({ date: '2026-11-19', time: '' });
    expect(readDateTime({ date: '2026-11-19', time: '' }, true)).toBe(begin);
    expect(readDateTime({ date: '2026-11-20', time: '7:30' }, false)).toBe(plusMs(begin, 150 * 60_000));
    expect(readDateTime({ date: '2026-13-20', time: '' }, false)).toBeUndefined();
    expect(dateTimeOf(plusMs(begin, 12_345), false)).toEqual({ date: '2026-11-20', time: '05:00:12.345' });
  });

  test('seconds with milliseconds', () => {
    expect(readSeconds('10.5')).toBe(10_500);
    expect(readSeconds('１０')).toBe(10_000);
    expect(readSeconds('1.0005')).toBeUndefined();
  });
});
