/** A recording's verdict as a mark, never by colour alone. */
import type { Recording } from '../../wire/api.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { type MarkTone, type SeriesMark, seriesMarkText, verdictMark } from './verdict.ts';

const ICONS: Readonly<Record<MarkTone, IconName>> = {
  good: 'check',
  warn: 'alert',
  bad: 'close',
  quiet: 'clock',
};

export function VerdictBadge({ recording }: { recording: Recording }) {
  const { label, tone } = verdictMark(recording);
  return (
    <span class="verdict" data-tone={tone}>
      <Icon name={ICONS[tone]} />
      {label}
    </span>
  );
}

export function SeriesBadge({ mark }: { mark: SeriesMark }) {
  return (
    <span class="verdict numbers" data-tone={mark.tone}>
      <Icon name={ICONS[mark.tone]} />
      {seriesMarkText(mark)}
    </span>
  );
}
