/** Reminders over a guide that changes, with the clock of the test. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { Hub } from '../../src/notify/hub.ts';
import { noticeText } from '../../src/notify/notice-text.ts';
import { ReminderService } from '../../src/notify/reminders.ts';
import { readSeries } from '../../src/schedule/dedupe/series-title.ts';
import { NoticeStore } from '../../src/store/notice-store.ts';
import { ReminderStore } from '../../src/store/reminder-store.ts';
import { writeNow } from '../../src/store/transaction.ts';
import { BRANCH, HOME, ProgramRows } from '../guide/program-rows.ts';
import { processorMs } from '../processor-time.ts';
import { type ProgramRow, programIdOf, putPrograms } from '../service/guide-rows.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** 21:00 in Japan. */
const START = Date.parse('2026-11-25T21:00:00+09:00');

let rows: ProgramRows;
let reminders: ReminderService;
let notices: NoticeStore;
let hub: Hub;
let now: number;
let isSure: boolean;

/** As after a start of the service. */
function open(): ReminderService {
  return new ReminderService({
    store: new ReminderStore(rows.database),
    addNotice: (notice) => notices.add(notice),
    onNotified: () => {},
    findProgram: (id) => rows.store.find(id),
    readSeries,
    hub,
    write: writeNow,
    log: createLog({ level: 'debug', now: () => wallMs(now), write: (line) => logged.push(line) }),
    now: () => broadcastMs(now),
    isTimeSure: () => isSure,
    checkMs: 1e9,
  });
}
const logged: string[] = [];

beforeEach(() => {
  rows = new ProgramRows();
  notices = new NoticeStore(rows.database);
  hub = new Hub((error) => {
    throw error;
  });
  [now, isSure, logged.length] = [START - DAY, true, 0];
  reminders = open();
});
afterEach(async () => {
  await reminders.close();
  rows.close();
  expect(logged).toEqual([]);
});

function put(over: Partial<ProgramRow> = {}): ProgramId {
  const row = { station: HOME, event: 1, startAt: START, name: '［字］ドラマ「灯台守の娘」＃3', ...over };
  putPrograms(rows.database, [{ endAt: row.startAt + 30 * MINUTE, ...row }]);
  return programIdOf(row) as ProgramId;
}

/** The guide is read again at the next check. */
async function guideChanges(): Promise<void> {
  await reminders.close();
  reminders = open();
  await reminders.check();
}

/** Minutes relative to the announced start. */
async function at(minutes: number): Promise<void> {
  now = START + minutes * MINUTE;
  await reminders.check();
}

const text = noticeText({ recording: () => null, reservation: () => '' });
const told = (): string[] => notices.latest(100).map(text).reverse();

