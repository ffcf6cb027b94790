/** The buttons of a notice: what can be done about it with one press. */
import { useState } from 'preact/hooks';
import type { Notice } from '../../lib/wire/notifications.ts';
import type { NoticeActionName } from '../../lib/wire/vocabulary.ts';
import { navigate } from '../navigation/router.ts';
import { ApiFailure, networkFailure } from '../query/api.ts';
import { actOn, NOTICES } from '../query/notices.ts';
import { entryOf } from '../query/use-query.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { TEXTS } from './texts.ts';

const ICONS: Readonly<Record<NoticeActionName, IconName>> = {
  watch: 'play',
  book_next: 'reserve',
  record: 'reserve',
  cancel: 'close',
  encode: 'retry',
  empty_bin: 'bin',
};

export function NoticeActions({ notice }: { notice: Pick<Notice, 'id' | 'actions'> }) {
  const [running, setRunning] = useState<NoticeActionName | undefined>(undefined);
  const run = async (action: NoticeActionName): Promise<void> => {
    setRunning(action);
    try {
      const { message, path } = await actOn(notice.id, action);
      showToast(message, { label: TEXTS.showResult, run: () => navigate(path) });
    } catch (error) {
      showToast((error instanceof ApiFailure ? error : networkFailure(error)).message);
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
