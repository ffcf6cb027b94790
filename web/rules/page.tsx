/** One rule: what it looks for, what it has booked, and what it has recorded. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Recording, ReservationItem, RuleItem } from '../../wire/api.ts';
import { type ApiFailure, getRule } from '../api.ts';
import { goBackOr, openReservation } from '../navigation/router.ts';
import { getRecordingPage } from '../recordings/calls.ts';
import { VerdictBadge } from '../recordings/verdict-mark.tsx';
import { StateBadge } from '../reservations/badge.tsx';
import { useBookings } from '../reservations/store.ts';
import { titleOf } from '../reservations/words.ts';
import { useResource } from '../resource.ts';
import { adviceFor } from '../screens/advice.ts';
import { FailurePanel } from '../screens/failure-panel.tsx';
import { narrow } from '../text/channel.ts';
import { lengthText, shortText } from '../text/time.ts';
import { splitTitle } from '../text/title.ts';
import { Icon } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { DisabledNote, RuleFoot, RuleSwitch, stationName } from './card.tsx';
import { DeleteSheet } from './delete-sheet.tsx';
import { RuleGone } from './editor.tsx';
import { actionsInWords, conditionsInWords } from './words.ts';

function ReservationLine({ reservation }: { reservation: ReservationItem }) {
  const { marks } = splitTitle(reservation.name);
  return (
    <button type="button" class="row row-button" onClick={() => openReservation(reservation.id)}>
      <span class="row-text">
        <span class="found-when">
          <b class="numbers">{shortText(reservation.startAt)}</b>
          <span>{narrow(reservation.serviceName)}</span>
          <span class="numbers when-length">{lengthText(reservation.endAt - reservation.startAt)}</span>
          <StateBadge state={reservation.state} />
        </span>
        <span class="found-title">
          <span>{titleOf(reservation)}</span>
          <Marks marks={marks} />
        </span>
        {reservation.reason === null ? null : <span class="preview-reason">{reservation.reason}</span>}
      </span>
    </button>
  );
}

function RecordingLine({ recording }: { recording: Recording }) {
  const { title, marks } = splitTitle(recording.name);
  return (
    <a class="row row-button" href={`recordings?recording=${recording.id}`}>
      <span class="row-text">
        <span class="found-when">
          <b class="numbers">{shortText(recording.startAt)}</b>
          <span>{narrow(recording.serviceName)}</span>
          {recording.durationMs === null ? null : (
            <span class="numbers when-length">{lengthText(recording.durationMs)}</span>
          )}
          <VerdictBadge recording={recording} />
        </span>
        <span class="found-title">
          <span>{title}</span>
          <Marks marks={marks} />
          {recording.watchedAt === null ? null : <small class="rule-watched">視聴済み</small>}
        </span>
      </span>
    </a>
  );
}

interface History {
  readonly recordings: readonly Recording[];
  readonly total: number;
}

/** The last that were recorded, those that failed among them. */
async function historyOf(ruleId: number, signal: AbortSignal): Promise<History> {
  const slice = { offset: 0, limit: FIRST_ROWS };
  const page = (show: Record<string, string>) =>
    getRecordingPage(new URLSearchParams({ ruleId: String(ruleId), ...show }), slice, signal);
  const pages = await Promise.all([page({}), page({ show: 'failed' })]);
  const all = pages.flatMap(({ rows }) => rows);
  // What is being recorded stands among what is to come.
  const done = all.filter(({ recording }) => !recording).sort((a, b) => b.startAt - a.startAt);
  const total = pages.reduce((sum, page) => sum + page.total, 0);
  return { recordings: done.slice(0, FIRST_ROWS), total: total - (all.length - done.length) };
}

/** Of a list of hundreds the first are enough to begin with. */
const FIRST_ROWS = 20;

interface ListProps<T> {
  readonly title: string;
  readonly rows: readonly T[] | undefined;
  readonly failure: ApiFailure | undefined;
  readonly none: string;
  readonly line: (row: T) => ComponentChildren;
  readonly total: number;
  /** What leads to more. */
  readonly more?: ComponentChildren;
}

