/** The rows of a search result, one kind per section. */
import type {
  FoundProgram,
  FoundRecording,
  FoundReservation,
  FoundRule,
  ReservationState,
  SearchMatch,
  VerdictLevel,
} from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { currentMs, now } from '../device/clock.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { openProgram, openReservation, watchPath } from '../navigation/router.ts';
import { rulePage } from '../navigation/rule-address.ts';
import { isBookingKnown, reservationOf } from '../query/reservations.ts';
import { book, cancel, isBusy, restore, toggle } from '../reservations/actions.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { narrow } from '../words/channel.ts';
import { highlight } from '../words/highlight.ts';
import { Highlighted } from '../words/highlighted.tsx';
import { stateWords } from '../words/reservation.ts';
import { lengthText, remainingText, shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

interface RowProps {
  readonly icon: IconName;
  readonly name: string;
  readonly words: string;
  readonly when: string;
  readonly station: string;
  readonly badge?: readonly [text: string, tone: string] | undefined;
  /** Why it was found, where the title does not say it. */
  readonly match?: SearchMatch | undefined;
}

function RowContent({ icon, name, words, when, station, badge, match }: RowProps) {
  const { title, marks } = splitTitle(name);
  return (
    <>
      <Icon name={icon} class="faint wide-only" />
      <span class="row-text">
        <span class="found-title cluster gap-text bold">
          <Highlighted pieces={highlight(title, words)} />
          <Marks marks={marks} />
        </span>
        <span class="found-when wrap flex note gap-text">
          <span class="numbers">{when}</span>
          {station === '' ? null : <Highlighted pieces={highlight(narrow(station), words)} />}
        </span>
        {match === undefined ? null : (
          <span class="found-match clamp-2 note">
            <Highlighted
              pieces={highlight(
                match.heading === '' ? match.text : TEXTS.headed(match.heading, match.text),
                words,
              )}
            />
          </span>
        )}
      </span>
      {badge === undefined ? null : (
        <span class="badge" data-tone={badge[1]}>
          {badge[0]}
        </span>
      )}
    </>
  );
}

const WORTH: Readonly<Record<VerdictLevel, readonly [string, string]>> = {
  complete: [TEXTS.complete, 'good'],
  damaged: [TEXTS.damaged, 'warn'],
  lost: [TEXTS.lost, 'bad'],
};

/** The same words as its mark has in the list of recordings. */
function recordingBadge({ state, verdict }: FoundRecording): readonly [string, string] {
  if (state === 'recording') return [TEXTS.recording, 'recording'];
  if (state === 'failed') return WORTH.lost;
  return verdict == null ? [TEXTS.unchecked, 'quiet'] : WORTH[verdict];
}

function bookingBadge(state: ReservationState | null): readonly [string, string] | undefined {
  // One that was cancelled, or is over, is as if there were none.
  if (state === null || state === 'cancelled' || state === 'finished') return undefined;
  const { face, tone } = stateWords(state);
  return [face, tone === 'bad' ? 'warn' : tone];
}

/** The reservation of a found programme: the list is updated by changes made here before the next search is. */
function markOf(row: FoundProgram): { readonly id: ReservationId; readonly state: ReservationState } | null {
  return reservationOf(row.id) ?? null;
}

function BookButton({ row }: { row: FoundProgram }) {
  const mark = markOf(row);
  const { title } = splitTitle(row.name);
  const state = mark?.state ?? null;
  const kept = state === 'scheduled' || state === 'conflict';
  if (row.end_at <= now.value) return null;
  // Its room is kept, so that the row does not move when the reservations come.
  const room = isBookingKnown(row.start_at, row.end_at) ? '' : 'invisible';
  const run = (): void => {
    if (mark === null || state === 'skipped' || state === 'missed' || state === 'finished') {
      void book({ id: row.id, title });
    } else if (state === 'cancelled') void restore({ id: mark.id, title });
    else if (state === 'recording') openReservation(mark.id);
    else void cancel({ ...mark, title });
  };
  const label = state === 'recording' ? TEXTS.stop : kept ? TEXTS.cancel : TEXTS.book;
  return (
    <button
      type="button"
      class={`button button-small rigid action ${room}`}
      aria-label={TEXTS.deedOf(label, title)}
      aria-disabled={isBusy(row.id, mark?.id)}
      onClick={run}
    >
      <Icon
        name={state === 'recording' ? 'stop' : kept ? 'close' : 'reserve'}
        class={kept ? '' : 'text-danger'}
      />
      <span class="wide-only">{label}</span>
    </button>
  );
}

export function ProgramRow({ row, words }: { row: FoundProgram; words: string }) {
  const live = row.start_at <= now.value && row.end_at > now.value;
  const state = bookingBadge(markOf(row)?.state ?? row.reservation_state);
  return (
    <div class="found-line hstack gap-50">
      <button
        type="button"
        class="row found grow min-0 full-width text-left"
        onClick={() => openProgram(row.id)}
        onKeyDown={(event) => {
          if (!isRecordKey(event) || event.repeat) return;
          event.preventDefault();
          const { title } = splitTitle(row.name);
          const program = { id: row.id, title, copyNever: false, endAt: row.end_at };
          toggle(program, markOf(row), now.value);
        }}
      >
        <RowContent
          icon={live ? 'play' : 'guide'}
          name={row.name}
          words={words}
          when={TEXTS.whenAndLength(
            shortText(row.start_at),
            live ? remainingText(row.end_at, now.value) : lengthText(row.end_at - row.start_at),
          )}
          station={row.service_name}
          match={row.match}
          badge={state ?? (live ? [TEXTS.onAir, 'live'] : undefined)}
        />
      </button>
      <BookButton row={row} />
    </div>
  );
}

export function ReservationRow({ row, words }: { row: FoundReservation; words: string }) {
  return (
    <button type="button" class="row found full-width text-left" onClick={() => openReservation(row.id)}>
      <RowContent
        icon="reserve"
        name={row.name}
        words={words}
        when={shortText(row.start_at, currentMs())}
        station={row.service_name}
        badge={bookingBadge(row.state)}
      />
    </button>
  );
}

export function RecordingRow({ row, words }: { row: FoundRecording; words: string }) {
  const running = row.state === 'recording';
  return (
    <div class="found-line hstack gap-50">
      <a class="row found grow min-0" href={`recordings?recording=${row.id}`}>
        <RowContent
          icon="recordings"
          name={row.name}
          words={words}
          when={shortText(row.start_at, currentMs())}
          station={row.service_name}
          match={row.match}
          badge={recordingBadge(row)}
        />
      </a>
      {row.watch === null ? null : (
        <a
          class="button button-small rigid action"
          href={watchPath({ id: row.id, recording: running })}
          aria-label={TEXTS.deedOf(running ? TEXTS.chase : TEXTS.play, splitTitle(row.name).title)}
        >
          <Icon name="play" />
          <span class="wide-only">{running ? TEXTS.chaseShort : TEXTS.play}</span>
        </a>
      )}
    </div>
  );
}

export function RuleRow({ row, words }: { row: FoundRule; words: string }) {
  return (
    <a class="row found" href={rulePage(row.id)}>
      <Icon name="filter" class="faint wide-only" />
      <span class="row-text">
        <span class="found-title cluster gap-text bold">
          <Highlighted pieces={highlight(row.name, words)} />
        </span>
      </span>
      <span class="badge" data-tone="quiet">
        {row.enabled ? TEXTS.on : TEXTS.off}
      </span>
    </a>
  );
}
