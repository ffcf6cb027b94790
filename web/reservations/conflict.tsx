/** Why a reservation has no tuner, and how to resolve the conflict, each with one press. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { reservationById } from '../query/reservations.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { narrow } from '../words/channel.ts';
import { airingText, spokenText, stateReason, titleOf } from '../words/reservation.ts';
import { lengthText, shortText, spanText } from '../words/time.ts';
import { book, cancelBlockers, isBusy, quotedName, takeInstead } from './actions.ts';
import { AskToStop } from './stop-button.tsx';
import { TEXTS } from './texts.ts';

/** Limit of offered alternatives; the sheet of the programme has all its airings. */
const MOST_OFFERS = 3;
const MOST_BLOCKERS = 4;

const heldOf = (item: ReservationItem) => ({ id: item.id, title: titleOf(item), state: item.state });

/** Reservations on one physical channel share a tuner, which is free only without all of them. */
function byTuning(blockers: readonly ReservationItem[]): ReservationItem[][] {
  const groups = new Map<string, ReservationItem[]>();
  for (const blocker of blockers) {
    const key = blocker.channel ?? `reservation ${blocker.id}`;
    groups.set(key, [...(groups.get(key) ?? []), blocker]);
  }
  return [...groups.values()];
}

/** What is lost when all of them are cancelled: the rest of running recordings, and those not begun. */
function lossText(blockers: readonly ReservationItem[], at: BroadcastMs): string {
  const running = blockers.filter(({ state }) => state === 'recording');
  const coming = blockers.filter(({ state }) => state !== 'recording');
  const rest = running.map((one) => {
    const left = Math.max(0, one.endAt - at);
    return TEXTS.lostRest(titleOf(one), lengthText(left));
  });
  const gone = coming.map((one) => TEXTS.lostBooking(titleOf(one), spanText(one.startAt, one.endAt)));
  return [...rest, ...gone].join('');
}

/** The action and both programmes: a title alone would read as another programme. */
function insteadText(blockers: readonly ReservationItem[], item: ReservationItem): string {
  const running = blockers.find(({ state }) => state === 'recording');
  const [first = item] = running === undefined ? blockers : [running];
  const [other, wanted] = [quotedName(titleOf(first)), quotedName(titleOf(item))];
  if (running !== undefined) return TEXTS.stopForThis(other, wanted);
  return blockers.length === 1
    ? TEXTS.cancelForThis(other, wanted)
    : TEXTS.cancelManyForThis(other, blockers.length, wanted);
}

/** Stops a running recording in favour of this one. It cannot be undone, so it names the loss and asks for confirmation. */
function StopForThis({ blockers, item }: { blockers: readonly ReservationItem[]; item: ReservationItem }) {
  return (
    <AskToStop
      id={item.id}
      look="button button-small button-lines line-tight"
      face={insteadText(blockers, item)}
      question={lossText(blockers, now.value)}
      answer={TEXTS.stopForThisBriefly(quotedName(titleOf(item)))}
      onStop={() => cancelBlockers(blockers.map(heldOf), heldOf(item))}
    />
  );
}

function Blockers({ blockers, item }: { blockers: readonly ReservationItem[]; item: ReservationItem }) {
  const running = blockers.some(({ state }) => state === 'recording');
  return (
    <li class="blocker cluster justify-between round-m ground gap-tools pad-1">
      <div class="stack one-column min-0 gap-25 basis-16">
        {blockers.map((blocker) => (
          <button
            key={blocker.id}
            type="button"
            class="blocker-name stack min-0 text-s text-left round-s"
            onClick={() => openReservation(blocker.id)}
          >
            <Named name={spokenText(blocker)}>
              {/* The button beside it names a single one. */}
              {blockers.length === 1 ? null : <b class="truncate">{titleOf(blocker)}</b>}
              <span class="numbers muted">
                {blocker.state === 'recording' ? (
                  <b class="text-s bold text-danger truncate">{TEXTS.runningBlocker}</b>
                ) : null}
                {TEXTS.blockerFacts(
                  narrow(blocker.serviceName),
                  spanText(blocker.startAt, blocker.endAt),
                  blocker.priority,
                )}
              </span>
            </Named>
          </button>
        ))}
      </div>
      {running ? (
        <StopForThis blockers={blockers} item={item} />
      ) : (
        <button
          type="button"
          class="button button-small button-lines line-tight"
          aria-disabled={isBusy(undefined, item.id)}
          onClick={() => void cancelBlockers(blockers.map(heldOf), heldOf(item))}
        >
          {insteadText(blockers, item)}
        </button>
      )}
    </li>
  );
}

