/** Home screen, one line: a missing card, failures, conflicts, the number of reservations, free storage and the bin. */
import type { Card } from '../../lib/wire/agent.ts';
import type { ReservationItem, StorageFacts } from '../../lib/wire/api.ts';
import { minute } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { CARD, STORAGE } from '../query/queries.ts';
import { CONFLICTS, MOST_NEXT, NEXT_BOOKINGS, RECENT_BOOKINGS } from '../query/reservations.ts';
import { useQuery } from '../query/use-query.ts';
import { freeSpaceAlert, freeSpaceText } from '../recordings/free-space.ts';
import { countsOf, isTrouble } from '../reservations/sort.ts';
import { Icon } from '../ui/icon.tsx';
import { cardWords } from '../words/card.ts';
import { spokenText, standingWords, titleOf } from '../words/reservation.ts';
import { TEXTS } from './texts.ts';

/** Recordings of the last days that failed, have gaps or never began: one opens itself, several their list. */
function Troubles({ items }: { items: readonly ReservationItem[] }) {
  const [first] = items;
  if (first === undefined) return null;
  if (items.length === 1) {
    const words = TEXTS.entry(standingWords(first).face, titleOf(first));
    // Its verdict tells more than its reservation.
    if (first.recordingId != null) {
      return (
        <a
          class="badge status-chip"
          data-tone="bad"
          title={spokenText(first)}
          href={`recordings?recording=${first.recordingId}`}
        >
          <Icon name="alert" />
          <span>{words}</span>
        </a>
      );
    }
    return (
      <button
        type="button"
        class="badge status-chip"
        data-tone="bad"
        title={spokenText(first)}
        onClick={() => openReservation(first.id)}
      >
        <Icon name="alert" />
        <span>{words}</span>
      </button>
    );
  }
  return (
    <a class="badge status-chip" data-tone="bad" href="reservations?filter=trouble">
      <Icon name="alert" />
      <span class="numbers">{TEXTS.troubles(items.length)}</span>
    </a>
  );
}

interface BookedProps {
  items: readonly ReservationItem[];
  conflicts: readonly ReservationItem[];
}

function Booked({ items, conflicts }: BookedProps) {
  const { booked } = countsOf(items, minute.value);
  const { conflict } = countsOf(conflicts, minute.value);
  return (
    <>
      {conflict === 0 ? null : (
        <a class="badge status-chip" data-tone="warn" href="reservations?filter=conflict">
          <Icon name="alert" />
          <span class="numbers">{TEXTS.conflicts(conflict, conflict >= MOST_NEXT)}</span>
        </a>
      )}
      <a class="badge status-chip" href="reservations">
        <Icon name="reserve" />
        <span class="numbers">{items.length < MOST_NEXT ? TEXTS.bookings(booked) : TEXTS.toBookings}</span>
      </a>
    </>
  );
}

function Room({ storage }: { storage: StorageFacts }) {
  const alert = freeSpaceAlert(storage);
  return (
    <a class="badge status-chip" data-tone={alert?.tone} href="recordings">
      <Icon name={alert === undefined ? 'disk' : 'alert'} />
      <span class="numbers">{alert?.text ?? freeSpaceText(storage)}</span>
    </a>
  );
}

function Bin({ count }: { count: number }) {
  return count === 0 ? null : (
    <a class="badge status-chip" href="recordings?show=bin">
      <Icon name="bin" />
      <span class="numbers">{TEXTS.inBin(count.toLocaleString('ja-JP'))}</span>
    </a>
  );
}

/** Without it only what is not scrambled is received. */
const MISSING: ReadonlySet<string | null> = new Set(['no_card', 'no_reader', 'unsuitable_card']);

function MissingCard({ card }: { card: Card }) {
  if (!MISSING.has(card.failure)) return null;
  return (
    <a class="badge status-chip" data-tone="bad" href="tuners">
      <Icon name="alert" />
      <span>{cardWords(card).text.replace(/。$/u, '')}</span>
    </a>
  );
}

/** Drawn once all of it is known, in a place of fixed height, so that the layout does not shift. */
export function StatusLine() {
  const next = useQuery(NEXT_BOOKINGS);
  const conflicts = useQuery(CONFLICTS);
  const recent = useQuery(RECENT_BOOKINGS);
  const storage = useQuery(STORAGE);
  const card = useQuery(CARD);
  const known = [next, conflicts, recent, storage, card].every(
    ({ value, failure }) => value !== undefined || failure !== undefined,
  );
  return (
    <nav class="status-line flex hscroll gap-50" aria-label={TEXTS.status} data-nav-group="status-line">
      {known ? (
        <>
          {card.value === undefined ? null : <MissingCard card={card.value} />}
          {recent.value === undefined ? null : <Troubles items={recent.value.filter(isTrouble)} />}
          {next.value === undefined ? null : <Booked items={next.value} conflicts={conflicts.value ?? []} />}
          {storage.value === undefined || storage.value.folders.length === 0 ? null : (
            <Room storage={storage.value} />
          )}
          <Bin count={storage.value?.recordings.binned ?? 0} />
        </>
      ) : null}
    </nav>
  );
}
