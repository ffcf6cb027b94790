/** One rule: what it looks for, what it has booked, and what it has recorded. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Recording, ReservationItem } from '../../wire/api.ts';
import { getRecordingsOfRule, getReservations, getRule } from '../api.ts';
import { goBackOr, openReservation } from '../navigation/router.ts';
import { StateBadge } from '../reservations/badge.tsx';
import { titleOf } from '../reservations/words.ts';
import { useResource } from '../resource.ts';
import { adviceFor } from '../screens/advice.ts';
import { FailurePanel } from '../screens/failure-panel.tsx';
import { narrow } from '../text/channel.ts';
import { lengthText, shortText } from '../text/time.ts';
import { splitTitle } from '../text/title.ts';
import { Icon } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { ruleCopy, ruleEditor } from './address.ts';
import { ActionLink, Counts, DisabledNote, RuleSwitch, stationName } from './card.tsx';
import { DeleteSheet } from './delete-sheet.tsx';
import { RuleGone } from './editor.tsx';
import { actionsInWords, conditionsInWords } from './words.ts';

interface Read {
  readonly reservations: readonly ReservationItem[];
  readonly recordings: readonly Recording[];
}

async function readOf(id: number, signal: AbortSignal): Promise<Read> {
  const [reservations, recordings] = await Promise.all([
    getReservations(false, signal),
    getRecordingsOfRule(id, signal),
  ]);
  return { reservations: reservations.filter(({ ruleId }) => ruleId === id), recordings };
}

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

/** How good a recording is, in a few letters; undefined while nothing can be said. */
function verdictWords({ verdict, recording, state }: Recording): readonly [text: string, tone: string] {
  if (recording) return ['録画中', 'recording'];
  if (state === 'failed') return ['失敗', 'warn'];
  switch (verdict?.level) {
    case 'complete':
      return ['完全', 'good'];
    case 'damaged':
      return ['一部欠け', 'warn'];
    case 'lost':
      return ['大きく欠け', 'bad'];
    case undefined:
      return ['録画済み', 'quiet'];
  }
}

function RecordingLine({ recording }: { recording: Recording }) {
  const [text, tone] = verdictWords(recording);
  const { title, marks } = splitTitle(recording.name);
  return (
    <div class="row found-still">
      <span class="row-text">
        <span class="found-when">
          <b class="numbers">{shortText(recording.startAt)}</b>
          <span>{narrow(recording.serviceName)}</span>
          {recording.durationMs === null ? null : (
            <span class="numbers when-length">{lengthText(recording.durationMs)}</span>
          )}
          {recording.watchedAt === null ? null : <span>視聴済み</span>}
          <span class={`booking-badge booking-badge-${tone}`}>{text}</span>
        </span>
        <span class="found-title">
          <span>{title}</span>
          <Marks marks={marks} />
        </span>
      </span>
    </div>
  );
}

function Airings({ id }: { id: number }) {
  const { value, failure } = useResource((signal) => readOf(id, signal), {
    events: ['reservations', 'recordings', 'rules'],
    poll: 0,
  });
  if (value === undefined) {
    return failure === undefined ? (
      <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
    ) : (
      <p class="field-failed" role="alert">
        {failure.message} {adviceFor(failure).next}
      </p>
    );
  }
  const coming = [...value.reservations].sort((a, b) => a.startAt - b.startAt);
  return (
    <div class="rule-page-lists">
      <section class="block" aria-label="これからの放送">
        <header class="block-head">
          <h2>これからの放送</h2>
          <span class="block-count numbers">{coming.length}件</span>
        </header>
        {coming.length === 0 ? (
          <p class="block-note">予約はありません。合う番組が番組表に現れると、ここに並びます。</p>
        ) : (
          <div class="rows" data-nav-group="coming">
            {coming.map((reservation) => (
              <ReservationLine key={reservation.id} reservation={reservation} />
            ))}
          </div>
        )}
      </section>
      <section class="block" aria-label="録画したもの">
        <header class="block-head">
          <h2>録画したもの</h2>
          <span class="block-count numbers">{value.recordings.length}件</span>
        </header>
        {value.recordings.length === 0 ? (
          <p class="block-note">このルールで録画したものはまだありません。</p>
        ) : (
          <div class="rows">
            {value.recordings.map((recording) => (
              <RecordingLine key={recording.id} recording={recording} />
            ))}
          </div>
        )}
      </section>
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
        <footer class="rule-foot">
          <Counts rule={rule} />
          <span class="rule-buttons">
            <ActionLink href={ruleEditor(rule.id)} icon="edit" label="編集" />
            <ActionLink href={ruleCopy(rule.id)} icon="copy" label="複製" />
            <button
              type="button"
              class="button button-small"
              onClick={(event) => {
                deleting.value = { byKeys: event.currentTarget.matches(':focus-visible') };
              }}
            >
              <Icon name="trash" />
              削除
            </button>
          </span>
        </footer>
      </section>
      <Airings id={id} />
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
