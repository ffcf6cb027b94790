import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { EventId, ProgramId, StationId } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import type { RuleConditions } from '../../model/rule.ts';
import { readRule } from '../rule-body.ts';
import { GuideIndex } from './guide-index.ts';
import { readKeyword } from './keyword.ts';
import type { IndexedProgram } from './program-rows.ts';
import { broadcastWeekday, minuteOfDay, RuleMatcher, type RuleStations } from './rule-matcher.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const MINUTE = 60_000;
/** 2026-11-21 is a Saturday. */
const at = (time: string): number => Date.parse(`${time}+09:00`);

const STATIONS: RuleStations = new Map(
  (
    [
      [1, 'GR'],
      [2, 'BS'],
      [3, 'CS'],
    ] as const
  ).map(([id, type]) => [id as StationId, { id: id as StationId, type }]),
);

interface Given extends Partial<Omit<IndexedProgram, 'id' | 'stationId' | 'startAt' | 'endAt'>> {
  station?: number;
  start?: string | number;
  minutes?: number;
}

let nextEvent = 1;

function program({ station = 1, start = '2026-11-21T19:00', minutes = 30, ...rest }: Given): IndexedProgram {
  const startAt = typeof start === 'number' ? start : at(start);
  return {
    id: (station * 100_000 + (nextEvent++ as EventId)) as ProgramId,
    stationId: station as StationId,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(startAt + minutes * MINUTE),
    openEnd: false,
    name: '灯台守の夏',
    description: '岬の灯台で過ごすひと夏。',
    extended: null,
    genres: [],
    isFree: true,
    copyNever: false,
    groups: [],
    ...rest,
  };
}

function conditions(body: Record<string, unknown>): RuleConditions {
  return readRule({ freeOnly: true, ...body }, () => {}).conditions;
}

function matches(body: Record<string, unknown>, given: Given): boolean {
  const index = new GuideIndex();
  index.put(program(given));
  return new RuleMatcher(conditions(body)).match(index, STATIONS).programs.length === 1;
}

describe('words', () => {
  test('match full-width and half-width forms', () => {
    const table: [string, string[][], string[][]][] = [
      ['灯台　夏', [['灯台'], ['夏']], []],
      ['"灯台 夏" ＢＳ', [['灯台 夏'], ['bs']], []],
      ['灯台 -再 －秋', [['灯台']], [['再'], ['秋']]],
      ['灯台|港 夏', [['灯台', '港'], ['夏']], []],
      ['灯台 | 港', [['灯台', '港']], []],
      ['灯台｜"港 町"', [['灯台', '港 町']], []],
      ['-海|山', [], [['海'], ['山']]],
      ['"-5度" -', [['-5度'], ['-']], []],
      ['“閉じない', [['閉じない']], []],
      ['夜明け“挑戦”の夏', [['夜明け'], ['挑戦'], ['の夏']], []],
      ['夜明け"朝 夕" 夏', [['夜明け'], ['朝 夕'], ['夏']], []],
      ['-夜明け“挑戦”', [], [['夜明け', '挑戦']]],
      ['ﾃﾚﾋﾞー-海', [['テレビー-海']], []],
      ['| ||', [], []],
      ['-"二 語"', [], [['二 語']]],
      ['', [], []],
    ];
    for (const [keyword, wanted, unwanted] of table)
      expect([keyword, readKeyword(keyword)]).toEqual([keyword, { wanted, unwanted }]);
  });

  test('must all be found, in the selected fields', () => {
    const detail = { extended: { 出演者: '山野ヒカリ　海野みさき' } };
    const table: [Record<string, unknown>, Given, boolean][] = [
      [{ keyword: '灯台 夏' }, {}, true],
      [{ keyword: '灯台 冬' }, {}, false],
      [{ keyword: '岬' }, {}, true],
      [{ keyword: '岬', keywordIn: ['title'] }, {}, false],
      [{ keyword: '守', keywordIn: ['description'] }, {}, false],
      [{ keyword: '夏岬' }, {}, false],
      [{ keyword: 'ﾋｶﾘ', keywordIn: ['title', 'description'] }, detail, false],
      [{ keyword: 'ﾋｶﾘ' }, detail, true],
      [{ keyword: '高橋' }, { name: '髙橋の夏' }, true],
      [{ keyword: '髙橋' }, { name: '高橋の夏' }, true],
      [{ keyword: '髙.の', regex: true }, { name: '高橋の夏' }, true],
      [{ keyword: 'ﾋｶﾘ', keywordIn: ['extended'] }, detail, true],
      [{ keyword: 'ﾋｶﾘ 灯台', keywordIn: ['title', 'extended'] }, detail, true],
      [{ keyword: 'ＧＵＩＤＥ' }, { name: 'Ｇｕｉｄｅ２４' }, true],
      [{ keyword: 'guide24' }, { name: 'Ｇｕｉｄｅ２４' }, true],
      [{ keyword: '港の夜明け“挑戦”' }, { name: '港の夜明け　“挑戦”[字]' }, true],
      [{ keyword: '夜明け', excludeKeyword: '夜明け“挑戦”' }, { name: '夜明け“挑戦”' }, false],
      [{ keyword: '夜明け', excludeKeyword: '夜明け“挑戦”' }, { name: '夜明け“休息”' }, true],
      [{ keyword: "let's" }, { name: 'Ｌｅｔ’ｓ灯台' }, true],
      [{ keyword: 'let’s' }, { name: "LET'S 灯台" }, true],
      [{ keyword: "^let's?", regex: true }, { name: 'Ｌｅｔ’ｓ灯台' }, true],
      [{ keyword: 'ｶﾞｲﾄﾞ' }, { name: 'ガイドの朝' }, true],
      [{ keyword: '灯台 -夏' }, {}, false],
      [{ keyword: '灯台', excludeKeyword: '冬 ひと夏' }, {}, false],
      [{ keyword: '灯台', excludeKeyword: 'ひと夏', keywordIn: ['title'] }, {}, true],
      [{ keyword: '灯台', excludeKeyword: '[再]' }, { name: '灯台\u{1F21E}' }, false],
      [{ keyword: '港|灯台' }, {}, true],
      [{ keyword: '港|海' }, {}, false],
      [{ keyword: '"灯台で過ごす"' }, {}, true],
      [{ keyword: '"灯台 過ごす"' }, {}, false],
      [{ keyword: '^灯台.*夏$', regex: true }, {}, true],
      [{ keyword: '灯台.+岬', regex: true }, {}, false],
      [{ keyword: '山野|海辺', regex: true, keywordIn: ['extended'] }, detail, true],
      [{ keyword: '灯.守', regex: true, excludeKeyword: '夏' }, {}, false],
      [{ keyword: '第[0-9]+話', regex: true }, { name: '灯台　第１２話' }, true],
    ];
    for (const [body, given, found] of table)
      expect([body, given, matches(body, given)]).toEqual([body, given, found]);
  });
});

