/** A reservation in the timetable, and the head of a tuner's row. */
import { type BroadcastMs, HOUR_MS } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { now } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { progressOf } from '../ui/progress-of.ts';
import { narrow } from '../words/channel.ts';
import { spokenText, standingWords, titleOf } from '../words/reservation.ts';
import { airClockText } from '../words/time.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';
import type { TimetableBar, TunerRow } from './timetable.ts';

const HOURS = 24;

interface BarProps {
  readonly bar: TimetableBar;
  /** 05:00 of the day. */
  readonly day: BroadcastMs;
  readonly tuner: Tuner | undefined;
  /** The bar that arrow keys have selected. */
  readonly current: boolean;
  readonly blocks: boolean;
  readonly onFocus: () => void;
}

export function BarButton({ bar, day, tuner, current, blocks, onFocus }: BarProps) {
  const { item, openAt, closeAt, lane } = bar;
  const { face, tone } = standingWords(item);
  const hours = (at: BroadcastMs): number => Math.min(HOURS, Math.max(0, (at - day) / HOUR_MS));
  const where = tuner === undefined ? '' : TEXTS.besides(tuner.name);
  return (
    <button
      type="button"
      class={`bar round-s absolute layer-1 text-left bar-${tone}`}
      tabIndex={current ? 0 : -1}
      data-reservation={item.id}
      data-blocks={blocks ? '' : undefined}
      title={`${airClockText(item.startAt)} ${titleOf(item)}（${face}）`}
      style={{
        '--open': hours(openAt),
        '--from': hours(item.startAt),
        '--to': hours(item.endAt),
        '--close': hours(closeAt),
        '--lane': lane,
      }}
      onFocus={onFocus}
      onClick={() => openReservation(item.id)}
    >
      <Named name={`${spokenText(item)}${where}`}>
        <span class="bar-body round-s ink at-bottom at-top absolute">
          {item.state === 'recording' ? (
            <i
              class="bar-done inset-0"
              style={{ '--part': progressOf(item.startAt, item.endAt, now.value).toFixed(4) }}
            />
          ) : null}
          <span class="bar-words sticky max-full one-column stack">
            <span class="bar-station nowrap muted text-mini clip hstack gap-25">
              {tone === 'warn' || tone === 'bad' ? <Icon name="alert" /> : null}
              {item.state === 'recording' ? <i class="booking-dot" /> : null}
              <b class="numbers">{airClockText(item.startAt)}</b>
              <span class="bar-name ellipsis clip min-0">{narrow(item.serviceName)}</span>
            </span>
            <span class="bar-title bold text-s truncate">{titleOf(item)}</span>
          </span>
        </span>
      </Named>
    </button>
  );
}

/** @param number of the tuner in the order of use, from 1 */
export function TunerHead({ row, number }: { row: TunerRow; number: number }) {
  const { tuner } = row;
  if (tuner === undefined) {
    return (
      <div class="day-head hstack rigid sticky at-left layer-3 text-s line-right surface line-tight gap-50">
        {row.kind === 'none' ? <Icon name="alert" /> : <Icon name="help" />}
        <b class="min-0">{row.kind === 'none' ? TEXTS.noTunerFor : TEXTS.tunerOpen}</b>
      </div>
    );
  }
  return (
    <div class="day-head hstack rigid sticky at-left layer-3 text-s line-right surface line-tight gap-50">
      <span
        class="tuner-rank numbers place-center rigid text-s extrabold circle track-color"
        title={TEXTS.tunerOrder}
      >
        {number}
      </span>
      <span class="stack min-0 gap-10">
        <b class="min-0">{tuner.name}</b>
        <span class="day-types flex wrap text-mini gap-25">
          {tuner.types.map((type) => (
            <span key={type} class="fill-quiet badge">
              {TYPE_NAMES[type]}
            </span>
          ))}
        </span>
      </span>
    </div>
  );
}
