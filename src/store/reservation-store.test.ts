import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventId,
  networkId,
  programId,
  serviceId,
  splitProgramId,
  stationId,
  transportStreamId,
} from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { putPrograms } from '../../test/service/guide-rows.ts';
import { readRule } from '../schedule/rule-body.ts';
import { CancellationStore } from './cancellation-store.ts';
import { openDatabase } from './database.ts';
import { PlanningDatabase } from './planning-database.ts';
import type { PlannedRow } from './reservation-row.ts';
import { type ManualReservation, ReservationStore } from './reservation-store.ts';
import { RuleStore } from './rule-store.ts';
import { StationStore } from './station-store.ts';

const NOW = broadcastMs(1_800_000_000_000);
const HOUR = 3_600_000;
const STATION = stationId(networkId(0x7fe8), serviceId(1024));

let folder: string;
let database: Database;
let reservations: ReservationStore;
let rules: RuleStore;
let cancellations: CancellationStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-bookings-'));
  database = openDatabase(join(folder, 'svc.db'));
  reservations = new ReservationStore(database);
  rules = new RuleStore(database);
  cancellations = new CancellationStore(database);
  const station = {
    id: STATION,
    type: 'GR' as const,
    networkId: networkId(0x7fe8),
    serviceId: serviceId(1024),
    transportStreamId: transportStreamId(1),
    channel: 'T27',
    name: '試験テレビ',
    serviceType: 1,
    remoteControlKey: 1,
  };
  new StationStore(database).apply({ put: [station], hide: [], retype: [] }, NOW);
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const program = (event: number) => programId(STATION, eventId(event));

function manual(event: number, over: Partial<ManualReservation> = {}): ManualReservation {
  return {
    programId: program(event),
    stationId: STATION,
    name: `番組${event}[字]`,
    description: '',
    startAt: broadcastMs(NOW + event * HOUR),
    endAt: broadcastMs(NOW + (event + 1) * HOUR),
    marginBefore: null,
    marginAfter: null,
    encode: null,
    keepTs: null,
    commercials: null,
    note: null,
    repeats: null,
    ...over,
  };
}

function planned(event: number, over: Partial<PlannedRow> = {}): PlannedRow {
  const { programId, stationId, name, description, startAt, endAt } = manual(event);
  return {
    programId,
    stationId,
    name,
    description,
    startAt: broadcastMs(startAt),
    endAt,
    ruleId: null,
    state: 'scheduled',
    reason: null,
    priority: 2,
    tuner: { type: 'GR', rank: 0 },
    blockers: [],
    alternatives: [],
    ...over,
  };
}

const CHOICE = {
  marginBefore: 1000,
  marginAfter: null,
  encode: 'h264',
  keepTs: true,
  commercials: 'cut',
} as const;
const draft = (body: object) => readRule(body, () => {});

