/** The next airing of a recording that lacks something: whether it is booked, or a button that books it. */
import type { Recording } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { useBookings } from '../query/reservations.ts';
import { book, isBusy } from '../reservations/actions.ts';
import { Icon } from '../ui/icon.tsx';
import { airingText } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { TEXTS } from './texts.ts';

export function NextAiring({ recording }: { recording: Recording }) {
  const { items } = useBookings();
  const { id, title } = recording;
  const booked = items
    ?.filter(({ state, startAt }) => (state === 'scheduled' || state === 'recording') && startAt > now.value)
    .filter((item) => item.title === title)
    .sort((a, b) => a.startAt - b.startAt)[0];
  const offer = items?.find(({ recordingId }) => recordingId === id)?.offers?.[0];
  const next = booked ?? offer;
  if (next === undefined) return null;
  return (
    <p class="verdict-next cluster gap-60 text-s semibold">
      <Icon name="reserve" />
      <span class="numbers grow">{TEXTS.nextAiring(airingText(next))}</span>
      {booked !== undefined ? (
        <StateBadge item={booked} />
      ) : offer === undefined ? null : (
        <button
          type="button"
          class="button button-small"
          aria-disabled={isBusy(offer.programId)}
          onClick={() => void book({ id: offer.programId, title: offer.title })}
        >
          {TEXTS.bookNext}
        </button>
      )}
    </p>
  );
}
