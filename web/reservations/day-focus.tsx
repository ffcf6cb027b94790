/** Full text of the focused bar, which is too short for it; of a conflict, the ways to resolve it. */
import type { ReservationId } from '../../lib/wire/ids.ts';
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
    <section
      class="day-focus stack one-column gap-75 round-l bordered surface shadow-1 wide-only"
      aria-label={TEXTS.chosen}
      data-nav-group="day-focus"
    >
      <div class="conflict-head flex align-start gap-75">
        <button
          type="button"
          class="conflict-name stack grow min-0 gap-10 text-left round-s"
          onClick={() => onOpen(item.id)}
        >
          <b class="text-l line-tight">{titleOf(item)}</b>
          <span class="numbers note">
            {TEXTS.facts(
              airDateText(item.startAt),
              spanText(item.startAt, item.endAt),
              lengthText(item.endAt - item.startAt),
              narrow(item.serviceName),
              originText(item.ruleId),
            )}
          </span>
        </button>
        <StateBadge item={item} />
        <ActionButton item={item} />
      </div>
      {item.state === 'conflict' ? <ConflictHelp item={item} /> : null}
      {item.state === 'missed' ? <p class="text-s semibold text-warn">{stateReason(item)}</p> : null}
    </section>
  );
}
