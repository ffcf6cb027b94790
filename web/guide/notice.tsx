/** Loading, error and empty states of the guide, over or instead of its sheet. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Station } from '../../lib/wire/api.ts';
import { needsScan } from '../query/first-scan.ts';
import { firstReading, gathered } from '../query/guide-status.ts';
import { GUIDE_STATUS, TUNERS } from '../query/queries.ts';
import { readStations, type StationList, stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress.tsx';
import { adviceFor } from '../words/advice.ts';
import { narrow } from '../words/channel.ts';
import { FailurePanel } from '../words/failure-panel.tsx';
import type { ViewState } from './store.ts';
import { TEXTS } from './texts.ts';

interface NoticeProps {
  readonly state: ViewState;
  /** Stations in view, while none of them has a programme there. */
  readonly bare: readonly number[];
  readonly type: Station['type'];
  readonly onRetry: () => void;
  readonly onNow: () => void;
}

/** A guide that is complete is not polled for its progress. */
const { poll: _, ...ON_EVENTS } = GUIDE_STATUS;

/** What is being waited for, over the sheet. */
export function GuideLoading({ text }: { readonly text: string }) {
  return (
    <p
      class="guide-loading numbers shadow-2 surface-high pill bold text-s absolute at-middle no-pointer nowrap"
      role="status"
    >
      {text}
    </p>
  );
}

/** Why the sheet is empty, and the way on. */
function Notice({
  role,
  children,
}: {
  readonly role: 'alert' | 'status';
  readonly children: ComponentChildren;
}) {
  return (
    <div
      class="guide-notice shadow-2 surface-high bordered round-l text-center muted absolute gap-75 items-middle stack"
      role={role}
    >
      {children}
    </div>
  );
}

/** Says over a sheet with empty columns that their programmes are being received. */
function FirstRead({ type }: { readonly type: Station['type'] }) {
  const [isReading, setReading] = useState(false);
  const { value: status } = useQuery(isReading ? GUIDE_STATUS : ON_EVENTS);
  const shown = new Set(stations.value.filter((station) => station.type === type).map(({ id }) => id));
  const progress = status === undefined ? undefined : firstReading(status, (id) => shown.has(id));
  useEffect(() => setReading(progress !== undefined), [progress === undefined]);
  if (progress === undefined) return null;
  return <GuideLoading text={TEXTS.receiving(progress.total, progress.known)} />;
}

export function GuideNotice({ state, bare, type, onRetry, onNow }: NoticeProps) {
  if (state.kind === 'failed') {
    return (
      <Notice role="alert">
        <p class="ink bold text-l hstack gap-50">
          <Icon name="unlink" />
          {TEXTS.failed}
        </p>
        <p>{state.failure.message}</p>
        <p>{adviceFor(state.failure).next}</p>
        <button type="button" class="button button-main" onClick={onRetry}>
          {TEXTS.retry}
        </button>
      </Notice>
    );
  }
  if (state.kind === 'loading') {
    return <GuideLoading text={TEXTS.loading} />;
  }
  return bare.length > 0 ? <EmptyNotice bare={bare} type={type} onNow={onNow} /> : <FirstRead type={type} />;
}

/** Nothing in view: nothing was collected yet, or the guide does not reach so far. */
function EmptyNotice({ bare, type, onNow }: Pick<NoticeProps, 'bare' | 'type' | 'onNow'>) {
  const { value: status } = useQuery(GUIDE_STATUS);
  const { value: tuners } = useQuery(TUNERS);
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
      <Notice role="status">
        <p class="ink bold text-l hstack gap-50">{TEXTS.notYetSent}</p>
        <p>{TEXTS.notYetSentNote}</p>
        <button type="button" class="button" onClick={onNow}>
          {TEXTS.toNow}
        </button>
      </Notice>
    );
  }
  // Before the first scan there are only the standard satellite stations.
  if (needsScan(tuners ?? [], new Set(stations.value.map((station) => station.type)))) {
    return (
      <Notice role="status">
        <p class="ink bold text-l hstack gap-50">
          <Icon name="antenna" />
          {TEXTS.notScanned}
        </p>
        <p>{TEXTS.noStationsNote}</p>
        <a class="button button-main" href="setup">
          {TEXTS.scan}
        </a>
      </Notice>
    );
  }
  return (
    <Notice role="status">
      <p class="ink bold text-l hstack gap-50">
        <Icon name="antenna" />
        {TEXTS.notGathered}
      </p>
      {state === undefined || state.total === 0 ? null : (
        <ProgressBar part={state.known / state.total} label={TEXTS.gathered(state.total, state.known)} />
      )}
      <p>
        {visit === undefined
          ? TEXTS.gathersItself
          : TEXTS.gathering(reading === undefined ? visit.channel : narrow(reading.name))}
      </p>
      <a class="button button-main" href="tuners">
        {TEXTS.gatherNow}
      </a>
    </Notice>
  );
}

/** The place of the columns before the stations are known. */
const WAITING_COLUMNS = 12;

function ColumnsWaiting({ text }: { text: string }) {
  return (
    <div class="guide vstack">
      <div class="guide-stage relative clip">
        <div class="guide-waiting clip stack inset-0 ground-deep" aria-hidden="true">
          {Array.from({ length: WAITING_COLUMNS }, (_, index) => (
            <div key={index} class="line-right">
              <span class="skeleton block-level" />
            </div>
          ))}
        </div>
        <GuideLoading text={text} />
      </div>
    </div>
  );
}

export function NoStationsYet({ list }: { list: StationList }) {
  if (list.kind === 'loading') return <ColumnsWaiting text={TEXTS.loadingStations} />;
  if (list.kind === 'failed') {
    return <FailurePanel failure={list.failure} onRetry={() => void readStations()} />;
  }
  return (
    <Panel
      icon="guide"
      title={TEXTS.noStations}
      actions={
        <a class="button button-main" href="setup" data-nav-initial="">
          {TEXTS.scan}
        </a>
      }
    >
      <p>{TEXTS.noStationsNote}</p>
    </Panel>
  );
}