describe('reservations', () => {
  test('that are manual are stored with their options, and booking a settled one again reuses its row', () => {
    const id = reservations.book(manual(1, CHOICE), NOW);
    expect(reservations.find(id)).toMatchObject({
      ...CHOICE,
      programId: program(1),
      ruleId: null,
      state: 'scheduled',
      priority: 2,
      tuner: null,
      createdAt: NOW,
    });
    reservations.cancel(id, null, broadcastMs(NOW + 1));
    expect(reservations.book(manual(1), broadcastMs(NOW + 2))).toBe(id);
    expect(reservations.find(id)).toMatchObject({ state: 'scheduled', keepTs: null, createdAt: NOW + 2 });
    expect(reservations.ofProgram(program(1))?.id).toBe(id);
    expect(reservations.ofProgram(program(2))).toBeUndefined();
  });

  test('a plan is stored completely: ids in its order, blockers as ids, options of rules', () => {
    const first = reservations.book(manual(1), NOW);
    const gone = reservations.book(manual(9), NOW);
    const rule = rules.create(draft({ keyword: '番組' }), NOW);
    const applied = reservations.apply(
      {
        stamp: reservations.stamp(),
        create: [
          {
            ...planned(3, { ruleId: rule.id, state: 'conflict', tuner: null, blockers: [program(1)] }),
            ...CHOICE,
            note: { code: 'repeat_of_rule' },
            repeats: recordingId(7),
          },
          {
            ...planned(2, { ruleId: rule.id, relayOf: program(1) }),
            ...{ ...CHOICE, note: null, repeats: null },
          },
        ],
        update: [
          {
            id: first,
            to: planned(1, {
              reason: { code: 'tuners_in_use', names: ['港の朝'], hasMore: true, broken: 2 },
              blockers: [program(2), program(3)],
              alternatives: [program(8)],
            }),
            choice: null,
          },
        ],
        remove: [gone],
      },
      broadcastMs(NOW + 5),
    );
    expect(applied).toBe(true);
    const rows = reservations.all();
    expect(rows.map(({ programId }) => splitProgramId(programId)?.eventId as number)).toEqual([1, 3, 2]);
    const [one, three, two] = rows;
    expect(one).toMatchObject({
      blockers: [two?.id, three?.id],
      alternatives: [program(8)],
      marginBefore: null,
    });
    expect(three).toMatchObject({
      ...CHOICE,
      ruleId: rule.id,
      blockers: [first],
      note: { code: 'repeat_of_rule' },
      repeats: 7,
    });
    expect(two).toMatchObject({ tuner: { type: 'GR', rank: 0 }, relayOf: program(1), updatedAt: NOW + 5 });
    expect([one?.relayOf, three?.relayOf]).toEqual([null, null]);
    // Reserved for itself from now on.
    reservations.cancel(two?.id ?? first, null, NOW);
    reservations.book(manual(2), NOW);
    expect(reservations.ofProgram(program(2))?.relayOf).toBeNull();
  });

  test('an outdated plan changes nothing', () => {
    const changes = { create: [], update: [], remove: [reservations.book(manual(1), NOW)] };
    for (const change of [
      () => void reservations.book(manual(2), NOW),
      () => void rules.create(draft({ keyword: '番組' }), NOW),
      () =>
        cancellations.add({
          ruleId: null,
          type: 'GR',
          channel: 'T27',
          title: 'x',
          startAt: NOW,
          cancelledAt: NOW,
        }),
    ]) {
      const stamp = reservations.stamp();
      change();
      expect(reservations.apply({ stamp, ...changes }, NOW)).toBe(false);
    }
    expect(reservations.all()).toHaveLength(2);
    expect(reservations.apply({ stamp: reservations.stamp(), ...changes }, NOW)).toBe(true);
    expect(reservations.all()).toHaveLength(1);
  });

  test('cancelling stores the airing once, restoring deletes that, and a running one is left to the recorder', () => {
    const id = reservations.book(manual(1), NOW);
    const airing = { type: 'GR' as const, channel: 'T27', title: '番組1', startAt: broadcastMs(NOW + HOUR) };
    for (const at of [1, 2])
      reservations.cancel(
        id,
        { ...airing, ruleId: null, cancelledAt: broadcastMs(NOW + at) },
        broadcastMs(NOW + at),
      );
    expect(cancellations.all()).toHaveLength(1);
    expect(reservations.find(id)?.state).toBe('cancelled');
    reservations.restore(
      id,
      { ...airing, startAt: broadcastMs(airing.startAt + 600_000) },
      broadcastMs(NOW + 3),
    );
    expect(cancellations.all()).toEqual([]);
    expect(reservations.find(id)?.state).toBe('scheduled');
    database.run("UPDATE reservations SET state = 'recording'");
    reservations.cancel(id, null, broadcastMs(NOW + 4));
    expect(reservations.find(id)?.state).toBe('recording');
    reservations.cancelLost(id, broadcastMs(NOW + 5));
    expect(reservations.find(id)?.state).toBe('cancelled');
  });

  test('lists separate upcoming from past ones, which name their last recording', () => {
    const states = ['scheduled', 'conflict', 'skipped', 'missed', 'cancelled', 'recording', 'finished'];
    for (const [index, state] of states.entries()) {
      const id = reservations.book(manual(index + 1), NOW);
      database.run('UPDATE reservations SET state = ? WHERE id = ?', [state, id]);
    }
    const gone = reservations.book(manual(8, { endAt: NOW }), NOW);
    database.run("UPDATE reservations SET state = 'skipped' WHERE id = ?", [gone]);
    const record = (reservation: number, event: number, deleted: number | null) =>
      database.run(
        `INSERT INTO recordings (reservation_id, program_id, station_id, service_name, state, name, description,
           start_at, end_at, deleted_at, created_at, updated_at)
         VALUES (?, ?, ?, '局', 'recording', '', '', 0, 0, ?, 0, 0)`,
        [reservation, program(event), STATION, deleted],
      );
    record(6, 6, null);
    record(6, 6, null);
    record(6, 6, NOW);
    expect(reservations.coming(NOW).map(({ state }) => state)).toEqual([
      'scheduled',
      'conflict',
      'skipped',
      'recording',
    ]);
    expect(reservations.coming(NOW)[3]).toMatchObject({
      recordingId: 2,
      channel: 'T27',
      type: 'GR',
      serviceName: '試験テレビ',
    });
    expect(reservations.completed(NOW).map(({ state }) => state)).toEqual([
      'skipped',
      'finished',
      'cancelled',
      'missed',
    ]);
    const [, finished] = reservations.completed(NOW);
    const worth = (sql: string): (string | null)[] => {
      database.run(`UPDATE recordings SET ${sql} WHERE reservation_id = ?`, [finished?.id ?? 0]);
      return reservations.completed(NOW).map(({ verdict }) => verdict);
    };
    record(finished?.id ?? 0, (finished?.programId ?? 0) % 100_000, null);
    expect(worth("state = 'recorded'")).toEqual([null, null, null, null]);
    expect(worth(`verdict = '{"level":"damaged","drops":1}'`)).toEqual([null, 'damaged', null, null]);
    expect(worth("state = 'failed'")).toEqual([null, 'lost', null, null]);
    expect(reservations.wanted().map(({ id }) => id as number)).toEqual([1, 6]);
    expect(reservations.purge(plusMs(NOW, 6 * HOUR))).toBe(3);
    expect(reservations.all().map(({ state }) => state)).toEqual([
      'scheduled',
      'conflict',
      'cancelled',
      'recording',
      'finished',
    ]);
  });
});

