import { beforeEach, describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Card, Tuner } from '../../lib/wire/agent.ts';
import type { NewNotice } from '../model/notice.ts';
import { writeNow } from '../store/transaction.ts';
import { ConditionWatch, type SpaceShortage } from './condition-watch.ts';

const HOUR = 3_600_000;
const CHECK_MS = 600_000;

let states: Map<string, string>;
let told: NewNotice[];
let now: number;
let tuners: Pick<Tuner, 'id' | 'name' | 'state' | 'disabled'>[] | 'away';
let card: Pick<Card, 'state' | 'failure'>;
let shortage: SpaceShortage | null;
let guideReadAt: number;
let isTimeSure: boolean;
let version: string;
let watch: ConditionWatch;
let trouble: string | null = null;

beforeEach(() => {
  [states, told, now, guideReadAt, shortage, version] = [
    new Map(),
    [],
    1_800_000_000_000,
    1_800_000_000_000,
    null,
    '1.0',
  ];
  tuners = [{ id: 'a', name: '地上波1', state: 'idle', disabled: false }];
  card = { state: 'ready', failure: null };
  isTimeSure = true;
  watch = open();
});

function open(): ConditionWatch {
  return new ConditionWatch({
    store: {
      condition: (subject) => states.get(subject),
      noteCondition: (subject, state, notice) => {
        states.set(subject, state);
        if (notice !== null) told.push(notice);
      },
    },
    tuners: async () => {
      if (tuners === 'away') throw new Error('away');
      return tuners as Tuner[];
    },
    card: async () => card as Card,
    shortage: async () => shortage,
    databaseTrouble: () => trouble,
    guideReadAt: () => guideReadAt,
    isTimeSure: () => isTimeSure,
    version,
    checkMs: CHECK_MS,
    write: writeNow,
    log: SILENT_LOG,
    now: () => wallMs(now),
  });
}

async function check(times = 2): Promise<string[]> {
  told = [];
  for (let count = 0; count < times; count++) {
    await watch.check();
    now += CHECK_MS;
  }
  return told.map(({ event, subject }) => `${event} ${subject}`);
}

describe('ConditionWatch', () => {
  test('what is found at the first look is no news, also a tuner that is broken and a missing card', async () => {
    tuners = [{ id: 'a', name: '地上波1', state: 'error', disabled: false }];
    card = { state: 'absent', failure: 'no_card' };
    shortage = { leftMs: HOUR / 2, fullAt: null };
    guideReadAt = now - 100 * HOUR;
    expect(await check()).toEqual([]);
  });

  test('a tuner that is lost and comes back is told once each; a moment is not', async () => {
    await check();
    const [tuner] = tuners as Tuner[];
    if (tuner === undefined) throw new Error('no tuner');
    tuners = [{ ...tuner, state: 'error' }];
    expect(await check(1)).toEqual([]);
    tuners = [{ ...tuner, state: 'idle' }];
    expect(await check(3)).toEqual([]);
    tuners = [{ ...tuner, state: 'error' }];
    expect(await check(5)).toEqual(['tuner_lost a']);
    // A restart of the service in between.
    watch = open();
    expect(await check(5)).toEqual([]);
    tuners = [{ ...tuner, state: 'tuned' }];
    expect(await check(5)).toEqual(['tuner_back a']);
  });

  test('an agent that is away is one notice, not one for each tuner and the card', async () => {
    await check();
    tuners = 'away';
    expect(await check(5)).toEqual(['tuner_lost agent']);
    tuners = [{ id: 'a', name: '地上波1', state: 'idle', disabled: false }];
    expect(await check(5)).toEqual(['tuner_back agent']);
  });

  test('card, space and guide', async () => {
    await check();
    card = { state: 'error', failure: 'card_error' };
    expect(await check()).toEqual(['card_lost card']);
    card = { state: 'ready', failure: null };
    expect(await check()).toEqual([]);
    shortage = { leftMs: HOUR / 2, fullAt: null };
    expect(await check()).toEqual(['disk_low recordings']);
    shortage = { leftMs: HOUR / 2, fullAt: now + HOUR };
    expect(await check()).toEqual(['will_fail recordings']);
    shortage = null;
    expect(await check()).toEqual([]);
    now += 37 * HOUR;
    expect(await check(18)).toEqual(['guide_stale guide']);
  });

  test('the guide of a machine whose clock may be wrong is not said to be old', async () => {
    await check();
    now += 400 * 24 * HOUR;
    isTimeSure = false;
    expect(await check(30)).toEqual([]);
    isTimeSure = true;
    expect(await check(30)).toEqual(['guide_stale guide']);
  });

  test('space that was forecast to be used up is told again once it is: recordings are not written', async () => {
    await check();
    shortage = { leftMs: HOUR / 2, fullAt: now + HOUR / 4 };
    expect(await check(5)).toEqual(['will_fail recordings']);
    shortage = { leftMs: 0, fullAt: now };
    expect(await check(1)).toEqual([]);
    expect(await check(4)).toEqual(['disk_low recordings']);
    expect(told.at(-1)?.facts.text).toBe(
      '録画先の空き容量がなくなりました。空きを増やすまで録画できません。',
    );
    shortage = null;
    expect(await check(4)).toEqual([]);
  });

  test('trouble of the database, with its own sentence, once', async () => {
    await check();
    trouble = 'データベースに書き込めません。';
    expect(await check(4)).toEqual(['database_trouble database']);
    expect(told[0]?.facts.text).toBe('データベースに書き込めません。');
    trouble = null;
    expect(await check()).toEqual([]);
  });

  test('a guide that became old while the machine was off is told only if it stays so', async () => {
    await check();
    now += 48 * HOUR;
    watch = open();
    expect(await check(17)).toEqual([]);
    guideReadAt = now;
    expect(await check(18)).toEqual([]);
  });

  test('an update', async () => {
    await check();
    version = '1.1';
    watch = open();
    expect(await check()).toEqual(['update version']);
  });
});
