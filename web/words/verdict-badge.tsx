/** A recording's verdict as a mark, never by colour alone. */
import type { Recording } from '../../lib/wire/api.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import type { BadgeTone } from './recording.ts';
import { type SeriesMark, seriesMarkText, verdictMark } from './verdict.ts';

const ICONS: Readonly<Record<BadgeTone, IconName>> = {
  good: 'check',
  warn: 'alert',
  bad: 'close',
  quiet: 'clock',
};

export function VerdictBadge({ recording }: { recording: Recording }) {
  const { label, tone } = verdictMark(recording);
  return (
    <span class="min-0 badge" data-tone={tone}>
      <Icon name={ICONS[tone]} />
      {label}
    </span>
  );
}

export function SeriesBadge({ mark }: { mark: SeriesMark }) {
  return (
    <span class="numbers min-0 badge" data-tone={mark.tone}>
      <Icon name={ICONS[mark.tone]} />
      {seriesMarkText(mark)}
    </span>
  );
}
