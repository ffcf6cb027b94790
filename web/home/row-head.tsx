/** Heading of a row of the home screen, with the way to the whole list. */
import { Icon } from '../ui/icon.tsx';
import { TEXTS } from './texts.ts';

/** As high, while the row is loaded. */
export function RowHeadSpace() {
  return (
    <h2 class="flex align-baseline justify-between gap-100 text-l">
      &nbsp;
      <span class="watch-all inline-row note bold nowrap round-s gap-25 pad-1">&nbsp;</span>
    </h2>
  );
}

export function RowHead({ title, all }: { title: string; all: string }) {
  return (
    <h2 class="flex align-baseline justify-between gap-100 text-l">
      {title}
      <a class="watch-all inline-row note bold nowrap round-s gap-25 pad-1" href={all}>
        {TEXTS.all}
        <Icon name="next" class="text-xs" />
      </a>
    </h2>
  );
}
