/** Which notices are new since this browser last showed them. */
import { useEffect } from 'preact/hooks';
import type { Notice } from '../../lib/wire/notifications.ts';
import { remembered } from '../device/preferences.ts';
import { NOTICES } from '../query/notices.ts';
import { useQuery } from '../query/use-query.ts';

/** Id of the newest notice that was shown; null: this browser never showed any. */
export const seenNotice = remembered<number | null>('seen-notice', null, (value) =>
  value === null || Number.isSafeInteger(value) ? (value as number | null) : undefined,
);

/** At most one page; 0 in a browser that never looked, where everything would be new. */
export function useUnread(): number {
  const { value } = useQuery(NOTICES);
  const seen = seenNotice.value;
  if (value === undefined || seen === null) return value === undefined ? 0 : Math.min(value.length, 1);
  return value.filter(({ id }) => id > seen).length;
}

/** The number on the icon of the installed app, as long as this page is there; browsers without one do nothing. */
export function useAppBadge(count: number): void {
  useEffect(() => {
    const badging: Partial<Pick<Navigator, 'setAppBadge' | 'clearAppBadge'>> = navigator;
    const shown = count === 0 ? badging.clearAppBadge?.() : badging.setAppBadge?.(count);
    // Refused where the app is not installed.
    shown?.catch(() => undefined);
  }, [count]);
}

export function noteSeen(notices: readonly Notice[]): void {
  const newest = Math.max(0, ...notices.map(({ id }) => id));
  if (newest > (seenNotice.peek() ?? -1)) seenNotice.value = newest;
}
