/** The reminders that are set, above the notices; nothing where there are none. */
import type { Reminder } from '../../lib/wire/reminders.ts';
import { REMINDERS } from '../query/reminders.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { narrow } from '../words/channel.ts';
import { quoted } from '../words/recording.ts';
import { shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { cancelOne, cancelSeries } from './actions.ts';
import { beforeText, TEXTS } from './texts.ts';

function Row({ reminder }: { reminder: Reminder }) {
  const { programId, name, serviceName, startAt, minutes, gone } = reminder;
  const { title } = splitTitle(name);
  return (
    <li class="hstack gap-50">
      <a class="row grow min-0" href={`notices?program=${programId}`} data-nav-group="reminders">
        <Icon name="clock" />
        <span class="row-text">
          <span class="bold truncate">{title}</span>
          <span class="numbers flex gap-40 note bold">
            {[shortText(startAt), gone ? TEXTS.gone : beforeText(minutes), narrow(serviceName)].join('・')}
          </span>
        </span>
      </a>
      <button
        type="button"
        class="button button-small"
        aria-label={TEXTS.cancelOf(quoted(title))}
        onClick={() => void cancelOne(reminder)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

export function ReminderList() {
  const { value } = useQuery(REMINDERS);
  const waiting = value?.reminders.filter(({ told }) => !told) ?? [];
  const series = value?.series ?? [];
  if (waiting.length + series.length === 0) return null;
  return (
    <section class="below-150" aria-labelledby="reminders-title">
      <h2 id="reminders-title">{TEXTS.title}</h2>
      <ul class="stack gap-25">
        {waiting.map((reminder) => (
          <Row key={reminder.id} reminder={reminder} />
        ))}
        {series.map(({ id, name, serviceName, minutes }) => (
          <li class="hstack gap-50" key={`series ${id}`}>
            <span class="row grow min-0">
              <Icon name="retry" />
              <span class="row-text">
                <span class="bold truncate">{name}</span>
                <span class="flex gap-40 note bold">
                  {[TEXTS.every(beforeText(minutes)), narrow(serviceName)].join('・')}
                </span>
              </span>
            </span>
            <button
              type="button"
              class="button button-small"
              aria-label={TEXTS.cancelSeriesOf(quoted(name))}
              onClick={() => void cancelSeries(id)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
