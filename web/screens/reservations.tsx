/** Reservations: as a list by day, as a day's timetable by tuner, and as a week. */
import { useSignal } from '@preact/signals';
import type { ReservationItem } from '../../wire/api.ts';
import { minute } from '../device/clock.ts';
import { query, setQuery } from '../navigation/router.ts';
import { readBookings, useBookings } from '../query/reservations.ts';
import { useRuleNames } from '../query/rule-names.ts';
import { BookingWeek } from '../reservations/booking-week.tsx';
import { DayView } from '../reservations/day.tsx';
import { BookingList } from '../reservations/list.tsx';
import { arrange, type Counts, countsOf, FILTERS, type Filter, filterOf } from '../reservations/sort.ts';
import { BookingTabs } from '../reservations/tabs.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';

function Filters({ chosen, counts }: { chosen: Filter; counts: Counts }) {
  return (
    <div
      class="tabs booking-filters"
      role="radiogroup"
      aria-label="絞り込み"
      data-nav-group="booking-filters"
    >
      {FILTERS.map(({ filter, label }) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
        <button
          key={filter}
          type="button"
          role="radio"
          class="tab"
          aria-checked={filter === chosen}
          onClick={() => setQuery({ filter: filter === 'all' ? null : filter }, true)}
        >
          {label}
          {filter === 'conflict' && counts.conflict > 0 ? (
            <span class="tab-count booking-count-warn numbers">{counts.conflict}</span>
          ) : null}
        </button>
      ))}
    </div>
  );
}

/** They are shown even where ended ones are not listed: people do not look for a failure they do not know of. */
function Troubles({ counts, onShow }: { counts: Counts; onShow: (() => void) | undefined }) {
  const { missed, failed, damaged } = counts;
  const words = [
    missed === 0 ? [] : `録り逃し ${missed}件`,
    failed === 0 ? [] : `失敗 ${failed}件`,
    damaged === 0 ? [] : `一部欠落・乱れ ${damaged}件`,
  ].flat();
  if (words.length === 0) return null;
  return (
    <div class="booking-missed">
      <Icon name="alert" />
      <p>
        <b class="numbers">この2週間：{words.join('、')}</b>
        {onShow === undefined && missed > 0 ? (
          <small>
            録り逃しは、放送が終わるまでに録画を始められなかった予約です。対象外の番組は含みません。
          </small>
        ) : null}
      </p>
      {onShow === undefined ? null : (
        <button type="button" class="button button-small" onClick={onShow}>
          確かめる
        </button>
      )}
    </div>
  );
}

function Nothing({ filter, any }: { filter: Filter; any: boolean }) {
  if (filter === 'conflict') {
    return (
      <Panel icon="check" title="競合はありません">
        <p>予約した番組はすべて録画できます。</p>
      </Panel>
    );
  }
  if (filter === 'trouble') {
    return (
      <Panel icon="check" title="問題のあった録画はありません">
        <p>この2週間の予約に、録り逃しや、失敗・欠落のあった録画はありません。</p>
      </Panel>
    );
  }
  return (
    <Panel
      icon="reserve"
      title={any ? 'この条件の予約はありません' : '予約はまだありません'}
      actions={
        <>
          <a class="button button-main" href="guide" data-nav-initial="">
            番組表を開く
          </a>
          <a class="button" href="rules">
            ルールで自動予約
          </a>
        </>
      }
    >
      <p>番組表や検索で番組を選ぶと予約できます。番組表では赤ボタン（R キー）でも予約できます。</p>
    </Panel>
  );
}

function ListView({ items }: { items: readonly ReservationItem[] }) {
  const completed = useSignal(false);
  const filter = filterOf(query.value.get('filter'));
  const counts = countsOf(items, minute.value);
  const shown = arrange(items, { filter, completed: completed.value, now: minute.value });
  const empty = shown.conflicts.length + shown.days.length + shown.over.length === 0;
  return (
    <>
      <div class="booking-tools">
        <Filters chosen={filter} counts={counts} />
        <button
          type="button"
          role="switch"
          class="booking-switch"
          aria-checked={completed.value}
          onClick={() => {
            completed.value = !completed.value;
          }}
        >
          <span class="switch" aria-hidden="true" />
          終わった予約も表示
        </button>
        <p class="booking-sum numbers" role="status">
          予約 {counts.booked}
          {counts.recording === 0 ? '' : `・録画中 ${counts.recording}`}
          {counts.conflict === 0 ? '' : `・競合 ${counts.conflict}`}
        </p>
      </div>
      <Troubles
        counts={counts}
        onShow={
          completed.value || filter === 'trouble' ? undefined : () => setQuery({ filter: 'trouble' }, true)
        }
      />
      {empty ? (
        <Nothing filter={filter} any={items.length > 0} />
      ) : (
        <BookingList shown={shown} now={minute.value} />
      )}
    </>
  );
}

function Skeleton() {
  return (
    <div class="booking-skeleton" role="status">
      <span class="hidden-text">予約を読み込んでいます</span>
      {Array.from({ length: 6 }, (_, index) => (
        <span key={index} class="skeleton" />
      ))}
    </div>
  );
}

export function Reservations() {
  const { items, failure } = useBookings();
  useRuleNames();
  const asked = query.value.get('view');
  const view = asked === 'day' || asked === 'week' ? asked : 'list';
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">予約</h1>
        <BookingTabs shown={view} />
      </header>
      {items !== undefined ? (
        view === 'day' ? (
          <DayView items={items} />
        ) : view === 'week' ? (
          <BookingWeek items={items} />
        ) : (
          <ListView items={items} />
        )
      ) : failure !== undefined ? (
        <FailurePanel failure={failure} onRetry={() => void readBookings()} />
      ) : (
        <Skeleton />
      )}
    </>
  );
}
