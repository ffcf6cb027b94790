/** Everything the guide knows of one programme, over whatever screen it was opened from. */
import { useEffect, useRef } from 'preact/hooks';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { ProgramDetail, ReservationMark } from '../../lib/wire/api.ts';
import { currentMs, now } from '../device/clock.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { closeOver, openProgram, screen } from '../navigation/router.ts';
import { hoursAround } from '../query/booking-window.ts';
import { programQuery } from '../query/queries.ts';
import { reservationOf, useBookings } from '../query/reservations.ts';
import { stationById, stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { toggle } from '../reservations/actions.ts';
import { ConflictHelp } from '../reservations/conflict.tsx';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import type { Mark } from '../ui/mark.ts';
import { ProgramProgress } from '../ui/progress.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { majorGenre } from '../words/genre.ts';
import { Texts } from '../words/program-texts.tsx';
import { stateReason, stateWords } from '../words/reservation.ts';
import { SheetFailed } from '../words/sheet-failed.tsx';
import { airDateText, isoText, lengthText, remainingText, shortText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { ProgramActions } from './actions.tsx';
import { programFacts, relationText } from './facts.ts';
import { TEXTS } from './texts.ts';

const GONE = {
  title: TEXTS.gone,
  reason: TEXTS.goneNote,
  href: 'guide',
  go: TEXTS.toGuide,
};

function SpelledMarks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  return (
    <ul class="wrap flex gap-text" aria-label={TEXTS.marks}>
      {marks.map((mark) => (
        <li key={mark.face} class={`inline-row note semibold gap-40 spelled-${mark.tone}`}>
          <span class={`mark inline-row text-xs bold fill-quiet mark-${mark.tone}`} aria-hidden="true">
            {mark.face}
          </span>
          {mark.label}
        </li>
      ))}
    </ul>
  );
}

function Head({ program }: { program: ProgramDetail }) {
  const station = stationById(program.station_id);
  const { title, marks } = splitTitle(program.name);
  const live = program.start_at <= now.value && program.end_at > now.value;
  const name = narrow(program.service_name);
  return (
    <header class="program-head gap-75 stack" data-genre={majorGenre(program.genre_detail ?? [])}>
      <p class="program-station gap-75 cluster line-tight">
        <Logo station={{ id: program.station_id, name, logo: station?.logo ?? null }} />
        <span>
          <span class="text-accent extrabold text-s gap-50 hstack numbers line-tight">
            {station === undefined ? '' : channelLabel(station, stations.value)}
          </span>
          <b>{name}</b>
        </span>
        <span class="hstack gap-25 push-end">
          {live ? <span class="badge record-color text-white">{TEXTS.onAir}</span> : null}
          <a
            class="pill nowrap text-accent bold text-s pad-x hover-deep"
            href={`guide?view=week&station=${program.station_id}`}
          >
            {TEXTS.stationWeek}
          </a>
        </span>
      </p>
      <h3 class="program-title line-tight text-xl">
        <WholeTitle title={title} />
      </h3>
      <p class="muted semibold wrap flex numbers gap-text">
        <time dateTime={isoText(program.start_at)}>{airDateText(program.start_at)}</time>{' '}
        <b class="ink">{spanText(program.start_at, program.end_at)}</b>
        <span>
          {program.open_end ? TEXTS.openEnd : lengthText(program.end_at - program.start_at)}
          {live && !program.open_end ? `、${remainingText(program.end_at, now.value)}` : ''}
        </span>
      </p>
      {live ? <ProgramProgress startAt={program.start_at} endAt={program.end_at} /> : null}
      <SpelledMarks marks={marks} />
    </header>
  );
}

/** Where its reservation stands, with the reason and, of a conflict, the ways out of it. */
function BookingNote({ program, mark }: { program: ProgramDetail; mark: ReservationMark }) {
  const item = reservationOf(program.id);
  if (mark.state === 'conflict' && item !== undefined) return <ConflictHelp item={item} />;
  // The note on copy control says it at length.
  if (mark.state === 'skipped' && program.copy_never) return null;
  const { tone, meaning } = stateWords(mark.state);
  const kept = tone === 'kept' || tone === 'recording';
  return (
    <p
      class="below-100 alert"
      data-tone={kept ? 'bad' : tone === 'warn' || tone === 'bad' ? 'warn' : 'quiet'}
    >
      <Icon name={kept ? 'record' : tone === 'good' ? 'check' : 'alert'} />
      <span>
        {item === undefined ? meaning : stateReason(item)}
        {item?.note ?? ''}
      </span>
    </p>
  );
}

function Notes({ program, mark }: { program: ProgramDetail; mark: ReservationMark | null }) {
  return (
    <>
      {mark === null ? null : <BookingNote program={program} mark={mark} />}
      {program.copy_never ? (
        <p class="below-100 alert" data-tone="warn">
          <Icon name="lock" />
          {TEXTS.copyNever}
        </p>
      ) : null}
    </>
  );
}

function Elsewhere({ program }: { program: ProgramDetail }) {
  return (
    <>
      {program.relations.length === 0 ? null : (
        <section class="program-section above-150">
          <h4 class="note">{TEXTS.related}</h4>
          <div class="rows">
            {program.relations.map((relation) => (
              <button
                key={`${relation.kind} ${relation.id}`}
                type="button"
                class="row full-width text-left"
                onClick={() => openProgram(relation.id)}
              >
                <Icon name="share" />
                <span class="row-text">
                  <span class="flex gap-40 note bold">{relationText(relation.kind)}</span>
                  <span class="bold truncate">
                    {relation.service_name === null ? TEXTS.unknownStation : narrow(relation.service_name)}
                  </span>
                </span>
                <Icon name="next" class="faint" />
              </button>
            ))}
          </div>
        </section>
      )}
      {program.others.length === 0 ? null : (
        <section class="program-section above-150">
          <h4 class="note">{TEXTS.others}</h4>
          <div class="rows">
            {program.others.map((other) => (
              <button
                key={other.id}
                type="button"
                class="row full-width text-left"
                onClick={() => openProgram(other.id)}
              >
                <Icon name="clock" />
                <span class="row-text">
                  <span class="numbers bold truncate">{shortText(other.start_at)}</span>
                  <span class="flex gap-40 note bold">
                    {TEXTS.stationAndLength(
                      narrow(other.service_name),
                      lengthText(other.end_at - other.start_at),
                    )}
                  </span>
                </span>
                <Icon name="next" class="faint" />
              </button>
            ))}
          </div>
        </section>
      )}
    </>
  );
}

/** A remote control's Enter does what most came for, as soon as it is known what that is. */
function useFirstAction(id: ProgramId): void {
  useEffect(() => {
    const active = document.activeElement;
    if (active?.closest('.sheet-content') != null) return;
    document.querySelector<HTMLElement>('.program-actions .button')?.focus({ preventScroll: true });
  }, [id]);
}

/** Red books and cancels here, too. */
function useRecordKey(program: ProgramDetail, mark: ReservationMark | null): void {
  const latest = useRef(mark);
  latest.current = mark;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || !isRecordKey(event)) return;
      event.preventDefault();
      const { title } = splitTitle(program.name);
      const { id, copy_never: copyNever, end_at: endAt } = program;
      toggle({ id, title, copyNever, endAt }, latest.current, currentMs());
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [program]);
}