describe('rules', () => {
  test('are stored as validated, and their bookings follow them', () => {
    const rule = rules.create(draft({ keyword: '番組', marginAfter: 5, dedupe: false }), NOW);
    expect(rules.find(rule.id)).toEqual(rule);
    expect(rule).toMatchObject({ name: '番組', dedupe: false, disabledReason: null, createdAt: NOW });
    reservations.apply(
      {
        stamp: reservations.stamp(),
        create: [
          { ...planned(1, { ruleId: rule.id, state: 'conflict' }), ...CHOICE, note: null, repeats: null },
          { ...planned(2, { ruleId: rule.id, state: 'recording' }), ...CHOICE, note: null, repeats: null },
        ],
        update: [],
        remove: [],
      },
      NOW,
    );
    const facts = rules.facts().get(rule.id);
    expect(facts).toMatchObject({ booked: 2, conflicts: 1, recorded: 0, next: { programId: program(1) } });
    rules.disable(rule.id, { code: 'too_costly' }, broadcastMs(NOW + 1));
    rules.disable(rule.id, { code: 'no_conditions' }, broadcastMs(NOW + 2));
    expect(rules.find(rule.id)).toMatchObject({ enabled: false, disabledReason: { code: 'too_costly' } });
    const after = rules.update(
      rule.id,
      draft({ keyword: '別', encode: 'none', commercials: 'none' }),
      broadcastMs(NOW + 3),
    );
    expect(after).toMatchObject({ enabled: true, disabledReason: null, dedupe: true, updatedAt: NOW + 3 });
    expect(
      reservations.all().map(({ encode, keepTs, commercials }) => [encode, keepTs, commercials]),
    ).toEqual([
      ['none', null, 'none'],
      ['h264', true, 'cut'],
    ]);
  });

  test('are deleted with their cancellations; their recordings stay', () => {
    const rule = rules.create(draft({ keyword: '番組' }), NOW);
    const memory = { type: 'GR' as const, channel: 'T27', title: 'x', startAt: NOW, cancelledAt: NOW };
    cancellations.add({ ...memory, ruleId: rule.id });
    cancellations.add({ ...memory, ruleId: null });
    rules.remove(rule.id);
    expect(rules.all()).toEqual([]);
    expect(cancellations.all().map(({ ruleId }) => ruleId)).toEqual([null]);
    expect(cancellations.purge(plusMs(NOW, 1))).toBe(1);
  });
});

