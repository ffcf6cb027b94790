/** Notices and their targets in the stand-in service. */
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type { NewTarget, Notice, Target, TargetChange } from '../../lib/wire/notifications.ts';
import type { Reminder, ReminderRequest, Reminders } from '../../lib/wire/reminders.ts';
import { DEFAULT_EVENTS, NOTICE_EVENTS } from '../../lib/wire/vocabulary.ts';

export interface FakeNotices {
  notices: Notice[];
  targets: Target[];
  reminders: Reminders;
  /** Answer of a test message. */
  result: { ok: boolean; message: string };
}

const MINUTE_MS = 60_000;

export function newNotices(): FakeNotices {
  const reminders = { reminders: [], series: [] };
  return { notices: [], targets: [], reminders, result: { ok: true, message: '届きました。' } };
}

/** One notice of every kind of event, newest first. */
export function manyNotices(now: number): Notice[] {
  return NOTICE_EVENTS.map((event, index) => ({
    ...{ id: NOTICE_EVENTS.length - index, event, kind: 'recording' as const, subject: '4' },
    text: `「灯台守の娘」（NHK総合 11/25(火) 21:00）を録画できませんでした。放送を受信できませんでした（${event}）。`,
    at: wallMs(now - index * index * 20 * MINUTE_MS),
    path: 'recordings?recording=4',
    actions: [],
  }));
}

/** A programme of a series in an hour. */
function fakeReminder({ programId, minutes, series = false }: ReminderRequest): Reminder {
  const startAt = broadcastMs(Date.now() + 60 * MINUTE_MS);
  return {
    ...{
      id: Number(programId),
      programId,
      stationId: 1 as Reminder['stationId'],
      serviceName: 'ＮＨＫ総合１・東京',
    },
    ...{
      name: '[字]ドラマ「灯台守の娘」第3話',
      startAt,
      endAt: broadcastMs(startAt + 60 * MINUTE_MS),
      minutes,
    },
    ...{ seriesId: series ? 7 : null, told: false, gone: false },
  };
}

function answerReminders(lists: Reminders, method: string, path: string, body: string): Response {
  if (method === 'GET') return Response.json(lists);
  if (method === 'POST') {
    const made = fakeReminder(JSON.parse(body) as ReminderRequest);
    lists.reminders = [...lists.reminders.filter(({ id }) => id !== made.id), made];
    const { stationId, serviceName, minutes, seriesId } = made;
    if (seriesId !== null)
      lists.series = [{ id: seriesId, stationId, serviceName, name: 'ドラマ「灯台守の娘」', minutes }];
    return Response.json(made);
  }
  const id = Number(path.split('/').at(-1));
  const isSeries = path.includes('series');
  lists.reminders = lists.reminders.filter((one) => (isSeries ? one.seriesId : one.id) !== id);
  if (isSeries) lists.series = [];
  return new Response(null, { status: 204 });
}

/** undefined: not an address of notices */
export function answerNotices(
  state: FakeNotices,
  { method, name, body }: { method: string; name: string; body: string },
): Response | undefined {
  if (name === 'notices') return Response.json(state.notices);
  if (/^reminders(?:\/|$)/u.test(name)) return answerReminders(state.reminders, method, name, body);
  const acted = /^notices\/(\d+)\/act$/u.exec(name)?.[1];
  if (acted !== undefined) {
    const notice = state.notices.find(({ id }) => id === Number(acted));
    if (notice === undefined) return undefined;
    notice.actions = notice.actions.filter(({ path }) => path !== null);
    return Response.json({ message: '「灯台守の娘」を予約しました。', path: 'reservations' });
  }
  if (name === 'push/key') return Response.json({ publicKey: 'BAAA' });
  if (name === 'notifications' && method === 'GET') return Response.json(state.targets);
  if (name === 'notifications') {
    const given = JSON.parse(body) as NewTarget;
    const target: Target = {
      ...{ id: state.targets.length + 1, kind: given.kind, name: given.name, to: null, hasSecret: false },
      ...(given.kind === 'push'
        ? { format: null, url: 'https://push.example' }
        : {
            format: given.format,
            url: given.url,
            to: given.to ?? null,
            hasSecret: (given.secret ?? '') !== '',
          }),
      ...{ events: given.events ?? [...DEFAULT_EVENTS], quiet: given.quiet ?? null },
      ...{ digest: given.digest ?? true, enabled: given.enabled ?? true, last: null, waiting: 0 },
    };
    state.targets.push(target);
    return Response.json(target, { status: 201 });
  }
  const [, id, test] = /^notifications\/(\d+)(\/test)?$/u.exec(name) ?? [];
  const target = state.targets.find((one) => one.id === Number(id));
  if (target === undefined) return undefined;
  if (test !== undefined) return Response.json({ ...state.result, at: Date.now() });
  if (method === 'DELETE') {
    state.targets = state.targets.filter((one) => one !== target);
    return new Response(null, { status: 204 });
  }
  const { secret, ...change } = JSON.parse(body) as TargetChange;
  Object.assign(target, change, secret === undefined ? {} : { hasSecret: true });
  return Response.json(target);
}
