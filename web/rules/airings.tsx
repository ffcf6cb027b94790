/** The results of a rule: upcoming airings, recordings, and what it skipped and why. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type {
  PreviewProgram,
  Recording,
  ReservationItem,
  RuleItem,
  RulePreview,
} from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { CLOSED_RESERVATION_STATES } from '../../lib/wire/vocabulary.ts';
import { currentMs, now } from '../device/clock.ts';
import { openProgram, openReservation } from '../navigation/router.ts';
import { type ApiFailure, previewRule } from '../query/api.ts';
import { getRecordingPage } from '../query/recordings.ts';
import { reservationOf, useBookings } from '../query/reservations.ts';
import { callQuery, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { narrow } from '../words/channel.ts';
import { FieldFailure } from '../words/field-failure.tsx';
import { lengthClock } from '../words/recording.ts';
import { stateReason, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { lengthText, shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { VerdictBadge } from '../words/verdict-badge.tsx';
import { WholeTitle } from '../words/whole-title.tsx';
import { bodyOfRule } from './form.ts';
import { TEXTS } from './texts.ts';

function ReservationLine({ reservation }: { reservation: ReservationItem }) {
  const { marks } = splitTitle(reservation.name);
  const why = OVER.includes(reservation.state) ? stateReason(reservation) : reservation.reason;
  return (
    <button type="button" class="row full-width text-left" onClick={() => openReservation(reservation.id)}>
      <span class="row-text">
        <span class="found-when wrap align-center flex note gap-text">
          <b class="numbers">{shortText(reservation.startAt)}</b>
          <span>{narrow(reservation.serviceName)}</span>
          <span class="numbers wide-only">{lengthText(reservation.endAt - reservation.startAt)}</span>
          <StateBadge item={reservation} />
        </span>
        <span class="found-title cluster gap-text bold">
          <WholeTitle title={titleOf(reservation)} />
          <Marks marks={marks} />
        </span>
        {why === null ? null : <span class="note">{why}</span>}
      </span>
    </button>
  );
}

/** A programme of the guide that the rule leaves out. */
function ProgramLine({ program }: { program: PreviewProgram }) {
  const { title, marks } = splitTitle(program.name);
  return (
    <button type="button" class="row full-width text-left" onClick={() => openProgram(program.id)}>
      <span class="row-text">
        <span class="found-when wrap align-center flex note gap-text">
          <b class="numbers">{shortText(program.startAt)}</b>
          <span>{narrow(program.serviceName)}</span>
          <span class="numbers wide-only">{lengthText(program.endAt - program.startAt)}</span>
        </span>
        <span class="found-title cluster gap-text bold">
          <WholeTitle title={title} />
          <Marks marks={marks} />
        </span>
        {program.reason === null ? null : <span class="note">{program.reason}</span>}
      </span>
    </button>
  );
}

function RecordingLine({ recording }: { recording: Recording }) {
  const { title, marks } = splitTitle(recording.name);
  return (
    <a class="row full-width text-left" href={`recordings?recording=${recording.id}`}>
      <span class="row-text">
        <span class="found-when wrap align-center flex note gap-text">
          <b class="numbers">{shortText(recording.startAt, currentMs())}</b>
          <span>{narrow(recording.serviceName)}</span>
          {recording.durationMs === null ? null : (
            <span class="numbers wide-only">{lengthClock(recording.durationMs)}</span>
          )}
          <VerdictBadge recording={recording} />
        </span>
        <span class="found-title cluster gap-text bold">
          <WholeTitle title={title} />
          <Marks marks={marks} />
          {recording.watchedAt === null ? null : <small class="semibold muted">{TEXTS.watched}</small>}
        </span>
      </span>
    </a>
  );
}

interface History {
  readonly recordings: readonly Recording[];
  readonly total: number;
}

/** The last recordings, failed ones included. */
async function historyOf(ruleId: RuleId, signal: AbortSignal): Promise<History> {
  const slice = { offset: 0, limit: FIRST_ROWS };
  const page = (show: Record<string, string>) =>
    getRecordingPage(new URLSearchParams({ ruleId: String(ruleId), ...show }), slice, signal);
  const pages = await Promise.all([page({}), page({ show: 'failed' })]);
  const all = pages.flatMap(({ rows }) => rows);
  // Running recordings are listed among the upcoming ones.
  const done = all.filter(({ recording }) => !recording).sort((a, b) => b.startAt - a.startAt);
  const total = pages.reduce((sum, page) => sum + page.total, 0);
  return { recordings: done.slice(0, FIRST_ROWS), total: total - (all.length - done.length) };
}

/** Rows shown at first of a long list. */
const FIRST_ROWS = 20;
/** Skipped airings follow those that are recorded. */
const FIRST_LEFT = 5;

interface ListProps<T> {
  readonly title: string;
  readonly rows: readonly T[] | undefined;
  readonly failure: ApiFailure | undefined;
  readonly none: string;
  readonly line: (row: T) => ComponentChildren;
  readonly total: number;
  /** There may be more than `total`. */
  readonly isLeast?: boolean;
  readonly more?: ComponentChildren;
}

