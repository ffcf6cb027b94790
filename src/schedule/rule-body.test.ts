import { describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ruleId } from '../../lib/wire/ids.ts';
import { RuleSchema } from '../../lib/wire/schedule.ts';
import { Failure } from '../model/failure.ts';
import { checkExpression } from './expression/expression.ts';
import { readRule, ruleItem } from './rule-body.ts';

const accept = (): void => {};

function pathOf(body: unknown): string | undefined {
  try {
    readRule(body, accept);
  } catch (error) {
    if (error instanceof Failure) return error.options.path;
    throw error;
  }
  return 'accepted';
}

describe('readRule', () => {
  test('strips control and bidirectional characters from a name', () => {
    expect(readRule({ keyword: '灯台', name: ' 夜の\u202e番組\u0000 ' }, accept).name).toBe('夜の番組');
    expect(readRule({ keyword: '灯台', name: '\u202e' }, accept).name).toBe('灯台');
  });

  test('omitted fields have their defaults', () => {
    expect(readRule({ keyword: ' 灯台 ' }, accept)).toEqual({
      name: '灯台',
      enabled: true,
      priority: 1,
      dedupe: true,
      conditions: {
        keyword: '灯台',
        keywordIn: ['title', 'description', 'extended'],
        regex: false,
        excludeKeyword: '',
        stationIds: [],
        types: [],
        genres: [],
        weekdays: [],
        timeFrom: null,
        timeTo: null,
        durationMin: null,
        durationMax: null,
        freeOnly: true,
        periodFrom: null,
        periodTo: null,
      },
      marginBefore: null,
      marginAfter: null,
      encode: null,
      keepTs: null,
      commercials: null,
      keepNewest: null,
      keepDays: null,
    });
  });

  test('an update without dedupe keeps it', () => {
    for (const body of [{ keyword: 'a' }, { keyword: 'a', dedupe: undefined }])
      expect(readRule(body, accept, { dedupe: false }).dedupe).toBe(false);
    expect(readRule({ keyword: 'a', dedupe: true }, accept, { dedupe: false }).dedupe).toBe(true);
  });

  test('an invalid field is named', () => {
    const wrong: [unknown, string][] = [
      [{ keyword: 3 }, 'keyword'],
      [{ keyword: 'a', keywrod: 'b' }, 'keywrod'],
      [{ keyword: 'a', keywordIn: ['name'] }, 'keywordIn.0'],
      [{ keyword: 'a', genres: [{ lv1: 3 }, { lv1: 16 }] }, 'genres.1.lv1'],
      [{ keyword: 'a', weekdays: [7] }, 'weekdays.0'],
      [{ keyword: 'a', timeFrom: 1440 }, 'timeFrom'],
      [{ keyword: 'a', durationMin: 60, durationMax: 30 }, 'durationMax'],
      [{ keyword: 'a', periodFrom: 5, periodTo: 5 }, 'periodTo'],
      [{ keyword: 'a', timeFrom: 60, timeTo: 60 }, 'timeTo'],
      [{ keyword: 'a', priority: 1.5 }, 'priority'],
      [{ keyword: 'a', marginAfter: -1 }, 'marginAfter'],
      [{ keyword: 'a', encode: 'mpeg2' }, 'encode'],
      [{ keyword: 'a', keepNewest: 0 }, 'keepNewest'],
      [{ keyword: 'a', types: ['SKY'] }, 'types.0'],
      [{}, 'keyword'],
      [{ keyword: '　', excludeKeyword: 'b', freeOnly: false }, 'keyword'],
      [null, undefined as unknown as string],
      [[], undefined as unknown as string],
    ];
    for (const [body, path] of wrong) expect([body, pathOf(body)]).toEqual([body, path]);
  });

  test('a condition that every programme meets is refused', () => {
    const nothing: object[] = [
      ...['|', '"', '""', '" "|', '-灯台', '-"灯台 朝" -港'].map((keyword) => ({ keyword })),
      { types: ['GR', 'BS', 'CS'] },
      { weekdays: [6, 5, 4, 3, 2, 1, 0] },
      ...[
        { timeFrom: 0 },
        { timeTo: 1440 },
        { timeTo: 0 },
        { timeFrom: 0, timeTo: 1440 },
        { durationMin: 0 },
      ],
    ];
    for (const body of nothing) expect([body, pathOf(body)]).toEqual([body, 'keyword']);
    const something: object[] = [
      ...['灯台|', '"-灯台"', '灯台 -港'].map((keyword) => ({ keyword })),
      { keyword: '-灯台', types: ['GR', 'BS'] },
      ...[{ weekdays: [0] }, { genres: [{ lv1: 0 }] }, { stationIds: [1] }, { durationMax: 30 }],
      ...[{ timeFrom: 1 }, { timeTo: 1439 }, { timeFrom: 1320, timeTo: 0 }, { durationMin: 1 }],
    ];
    for (const body of something) expect([body, pathOf(body)]).toEqual([body, 'accepted']);
  });

  test('an expression that matches every text is refused too', () => {
    const limits = (body: object) => {
      try {
        return readRule({ regex: true, ...body }, checkExpression) !== undefined;
      } catch (error) {
        return error instanceof Failure ? error.options.path : error;
      }
    };
    for (const keyword of ['.*', '^', '(灯台)?', 'a*|b'])
      expect([keyword, limits({ keyword })]).toEqual([keyword, 'keyword']);
    for (const keyword of ['.', '灯台?', 'a+'])
      expect([keyword, limits({ keyword })]).toEqual([keyword, true]);
    expect(limits({ keyword: '.*', stationIds: [1] })).toBe(true);
  });

  test('a regular expression is checked, a keyword is not', () => {
    const refuse = (): never => {
      throw new Failure('bad_request', '正しくありません。', { path: 'keyword' });
    };
    expect(() => readRule({ keyword: '(', regex: true }, refuse)).toThrow('正しくありません。');
    expect(readRule({ keyword: '(' }, refuse).conditions.keyword).toBe('(');
  });
});

test('a returned rule matches its schema and can be sent back', () => {
  const draft = readRule({ keyword: 'a', genres: [{ lv1: 7 }], weekdays: [6, 0, 6] }, accept);
  const item = ruleItem({
    ...draft,
    id: ruleId(3),
    disabledReason: null,
    createdAt: broadcastMs(1),
    updatedAt: broadcastMs(2),
  });
  expect([...Value.Errors(RuleSchema, item)]).toEqual([]);
  const added = { next: null, booked: 3, conflicts: 0, recorded: 5 };
  expect(readRule({ ...item, ...added }, accept)).toEqual(draft);
});
