/** The main action on a reservation in its state: cancel, restore, stop. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { minute } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { titleOf } from '../words/reservation.ts';
import { book, cancel, isBusy, restore } from './actions.ts';
import { isTrouble } from './sort.ts';
import { TEXTS } from './texts.ts';

interface Deed {
  readonly icon: IconName;
  readonly label: string;
  readonly run: () => void;
}

/** Undefined when nothing can be done any more. */
function deedFor(item: ReservationItem, at: BroadcastMs): Deed | undefined {
  const held = { id: item.id, title: titleOf(item), state: item.state };
  switch (item.state) {
    case 'scheduled':
    case 'conflict':
      return { icon: 'close', label: TEXTS.cancel, run: () => void cancel(held) };
    case 'recording':
      // Stopping cannot be undone: the sheet asks for confirmation.
      return { icon: 'stop', label: TEXTS.stop, run: () => openReservation(item.id) };
    case 'cancelled':
      if (item.endAt <= at) return undefined;
      return { icon: 'undo', label: TEXTS.restore, run: () => void restore(held) };
    default: {
      const next = isTrouble(item) ? item.offers?.[0] : undefined;
      if (next === undefined) return undefined;
      const program = { id: next.programId, title: next.title };
      return { icon: 'reserve', label: TEXTS.bookNext, run: () => void book(program) };
    }
  }
}

export function ActionButton({ item }: { item: ReservationItem }) {
  const deed = deedFor(item, minute.value);
  if (deed === undefined) return <span class="rigid wide-only action" />;
  return (
    <button
      type="button"
      class="button button-small booking-action action rigid"
      aria-label={`${deed.label}：${titleOf(item)}`}
      aria-disabled={isBusy(undefined, item.id)}
      onClick={deed.run}
    >
      <Icon name={deed.icon} />
      <span class="booking-action-word wide-only">{deed.label}</span>
    </button>
  );
}
