import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';
import { BookedHome, MINUTE, NOON } from '../../test/schedule/booked-home.ts';
import { readRule } from '../schedule/rule-body.ts';
import { startScheduleWorker } from '../workers.ts';
import { PlanningWorkerClient } from './planning-worker-client.ts';
import type { PlanOrder } from './planning-worker-messages.ts';

const NO_CHOICE = {
  marginBefore: null,
  marginAfter: null,
  encode: null,
  keepTs: null,
  commercials: null,
  note: null,
};

const ORDER: PlanOrder = {
  now: NOON,
  tuners: [{ rank: 0, types: ['GR'], recording: [] }],
  settings: {
    marginBefore: 10_000,
    tuning: 0,
    marginAfter: 15_000,
    retuneCost: 'first',
    retractGrace: 60 * MINUTE,
  },
  airings: new Map(),
};

let home: BookedHome;
let plans: PlanningWorkerClient;

beforeEach(() => {
  home = new BookedHome();
  plans = new PlanningWorkerClient({ startWorker: startScheduleWorker, path: home.path, log: SILENT_LOG });
});

afterEach(async () => {
  await plans.close();
  home.close();
});

const created = async (order: PlanOrder = ORDER) =>
  (await plans.plan(order)).create.map(({ name, state, repeats }) => [name, state, repeats]);

