/** Reservations over HTTP: reserving, cancelling, restoring, and the outcome. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { RecordAnswer, ReservationItem } from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { Bookings, MINUTE, OTHER_STATION, SATELLITE, tuner } from './bookings.ts';
import { HOME_STATION } from './harness.ts';

let home: Bookings;

beforeAll(async () => {
  home = await Bookings.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

const reserve = (programId: number, over: object = {}) =>
  home.json<ReservationItem>('POST', '/api/reservations', { programId, ...over });

async function refusal(method: string, path: string, body?: unknown): Promise<[number, string, string]> {
  const response = await home.ask(method, path, body);
  const { code, message } = (await response.json()) as { code: string; message: string };
  return [response.status, code, message];
}

describe('POST /api/reservations', () => {
  test('reserves a programme with a tuner, once', async () => {
    const programId = home.program('灯台の朝[字]', 60);
    const item = await reserve(programId, { marginBefore: 5000, keepTs: true });
    expect(item).toMatchObject({
      programId,
      stationId: HOME_STATION,
      serviceName: '試験テレビ',
      name: '灯台の朝[字]',
      title: '灯台の朝',
      state: 'scheduled',
      priority: 2,
      ruleId: null,
      reason: null,
      tuner: { type: 'GR', rank: 0 },
      channel: 'T27',
      recordingId: null,
      note: null,
      // The tuner is requested 2 s before the margin.
      openAt: item.startAt - 7000,
      closeAt: item.endAt + 15_000,
      marginBefore: 5000,
      marginAfter: null,
      encode: null,
      keepTs: true,
    });
    expect(item).not.toContainKeys(['blockers', 'alternatives', 'offers']);
    expect(await reserve(programId)).toEqual(item);
    expect(await reserve(programId, { marginBefore: null, keepTs: false })).toEqual({
      ...item,
      openAt: broadcastMs(item.startAt - 12_000),
      marginBefore: null,
      keepTs: false,
    });
    expect(await reserve(programId, { marginBefore: 5000, keepTs: true })).toEqual(item);
    expect(await home.reservations()).toEqual([item]);
    expect(await home.json<ReservationItem>('GET', `/api/reservations/${item.id}`)).toEqual(item);
    expect(await home.reservations(true)).toEqual([]);
  });

  test('refuses ended programmes, those that must not be copied, and unknown ones', async () => {
    const over = home.program('昨日', -60);
    const never = home.program('映画', 60, { copyNever: true });
    expect(await refusal('POST', '/api/reservations', { programId: over })).toEqual([
      400,
      'ended',
      'この番組は終了したため予約できません。',
    ]);
    expect(await refusal('POST', '/api/reservations', { programId: never })).toEqual([
      400,
      'copy_never',
      'コピー禁止の番組なので録画しません',
    ]);
    expect((await refusal('POST', '/api/reservations', { programId: never + 1 })).slice(0, 2)).toEqual([
      404,
      'not_found',
    ]);
    expect((await refusal('POST', '/api/reservations', { programId: never, margin: 1 })).slice(0, 2)).toEqual(
      [400, 'bad_request'],
    );
    expect((await refusal('DELETE', '/api/reservations/99999')).slice(0, 2)).toEqual([404, 'not_found']);
    expect((await refusal('POST', '/api/reservations/x/restore')).slice(0, 2)).toEqual([400, 'bad_request']);
    expect((await refusal('GET', '/api/reservations/99999')).slice(0, 2)).toEqual([404, 'not_found']);
    expect(await home.reservations()).toEqual([]);
  });

  test('an invalid value is reported with the permitted ones', async () => {
    const wrong = async (body: unknown) => (await refusal('POST', '/api/reservations', body)).at(-1);
    expect(await wrong(undefined)).toBe('送信データは JSON のオブジェクトにしてください。');
    expect(await wrong([])).toBe('送信データは JSON のオブジェクトにしてください。');
    expect(await wrong({})).toBe('予約の「programId」がありません。0 以上の整数を指定してください。');
    expect(await wrong({ programId: 1, marginBefore: '5' })).toBe(
      '予約の「marginBefore」の値が正しくありません。0 から 3600000 までの整数、null のいずれかを指定してください。',
    );
    expect(await wrong({ programId: 1, encode: 'mp3' })).toBe(
      '予約の「encode」の値が正しくありません。"none"、"av1"、"h264"、"both"、null のいずれかを指定してください。',
    );
    expect(await wrong({ programId: 1, margin: 5 })).toBe(
      '予約の「margin」という項目はありません。名前を確認してください。',
    );
  });

  test('a conflict lists the reservations that won and the possible alternatives', async () => {
    const won = await reserve(home.program('港の朝', 60));
    const lost = home.program('灯台 第3話「波」', 70, { station: OTHER_STATION });
    const later = home.program('灯台 第3話「波」[再]', 600, { station: OTHER_STATION });
    const item = await reserve(lost);
    expect(item).toMatchObject({
      state: 'conflict',
      tuner: null,
      reason: '「港の朝」と重なり、チューナーが足りないため録画できません。',
      blockers: [won.id],
      alternatives: [later],
      offers: [{ programId: later, serviceName: '港テレビ', title: '灯台 第3話「波」' }],
      openAt: null,
      closeAt: null,
    });
    // The tuner is free again.
    await home.ask('DELETE', `/api/reservations/${won.id}`);
    expect(await home.states()).toEqual([['灯台 第3話「波」', 'scheduled']]);
  });

  test('a missed reservation lists what occupied the tuners, and the next airings that are not reserved', async () => {
    const past = home.program('灯台 第3話[字]', -120);
    const missed = await home.json<{ id: number }>('POST', '/api/reservations', {
      programId: home.program('仮の番組', 60),
    });
    home.database.run(
      `UPDATE reservations SET program_id = ?, name = '灯台 第3話[字]', state = 'missed', start_at = start_at - 7200000,
         end_at = end_at - 7200000, reason = ? WHERE id = ?`,
      [
        past,
        JSON.stringify({ v: 2, code: 'missed_tuners_in_use', names: ['港の朝'], hasMore: false }),
        missed.id,
      ],
    );
    const [, next, booked] = [
      home.program('灯台 第4話', 100),
      home.program('灯台 第3話[再]', 300),
      home.program('灯台 第3話', 200, { station: OTHER_STATION }),
    ];
    await reserve(booked);
    const [item] = await home.json<ReservationItem[]>('GET', '/api/reservations?completed=1');
    expect(item).toMatchObject({
      state: 'missed',
      reason: '「港の朝」の録画にチューナーを使っていたため録画できませんでした。',
      offers: [{ programId: next, title: '灯台 第3話', serviceName: '試験テレビ' }],
    });
    expect(item).not.toContainKeys(['blockers', 'alternatives']);
  });

  test('a changed number of tuners leads to a new plan', async () => {
    await reserve(home.program('港の朝', 60));
    await reserve(home.program('灯台の朝', 70, { station: OTHER_STATION }));
    await reserve(home.program('星の港', 70, { station: SATELLITE }));
    const before = home.agent.tuners;
    home.agent.tuners = [
      tuner('a', 0, ['GR']),
      tuner('c', 0, ['GR']),
      tuner('b', 1, ['BS'], { disabled: true }),
    ];
    home.agent.announce('tuners');
    await until(async () =>
      (await home.states()).every(([title, state]) => (state === 'scheduled') === (title !== '星の港')),
    );
    const [, , satellite] = await home.reservations();
    expect(satellite).toMatchObject({
      title: '星の港',
      state: 'conflict',
      reason: 'BSを受信できるチューナーがないため録画できません。',
    });
    home.agent.tuners = before;
    home.agent.announce('tuners');
    await until(async () => (await home.reservations())[1]?.state === 'conflict');
  });

  test("a user's change during planning is not lost", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => home.program(`番組${index}`, 60 + 40 * index));
    const items = await Promise.all(ids.map((id) => reserve(id)));
    const gone = items.filter((_, index) => index % 3 === 0);
    await Promise.all([
      ...gone.map(({ id }) => home.ask('DELETE', `/api/reservations/${id}`)),
      home.ask('POST', '/api/rules', { keyword: '番組' }),
      reserve(home.program('もうひとつ', 600)),
    ]);
    const stored = new Map(
      [...(await home.reservations()), ...(await home.reservations(true))].map((one) => [one.id, one]),
    );
    for (const { id } of items)
      expect(stored.get(id)?.state).toBe(gone.some((one) => one.id === id) ? 'cancelled' : 'scheduled');
    expect(stored.size).toBe(13);
  });
});

test('a window of the list contains what overlaps it, up to a limit', async () => {
  const ids = await Promise.all(
    [60, 180, 300].map(async (inMinutes, n) => {
      const item = await reserve(home.program(`窓の番組${n}`, inMinutes));
      return [item.id, item.startAt, item.endAt] as const;
    }),
  );
  const [first, second, third] = ids;
  if (first === undefined || second === undefined || third === undefined) throw new Error('not booked');
  const window = async (query: string): Promise<number[]> =>
    (await home.json<ReservationItem[]>('GET', `/api/reservations?${query}`)).map(({ id }) => id);
  expect(await window('')).toEqual([first[0], second[0], third[0]]);
  expect(await window(`from=${first[2]}`)).toEqual([second[0], third[0]]);
  expect(await window(`from=${first[2]}&to=${third[1]}`)).toEqual([second[0]]);
  expect(await window('limit=2')).toEqual([first[0], second[0]]);
  for (const query of ['from=x', 'limit=-1', 'limit=99999', `from=${first[2]}&to=${first[2]}`]) {
    expect([query, (await refusal('GET', `/api/reservations?${query}`)).slice(0, 2)]).toEqual([
      query,
      [400, 'bad_request'],
    ]);
  }
});

describe('cancelling', () => {
  test('is stored: the rule does not reserve it again, and restoring undoes it', async () => {
    const programId = home.program('灯台の朝', 60);
    const { id: ruleId } = await home.json<{ id: number }>('POST', '/api/rules', { keyword: '灯台' });
    const [item] = await home.reservations();
    expect(item).toMatchObject({ programId, ruleId, state: 'scheduled', priority: 1 });
    for (let times = 0; times < 2; times++) {
      const answer = await home.ask('DELETE', `/api/reservations/${item?.id}`);
      expect(answer.status).toBe(204);
    }
    // With another event id, ten minutes later, it is the same airing.
    home.database.run('DELETE FROM programs');
    home.program('灯台の朝', 69);
    const other = home.program('灯台の朝', 300);
    await reserve(home.program('別の番組', 400));
    expect((await home.reservations())[0]?.programId).toBe<unknown>(other);
    expect(await home.reservations()).toHaveLength(2);
    expect(await home.states(true)).toEqual([['灯台の朝', 'cancelled']]);
    const restored = await home.json<ReservationItem>('POST', `/api/reservations/${item?.id}/restore`);
    expect(restored).toMatchObject({ id: item?.id, state: 'scheduled', tuner: { type: 'GR', rank: 0 } });
    expect(await home.json<ReservationItem>('POST', `/api/reservations/${item?.id}/restore`)).toEqual(
      restored,
    );
    expect(home.database.query('SELECT count(*) AS n FROM cancellations').get()).toEqual({ n: 0 });
  });

  test('an ended programme cannot be restored', async () => {
    const item = await reserve(home.program('灯台の朝', 60));
    await home.ask('DELETE', `/api/reservations/${item.id}`);
    home.database.run('UPDATE programs SET start_at = 0, end_at = 1');
    expect((await refusal('POST', `/api/reservations/${item.id}/restore`)).slice(0, 2)).toEqual([
      400,
      'ended',
    ]);
  });

  test('a settled reservation can be made again by hand', async () => {
    const programId = home.program('灯台の朝', 60);
    const item = await reserve(programId);
    await home.ask('DELETE', `/api/reservations/${item.id}`);
    expect(await reserve(programId, { encode: 'none' })).toMatchObject({
      id: item.id,
      state: 'scheduled',
      encode: 'none',
    });
  });
});

describe('POST /api/services/<id>/record', () => {
  const record = (station: number) => home.json<RecordAnswer>('POST', `/api/services/${station}/record`);

  test('reserves the programme on air, and returns the same when repeated', async () => {
    const programId = home.program('いまの番組[字]', -10);
    const answer = { recorded: 'いまの番組', programId, reserved: true };
    expect(await record(HOME_STATION)).toEqual<unknown>(answer);
    expect(await record(HOME_STATION)).toEqual<unknown>(answer);
    await until(async () => (await home.reservations())[0]?.state === 'recording');
    expect(await record(HOME_STATION)).toEqual<unknown>(answer);
    const [item] = await home.reservations();
    expect(item).toMatchObject({ recordingId: expect.any(Number), priority: 2, ruleId: null });
    // The only tuner of its type is taken.
    home.program('裏番組', -5, { station: OTHER_STATION });
    expect(await record(OTHER_STATION)).toMatchObject({ recorded: '裏番組', reserved: false });
    // Cancelling ends it, and the recorded part is kept.
    expect((await home.ask('DELETE', `/api/reservations/${item?.id}`)).status).toBe(204);
    await until(async () =>
      (await home.states(true)).some(([title, state]) => title === 'いまの番組' && state === 'finished'),
    );
  });

  test('reports why it cannot', async () => {
    const path = (station: number) => `/api/services/${station}/record`;
    expect((await refusal('POST', path(HOME_STATION))).slice(0, 2)).toEqual([404, 'not_found']);
    expect((await refusal('POST', path(HOME_STATION + 1))).slice(0, 2)).toEqual([404, 'not_found']);
    home.program('映画', -10, { copyNever: true });
    expect(await refusal('POST', path(HOME_STATION))).toEqual([
      400,
      'copy_never',
      'コピー禁止の番組なので録画しません',
    ]);
  });
});

describe('copy-never programmes', () => {
  test('a rule skips them, and reserves them once they may be copied', async () => {
    const programId = home.program('映画', 60, { copyNever: true });
    await home.json('POST', '/api/rules', { keyword: '映画' });
    expect(await home.reservations()).toMatchObject([
      { programId, state: 'skipped', reason: 'コピー禁止の番組なので録画しません。', tuner: null },
    ]);
    home.database.run('UPDATE programs SET copy_never = 0');
    await reserve(home.program('別の番組', 400));
    expect(await home.states()).toEqual([
      ['映画', 'scheduled'],
      ['別の番組', 'scheduled'],
    ]);
  });
});

test('a programme that ended without a recording is missed, and listed as done', async () => {
  await reserve(home.program('灯台の朝', 60));
  home.database.run('DELETE FROM programs');
  const over = [Date.now() - 2 * MINUTE, Date.now() - MINUTE];
  home.database.run(`UPDATE reservations SET state = 'conflict', start_at = ?, end_at = ?`, over);
  await reserve(home.program('別の番組', 400));
  expect(await home.reservations(true)).toMatchObject([
    { title: '灯台の朝', state: 'missed', reason: 'チューナーが足りなかったため録画できませんでした。' },
  ]);
  expect(await home.states()).toEqual([['別の番組', 'scheduled']]);
});
