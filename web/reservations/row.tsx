/** A reservation as a line of the list. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ReservationItem } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { currentMs, now } from '../device/clock.ts';
import { isBackKey } from '../navigation/focus.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { openReservation } from '../navigation/router.ts';
import { recordingQuery } from '../query/queries.ts';
import { originText } from '../query/rule-names.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { Named } from '../ui/named.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { narrow } from '../words/channel.ts';
import { airingText, spokenText, stateReason, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airClockText, isoText, leftToRecord } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { verdictWords } from '../words/verdict.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { ActionButton } from './action-button.tsx';
import { toggle } from './actions.ts';
import { ConflictHelp } from './conflict.tsx';
import { isTrouble } from './sort.ts';
import { TEXTS } from './texts.ts';

/** The line below the title. The priority explains who won a conflict. */
function Facts({ item }: { item: ReservationItem }) {
  return (
    <span class="booking-facts flex wrap note gap-text">
      <b class="bold">{narrow(item.serviceName)}</b>
      <span>{originText(item.ruleId)}</span>
      {item.state === 'conflict' ? <span class="numbers">{TEXTS.priority(item.priority)}</span> : null}
    </span>
  );
}

const TELLS_WHY: readonly ReservationItem['state'][] = ['conflict', 'skipped', 'missed'];

/** Next airing of a failed or damaged recording. */
function NextTime({ item }: { item: ReservationItem }) {
  const next = isTrouble(item) ? item.offers?.[0] : undefined;
  return next === undefined ? null : (
    <span class="numbers note semibold">{TEXTS.nextAiring(airingText(next))}</span>
  );
}

/** What is wrong with the recording that came of it. */
function Verdict({ id }: { id: RecordingId }) {
  const { value } = useQuery(recordingQuery(id));
  const words = value === undefined ? undefined : verdictWords(value);
  return words === undefined ? null : <span class="text-s semibold text-warn">{words.first}</span>;
}

/** Handles the record key on any part of a row. */
function onRecordKey(event: KeyboardEvent, item: ReservationItem): void {
  if (!isRecordKey(event) || event.repeat) return;
  event.preventDefault();
  const program = { id: item.programId, title: titleOf(item), copyNever: false, endAt: item.endAt };
  toggle(program, item, currentMs());
}

interface LineProps {
  readonly item: ReservationItem;
  /** Shown before the main action. */
  readonly children?: ComponentChildren;
}

function Line({ item, children }: LineProps) {
  const { marks } = splitTitle(item.name);
  const title = titleOf(item);
  const recording = item.state === 'recording';
  const note = item.note ?? null;
  return (
    <>
      <button
        type="button"
        class="booking-main hstack grow min-0 gap-100 text-left round-m pad-2"
        onClick={() => openReservation(item.id)}
      >
        <Named name={spokenText(item)}>
          <span class="booking-time numbers stack rigid">
            <time class="bold" dateTime={isoText(item.startAt)}>
              {airClockText(item.startAt)}
            </time>
            <small class="semibold muted">{airClockText(item.endAt)}</small>
          </span>
          <span class="booking-text one-column stack grow min-0 gap-10">
            <span class="booking-title cluster bold line-tight gap-text">
              <WholeTitle title={title} />
              <Marks marks={marks} />
            </span>
            <Facts item={item} />
            {recording ? (
              <span class="booking-progress numbers stack align-center text-s bold text-danger gap-75">
                <ProgramProgress startAt={item.startAt} endAt={item.endAt} />
                {leftToRecord(item.endAt, now.value)}
              </span>
            ) : null}
            {TELLS_WHY.includes(item.state) ? (
              <span class="text-s semibold text-warn">{stateReason(item)}</span>
            ) : isTrouble(item) && item.recordingId != null ? (
              <Verdict id={item.recordingId} />
            ) : null}
            {note === null ? null : <span class="note semibold">{note}</span>}
            <NextTime item={item} />
          </span>
          {/* Those stand under their own heading, with the reason. */}
          {item.state === 'conflict' ? null : <StateBadge item={item} />}
        </Named>
      </button>
      {children}
      <ActionButton item={item} />
    </>
  );
}

export function BookingRow({ item }: { item: ReservationItem }) {
  return (
    <li
      class="booking hstack gap-50 round-m hover-surface"
      data-state={item.state}
      data-reservation={item.id}
      onKeyDown={(event) => onRecordKey(event, item)}
    >
      <Line item={item} />
    </li>
  );
}

/** A conflict, with its actions expanded below it. @param open initially */
export function ConflictRow({ item, open }: { item: ReservationItem; open: boolean }) {
  const [shown, setShown] = useState(open);
  const help = `conflict-${item.id}`;
  const ways = useRef<HTMLButtonElement>(null);
  const onKey = (event: KeyboardEvent): void => {
    onRecordKey(event, item);
    // Back closes first what was opened here, before it leaves the screen.
    if (!isBackKey(event.key) || event.defaultPrevented || !shown || open) return;
    event.preventDefault();
    setShown(false);
    ways.current?.focus();
  };
  return (
    <li class="conflict stack one-column" data-reservation={item.id} onKeyDown={onKey}>
      <div class="booking hstack gap-50 round-m hover-surface" data-state={item.state}>
        <Line item={item}>
          <button
            ref={ways}
            type="button"
            class="button button-small conflict-ways rigid"
            aria-expanded={shown}
            aria-controls={help}
            aria-label={TEXTS.waysOf(titleOf(item))}
            onClick={() => setShown(!shown)}
          >
            <span class="booking-action-word wide-only">{TEXTS.ways}</span>
            <Icon name={shown ? 'up' : 'down'} />
          </button>
        </Line>
      </div>
      <div id={help}>{shown ? <ConflictHelp item={item} reason={false} /> : null}</div>
    </li>
  );
}
