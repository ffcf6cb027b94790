/** Full text of the focused bar, which is too short for it; of a conflict, the ways to resolve it. */
import type { ReservationId } from '../../wire/ids.ts';
import { reservationById } from '../query/reservations.ts';
import { originText } from '../query/rule-names.ts';
import { narrow } from '../words/channel.ts';
import { stateReason, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airDateText, lengthText, spanText } from '../words/time.ts';
import { ActionButton } from './action-button.tsx';
import { ConflictHelp } from './conflict.tsx';
import { TEXTS } from './texts.ts';

export function DayFocus({
  id,
  onOpen,
}: {
  id: ReservationId | undefined;
  onOpen: (id: ReservationId) => void;
}) {
  const item = id === undefined ? undefined : reservationById(id);
  if (item === undefined) return null;
  return (
    <section class="day-focus" aria-label={TEXTS.chosen} data-nav-group="day-focus">
      <div class="conflict-head">
        <button type="button" class="conflict-name" onClick={() => onOpen(item.id)}>
          <b>{titleOf(item)}</b>
          <span class="conflict-when numbers">
            {TEXTS.facts(
              airDateText(item.startAt),
              spanText(item.startAt, item.endAt),
              lengthText(item.endAt - item.startAt),
              narrow(item.serviceName),
              originText(item.ruleId),
              item.priority,
            )}
          </span>
        </button>
        <StateBadge item={item} />
        <ActionButton item={item} />
      </div>
      {item.state === 'conflict' ? <ConflictHelp item={item} /> : null}
      {item.state === 'missed' ? <p class="booking-why">{stateReason(item)}</p> : null}
    </section>
  );
}
