/** The way to the notices, with how many are new. */
import { Icon } from '../ui/icon.tsx';
import { TEXTS } from './texts.ts';
import { useAppBadge, useUnread } from './unread.ts';

const MOST = 99;

/** The number on an icon, for eyes only: its place says it in words. */
export function UnreadBadge() {
  const count = useUnread();
  useAppBadge(count);
  if (count === 0) return null;
  return (
    <>
      <span class="badge bell-count numbers absolute" aria-hidden="true">
        {count > MOST ? `${MOST}+` : count}
      </span>
      <span class="hidden-text">{TEXTS.unread(count)}</span>
    </>
  );
}

/** For phones, whose navigation has no place for it. */
export function Bell() {
  return (
    <a class="round bell phone-only relative" href="notices">
      <Icon name="bell" />
      <span class="hidden-text">{TEXTS.title}</span>
      <UnreadBadge />
    </a>
  );
}
