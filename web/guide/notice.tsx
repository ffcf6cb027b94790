/** What the guide says over or instead of its sheet: that it is being read, why it could not be, why it is empty. */
import type { Station } from '../../wire/api.ts';
import { gathered } from '../query/guide-status.ts';
import { GUIDE_STATUS } from '../query/queries.ts';
import { readStations, type StationList, stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress.tsx';
import { adviceFor } from '../words/advice.ts';
import { narrow } from '../words/channel.ts';
import { FailurePanel } from '../words/failure-panel.tsx';
import type { ViewState } from './store.ts';

interface NoticeProps {
  readonly state: ViewState;
  /** Stations in view, while none of them has a programme there. */
  readonly bare: readonly number[];
  readonly type: Station['type'];
  readonly onRetry: () => void;
  readonly onNow: () => void;
}

export function GuideNotice({ state, bare, type, onRetry, onNow }: NoticeProps) {
  if (state.kind === 'failed') {
    return (
      <div class="guide-notice" role="alert">
        <p class="guide-notice-title">
          <Icon name="unlink" />
          番組表を読み込めませんでした
        </p>
        <p>{state.failure.message}</p>
        <p>{adviceFor(state.failure).next}</p>
        <button type="button" class="button button-main" onClick={onRetry}>
          再試行
        </button>
      </div>
    );
  }
  if (state.kind === 'loading') {
    return (
      <p class="guide-loading" role="status">
        番組表を読み込んでいます…
      </p>
    );
  }
  return bare.length > 0 ? <EmptyNotice bare={bare} type={type} onNow={onNow} /> : null;
}

/** Nothing in view: either nothing was collected yet, or the guide does not reach so far. */
function EmptyNotice({ bare, type, onNow }: Pick<NoticeProps, 'bare' | 'type' | 'onNow'>) {
  const { value: status } = useQuery(GUIDE_STATUS);
  const ofType = new Set(stations.value.filter((station) => station.type === type).map(({ id }) => id));
  const state =
    status === undefined
      ? undefined
      : gathered(status.stations.filter(({ stationId }) => ofType.has(stationId)));
  const visit = status?.visits[0];
  const reading = stations.value.find((station) => visit?.stationIds.includes(station.id));
  const known = status?.stations.some(
    ({ stationId, filledUntil }) => filledUntil !== null && bare.includes(stationId),
  );
  if (known === true) {
    return (
      <div class="guide-notice" role="status">
        <p class="guide-notice-title">この時間の番組情報はまだありません</p>
        <p>先の日の番組は、放送局が送り次第ここに並びます。</p>
        <button type="button" class="button" onClick={onNow}>
          いまの番組へ
        </button>
      </div>
    );
  }
  return (
    <div class="guide-notice" role="status">
      <p class="guide-notice-title">
        <Icon name="antenna" />
        番組表はまだ集まっていません
      </p>
      {state === undefined || state.total === 0 ? null : (
        <ProgressBar
          part={state.known / state.total}
          label={`${state.total}局のうち${state.known}局の番組表を受信しました`}
        />
      )}
      <p>
        {visit === undefined
          ? '空いているチューナーで自動的に集めます。急ぐときは「今すぐ集める」を使ってください。'
          : `${reading === undefined ? visit.channel : narrow(reading.name)} の番組表を受信しています。集まり次第ここに並びます。`}
      </p>
      <a class="button button-main" href="tuners">
        今すぐ集める
      </a>
    </div>
  );
}

export function NoStationsYet({ list }: { list: StationList }) {
  if (list.kind === 'loading') {
    return (
      <p class="guide-loading" role="status">
        局を読み込んでいます…
      </p>
    );
  }
  if (list.kind === 'failed') {
    return <FailurePanel failure={list.failure} onRetry={() => void readStations()} />;
  }
  return (
    <Panel
      icon="guide"
      title="番組表に並べる局がまだありません"
      actions={
        <a class="button button-main" href="tuners" data-nav-initial="">
          チャンネルをスキャンする
        </a>
      }
    >
      <p>チャンネルスキャンで受信できる局を見つけると、番組表が自動で集まりはじめます。</p>
    </Panel>
  );
}