function Body({ program }: { program: ProgramDetail }) {
  const { items } = useBookings(hoursAround(program.start_at, program.end_at));
  // The list is updated by a change made here before the programme is.
  const mark = items === undefined ? program.reservation : (reservationOf(program.id) ?? null);
  useFirstAction(program.id);
  useRecordKey(program, mark);
  return (
    <>
      <Head program={program} />
      <ProgramActions program={program} mark={mark} inGuide={screen.value.name === 'guide'} />
      <Notes program={program} mark={mark} />
      <Texts description={program.description} extended={program.extended ?? {}} />
      <dl class="facts above-150 bordered clip round-m">
        {programFacts(program).map((fact) => (
          <div key={fact.name} class="fact">
            <dt>{fact.name}</dt>
            <dd>
              {fact.lines.map((line) => (
                <span key={line}>{line}</span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Elsewhere program={program} />
    </>
  );
}

function Skeleton() {
  return (
    <div class="gap-100 stack" role="status">
      <span class="hidden-text">{TEXTS.loading}</span>
      <span class="skeleton" style={{ width: '55%', height: '2.6rem' }} />
      <span class="skeleton" style={{ width: '92%', height: '1.6rem' }} />
      <span class="skeleton" style={{ width: '70%', height: '1rem' }} />
      <span class="skeleton" style={{ width: '100%', height: '7rem' }} />
    </div>
  );
}

export function ProgramSheet({ id }: { id: ProgramId }) {
  const { value, failure, renew } = useQuery(programQuery(id));
  // The content stays while the service is away; a programme that is gone says so.
  const shown = failure?.code === 'not_found' ? undefined : value;
  return (
    <Sheet title={TEXTS.sheet} onClose={closeOver} wide>
      {shown === undefined && failure === undefined ? <Skeleton /> : null}
      {shown === undefined && failure !== undefined ? (
        <SheetFailed failure={failure} gone={GONE} title={TEXTS.failed} onRetry={() => void renew()} />
      ) : null}
      {shown === undefined ? null : <Body program={shown} />}
    </Sheet>
  );
}
