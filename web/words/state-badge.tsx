/** State of a reservation, as a word and a colour. */
import type { ReservationItem } from '../../lib/wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { standingWords } from './reservation.ts';

export function StateBadge({ item }: { item: Pick<ReservationItem, 'state' | 'verdict'> }) {
  const { face, tone } = standingWords(item);
  return (
    <span class="badge" data-tone={tone}>
      {item.state === 'recording' ? <i class="booking-dot" /> : null}
      {tone === 'warn' || tone === 'bad' ? <Icon name="alert" /> : null}
      {face}
    </span>
  );
}
