/** Everything about one reservation, over whatever screen it was opened from. */
import { useEffect } from 'preact/hooks';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import type { RecordingId, ReservationId } from '../../lib/wire/ids.ts';
import { OPEN_RESERVATION_STATES } from '../../lib/wire/vocabulary.ts';
import { now } from '../device/clock.ts';
import { closeOver, openProgram, watchPath } from '../navigation/router.ts';
import { rulePage } from '../navigation/rule-address.ts';
import { recordingQuery, TUNERS } from '../query/queries.ts';
import { readBookings, reservationById, useBookings } from '../query/reservations.ts';
import { originText, useRuleNames } from '../query/rule-names.ts';
import { stationById, stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { adviceFor } from '../words/advice.ts';
import { channelLabel, narrow } from '../words/channel.ts';
import { Reason } from '../words/failure-panel.tsx';
import { canPlay, playWords } from '../words/recording.ts';
import { exactSpanText, exactText, stateReason, titleOf, tunerText } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airDateText, isoText, leftToRecord, lengthText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { cancel, isBusy, restore } from './actions.ts';
import { ConflictHelp, NextAirings } from './conflict.tsx';
import { BookingOptions } from './options.tsx';
import { isTrouble } from './sort.ts';
import { StopButton } from './stop-button.tsx';
import { TEXTS } from './texts.ts';

function Head({ item }: { item: ReservationItem }) {
  const station = stationById(item.stationId);
  const { marks } = splitTitle(item.name);
  const name = narrow(item.serviceName);
  return (
    <header class="program-head gap-75 stack booking-sheet-head">
      <p class="program-station gap-75 cluster line-tight">
        <Logo station={{ id: item.stationId, name, logo: station?.logo ?? null }} />
        <span>
          <span class="text-accent extrabold text-s gap-50 hstack numbers line-tight">
            {station === undefined ? '' : channelLabel(station, stations.value)}
          </span>
          <b>{name}</b>
        </span>
        <StateBadge item={item} />
      </p>
      <h3 class="program-title line-tight text-xl">
        <WholeTitle title={titleOf(item)} />
      </h3>
      <p class="muted semibold wrap flex numbers gap-text">
        <time dateTime={isoText(item.startAt)}>{airDateText(item.startAt)}</time>{' '}
        <b class="ink">{spanText(item.startAt, item.endAt)}</b>
        <span>
          {lengthText(item.endAt - item.startAt)}
          {item.state === 'recording' ? TEXTS.besides(leftToRecord(item.endAt, now.value)) : ''}
        </span>
      </p>
      {item.state === 'recording' ? <ProgramProgress startAt={item.startAt} endAt={item.endAt} /> : null}
      <Marks marks={marks} />
    </header>
  );
}

/** Actions on the reservation itself; Enter runs the first. */
function MainAction({ item }: { item: ReservationItem }) {
  const held = { id: item.id, title: titleOf(item), state: item.state };
  const waits = isBusy(item.programId, item.id);
  if (item.state === 'recording') return <StopButton id={item.id} title={held.title} main />;
  if (item.state === 'scheduled' || item.state === 'conflict') {
    return (
      <button type="button" class="button" aria-disabled={waits} onClick={() => void cancel(held)}>
        <Icon name="close" />
        {TEXTS.cancelBooking}
      </button>
    );
  }
  if (item.state === 'cancelled' && item.endAt > now.value) {
    return (
      <button
        type="button"
        class="button button-main"
        aria-disabled={waits}
        data-nav-initial=""
        onClick={() => void restore(held)}
      >
        <Icon name="undo" />
        {TEXTS.restoreBooking}
      </button>
    );
  }
  return null;
}

/** Of a recording that failed there may be a part or nothing, which is read first. */
function Play({ item, id }: { item: ReservationItem; id: RecordingId }) {
  const { value } = useQuery(recordingQuery(id));
  const recording = item.state === 'recording';
  if (value === undefined ? item.verdict === 'lost' : !canPlay(value)) return null;
  return (
    <a class="button button-main" href={watchPath({ id, recording })} data-nav-initial="">
      <Icon name="play" />
      {value?.state === 'failed' ? playWords(value) : recording ? TEXTS.chase : TEXTS.play}
    </a>
  );
}

function Actions({ item }: { item: ReservationItem }) {
  const place = new URLSearchParams({ at: String(item.startAt), station: String(item.stationId) });
  const recordingId = item.recordingId ?? null;
  const live = item.startAt <= now.value && item.endAt > now.value;
  return (
    <div class="program-actions below-150 above-150 no-margin wrap flex gap-50">
      {recordingId === null ? null : (
        <>
          {item.state === 'recording' || item.state === 'finished' ? (
            <Play item={item} id={recordingId} />
          ) : null}
          <a class="button" href={`recordings?recording=${recordingId}`}>
            <Icon name="recordings" />
            {TEXTS.openRecording}
          </a>
        </>
      )}
      <MainAction item={item} />
      {live ? (
        <a class="button" href={`live/${item.stationId}`}>
          <Icon name="play" />
          {TEXTS.watch}
        </a>
      ) : null}
      {item.endAt > now.value - 86_400_000 ? (
        <button type="button" class="button" onClick={() => openProgram(item.programId)}>
          <Icon name="list" />
          {TEXTS.program}
        </button>
      ) : null}
      {item.endAt > now.value ? (
        <a class="button" href={`guide?${place}`}>
          <Icon name="guide" />
          {TEXTS.inGuide}
        </a>
      ) : null}
      {item.ruleId === null ? null : (
        <a class="button" href={rulePage(item.ruleId)}>
          <Icon name="filter" />
          {TEXTS.openRule}
        </a>
      )}
    </div>
  );
}

const NOTE_ICONS = { missed: 'alert', skipped: 'lock', cancelled: 'close' } as const;

function Note({ item }: { item: ReservationItem }) {
  const { state } = item;
  const note = item.note ?? null;
  const icon = state === 'missed' || state === 'skipped' || state === 'cancelled' ? NOTE_ICONS[state] : null;
  return (
    <>
      {icon === null ? null : (
        <p class="below-100 alert" data-tone="warn">
          <Icon name={icon} />
          {stateReason(item)}
        </p>
      )}
      {note === null ? null : (
        <p class="below-100 alert" data-tone="quiet">
          <Icon name="help" />
          {note}
        </p>
      )}
    </>
  );
}

interface BookingFact {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
}

/** In the order of their importance to viewers. */
function bookingFacts(item: ReservationItem, tuners: readonly Tuner[]): BookingFact[] {
  const openAt = item.openAt ?? null;
  const closeAt = item.closeAt ?? null;
  const facts: (BookingFact | undefined)[] = [
    { name: TEXTS.origin, value: originText(item.ruleId) },
    { name: TEXTS.priorityName, value: String(item.priority), note: TEXTS.priorityNote },
    openAt === null || closeAt === null
      ? undefined
      : item.state === 'recording'
        ? { name: TEXTS.recordingEnd, value: exactText(closeAt) }
        : { name: TEXTS.recordingSpan, value: exactSpanText(openAt, closeAt) },
    item.tuner === null ? undefined : { name: TEXTS.tuner, value: tunerText(item.tuner, tuners) },
    item.channel === undefined ? undefined : { name: TEXTS.channel, value: item.channel },
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** Focuses the main action for Enter of a remote control, as soon as the state is known. */
function useFirstAction(id: ReservationId): void {
  useEffect(() => {
    const active = document.activeElement;
    if (active?.closest('.sheet-content') != null) return;
    const first = ['.conflict-offers .button', '.program-actions .button'];
    for (const selector of first) {
      const button = document.querySelector<HTMLElement>(`dialog[open] ${selector}`);
      if (button === null) continue;
      button.focus({ preventScroll: true });
      return;
    }
  }, [id]);
}

/** Its options can still be changed. */
const OPEN: readonly ReservationItem['state'][] = OPEN_RESERVATION_STATES;

function Body({ item }: { item: ReservationItem }) {
  useFirstAction(item.id);
  const tuners = useQuery(item.tuner === null ? undefined : TUNERS).value ?? [];
  return (
    <>
      <Head item={item} />
      {item.state === 'conflict' ? (
        <div class="above-100">
          <ConflictHelp item={item} />
        </div>
      ) : null}
      <Actions item={item} />
      <Note item={item} />
      {isTrouble(item) ? <NextAirings item={item} /> : null}
      {OPEN.includes(item.state) ? <BookingOptions item={item} /> : null}
      <dl class="facts above-150 bordered clip round-m">
        {bookingFacts(item, tuners).map(({ name, value, note }) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>
              <span class="numbers">{value}</span>
              {note === undefined ? null : <small>{note}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function ReservationSheet({ id }: { id: ReservationId }) {
  const { items, failure } = useBookings();
  useRuleNames();
  const item = reservationById(id);
  return (
    <Sheet title={TEXTS.sheet} onClose={closeOver} wide>
      {item !== undefined ? (
        <Body item={item} />
      ) : items !== undefined ? (
        <div class="program-failed text-center muted gap-75 items-middle stack" role="alert">
          <Icon name="help" />
          <h3 class="text-l ink">{TEXTS.gone}</h3>
          <p>{TEXTS.goneNote}</p>
          <a class="button button-main" href="reservations">
            {TEXTS.openList}
          </a>
        </div>
      ) : failure !== undefined ? (
        <div class="program-failed text-center muted gap-75 items-middle stack" role="alert">
          <Icon name="unlink" />
          <h3 class="text-l ink">{adviceFor(failure).title}</h3>
          <Reason title={adviceFor(failure).title} failure={failure} />
          <p>{adviceFor(failure).next}</p>
          <button type="button" class="button button-main" onClick={() => void readBookings()}>
            {TEXTS.retry}
          </button>
        </div>
      ) : (
        <div class="gap-100 stack" role="status">
          <span class="hidden-text">{TEXTS.loading}</span>
          <span class="skeleton" style={{ width: '70%', height: '2rem' }} />
          <span class="skeleton" style={{ width: '100%', height: '9rem' }} />
        </div>
      )}
    </Sheet>
  );
}