describe('a reminder', () => {
  test('is told once, so many minutes before the start', async () => {
    reminders.set({ programId: put(), minutes: 10 });
    await at(-10.1);
    expect(told()).toEqual([]);
    await at(-10);
    await at(-9);
    await guideChanges();
    await at(5);
    expect(told()).toEqual(['『ドラマ「灯台守の娘」＃3』（局 11/25(水) 21:00）が10分後に始まります。']);
    expect(notices.latest(1)[0]).toMatchObject({
      ...{ event: 'reminder', kind: 'program', subject: String(put()) },
      facts: { startAt: START, endAt: START + 30 * MINUTE },
    });
  });

  test('follows its programme: put off, brought forward, put off again after it was told', async () => {
    const id = put();
    reminders.set({ programId: id, minutes: 10 });
    put({ startAt: START + 60 * MINUTE });
    await at(-5);
    expect([told().length, reminders.list().reminders[0]?.startAt]).toEqual([
      0,
      broadcastMs(START + 60 * MINUTE),
    ]);
    await at(50);
    expect(told().at(-1)).toContain('22:00）が10分後に始まります');
    put({ startAt: START + 90 * MINUTE });
    await at(60);
    expect(told()).toHaveLength(1);
    await at(80);
    expect(told()).toHaveLength(2);
    expect(told().at(-1)).toContain('22:30）が10分後に始まります');
    // A start that is stated more exactly is not told again.
    put({ startAt: START + 90 * MINUTE + 20_000 });
    await at(81);
    expect(told()).toHaveLength(2);
  });

  test('brought forward so that its moment is past is told at once', async () => {
    reminders.set({ programId: put(), minutes: 10 });
    await at(-60);
    put({ startAt: START - 57 * MINUTE });
    await at(-59);
    expect(told().at(-1)).toContain('2分後に始まります');
  });

  test('of a service that was off is told while the programme is on, and not after it', async () => {
    reminders.set({ programId: put(), minutes: 10 });
    reminders.set({ programId: put({ event: 2, startAt: START - 60 * MINUTE }), minutes: 10 });
    await at(3);
    expect(told()).toHaveLength(1);
    expect(told()[0]).toContain('21:00）が始まりました');
    await guideChanges();
    expect(reminders.list().reminders.map(({ programId }) => Number(programId))).toEqual([Number(put())]);
  });

  test('is neither told nor forgotten by a clock that is not sure, nor twice by one that jumps', async () => {
    reminders.set({ programId: put(), minutes: 10 });
    isSure = false;
    await at(10_000);
    await guideChanges();
    expect(told()).toEqual([]);
    isSure = true;
    await at(-10);
    await at(-5 * 1_440);
    await at(-10);
    await at(-1);
    expect(told()).toHaveLength(1);
  });

  test('follows a programme with another number, or on another station', async () => {
    const renumbered = put();
    reminders.set({ programId: renumbered, minutes: 10 });
    rows.database.run('DELETE FROM programs');
    const next = put({ event: 9, startAt: START + 15 * MINUTE });
    await guideChanges();
    expect(reminders.list().reminders).toMatchObject([{ programId: next, gone: false }]);

    rows.database.run('DELETE FROM programs');
    const moved = put({
      ...{ station: BRANCH, event: 20, name: '移った番組' },
      groups: [{ type: 'movement', events: [{ networkId: 0x7fe8, serviceId: 1024, eventId: 9 }] }],
    });
    await guideChanges();
    expect(reminders.list().reminders).toMatchObject([
      { programId: moved, stationId: BRANCH, serviceName: '局２' },
    ]);
    await at(-10);
    expect(told().at(-1)).toContain('「移った番組」（局２');
  });

  test('is told again when its minutes are changed after it was told', async () => {
    const id = put();
    reminders.set({ programId: id, minutes: 30 });
    await at(-30);
    reminders.set({ programId: id, minutes: 5 });
    await at(-20);
    expect(told()).toHaveLength(1);
    await at(-5);
    expect(told()).toHaveLength(2);
    // Pressed again.
    reminders.set({ programId: id, minutes: 5 });
    await at(-4);
    expect(told()).toHaveLength(2);
  });

  test('is told again when a start that was told comes back', async () => {
    reminders.set({ programId: put(), minutes: 60 });
    await at(-60);
    put({ startAt: START + 20 * MINUTE });
    await at(-40);
    put();
    await at(-20);
    await at(-19);
    expect(told().map((one) => /\d\d:\d\d(?=）)/.exec(one)?.[0])).toEqual(['21:00', '21:20', '21:00']);
  });

  test('of a programme that is over does not go to the next one of its name', async () => {
    const news = (event: number, startAt: number) => put({ event, startAt, name: 'ニュース' });
    const id = news(1, START);
    news(2, START + 60 * MINUTE);
    reminders.set({ programId: id, minutes: 10 });
    await at(-10);
    now = START + 55 * MINUTE;
    rows.database.run(`DELETE FROM programs WHERE id = ${id}`);
    await guideChanges();
    expect([told().length, reminders.list().reminders.length]).toEqual([1, 0]);
  });

  test('of many that the guide lost at once do not stop the service', async () => {
    const others = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ station: BRANCH, event: 1_000 + index, name: `番組${index}` },
      ...{ startAt: START + (index % 500) * 30 * MINUTE, endAt: START + ((index % 500) + 1) * 30 * MINUTE },
    }));
    putPrograms(rows.database, others);
    const groups = JSON.stringify([{ type: 'common', events: [{ networkId: 4, serviceId: 1, eventId: 1 }] }]);
    rows.database.query(`UPDATE programs SET groups = ? WHERE station_id = ${BRANCH}`).run(groups);
    for (let event = 1; event <= 400; event += 1)
      reminders.set({
        programId: put({ event, startAt: START + event * MINUTE, name: `連続${event}` }),
        minutes: 10,
      });
    rows.database.run(`DELETE FROM programs WHERE station_id = ${HOME}`);
    const began = processorMs();
    await guideChanges();
    const took = processorMs() - began;
    expect(reminders.list().reminders.every(({ gone }) => gone)).toBe(true);
    // Reading the guide for each of them takes 3.7 s, in a write.
    expect(took).toBeLessThan(1_000);
  });

  test('of a programme that the guide lost is not told, and says so', async () => {
    reminders.set({ programId: put(), minutes: 10 });
    rows.database.run('DELETE FROM programs');
    await guideChanges();
    await at(-10);
    expect(told()).toEqual([]);
    expect(reminders.list().reminders).toMatchObject([{ gone: true, startAt: START }]);
  });

  test('is changed, cancelled, and refused for what is over, unknown, or too much', async () => {
    const id = put();
    const { id: first } = reminders.set({ programId: id, minutes: 10 });
    expect(reminders.set({ programId: id, minutes: 60 })).toMatchObject({ id: first, minutes: 60 });
    reminders.cancel(first);
    expect(() => reminders.cancel(first)).toThrow('見つかりません');
    await at(-10);
    expect([told(), reminders.list().reminders]).toEqual([[], []]);
    expect(() => reminders.set({ programId: 5 as ProgramId, minutes: 0 })).toThrow('見つかりません');
    now = START;
    expect(() => reminders.set({ programId: id, minutes: 0 })).toThrow('もう始まっている');
    now = START - DAY;
    for (let event = 100; event < 600; event++) reminders.set({ programId: put({ event }), minutes: 5 });
    expect(() => reminders.set({ programId: put({ event: 600 }), minutes: 5 })).toThrow('500件まで');
  });
});