describe('conditions', () => {
  test('on station, type and time', () => {
    const late = { start: '2026-11-21T23:50' };
    const night = { start: '2026-11-22T00:30' };
    const table: [Record<string, unknown>, Given, boolean][] = [
      [{ stationIds: [2, 1] }, {}, true],
      [{ stationIds: [2] }, {}, false],
      [{ types: ['GR'] }, {}, true],
      [{ types: ['BS', 'CS'] }, {}, false],
      [{ types: ['BS', 'CS'] }, { station: 3 }, true],
      [{ types: ['GR'], freeOnly: true }, { isFree: false }, false],
      [{ types: ['GR'], freeOnly: false }, { isFree: false }, true],
      [{ genres: [{ lv1: 3 }] }, { genres: [{ lv1: 3, lv2: 1 }] }, true],
      [{ genres: [{ lv1: 3, lv2: 2 }] }, { genres: [{ lv1: 3, lv2: 1 }] }, false],
      [
        { genres: [{ lv1: 7 }, { lv1: 3, lv2: 1 }] },
        {
          genres: [
            { lv1: 0, lv2: 0 },
            { lv1: 3, lv2: 1 },
          ],
        },
        true,
      ],
      [{ genres: [{ lv1: 3 }] }, {}, false],
      [{ weekdays: [6] }, late, true],
      [{ weekdays: [6] }, night, true],
      [{ weekdays: [0] }, night, false],
      [{ weekdays: [0] }, { start: '2026-11-22T05:00' }, true],
      [{ weekdays: [6] }, { start: '2026-11-22T04:59' }, true],
      [{ timeFrom: 19 * 60 }, {}, true],
      [{ timeFrom: 19 * 60 + 1 }, {}, false],
      [{ timeTo: 19 * 60 }, {}, false],
      [{ timeFrom: 1080, timeTo: 1200 }, {}, true],
      [{ timeFrom: 1380, timeTo: 60 }, late, true],
      [{ timeFrom: 1380, timeTo: 60 }, night, true],
      [{ timeFrom: 1380, timeTo: 60 }, { start: '2026-11-22T01:00' }, false],
      [{ timeFrom: 1380, timeTo: 60 }, {}, false],
      [{ timeFrom: 1380, timeTo: 1440 }, late, true],
      [{ durationMin: 30, durationMax: 30 }, {}, true],
      [{ durationMin: 31 }, {}, false],
      [{ durationMax: 29 }, {}, false],
      [{ types: ['GR'], periodFrom: at('2026-11-21T19:00') }, {}, true],
      [{ types: ['GR'], periodFrom: at('2026-11-21T19:00') + 1 }, {}, false],
      [{ types: ['GR'], periodTo: at('2026-11-21T19:00') }, {}, false],
      [{ types: ['GR'], periodTo: at('2026-11-21T19:00') + 1 }, {}, true],
    ];
    for (const [body, given, found] of table)
      expect([body, given, matches(body, given)]).toEqual([body, given, found]);
  });

  test('days and minutes are in Japan Standard Time', () => {
    expect(broadcastWeekday(broadcastMs(at('2026-11-22T04:59')))).toBe(6);
    expect(broadcastWeekday(broadcastMs(at('2026-11-22T05:00')))).toBe(0);
    expect(broadcastWeekday(broadcastMs(at('1969-12-31T12:00')))).toBe(3);
    expect(minuteOfDay(broadcastMs(at('2026-11-22T23:59')))).toBe(1439);
    expect(minuteOfDay(broadcastMs(at('1969-12-31T08:30')))).toBe(510);
  });

  test('a station that is not listed matches nothing', () => {
    expect(matches({ keyword: '灯台' }, { station: 9 })).toBe(false);
  });
});