interface OfferProps {
  readonly offer: NonNullable<ReservationItem['offers']>[number];
  readonly name: string;
  readonly isMain?: boolean;
  /** The reservation that it would replace. */
  readonly conflict?: ReservationItem['id'];
  readonly onBook: (program: { id: ProgramId; title: string }) => Promise<unknown>;
  readonly children?: string;
}

function OfferButton({ offer, name, isMain = false, conflict, onBook, children }: OfferProps) {
  const { programId, title, startAt, serviceName } = offer;
  return (
    <button
      type="button"
      class={`button button-small ${isMain ? 'button-main' : ''}`}
      aria-disabled={isBusy(programId, conflict)}
      onClick={() => void onBook({ id: programId, title })}
    >
      <Named name={name}>
        <Icon name="reserve" />
        {children}
        <span class="numbers">{shortText(startAt)}</span>
        <span class="offer-station min-0 truncate">{narrow(serviceName)}</span>
        {TEXTS.bookThere}
      </Named>
    </button>
  );
}

interface HelpProps {
  readonly item: ReservationItem;
  /** Whether to show the reason here, too. */
  readonly reason?: boolean;
}

export function ConflictHelp({ item, reason = true }: HelpProps) {
  const blockers = (item.blockers ?? []).flatMap((id) => reservationById(id) ?? []).slice(0, MOST_BLOCKERS);
  const offers = (item.offers ?? []).slice(0, MOST_OFFERS);
  const noWay = blockers.length === 0 && offers.length === 0;
  return (
    <div class="conflict-help stack one-column gap-75">
      {reason || noWay ? (
        <p class="conflict-reason flex text-s semibold round-m fill-warn pad-2 gap-50">
          <Icon name="alert" />
          <span>
            {reason ? stateReason(item) : ''}
            {noWay ? TEXTS.noWay : ''}
          </span>
        </p>
      ) : null}
      {offers.length === 0 ? null : (
        <div class="conflict-offers flex wrap gap-50">
          {offers.map((offer, index) => (
            <OfferButton
              key={offer.programId}
              offer={offer}
              name={TEXTS.bookInstead(airingText(offer))}
              isMain={index === 0}
              conflict={item.id}
              onBook={(program) => takeInstead(heldOf(item), { ...program, when: airingText(offer) })}
            >
              {TEXTS.instead}
            </OfferButton>
          ))}
        </div>
      )}
      {blockers.length === 0 ? null : (
        <ul class="stack one-column gap-40" aria-label={TEXTS.blockers}>
          {byTuning(blockers).map((group) => (
            <Blockers key={group[0]?.id} blockers={group} item={item} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** For a failed or damaged recording: its next airings, each booked with one press. */
export function NextAirings({ item }: { item: ReservationItem }) {
  const offers = (item.offers ?? []).slice(0, MOST_OFFERS);
  return (
    <section class="program-section above-150">
      <h4 class="note">{TEXTS.nextAirings}</h4>
      {offers.length === 0 ? (
        <p class="note">{TEXTS.noNextAirings}</p>
      ) : (
        <div class="conflict-offers flex wrap gap-50">
          {offers.map((offer) => (
            <OfferButton
              key={offer.programId}
              offer={offer}
              name={TEXTS.bookAiring(airingText(offer))}
              onBook={book}
            />
          ))}
        </div>
      )}
    </section>
  );
}
