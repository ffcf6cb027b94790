/** The state of a reservation in a word and a colour. */
import type { ReservationState } from '../../wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { stateWords } from './words.ts';

export function StateBadge({ state }: { state: ReservationState }) {
  const { face, tone } = stateWords(state);
  return (
    <span class={`booking-badge booking-badge-${tone}`}>
      {state === 'recording' ? <i class="booking-dot" /> : null}
      {state === 'conflict' || state === 'missed' ? <Icon name="alert" /> : null}
      {face}
    </span>
  );
}