function List<T>({ title, rows, failure, none, line, total, more }: ListProps<T>) {
  return (
    <section class="block" aria-label={title}>
      <header class="block-head">
        <h2>{title}</h2>
        {rows === undefined ? null : <span class="block-count numbers">{total.toLocaleString('ja')}件</span>}
      </header>
      {rows === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
        ) : (
          <p class="field-failed" role="alert">
            {failure.message} {adviceFor(failure).next}
          </p>
        )
      ) : rows.length === 0 ? (
        <p class="block-note">{none}</p>
      ) : (
        <div class="rows" data-nav-group={title}>
          {rows.map(line)}
        </div>
      )}
      {more}
    </section>
  );
}

const OVER: readonly ReservationItem['state'][] = ['finished', 'missed', 'cancelled'];

function Airings({ rule: { id, enabled } }: { rule: RuleItem }) {
  const booked = useBookings();
  const history = useResource((signal) => historyOf(id, signal), { events: ['recordings'], poll: 0 });
  const all = useSignal(false);
  const coming = booked.items
    ?.filter(({ ruleId, state }) => ruleId === id && !OVER.includes(state))
    .sort((a, b) => a.startAt - b.startAt);
  return (
    <div class="rule-page-lists">
      <List
        title="これからの放送"
        rows={all.value ? coming : coming?.slice(0, FIRST_ROWS)}
        total={coming?.length ?? 0}
        failure={booked.failure}
        none={
          enabled
            ? '予約はありません。合う番組が番組表に現れると、ここに並びます。'
            : '止めている間は予約しません。'
        }
        line={(reservation) => <ReservationLine key={reservation.id} reservation={reservation} />}
        more={
          all.value || coming === undefined || coming.length <= FIRST_ROWS ? null : (
            <button type="button" class="button button-small rule-more" onClick={() => (all.value = true)}>
              あと {coming.length - FIRST_ROWS}件を表示
            </button>
          )
        }
      />
      <List
        title="録画したもの"
        rows={history.value?.recordings}
        total={history.value?.total ?? 0}
        failure={history.failure}
        none="このルールで録画したものはまだありません。"
        line={(recording) => <RecordingLine key={recording.id} recording={recording} />}
        more={
          (history.value?.total ?? 0) === 0 ? null : (
            <a class="button button-small rule-more" href={`recordings?rule=${id}`}>
              <Icon name="recordings" />
              録画一覧で見る
            </a>
          )
        }
      />
    </div>
  );
}

export function RulePage({ id }: { id: number }) {
  const {
    value: rule,
    failure,
    renew,
  } = useResource((signal) => getRule(id, signal), {
    events: ['rules', 'reservations', 'recordings'],
    poll: 0,
  });
  const deleting = useSignal<{ byKeys: boolean } | undefined>(undefined);
  const gone = useRef(false);
  // While it is deleted here it may be gone already.
  if (failure?.code === 'not_found' && deleting.value === undefined && !gone.current) return <RuleGone />;
  if (rule === undefined) {
    return failure === undefined ? (
      <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
    ) : (
      <FailurePanel failure={failure} onRetry={renew} />
    );
  }
  const extras = actionsInWords(rule);
  return (
    <div class="rule-page">
      <header class="screen-head">
        <button type="button" class="round" aria-label="戻る" onClick={() => goBackOr('rules')}>
          <Icon name="back" />
        </button>
        <h1 class="screen-title">{rule.name}</h1>
      </header>
      <section class="block rule-about" aria-label="ルール" data-off={rule.enabled ? undefined : ''}>
        <div class="rule-head">
          <ul class="rule-conditions">
            {conditionsInWords(rule, stationName).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
          <RuleSwitch rule={rule} renew={renew} />
        </div>
        {extras.length === 0 ? null : <p class="rule-extras">{extras.join('、')}</p>}
        <DisabledNote rule={rule} />
        <RuleFoot
          rule={rule}
          onDelete={(byKeys) => {
            deleting.value = { byKeys };
          }}
        />
      </section>
      <Airings rule={rule} />
      {deleting.value === undefined ? null : (
        <DeleteSheet
          {...deleting.value}
          rule={rule}
          renew={() => undefined}
          onClose={() => {
            deleting.value = undefined;
          }}
          onDeleted={() => {
            gone.current = true;
            deleting.value = undefined;
            goBackOr('rules');
          }}
        />
      )}
    </div>
  );
}