describe('the input of a plan', () => {
  test('names the stations whose programmes changed, and marks the changed ones', () => {
    const file = new PlanningDatabase(join(folder, 'svc.db'));
    const row = {
      station: STATION,
      event: 1,
      startAt: NOW,
      endAt: NOW + HOUR,
      name: '番組',
      extended: { a: 'b' },
    };
    const version = () => file.guideVersion;
    const empty = version();
    putPrograms(database, [row, { ...row, event: 2, hidden: true }]);
    expect(file.changedSince(empty)).toEqual([STATION]);
    const before = version();
    const [one] = file.programs(STATION);
    expect(one).toMatchObject({ id: program(1), name: '番組', genres: '[]' });
    expect(file.texts(program(1))).toEqual({ name: '番組', description: '' });
    expect(file.extended(program(1))).toEqual({ a: 'b' });
    expect(file.texts(program(9))).toEqual({ name: '', description: '' });
    expect(file.extended(program(9))).toBeNull();
    database.run('UPDATE programs SET updated_at = 5');
    expect(file.programs(STATION)[0]?.mark).toBe(one?.mark ?? 0);
    database.run("UPDATE programs SET name = '別の番組'");
    expect(file.changedSince(before)).toEqual([STATION]);
    expect(file.programs(STATION)[0]?.mark).not.toBe(one?.mark ?? 0);
    const now = version();
    database.run('DELETE FROM programs');
    expect(file.changedSince(now)).toEqual([STATION]);
    expect(file.changedSince(version() + 1)).toEqual([]);
    file.close();
  });

  test('contains recent recordings without failed ones, and with those that may be booked again', () => {
    const record = (event: number, state: string, released: number, startAt = NOW) =>
      database.run(
        `INSERT INTO recordings (program_id, station_id, service_name, state, name, description, extended, start_at,
           end_at, released, created_at, updated_at)
         VALUES (?, ?, '局', ?, '番組', '説明', '{"a":"b"}', ?, 0, ?, 0, 0)`,
        [program(event), STATION, state, startAt, released],
      );
    record(1, 'recording', 0);
    record(2, 'failed', 0);
    record(3, 'failed', 1);
    record(4, 'available', 0, broadcastMs(NOW - 1));
    record(5, 'recorded', 0);
    const file = new PlanningDatabase(join(folder, 'svc.db'));
    const rows = file.reading(() => file.recorded(NOW));
    expect(rows.map(({ programId, released }) => [programId - program(0), released])).toEqual([
      [1, false],
      [3, true],
      [5, false],
    ]);
    expect(rows[0]).toMatchObject({ name: '番組', description: '説明', extended: { a: 'b' }, startAt: NOW });
    file.close();
  });
});