function List<T>({ title, rows, failure, none, line, total, isLeast = false, more }: ListProps<T>) {
  const count = isLeast ? TEXTS.countOrMore : TEXTS.count;
  return (
    <section class="block" aria-label={title}>
      <header class="block-head">
        <h2>{title}</h2>
        {rows === undefined ? null : (
          <span class="semibold note numbers inline-row">{count(total.toLocaleString('ja'))}</span>
        )}
      </header>
      {rows === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label={TEXTS.loading} />
        ) : (
          <FieldFailure failure={failure} />
        )
      ) : rows.length === 0 ? (
        <p class="note">{none}</p>
      ) : (
        <div class="rows" data-nav-group={title}>
          {rows.map(line)}
        </div>
      )}
      {more}
    </section>
  );
}

const OVER: readonly ReservationItem['state'][] = CLOSED_RESERVATION_STATES;

/** Shows all of a long list. */
function More({ count, first, all }: { count: number; first: number; all: Signal<boolean> }) {
  if (all.value || count <= first) return null;
  return (
    <button type="button" class="button button-small above-75" onClick={() => (all.value = true)}>
      {TEXTS.more(count - first)}
    </button>
  );
}

/** Of a rule that is switched off. */
const NO_AIRINGS: RulePreview = { total: 0, programs: [] };

/**
 * What the rule matches in the present guide and does not book: manual reservations, other airings of an episode,
 * cancelled airings.
 */
function LeftOut({ rule }: { rule: RuleItem }) {
  const body = bodyOfRule(rule);
  const { value, failure } = useQuery(
    callQuery(`left out ${rule.id} ${JSON.stringify(body)}`, ['rules', 'reservations'], async (signal) =>
      rule.enabled ? await previewRule(body, rule.id, signal) : NO_AIRINGS,
    ),
  );
  const all = useSignal(false);
  const rows = value?.programs.filter(({ state }) => state === null);
  const byHand = (value?.programs ?? []).flatMap(({ id }) => {
    const reservation = reservationOf(id);
    return reservation?.ruleId === null && !OVER.includes(reservation.state) ? [reservation] : [];
  });
  return (
    <>
      {byHand.length === 0 ? null : (
        <List
          title={TEXTS.byHand}
          rows={byHand}
          total={byHand.length}
          failure={undefined}
          none=""
          line={(reservation) => <ReservationLine key={reservation.id} reservation={reservation} />}
          more={null}
        />
      )}
      {rows?.length === 0 ? null : (
        <List
          title={TEXTS.leftOut}
          rows={all.value ? rows : rows?.slice(0, FIRST_LEFT)}
          total={rows?.length ?? 0}
          isLeast={value !== undefined && value.total > value.programs.length}
          failure={failure}
          none=""
          line={(program) => <ProgramLine key={program.id} program={program} />}
          more={<More count={rows?.length ?? 0} first={FIRST_LEFT} all={all} />}
        />
      )}
    </>
  );
}

const NOT_RECORDED: readonly ReservationItem['state'][] = ['missed', 'cancelled', 'skipped'];

/** Of the last two weeks: the service keeps no older reservations. */
function NotRecorded({ ruleId, items }: { ruleId: RuleId; items: readonly ReservationItem[] | undefined }) {
  const all = useSignal(false);
  const rows = (items ?? [])
    .filter((item) => item.ruleId === ruleId && NOT_RECORDED.includes(item.state) && item.endAt <= now.value)
    .sort((a, b) => b.startAt - a.startAt);
  if (rows.length === 0) return null;
  return (
    <List
      title={TEXTS.notRecorded}
      rows={all.value ? rows : rows.slice(0, FIRST_LEFT)}
      total={rows.length}
      failure={undefined}
      none=""
      line={(reservation) => <ReservationLine key={reservation.id} reservation={reservation} />}
      more={<More count={rows.length} first={FIRST_LEFT} all={all} />}
    />
  );
}

export function Airings({ rule }: { rule: RuleItem }) {
  const { id, enabled } = rule;
  const booked = useBookings();
  const history = useQuery(
    callQuery(`history of rule ${id}`, ['recordings'], (signal) => historyOf(id, signal)),
  );
  const all = useSignal(false);
  const coming = booked.items
    ?.filter(
      ({ ruleId, state, endAt }) =>
        ruleId === id && !OVER.includes(state) && (state !== 'skipped' || endAt > now.value),
    )
    .sort((a, b) => a.startAt - b.startAt);
  return (
    <div class="rule-page-lists gap-blocks align-start stack">
      <div class="one-column stack gap-blocks">
        <List
          title={TEXTS.coming}
          rows={all.value ? coming : coming?.slice(0, FIRST_ROWS)}
          total={coming?.length ?? 0}
          failure={booked.failure}
          none={enabled ? TEXTS.noneComing : TEXTS.booksNothing}
          line={(reservation) => <ReservationLine key={reservation.id} reservation={reservation} />}
          more={<More count={coming?.length ?? 0} first={FIRST_ROWS} all={all} />}
        />
        <LeftOut key={JSON.stringify(bodyOfRule(rule))} rule={rule} />
      </div>
      <div class="one-column stack gap-blocks">
        <List
          title={TEXTS.recordings}
          rows={history.value?.recordings}
          total={history.value?.total ?? 0}
          failure={history.failure}
          none={TEXTS.noRecordings}
          line={(recording) => <RecordingLine key={recording.id} recording={recording} />}
          more={
            (history.value?.total ?? 0) === 0 ? null : (
              <a class="button button-small above-75" href={`recordings?rule=${id}`}>
                <Icon name="recordings" />
                {TEXTS.toRecordings}
              </a>
            )
          }
        />
        <NotRecorded ruleId={id} items={booked.items} />
      </div>
    </div>
  );
}
