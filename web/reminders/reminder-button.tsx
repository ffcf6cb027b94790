/** On a programme that has not begun: when somebody is told of it. */
import { useState } from 'preact/hooks';
import type { ProgramDetail } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { TARGETS } from '../query/notices.ts';
import { REMINDERS } from '../query/reminders.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { cancelOne, cancelSeries, remind } from './actions.ts';
import { beforeText, TEXTS } from './texts.ts';

/** Minutes before the start. */
const CHOICES = [0, 5, 10, 30, 60] as const;

type Program = Pick<ProgramDetail, 'id' | 'name' | 'start_at'>;

function ReminderSheet({ program, onClose }: { program: Program; onClose: () => void }) {
  const { value } = useQuery(REMINDERS);
  const { value: targets } = useQuery(TARGETS);
  const known = value?.reminders.find(({ programId }) => programId === program.id);
  const seriesId = known?.seriesId ?? null;
  const [withSeries, setWithSeries] = useState(seriesId !== null);
  const isReached = targets?.some(({ enabled, events }) => enabled && events.includes('reminder'));
  const end = (work: Promise<void>): void => {
    onClose();
    void work;
  };
  return (
    <Sheet title={TEXTS.title} onClose={onClose}>
      <div class="stack gap-100">
        <fieldset class="borderless no-padding no-margin">
          <legend class="bold">{TEXTS.when}</legend>
          <div class="flex wrap gap-50">
            {CHOICES.map((minutes) => (
              <Toggle
                key={minutes}
                on={known?.minutes === minutes}
                onPress={() =>
                  end(remind(program.name, { programId: program.id, minutes, series: withSeries }))
                }
              >
                {beforeText(minutes)}
              </Toggle>
            ))}
          </div>
        </fieldset>
        <div class="flex wrap gap-50">
          <Toggle on={withSeries} onPress={() => setWithSeries(!withSeries)}>
            {TEXTS.series}
          </Toggle>
        </div>
        <p class="note">{TEXTS.note}</p>
        {isReached === false ? (
          <div>
            <p class="note">{TEXTS.noTargets}</p>
            <a class="button button-small" href="settings?section=notify">
              {TEXTS.targets}
            </a>
          </div>
        ) : null}
        {known === undefined ? null : (
          <div class="flex wrap gap-50">
            <button type="button" class="button" onClick={() => end(cancelOne(known))}>
              <Icon name="close" />
              {TEXTS.cancel}
            </button>
            {seriesId === null ? null : (
              <button type="button" class="button" onClick={() => end(cancelSeries(seriesId))}>
                <Icon name="close" />
                {TEXTS.cancelSeries}
              </button>
            )}
          </div>
        )}
      </div>
    </Sheet>
  );
}

export function ReminderButton({ program }: { program: Program }) {
  const [isOpen, setOpen] = useState(false);
  const { value } = useQuery(REMINDERS);
  if (program.start_at <= now.value) return null;
  const known = value?.reminders.find(({ programId }) => programId === program.id);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="bell" />
        {known === undefined ? TEXTS.title : TEXTS.set(beforeText(known.minutes))}
      </button>
      {isOpen ? <ReminderSheet program={program} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
