/** Composition of notices: what is watched, the queue of deliveries, the targets and their routes. */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { publicFetch, resolveBySystem } from '../../lib/host/public-fetch.ts';
import type { Random } from '../../lib/host/random.ts';
import type { Card, Tuner } from '../../lib/wire/agent.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { BroadcastClock } from '../model/broadcast-clock.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { SeriesMark } from '../model/recording.ts';
import { NoticeStore } from '../store/notice-store.ts';
import { commandFacts } from '../store/notice-subjects.ts';
import { ReminderStore } from '../store/reminder-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { ConditionWatch, type SpaceShortage } from './condition-watch.ts';
import { Deliveries } from './deliveries.ts';
import type { Hub } from './hub.ts';
import { NoticeActions, type NoticeDeeds } from './notice-actions.ts';
import { noticePath, noticeText, type ReasonTexts } from './notice-text.ts';
import { addNotificationRoutes } from './notification-routes.ts';
import { NotificationTargets } from './notification-targets.ts';
import { OwnerCommand } from './owner-command.ts';
import { makePushKeys } from './push.ts';
import { addReminderRoutes } from './reminder-routes.ts';
import { ReminderService } from './reminders.ts';

interface NotificationNeeds extends NoticeDeeds {
  database: Database;
  hub: Hub;
  log: Log;
  now: WallClock;
  random: Random;
  texts: ReasonTexts;
  tuners: () => Promise<readonly Tuner[]>;
  card: () => Promise<Card>;
  shortage: () => Promise<SpaceShortage | null>;
  databaseTrouble: () => string | null;
  guideReadAt: () => number | null;
  /** False: `now` may be wrong. */
  isTimeSure: () => boolean;
  clock: Pick<BroadcastClock, 'now' | 'isSure'>;
  programs: { find(id: ProgramId): ProgramRecord | undefined };
  readSeries: (text: Pick<ProgramRecord, 'name' | 'description' | 'extended'>) => SeriesMark | null;
  version: string;
  /** Path of a program; null: none. */
  command: string | null;
  /** Whether targets in the home may be reached. */
  allowsPrivate: boolean;
}

/** A failed recording is to be known within 5 s. */
const POLL_MS = 2_000;
const CHECK_MS = 15_000;
const REMINDER_CHECK_MS = 5_000;
const SEND_LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

export function createNotifications(needs: NotificationNeeds) {
  const { database, hub, now, random, texts, command, allowsPrivate } = needs;
  const log = needs.log.component('notify');
  const store = new NoticeStore(database);
  const text = noticeText(texts);
  const onChanged = (): void => hub.changed('notices');
  const write = <T>(act: () => T): Promise<T> => whenWritable(database, act);
  const pushKeys = () => store.pushKeys(makePushKeys);
  const limits = {
    resolve: resolveBySystem,
    allowsPrivate,
    timeoutMs: SEND_LIMIT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  };
  const ownerCommand =
    command === null
      ? undefined
      : new OwnerCommand({
          ...{ path: command, log },
          facts: (notice) => commandFacts(database, notice),
        });
  const actions = new NoticeActions({ ...needs, now: needs.clock.now });
  const deliveries = new Deliveries({
    actions: (notice) => actions.of(notice),
    ...{ store, text, pushKeys, write, log, now },
    send: (url, request, signal) => {
      const headers = { 'user-agent': `svc/${needs.version}`, ...request.headers };
      return publicFetch(url, { ...request, headers }, { ...limits, signal });
    },
    onNew: (notices) => {
      onChanged();
      ownerCommand?.take(notices);
    },
    onResult: onChanged,
    newId: () => `msg_${Buffer.from(random(16)).toString('hex')}`,
    pollMs: POLL_MS,
  });
  const watch = new ConditionWatch({ ...needs, store, write, log, checkMs: CHECK_MS });
  const targets = new NotificationTargets(store, onChanged);
  const reminders = new ReminderService({
    ...needs,
    ...{ store: new ReminderStore(database), write, log, checkMs: REMINDER_CHECK_MS },
    findProgram: (id) => needs.programs.find(id),
    addNotice: (notice) => store.add(notice),
    onNotified: () => deliveries.look(),
    now: needs.clock.now,
    isTimeSure: needs.clock.isSure,
  });
  const latest = (limit: number, before?: number): Notice[] =>
    store.latest(limit, before).map((notice) => {
      const { id, event, kind, subject, at } = notice;
      const words = { text: text(notice), path: noticePath(notice), actions: actions.of(notice) };
      return { id, event, kind, subject, at, ...words };
    });
  const routes: AddRoutes = (app) => {
    addReminderRoutes(app, { reminders });
    addNotificationRoutes(app, {
      targets,
      notices: latest,
      act: async (id, action) => {
        const notice = store.find(id);
        if (notice === undefined) throw new Failure('not_found', 'お知らせが見つかりません。');
        const done = await actions.act(notice, action);
        // What can be done about others has changed, too.
        onChanged();
        return done;
      },
      test: (id) => deliveries.test(id),
      publicKey: () => pushKeys().publicKey,
    });
  };
  return {
    routes,
    latest,
    watch,
    reminders,
    deliveries,
    command: { close: async () => ownerCommand?.close() },
  };
}
