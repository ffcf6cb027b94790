/** Why a reservation found no tuner, and the ways out of it, each one press. */
import type { ReservationItem } from '../../wire/api.ts';
import { openReservation } from '../navigation/router.ts';
import { reservationById } from '../query/reservations.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { narrow } from '../words/channel.ts';
import { airingText, stateReason, titleOf } from '../words/reservation.ts';
import { shortText, spanText } from '../words/time.ts';
import { giveWay, isBusy, takeInstead } from './actions.ts';

/** More ways than these only confuse; the sheet of the programme has all its airings. */
const MOST_OFFERS = 3;
const MOST_BLOCKERS = 4;

const heldOf = (item: ReservationItem) => ({ id: item.id, title: titleOf(item), state: item.state });

/** Those of one physical channel share a tuner: it is free only when all of them are gone. */
function byTuning(blockers: readonly ReservationItem[]): ReservationItem[][] {
  const groups = new Map<string, ReservationItem[]>();
  for (const blocker of blockers) {
    const key = blocker.channel ?? `reservation ${blocker.id}`;
    groups.set(key, [...(groups.get(key) ?? []), blocker]);
  }
  return [...groups.values()];
}

function Blockers({ blockers, item }: { blockers: readonly ReservationItem[]; item: ReservationItem }) {
  const running = blockers.some(({ state }) => state === 'recording');
  return (
    <li class="blocker">
      <div class="blocker-names">
        {blockers.map((blocker) => (
          <button
            key={blocker.id}
            type="button"
            class="blocker-name"
            onClick={() => openReservation(blocker.id)}
          >
            <b>{titleOf(blocker)}</b>
            <span class="blocker-when numbers">
              {narrow(blocker.serviceName)} {spanText(blocker.startAt, blocker.endAt)}・優先度{' '}
              {blocker.priority}
            </span>
          </button>
        ))}
      </div>
      {running ? (
        <span class="blocker-state">録画中</span>
      ) : (
        <button
          type="button"
          class="button button-small"
          aria-disabled={isBusy(undefined, item.id)}
          onClick={() => void giveWay(blockers.map(heldOf), heldOf(item))}
        >
          <span class="hidden-text">{blockers.map(titleOf).join('と')}を</span>
          {blockers.length === 1 ? '' : `${blockers.length}件を`}取り消してこちらを録画
        </button>
      )}
    </li>
  );
}

export function ConflictHelp({ item }: { item: ReservationItem }) {
  const blockers = (item.blockers ?? []).flatMap((id) => reservationById(id) ?? []).slice(0, MOST_BLOCKERS);
  const offers = (item.offers ?? []).slice(0, MOST_OFFERS);
  return (
    <div class="conflict-help">
      <p class="conflict-reason">
        <Icon name="alert" />
        <span>
          {stateReason(item)}
          {blockers.length > 0 || offers.length > 0
            ? ''
            : 'この放送を受信できるチューナーがあるか、チューナーの画面で確かめてください。'}
        </span>
      </p>
      {offers.length === 0 ? null : (
        <div class="conflict-offers">
          {offers.map((offer, index) => (
            <button
              key={offer.programId}
              type="button"
              class={`button button-small ${index === 0 ? 'button-main' : ''}`}
              aria-disabled={isBusy(offer.programId, item.id)}
              onClick={() =>
                void takeInstead(heldOf(item), {
                  id: offer.programId,
                  title: offer.title,
                  when: airingText(offer),
                })
              }
            >
              <Named name={`${airingText(offer)}の放送を代わりに予約`}>
                <Icon name="reserve" />
                <span class="numbers">{shortText(offer.startAt)}</span>
                <span class="offer-station">{narrow(offer.serviceName)}</span>を予約
              </Named>
            </button>
          ))}
        </div>
      )}
      {blockers.length === 0 ? null : (
        <ul class="blockers" aria-label="重なっている予約">
          {byTuning(blockers).map((group) => (
            <Blockers key={group[0]?.id} blockers={group} item={item} />
          ))}
        </ul>
      )}
    </div>
  );
}
