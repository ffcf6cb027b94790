/** One station on the home screen, with a picture of what it shows now; the whole card leads to it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { MINUTE_MS } from '../../lib/arib/time.ts';
import type { NowProgram, Station, Still } from '../../lib/wire/api.ts';
import { minute, now } from '../device/clock.ts';
import { lastStation } from '../device/preferences.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { openReservation } from '../navigation/router.ts';
import { NEXT_BOOKINGS } from '../query/reservations.ts';
import { stations } from '../query/stations.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { recordNow } from '../reservations/actions.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { Named } from '../ui/named.tsx';
import { notePicture } from '../ui/pressed-picture.ts';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { stationDayQuery } from '../words/station-day.ts';
import { airClockText, isoText, remainingText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { TEXTS } from './texts.ts';

function RecordMark({ program }: { program: NowProgram }) {
  if (program.recording) {
    return (
      <span class="card-record absolute layer-1 badge" data-tone="recording">
        <i class="booking-dot" />
        {TEXTS.recording}
      </span>
    );
  }
  return program.reserved ? (
    <span class="card-record absolute layer-1 badge" data-tone="kept">
      {TEXTS.booked}
    </span>
  ) : null;
}

/** A picture that is older than this says so. */
const OLD_MS = 3 * MINUTE_MS;

interface StationCardProps {
  station: Station;
  /** Undefined: there is no picture. */
  still: Still | undefined;
}

/** What the station shows; until there is a picture, its sign. The box keeps its size. */
function StillPicture({ station, still, rests }: StationCardProps & { rests: boolean }) {
  const [broken, setBroken] = useState('');
  const age = still === undefined ? 0 : now.value - still.at;
  return (
    <span class="card-still video-shape place-center relative clip" aria-hidden="true">
      {still === undefined || still.picture === broken ? (
        <Logo station={station} />
      ) : (
        <img
          class="inset-0 full-width full-height"
          src={still.picture}
          alt=""
          decoding="async"
          onError={() => setBroken(still.picture)}
        />
      )}
      {age < OLD_MS ? null : (
        <span class="card-age round-s absolute numbers badge dark-glass">
          {TEXTS.pictureAge(Math.floor(age / MINUTE_MS))}
        </span>
      )}
      {rests ? <Following station={station} /> : null}
    </span>
  );
}

/** A pointer that only passes asks for nothing. */
const REST_MS = 250;

/** Whether the pointer rests on the card or the focus is there, with the listeners that say so. */
function useRest() {
  const [rests, setRests] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = (): void => {
    clearTimeout(timer.current);
    setRests(false);
  };
  const come = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setRests(true), REST_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const onPointerEnter = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse') come();
  };
  return { rests, listeners: { onPointerEnter, onPointerLeave: leave, onFocus: come, onBlur: leave } };
}

/** The programme that follows, over the picture. */
function Following({ station }: { station: Station }) {
  const { value } = useQuery(stationDayQuery(station.id, minute.value));
  const from = station.now?.endAt ?? minute.value;
  const next = value?.[0]?.programs.find(({ startAt }) => startAt >= from);
  if (next === undefined) return null;
  return (
    <span class="card-next text-white at-right at-left at-bottom absolute hstack gap-40 layer-1 text-s bold">
      <span class="rigid">{TEXTS.following}</span>
      <time class="numbers rigid" dateTime={isoText(next.startAt)}>
        {airClockText(next.startAt)}
      </time>
      <span class="min-0 truncate">{splitTitle(next.name === '' ? next.title : next.name).title}</span>
    </span>
  );
}

/** Records what is on; of what is booked already it opens the reservation. */
function record({ id, name, now: program }: Station): void {
  const booked = entryOf(NEXT_BOOKINGS)
    .answer.peek()
    .value?.find((item) => item.programId === program?.id);
  if (booked !== undefined) openReservation(booked.id);
  else void recordNow(id, program === null ? name : splitTitle(program.name).title);
}

/** For a mouse: on the focused card the record key does the same, and a finger finds it under the picture. */
function RecordButton({ station }: { station: Station }) {
  const program = station.now;
  if (program === null || program.recording || program.reserved) return null;
  const label = TEXTS.recordOf(splitTitle(program.name).title);
  return (
    <button
      type="button"
      class="card-record-now place-center absolute layer-2 circle"
      tabIndex={-1}
      data-nav-skip=""
      aria-label={label}
      title={TEXTS.record}
      onClick={() => record(station)}
    >
      <Icon name="record" />
    </button>
  );
}

export function StationCard({ station, still }: StationCardProps) {
  const program = station.now;
  const isLast = lastStation.value === station.id;
  const name = narrow(station.name);
  const label = channelLabel(station, stations.value);
  const left = program === null ? '' : remainingText(program.endAt, now.value);
  const { rests, listeners } = useRest();
  const parts = program === null ? undefined : splitTitle(program.name);
  return (
    <>
      <a
        class="card round-m stack relative clip bordered surface shadow-1 hover-surface"
        href={`live/${station.id}`}
        data-nav-initial={isLast ? '' : undefined}
        onClick={(event) => notePicture(event.currentTarget, event)}
        onKeyDown={(event) => {
          if (!isRecordKey(event) || event.repeat) return;
          event.preventDefault();
          record(station);
        }}
        {...listeners}
      >
        <Named name={`${label} ${name}、${parts?.title ?? TEXTS.noProgram}${left === '' ? '' : `、${left}`}`}>
          <StillPicture station={station} still={still} rests={rests} />
          {program === null ? null : <RecordMark program={program} />}
          {program === null ? (
            <span class="progress invisible" />
          ) : (
            <ProgramProgress startAt={program.startAt} endAt={program.endAt} />
          )}
          <span class="content-start stack min-0 gap-25 pad-2">
            <span class="flex min-0 align-baseline gap-40 text-s">
              <span class="text-accent extrabold text-s gap-50 hstack numbers nowrap line-tight">
                {label}
              </span>
              <b class="bold min-0 truncate">{name}</b>
              {isLast ? (
                <span class="card-last push-end fill-main badge" title={TEXTS.lastNote}>
                  {TEXTS.last}
                </span>
              ) : null}
            </span>
            {parts === undefined ? (
              <span class="semibold faint">{TEXTS.noProgram}</span>
            ) : (
              <span class="card-title bold clamp-2">
                <WholeTitle title={parts.title} />
              </span>
            )}
            {program === null ? null : (
              <span class="card-when flex wrap min-0 clip note semibold gap-40">
                <span class="wide-only numbers nowrap">
                  <time dateTime={isoText(program.startAt)}>{airClockText(program.startAt)}</time>
                  {' – '}
                  <time dateTime={isoText(program.endAt)}>{airClockText(program.endAt)}</time>
                </span>
                {left === '' ? null : <span class="card-left numbers bold text-accent nowrap">{left}</span>}
                <Marks marks={parts?.marks ?? []} />
              </span>
            )}
          </span>
        </Named>
      </a>
      <RecordButton station={station} />
    </>
  );
}

export function SkeletonCard() {
  return (
    <div
      class="card round-m stack relative no-pointer clip bordered surface shadow-1 hover-surface"
      aria-hidden="true"
    >
      <span class="card-still video-shape skeleton" />
      <span class="progress invisible" />
      <span class="content-start stack min-0 gap-25 pad-2">
        <span class="skeleton" style={{ width: '60%', height: '0.9rem' }} />
        <span class="skeleton" style={{ width: '88%', height: '1.2rem' }} />
      </span>
    </div>
  );
}