test('an expression that is too expensive is reported', () => {
  const index = new GuideIndex();
  let seed = 3;
  for (let number = 0; number < 50; number++) {
    const description = Array.from({ length: 4000 }, () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return 'abxyq'[Math.floor((seed / 2147483648) * 5)] ?? 'a';
    }).join('');
    index.put(program({ description }));
  }
  const matcher = new RuleMatcher(conditions({ keyword: '[ab].{60}[xy].{60}[z0-9]', regex: true }));
  const { programs, fault } = matcher.match(index, STATIONS);
  expect(programs).toEqual([]);
  expect(fault).toEqual({ code: 'too_costly' });
  // The rest of the guide can still be matched afterwards.
  expect(matcher.among([], index.texts, STATIONS).fault).toBeNull();
});

test('the index finds the same as a full scan, also after changes', () => {
  const word = fc.string({ unit: fc.constantFrom(...'灯台海港Ab1ｶﾞ '), maxLength: 5 });
  const given = fc.record({
    station: fc.integer({ min: 1, max: 4 }),
    name: word,
    description: word,
    extended: fc.option(fc.record({ 出演: word })),
    genres: fc.array(fc.record({ lv1: fc.integer({ min: 0, max: 3 }), lv2: fc.constant(0) }), {
      maxLength: 2,
    }),
    start: fc.integer({ min: at('2026-11-20T00:00'), max: at('2026-11-24T00:00') }),
  });
  const wanted = fc.record({
    keyword: fc.string({ unit: fc.constantFrom(...'灯台海Ａb1ガ |-"'), maxLength: 6 }),
    excludeKeyword: fc.constantFrom('', '', '港', 'b'),
    regex: fc.boolean(),
    keywordIn: fc.subarray(['title', 'description', 'extended']),
    types: fc.subarray(['GR', 'BS', 'CS']),
    genres: fc.constantFrom([], [{ lv1: 1 }], [{ lv1: 2 }, { lv1: 0, lv2: 0 }]),
    stationIds: fc.constantFrom([], [], [1, 3]),
    durationMin: fc.constant(0),
  });
  const change = fc.tuple(fc.nat({ max: 30 }), fc.option(given));
  fc.assert(
    fc.property(
      fc.array(given, { maxLength: 20 }),
      fc.array(change, { maxLength: 15 }),
      wanted,
      (list, changes, body) => {
        const index = new GuideIndex();
        const held = list.map(program);
        for (const one of held) index.put(one);
        for (const [which, other] of changes) {
          const old = held[which];
          if (old === undefined) continue;
          if (other === null) {
            index.remove(old.id);
            held.splice(which, 1);
          } else {
            const next = { ...program(other), id: old.id };
            held[which] = next;
            index.put(next);
          }
        }
        let matcher: RuleMatcher;
        try {
          matcher = new RuleMatcher(conditions({ ...body, keyword: body.keyword }));
        } catch {
          return;
        }
        const rows = held.flatMap(({ id }) => index.get(id) ?? []);
        const all = matcher.among(rows, index.texts, STATIONS).programs.map(({ id }) => id);
        const found = matcher.match(index, STATIONS).programs.map(({ id }) => id);
        expect(found.sort()).toEqual(all.sort());
        expect(index.size).toBe(held.length);
      },
    ),
    { seed: SEED, numRuns: 600 },
  );
});
