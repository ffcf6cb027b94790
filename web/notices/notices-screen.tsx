/** What happened lately, newest first; each leads to its thing. */
import { useEffect, useState } from 'preact/hooks';
import { DAY_MS } from '../../lib/arib/time.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import type { NoticeActionName, NoticeEvent } from '../../lib/wire/vocabulary.ts';
import { now } from '../device/clock.ts';
import { navigate } from '../navigation/router.ts';
import { asFailure } from '../query/api.ts';
import { actOn, getNoticesBefore, NOTICES } from '../query/notices.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { ReminderList } from '../reminders/reminder-list.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { showToast } from '../ui/toast.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { agoText, momentText } from '../words/time.ts';
import { TEXTS } from './texts.ts';
import { noteSeen, seenNotice } from './unread.ts';

const LOOKS: Readonly<Record<NoticeEvent, { icon: IconName; tone: 'bad' | 'warn' | 'good' | 'plain' }>> = {
  failed: { icon: 'close', tone: 'bad' },
  will_fail: { icon: 'alert', tone: 'bad' },
  encode_failed: { icon: 'alert', tone: 'bad' },
  tuner_lost: { icon: 'antenna', tone: 'bad' },
  card_lost: { icon: 'lock', tone: 'bad' },
  conflict: { icon: 'alert', tone: 'warn' },
  disk_low: { icon: 'disk', tone: 'warn' },
  guide_stale: { icon: 'guide', tone: 'warn' },
  database_trouble: { icon: 'disk', tone: 'bad' },
  finished: { icon: 'check', tone: 'good' },
  started: { icon: 'record', tone: 'plain' },
  reserved: { icon: 'reserve', tone: 'plain' },
  rebooked: { icon: 'reserve', tone: 'plain' },
  encoded: { icon: 'check', tone: 'good' },
  tuner_back: { icon: 'antenna', tone: 'good' },
  paired: { icon: 'info', tone: 'plain' },
  update: { icon: 'info', tone: 'plain' },
  reminder: { icon: 'clock', tone: 'plain' },
};

/** Only the newest page is answered at once. */
const PAGE = 50;
const ICONS: Readonly<Record<NoticeActionName, IconName>> = {
  watch: 'play',
  book_next: 'reserve',
  record: 'reserve',
  cancel: 'close',
  encode: 'retry',
  empty_bin: 'bin',
};

/** What can be done about a notice with one press. */
function NoticeActions({ notice }: { notice: Pick<Notice, 'id' | 'actions'> }) {
  const [running, setRunning] = useState<NoticeActionName | undefined>(undefined);
  const run = async (action: NoticeActionName): Promise<void> => {
    setRunning(action);
    try {
      const { message, path } = await actOn(notice.id, action);
      showToast(message, { label: TEXTS.showResult, run: () => navigate(path) });
    } catch (error) {
      showToast(asFailure(error).message);
    }
    setRunning(undefined);
    // What can be done about the others has changed, too.
    await entryOf(NOTICES).renew();
  };
  if (notice.actions.length === 0) return null;
  return (
    <div class="notice-actions flex wrap gap-50">
      {notice.actions.map(({ action, label, path }) =>
        path === null ? (
          <button
            key={action}
            type="button"
            class="button button-small"
            aria-disabled={running !== undefined}
            onClick={running === undefined ? () => void run(action) : undefined}
          >
            <Icon name={ICONS[action] ?? 'next'} />
            {running === action ? TEXTS.acting : label}
          </button>
        ) : (
          <a key={action} class="button button-small" href={path}>
            <Icon name={ICONS[action] ?? 'next'} />
            {label}
          </a>
        ),
      )}
    </div>
  );
}

function Row({ notice, isNew }: { notice: Notice; isNew: boolean }) {
  const { icon, tone } = LOOKS[notice.event];
  const isRecent = now.value - notice.at < DAY_MS;
  return (
    <li>
      <a class="row notice text-s flex" href={notice.path} data-nav-group="notices">
        <span class="sign" data-tone={tone}>
          <Icon name={icon} />
        </span>
        <span class="row-text">
          <span>{notice.text}</span>
          <span class="flex gap-40 note bold">
            {isNew ? <b class="block-level text-accent">{TEXTS.fresh}</b> : null}
            {isRecent ? agoText(notice.at, now.value) : momentText(notice.at, now.value)}
          </span>
        </span>
        <Icon name="next" class="faint" />
      </a>
      <NoticeActions notice={notice} />
    </li>
  );
}

export function NoticesScreen() {
  const { value, failure, renew } = useQuery(NOTICES);
  const [older, setOlder] = useState<readonly Notice[]>([]);
  const [isAll, setAll] = useState(false);
  // What was new when the screen was opened stays marked while it is open.
  const [seenBefore] = useState(() => seenNotice.peek() ?? -1);
  useEffect(() => {
    if (value !== undefined) noteSeen(value);
  }, [value]);
  if (value === undefined) {
    if (failure !== undefined) return <FailurePanel failure={failure} onRetry={() => void renew()} />;
    return <span class="skeleton block-skeleton" />;
  }
  const shown = [...value, ...older.filter(({ id }) => id < (value.at(-1)?.id ?? 0))];
  const more = async (): Promise<void> => {
    try {
      const page = await getNoticesBefore(shown.at(-1)?.id ?? 0);
      setOlder([...older, ...page]);
      if (page.length < PAGE) setAll(true);
    } catch (error) {
      showToast(asFailure(error).message);
    }
  };
  return (
    <div class="max-60">
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.title}</h1>
        <a class="button button-small push-end" href="settings?section=notify">
          {TEXTS.targetsLink}
        </a>
      </header>
      <ReminderList />
      {shown.length === 0 ? (
        <Panel icon="bell" title={TEXTS.none}>
          <p>{TEXTS.noneNote}</p>
        </Panel>
      ) : (
        <ul class="stack gap-25">
          {shown.map((notice) => (
            <Row key={notice.id} notice={notice} isNew={notice.id > seenBefore} />
          ))}
        </ul>
      )}
      {shown.length < PAGE || isAll ? null : (
        <button type="button" class="button" onClick={() => void more()}>
          {TEXTS.more}
        </button>
      )}
    </div>
  );
}
