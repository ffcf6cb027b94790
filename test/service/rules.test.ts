/** Rules over HTTP: reservations, previews, and deletion. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { type RuleItem, type RulePreview, RulePreviewSchema } from '../../lib/wire/api.ts';
import { Bookings, OTHER_STATION } from './bookings.ts';
import { HOME_STATION } from './harness.ts';

let home: Bookings;

beforeAll(async () => {
  home = await Bookings.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

const add = (body: object) => home.json<RuleItem>('POST', '/api/rules', body);
const change = (id: number, body: object) => home.json<RuleItem>('PUT', `/api/rules/${id}`, body);

async function preview(body: object, query = ''): Promise<RulePreview> {
  const found = await home.json<RulePreview>('POST', `/api/rules/preview${query}`, body);
  expect([...Value.Errors(RulePreviewSchema, found)]).toEqual([]);
  return found;
}

async function status(method: string, path: string, body?: unknown): Promise<[number, string | undefined]> {
  const response = await home.ask(method, path, body);
  const text = await response.text();
  return [response.status, text === '' ? undefined : (JSON.parse(text) as { path?: string }).path];
}

describe('/api/rules', () => {
  test('a rule has reserved its matches when the request is answered, and the response lists them', async () => {
    const first = home.program('灯台 第1話「波」', 60);
    home.program('灯台 第2話「風」', 70, { station: OTHER_STATION });
    home.program('港の朝', 200);
    const rule = await add({ keyword: '灯台', priority: 4, marginAfter: 60_000 });
    const [booked] = await home.reservations();
    expect(rule).toMatchObject({
      name: '灯台',
      keyword: '灯台',
      enabled: true,
      priority: 4,
      dedupe: true,
      marginAfter: 60_000,
      encode: null,
      keywordIn: ['title', 'description', 'extended'],
      disabledReason: null,
      booked: 2,
      conflicts: 1,
      recorded: 0,
      next: {
        reservationId: booked?.id,
        programId: first,
        title: '灯台 第1話「波」',
        serviceName: '試験テレビ',
        state: 'scheduled',
      },
    });
    expect(await home.rules()).toEqual([rule]);
    expect(await home.json<RuleItem>('GET', `/api/rules/${rule.id}`)).toEqual(rule);
    expect(booked).toMatchObject({ ruleId: rule.id, priority: 4, marginAfter: 60_000 });
  });

  test('after a change it books the new matches; without dedupe in the request that setting stays', async () => {
    home.program('灯台の朝', 90);
    home.program('港の朝', 180);
    const { id } = await add({ keyword: '灯台', dedupe: false });
    expect(await change(id, { keyword: '朝', encode: 'none' })).toMatchObject({ dedupe: false, booked: 2 });
    expect((await home.reservations()).map(({ title, encode }) => [title, encode])).toEqual([
      ['灯台の朝', 'none'],
      ['港の朝', 'none'],
    ]);
    expect(await change(id, { keyword: '港', dedupe: true })).toMatchObject({ dedupe: true, booked: 1 });
    expect(await change(id, { keyword: '港', enabled: false })).toMatchObject({ booked: 0, next: null });
    expect(await home.reservations()).toEqual([]);
  });

  test('a rule that is sent back unchanged stays unchanged', async () => {
    home.program('灯台の朝', 90);
    const rule = await add({ keyword: '灯台', genres: [], weekdays: [0, 3], keepNewest: 4, dedupe: false });
    expect(await change(rule.id, rule)).toEqual(rule);
    expect(await change(rule.id, { ...rule, id: 99, booked: 7, priority: 5 })).toEqual({
      ...rule,
      priority: 5,
    });
    expect(await preview(rule)).toMatchObject({ fault: null });
    expect(await status('PUT', `/api/rules/${rule.id}`, { ...rule, updatedAt: 5 })).toEqual([
      400,
      'updatedAt',
    ]);
  });

  test('a condition that matches every programme is refused', async () => {
    home.program('灯台の朝', 90);
    for (const body of [
      { keyword: '"' },
      { keyword: '-港' },
      { keyword: '.*', regex: true },
      { timeFrom: 0 },
    ]) {
      expect([body, await status('POST', '/api/rules', body)]).toEqual([body, [400, 'keyword']]);
      expect([body, await status('POST', '/api/rules/preview', body)]).toEqual([body, [400, 'keyword']]);
    }
    expect(await home.reservations()).toEqual([]);
  });

  test('reservations that begin soon stay if the rule no longer matches, but not if it is deleted', async () => {
    home.program('灯台の朝', 30);
    const { id } = await add({ keyword: '灯台' });
    await change(id, { keyword: '港' });
    expect(await home.states()).toEqual([['灯台の朝', 'scheduled']]);
    expect((await home.ask('DELETE', `/api/rules/${id}`)).status).toBe(204);
    expect(await home.states()).toEqual([]);
  });

  test('deletion keeps what another rule wants too, and removes its cancellations', async () => {
    home.program('灯台の朝', 60);
    home.program('灯台の夜', 600);
    const { id } = await add({ keyword: '灯台', priority: 5 });
    const other = await add({ keyword: '灯台 夜' });
    const [morning, night] = await home.reservations();
    expect(night?.ruleId).toBe(id);
    await home.ask('DELETE', `/api/reservations/${morning?.id}`);
    expect((await home.ask('DELETE', `/api/rules/${id}`)).status).toBe(204);
    expect(await home.reservations()).toMatchObject([
      { id: night?.id, ruleId: other.id, priority: 1, state: 'scheduled' },
    ]);
    expect(home.database.query('SELECT count(*) AS n FROM cancellations').get()).toEqual({ n: 0 });
    expect(await status('DELETE', `/api/rules/${id}`)).toEqual([404, undefined]);
  });

  test('deletion during a change leaves no reservation without an owner', async () => {
    for (let index = 0; index < 20; index++) home.program(`灯台の朝 その${index}`, 100 + 60 * index);
    const { id } = await add({ keyword: '港' });
    const put = () => home.ask('PUT', `/api/rules/${id}`, { keyword: '灯台' });
    const remove = () => home.ask('DELETE', `/api/rules/${id}`);
    const statuses = (await Promise.all([put(), remove(), put(), put(), remove(), put()])).map(
      (one) => one.status,
    );
    expect([statuses[1], statuses[4]]).toEqual([204, 204]);
    expect(await home.rules()).toEqual([]);
    expect(await home.reservations()).toEqual([]);
  });

  test('refuses invalid rules, naming the field', async () => {
    const { id } = await add({ keyword: '灯台' });
    for (const [body, path] of [
      [{}, 'keyword'],
      [{ keyword: '(', regex: true }, undefined],
      [{ keyword: '灯台', weekdays: [7] }, 'weekdays.0'],
      [{ keyword: '灯台', keywords: 'x' }, 'keywords'],
      [{ keyword: '灯台', durationMin: 60, durationMax: 30 }, 'durationMax'],
      // A date that does not exist: the screen of the rules could not show it.
      [{ keyword: '灯台', periodTo: 1e300 }, 'periodTo'],
      [{ keyword: '灯台', periodFrom: 9e15 }, 'periodFrom'],
      [{ keyword: '灯台', stationIds: [1e300] }, 'stationIds.0'],
    ] as const) {
      for (const [method, address] of [
        ['POST', '/api/rules'],
        ['PUT', `/api/rules/${id}`],
        ['POST', '/api/rules/preview'],
      ] as const) {
        const [code, at] = await status(method, address, body);
        expect([code, path === undefined ? undefined : at]).toEqual([400, path]);
      }
    }
    expect(await status('PUT', '/api/rules/99999', { keyword: 'x' })).toEqual([404, undefined]);
    expect(await status('GET', '/api/rules/99999')).toEqual([404, undefined]);
    expect((await status('GET', '/api/rules/x'))[0]).toBe(400);
    expect(await home.rules()).toHaveLength(1);
  });

  test('one whose expression takes too long is disabled, with the reason', async () => {
    // Accepted by an earlier version, or written by hand.
    const { id } = await add({ keyword: '灯台' });
    home.database.run(
      `UPDATE rules SET conditions = json_set(conditions, '$.regex', json('true'), '$.keyword', '(')`,
    );
    const empty = await add({ keyword: '星' });
    home.database.run(`UPDATE rules SET conditions = '{}' WHERE id = ?`, [empty.id]);
    await add({ keyword: '港' });
    expect((await home.rules()).map(({ enabled }) => enabled)).toEqual([false, false, true]);
    expect((await home.rules()).find((rule) => rule.id === id)).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining('正規表現'),
    });
    expect(await change(id, { keyword: '灯台' })).toMatchObject({ enabled: true, disabledReason: null });
  });
});

describe('POST /api/rules/preview', () => {
  test('reports what would be reserved in addition to all other reservations, and changes nothing', async () => {
    const first = home.program('灯台 第1話「波」[字]', 60);
    const again = home.program('灯台 第1話「波」[再]', 300, { station: OTHER_STATION });
    const clash = home.program('灯台 第2話「風」', 500);
    const won = home.program('港の朝', 505, { station: OTHER_STATION });
    const { id: reservationId } = await home.json<{ id: number }>('POST', '/api/reservations', {
      programId: won,
    });
    const found = await preview({ keyword: '灯台' });
    expect(found).toMatchObject({ total: 3, fault: null });
    expect(
      found.programs.map(({ id, state, reservationId: booked }) => [id, state, booked]),
    ).toEqual<unknown>([
      [first, 'scheduled', null],
      [again, null, null],
      [clash, 'conflict', null],
    ]);
    expect(found.programs[0]).toMatchObject({
      stationId: HOME_STATION,
      serviceName: '試験テレビ',
      name: '灯台 第1話「波」[字]',
      title: '灯台 第1話「波」',
    });
    expect(found.programs[1]?.reason).toMatch(
      /^同じ回を\d+\/\d+\([日月火水木金土]\) \d+:\d\dに録画します。$/,
    );
    expect((await home.reservations()).map(({ id }) => id)).toEqual<unknown>([reservationId]);
  });

  test('of a rule that is being edited replaces its stored form', async () => {
    const programId = home.program('灯台の朝', 60);
    const { id } = await add({ keyword: '灯台' });
    const [booked] = await home.reservations();
    const found = await preview({ keyword: '朝' }, `?ruleId=${id}`);
    expect(found.programs).toMatchObject([{ id: programId, state: 'scheduled', reservationId: booked?.id }]);
    expect(await status('POST', '/api/rules/preview?ruleId=99999', { keyword: 'x' })).toEqual([
      404,
      undefined,
    ]);
  });
});

test("a restarted service knows all of the users' decisions", async () => {
  const other = await Bookings.start();
  try {
    other.program('灯台の朝', 60);
    other.program('港の朝', 300);
    other.program('星の港', 600);
    await other.json('POST', '/api/rules', { keyword: '朝', priority: 3 });
    const [morning] = await other.reservations();
    await other.ask('DELETE', `/api/reservations/${morning?.id}`);
    const rules = await other.rules();
    const [coming, done] = [await other.reservations(), await other.reservations(true)];
    const again = await other.restarted();
    try {
      expect(await again.rules()).toEqual(rules);
      expect(await again.reservations(true)).toEqual(done);
      expect(await again.reservations()).toEqual(coming);
    } finally {
      await again.home.close();
    }
  } finally {
    await other.close();
  }
});
