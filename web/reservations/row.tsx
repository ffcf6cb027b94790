/** A reservation as a line of the list. */
import type { ReservationItem } from '../../wire/api.ts';
import { now } from '../device/clock.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { openReservation } from '../navigation/router.ts';
import { originText } from '../query/rule-names.ts';
import { Marks } from '../ui/marks.tsx';
import { Named } from '../ui/named.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { narrow } from '../words/channel.ts';
import { spokenText, stateReason, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airClockText, isoText, leftToRecord } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { ActionButton } from './action-button.tsx';
import { toggle } from './actions.ts';

/** What is said below the title besides the station. */
function Facts({ item }: { item: ReservationItem }) {
  return (
    <span class="booking-facts">
      <b>{narrow(item.serviceName)}</b>
      <span>{originText(item.ruleId)}</span>
      <span class="booking-minor numbers">優先度 {item.priority}</span>
      {item.tuner === null ? null : (
        <span class="booking-minor numbers">{TYPE_NAMES[item.tuner.type]}チューナー</span>
      )}
    </span>
  );
}

const TELLS_WHY: readonly ReservationItem['state'][] = ['skipped', 'missed'];

export function BookingRow({ item }: { item: ReservationItem }) {
  const { marks } = splitTitle(item.name);
  const title = titleOf(item);
  const recording = item.state === 'recording';
  const note = item.note ?? null;
  return (
    <li
      class="booking"
      data-state={item.state}
      data-reservation={item.id}
      onKeyDown={(event) => {
        if (!isRecordKey(event) || event.repeat) return;
        event.preventDefault();
        const program = { id: item.programId, title, copyNever: false, endAt: item.endAt };
        toggle(program, item, Date.now());
      }}
    >
      <button type="button" class="booking-main" onClick={() => openReservation(item.id)}>
        <Named name={spokenText(item)}>
          <span class="booking-time numbers">
            <time dateTime={isoText(item.startAt)}>{airClockText(item.startAt)}</time>
            <small>{airClockText(item.endAt)}</small>
          </span>
          <span class="booking-text">
            <span class="booking-title">
              <span>{title}</span>
              <Marks marks={marks} />
            </span>
            <Facts item={item} />
            {recording ? (
              <span class="booking-progress numbers">
                <ProgramProgress startAt={item.startAt} endAt={item.endAt} />
                {leftToRecord(item.endAt, now.value)}
              </span>
            ) : null}
            {TELLS_WHY.includes(item.state) ? <span class="booking-why">{stateReason(item)}</span> : null}
            {note === null ? null : <span class="booking-note">{note}</span>}
          </span>
          <StateBadge item={item} />
        </Named>
      </button>
      <ActionButton item={item} />
    </li>
  );
}
