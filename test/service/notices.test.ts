/** What can be done about a notice, and reminders, at a whole service. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Notice, NoticeDone } from '../../lib/wire/notifications.ts';
import type { Reminder, Reminders } from '../../lib/wire/reminders.ts';
import { until } from '../until.ts';
import { Bookings, MINUTE } from './bookings.ts';
import { HOME_STATION } from './harness.ts';
import { putRecording } from './recording-rows.ts';

let home: Bookings;
beforeAll(async () => {
  home = await Bookings.start();
});
afterAll(() => home.close());

const FILE = new Uint8Array(188);

const notices = () => home.json<Notice[]>('GET', '/api/notices');
const act = (id: number, action: string) => home.ask('POST', `/api/notices/${id}/act`, { action });
const done = async (id: number, action: string): Promise<NoticeDone> => {
  const response = await act(id, action);
  const text = await response.text();
  expect([text, response.status]).toEqual([text, 200]);
  return JSON.parse(text) as NoticeDone;
};

/** The newest notice of an event. */
async function notice(event: string): Promise<Notice> {
  const found = (await notices()).find((one) => one.event === event);
  if (found === undefined) throw new Error(`no ${event}`);
  return found;
}

/** @param folder null: a folder that is away */
function recording(
  name: string,
  over: Partial<Parameters<typeof putRecording>[1]> = {},
  folder: string | null = null,
): number {
  const startAt = Date.now() - 60 * MINUTE;
  return putRecording(
    home.database,
    {
      ...{ station: HOME_STATION, serviceName: '試験テレビ', name, startAt, endAt: startAt + 30 * MINUTE },
      ...{ state: 'recording', content: FILE, ...over },
    },
    folder,
  );
}

const end = (id: number, state: string, verdict: object | null = null): void => {
  home.database
    .query('UPDATE recordings SET state = $state, verdict = $verdict WHERE id = $id')
    .run({ id, state, verdict: verdict === null ? null : JSON.stringify(verdict) });
};

test('after a failed recording the next airing is booked with one press, once', async () => {
  const next = home.program('[字]灯台守の娘 第3話', 2 * 1_440);
  home.program('[字]灯台守の娘 第3話', 3 * 1_440);
  end(recording('[字]灯台守の娘 第3話[再]', { content: null }), 'failed');
  const failed = await notice('failed');
  expect(failed.actions.map(({ action, path }) => [action, path])).toEqual([['book_next', null]]);
  const answer = await done(failed.id, 'book_next');
  expect(answer.message).toContain('「灯台守の娘 第3話」（試験テレビ ');
  expect(answer.message).toEndWith('を予約しました。');
  const [booked] = await home.reservations();
  expect([booked?.programId, booked?.state, answer.path]).toEqual([
    next as never,
    'scheduled',
    `reservations?reservation=${booked?.id}`,
  ]);
  // Not the one after it as well, with a second press.
  expect((await notice('failed')).actions).toEqual([]);
  const late = await act(failed.id, 'book_next');
  expect([late.status, await late.json()]).toMatchObject([409, { code: 'conflict' }]);
  expect((await home.reservations()).length).toBe(1);
});

test('without another airing, or for a whole recording, none is offered', async () => {
  end(recording('二度と放送しない番組', { content: null }), 'failed');
  expect((await notice('failed')).actions).toEqual([]);
  home.program('全部録れた番組', 1_440);
  end(recording('全部録れた番組'), 'recorded', {
    level: 'complete',
    drops: 0,
    gaps: [],
    headMs: 0,
    tailMs: 0,
  });
  expect((await notice('finished')).actions.map(({ action }) => action)).toEqual(['watch']);
});

test('what a rule booked is cancelled with one press', async () => {
  home.program('週刊こどもニュース', 500);
  await home.json('POST', '/api/rules', { name: '毎週', keyword: '週刊こどもニュース' });
  await until(async () => (await notices()).some(({ event }) => event === 'reserved'));
  const reserved = await notice('reserved');
  expect(reserved.actions.map(({ action }) => action)).toEqual(['cancel']);
  expect((await done(reserved.id, 'cancel')).message).toBe('「週刊こどもニュース」の予約を取り消しました。');
  expect((await notice('reserved')).actions).toEqual([]);
});