describe('a series', () => {
  const episode = (number: number, over: Partial<ProgramRow> = {}): ProgramId =>
    put({
      ...{ event: number, startAt: START + (number - 3) * 7 * DAY },
      name: `［字］ドラマ「灯台守の娘」＃${number}`,
      ...over,
    });
  const set = (): ProgramId[] => reminders.list().reminders.map(({ programId }) => programId);

  test('is followed on its station, with what the guide brings later', async () => {
    const [third, fourth] = [episode(3), episode(4)];
    episode(30, { station: BRANCH });
    put({ event: 40, name: '別の番組', startAt: START + DAY });
    reminders.set({ programId: third, minutes: 15, series: true });
    expect(set()).toEqual([third, fourth]);
    const fifth = episode(5);
    await guideChanges();
    expect(set()).toEqual([third, fourth, fifth]);
    await at(-15);
    await at(7 * 1_440 - 15);
    expect(told()).toHaveLength(2);
    expect(reminders.list().series).toMatchObject([{ stationId: HOME, minutes: 15 }]);
  });

  test('leaves out one that was cancelled, and all when it is cancelled itself', async () => {
    const [third, fourth] = [episode(3), episode(4)];
    const made = reminders.set({ programId: third, minutes: 15, series: true });
    reminders.cancel(reminders.list().reminders[1]?.id ?? 0);
    await guideChanges();
    expect(set()).toEqual([third]);
    // Wanted again by hand.
    reminders.set({ programId: fourth, minutes: 5 });
    expect(set()).toEqual([third, fourth]);
    reminders.cancelSeries(made.seriesId ?? 0);
    expect(reminders.list()).toEqual({ reminders: [], series: [] });
  });
});