describe('the planning worker', () => {
  test('plans from the database and follows its changes', async () => {
    const station = home.station('T27');
    home.program(station, '灯台 第1話', { at: 10 });
    const removed = home.program(station, '灯台 第2話', { at: 60 });
    home.rule('灯台');
    expect(await created()).toEqual([
      ['灯台 第1話', 'scheduled', null],
      ['灯台 第2話', 'scheduled', null],
    ]);
    const { stamp, openings } = await plans.plan(ORDER);
    expect(stamp).toBe(home.reservations.stamp());
    expect(openings[0]).toMatchObject({ openAt: NOON + 10 * MINUTE - 10_000, after: [] });
    home.database.run('DELETE FROM programs WHERE id = ?', [removed]);
    home.database.run(`UPDATE programs SET name = '灯台 第9話'`);
    home.program(home.station('T28'), '灯台 第3話', { at: 15 });
    expect(await created()).toEqual([
      ['灯台 第9話', 'scheduled', null],
      ['灯台 第3話', 'conflict', null],
    ]);
    home.rules.update(
      ruleId(1),
      readRule({ keyword: '港' }, () => {}),
      NOON,
    );
    expect(await created()).toEqual([]);
  });

  test("keeps a rule's booking when the broadcaster moves it out of the rule's time window", async () => {
    const station = home.station('T27');
    const program = home.program(station, '灯台 第1話', { at: 10 });
    const minute = ((NOON + 9 * 60 * MINUTE) / MINUTE) % 1440;
    const rule = home.rule('灯台', { timeFrom: minute, timeTo: minute + 60 });
    const apply = async () => {
      const { stamp, create, update, remove } = await plans.plan(ORDER);
      const rows = create.map((planned) => ({ ...planned, ...NO_CHOICE }));
      const changes = update.map((one) => ({ ...one, choice: null }));
      expect(home.reservations.apply({ stamp, remove, create: rows, update: changes }, NOON)).toBe(true);
      return home.reservations.all().map(({ state, startAt }) => [state, (startAt - NOON) / MINUTE]);
    };
    expect(await apply()).toEqual([['scheduled', 10]]);
    home.database.run('UPDATE programs SET start_at = start_at + ?1, end_at = end_at + ?1 WHERE id = ?2', [
      300 * MINUTE,
      program,
    ]);
    expect(await apply()).toEqual([['scheduled', 310]]);
    expect(await apply()).toEqual([['scheduled', 310]]);
    // At its original time it no longer matches the rule.
    const later = { keyword: '灯台', timeFrom: minute + 60, timeTo: minute + 120 };
    home.rules.update(
      rule.id,
      readRule(later, () => {}),
      NOON,
    );
    expect(await apply()).toEqual([]);
  });

  test('books a programme cancelled for a deleted rule when another rule matches it', async () => {
    const programId = home.program(home.station('T27'), '灯台 第1話', { at: 10 });
    const rule = home.rule('灯台');
    home.rule('第1話');
    const { stamp, create } = await plans.plan(ORDER);
    const rows = create.map((planned) => ({ ...planned, ...NO_CHOICE, ruleId: rule.id }));
    home.reservations.apply({ stamp, remove: [], create: rows, update: [] }, NOON);
    const id = home.reservations.ofProgram(programId)?.id ?? reservationId(0);
    const airing = {
      type: 'GR' as const,
      channel: 'T27',
      title: '灯台 第1話',
      startAt: broadcastMs(NOON + 10 * MINUTE),
    };
    home.reservations.cancel(id, { ruleId: rule.id, ...airing, cancelledAt: NOON }, NOON);
    expect(await created()).toEqual([]);
    home.rules.remove(rule.id);
    expect(await created()).toEqual([['灯台 第1話', 'scheduled', null]]);
  });

  test('names rules that cannot be used', async () => {
    const station = home.station('T27');
    home.program(station, '灯台', { at: 10 });
    const rule = home.rule('灯台(', { regex: true });
    const { create, faults } = await plans.plan(ORDER);
    expect(create).toEqual([]);
    expect(faults.map(([id]) => id)).toEqual([rule.id]);
    expect(faults[0]?.[1]).toEqual({ code: 'bad_expression' });
  });

  test('previews a rule together with existing bookings', async () => {
    const station = home.station('T27');
    const program = home.program(station, '灯台', { at: 10 });
    home.program(station, '灯台', { at: 60, copyNever: true });
    home.program(station, '灯台', { at: -60 });
    const draft = readRule({ keyword: '灯台' }, () => {});
    const preview = await plans.preview({ ...ORDER, draft, replaces: null, limit: 1 });
    expect(preview).toMatchObject({ total: 2, fault: null });
    expect(preview.programs).toEqual([
      expect.objectContaining({
        id: program,
        state: 'scheduled',
        reservationId: null,
        startAt: broadcastMs(NOON + 10 * MINUTE),
      }),
    ]);
    const bad = { ...draft, conditions: { ...draft.conditions, keyword: '(', regex: true } };
    const refused = await plans
      .preview({ ...ORDER, draft: bad, replaces: null, limit: 1 })
      .catch((error) => error);
    expect(refused).toMatchObject({ code: 'bad_request' });
  });

  test('limits concurrent previews', async () => {
    const draft = readRule({ keyword: '灯台' }, () => {});
    const asked = Array.from({ length: 9 }, () =>
      plans.preview({ ...ORDER, draft, replaces: null, limit: 1 }),
    );
    const answers = await Promise.all(
      asked.map((one) => one.then(() => 'answered').catch((error) => error.code)),
    );
    expect(answers).toEqual([...Array.from({ length: 8 }, () => 'answered'), 'busy']);
  });

  test("books the next airing of a damaged recording: once for a manual booking, by the rule's settings for a rule", async () => {
    const station = home.station('T27');
    const first = home.program(station, '灯台 第1話', { at: -60 });
    const damaged = recordingId(home.recording(first, { released: 1 }));
    expect((await plans.plan(ORDER)).repeats).toEqual([]);
    const again = home.program(station, '灯台 第1話[再]', { at: 600 });
    home.program(station, '灯台 第2話', { at: 700 });
    const { repeats } = await plans.plan(ORDER);
    expect(repeats).toEqual([
      { recordingId: damaged, program: expect.objectContaining({ id: again, name: '灯台 第1話[再]' }) },
    ]);
    const row = repeats[0]?.program;
    if (row === undefined) throw new Error('nothing to book');
    const { id: programId, ...rest } = row;
    const id = home.reservations.book({ programId, ...rest, ...NO_CHOICE, repeats: damaged }, NOON);
    home.reservations.cancel(id, null, NOON);
    expect((await plans.plan(ORDER)).repeats).toEqual([]);

    home.database.run('DELETE FROM reservations');
    const rule = home.rule('灯台');
    home.database.run('UPDATE recordings SET rule_id = ?', [rule.id]);
    expect(await created()).toEqual([
      ['灯台 第1話[再]', 'scheduled', damaged],
      ['灯台 第2話', 'scheduled', null],
    ]);
    home.database.run('UPDATE recordings SET released = 0');
    expect(await created()).toEqual([['灯台 第2話', 'scheduled', null]]);
  });

  test('is restarted when it exits or does not answer', async () => {
    const silent = URL.createObjectURL(new Blob(['onmessage = () => {};']));
    const dying = URL.createObjectURL(new Blob(['onmessage = () => { throw new Error("broken"); };']));
    let starts = 0;
    const restarted = new PlanningWorkerClient({
      startWorker: () => {
        starts += 1;
        if (starts === 1) return new Worker(silent);
        return starts === 2 ? new Worker(dying) : startScheduleWorker();
      },
      path: home.path,
      log: SILENT_LOG,
      limitMs: 2000,
    });
    await expect(restarted.plan(ORDER)).rejects.toMatchObject({ code: 'busy' });
    await expect(restarted.plan(ORDER)).rejects.toMatchObject({ code: 'busy' });
    expect((await restarted.plan(ORDER)).create).toEqual([]);
    await restarted.close();
    await expect(restarted.plan(ORDER)).rejects.toMatchObject({ code: 'busy' });
    expect(starts).toBe(3);
  });
});