test('a conversion that failed is tried again', async () => {
  const id = recording('変換する番組', { state: 'recorded' });
  home.database.run(
    `INSERT INTO encodes (recording_id, state, position, codecs, keep_ts, commercials, quality, automatic, ready_at, created_at)
     VALUES (${id}, 'running', 1, '["av1"]', 1, 'keep', 'standard', 0, 0, 0)`,
  );
  home.database.run(`UPDATE encodes SET state = 'failed' WHERE recording_id = ${id}`);
  const failed = await notice('encode_failed');
  expect(failed.actions.map(({ action }) => action)).toEqual(['encode', 'watch']);
  expect((await done(failed.id, 'encode')).message).toBe('「変換する番組」をもう一度変換します。');
  const { queue } = await home.json<{ queue: { recordingId: number }[] }>('GET', '/api/encodes');
  expect(queue.map(({ recordingId }) => recordingId)).toContain(id);
});

test('a full disk: the bin is emptied with one press, and how much that was is said', async () => {
  const add = (): void => {
    home.database.run(
      `INSERT INTO notices (key, event, kind, subject, facts, at)
       VALUES ('low', 'disk_low', 'storage', 'recordings', '{}', ${Date.now()})`,
    );
  };
  add();
  expect((await notice('disk_low')).actions).toEqual([]);
  const binned = { state: 'recorded', binnedAt: Date.now(), bytes: 2_500_000_000 } as const;
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  for (const name of ['捨てた番組', 'もう一つ']) recording(name, binned, folder);
  const kept = recording('残す番組', { state: 'recorded', bytes: 5_000 });
  expect((await notice('disk_low')).actions.map(({ action }) => action)).toEqual(['empty_bin']);
  const low = await notice('disk_low');
  expect((await done(low.id, 'empty_bin')).message).toBe('ごみ箱の2件を削除し、5.0 GB を空けました。');
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(await home.json<unknown[]>('GET', '/api/recordings?show=bin')).toEqual([]);
  expect((await home.ask('GET', `/api/recordings/${kept}`)).status).toBe(200);
  expect((await notice('disk_low')).actions).toEqual([]);
  recording('外したディスクの番組', binned);
  expect((await done(low.id, 'empty_bin')).message).toBe(
    'ごみ箱の1件を削除しました。保存先のファイルを消し終えると、2.5 GB が空きます。',
  );
});

test('a reminder is told through the service, and offers the station and a recording', async () => {
  const program = home.program('まもなくの映画', 5);
  const set = await home.json<Reminder>('POST', '/api/reminders', { programId: program, minutes: 10 });
  expect(set).toMatchObject({ programId: program, name: 'まもなくの映画', told: false });
  await until(async () => (await notices()).some(({ event }) => event === 'reminder'));
  const told = await notice('reminder');
  expect(told.text).toMatch(/^「まもなくの映画」（試験テレビ .+）が5分後に始まります。$/u);
  expect(told.actions.map(({ action, path }) => [action, path])).toEqual([
    ['watch', `live/${HOME_STATION}`],
    ['record', null],
  ]);
  expect((await done(told.id, 'record')).message).toContain('「まもなくの映画」');
  expect((await notice('reminder')).actions.map(({ action }) => action)).toEqual(['watch']);
  const lists = await home.json<Reminders>('GET', '/api/reminders');
  expect(lists.reminders.find(({ id }) => id === set.id)?.told).toBe(true);
  expect((await home.ask('DELETE', `/api/reminders/${set.id}`)).status).toBe(204);
  expect((await home.ask('DELETE', `/api/reminders/${set.id}`)).status).toBe(404);
  expect((await home.ask('DELETE', '/api/reminders/series/99')).status).toBe(404);
});

test('a list of notices is as long as asked, and goes on before an id', async () => {
  for (const name of ['一つ目', '二つ目', '三つ目']) end(recording(name, { content: null }), 'failed');
  const [third, second, first] = await notices();
  const listed = async (query: string): Promise<number[]> =>
    (await home.json<Notice[]>('GET', `/api/notices?${query}`)).map(({ id }) => id);
  expect(await listed('limit=1')).toEqual([third?.id ?? 0]);
  expect(await listed(`limit=2&before=${third?.id}`)).toEqual([second?.id ?? 0, first?.id ?? 0]);
  expect((await listed('limit=999')).length).toBeLessThanOrEqual(200);
  expect(await listed('before=1')).toEqual([]);
  for (const query of ['limit=x', 'limit=-1', 'limit=', 'before=x', 'before=1.5'])
    expect([query, (await home.ask('GET', `/api/notices?${query}`)).status]).toEqual([query, 400]);
});

test('unknown notices, actions and bodies are refused', async () => {
  const { id } = await notice('failed');
  const answers = await Promise.all([
    act(99_999, 'book_next'),
    act(id, 'watch'),
    act(id, 'format_disk'),
    home.ask('POST', `/api/notices/${id}/act`, {}),
    home.ask('POST', '/api/reminders', { programId: 1, minutes: -1 }),
    home.ask('POST', '/api/reminders', { programId: 1, minutes: 5 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 409, 400, 400, 400, 404]);
});
