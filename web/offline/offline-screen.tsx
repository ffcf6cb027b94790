/** What is saved on this device: watched without the service, removed, and what the service is told later. */
import { useEffect } from 'preact/hooks';
import { Panel } from '../ui/panel.tsx';
import { saveObstacle } from './measure.ts';
import { SavedLists } from './saved-list.tsx';
import { readSaved, savedFailure, savedState } from './saved-state.ts';
import { Outbox, Storage } from './saved-storage.tsx';
import { autoSeries, stopSeries } from './series.ts';
import { startOffline } from './start.ts';
import { TEXTS } from './texts.ts';

function Series() {
  if (autoSeries.value.length === 0) return null;
  return (
    <section>
      <h2>{TEXTS.series}</h2>
      <ul class="unlisted gap-50 no-padding stack below-75 above-75">
        {autoSeries.value.map(({ key, name }) => (
          <li class="surface bordered round-m gap-75 cluster pad-2" key={key}>
            <span class="gap-25 min-0 stack basis-16">{TEXTS.seriesNext(name)}</span>
            <button
              type="button"
              class="button button-small"
              aria-label={TEXTS.seriesOff(name)}
              onClick={() => stopSeries(key)}
            >
              {TEXTS.seriesStop}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Content() {
  const obstacle = saveObstacle();
  if (obstacle !== undefined) {
    return (
      <Panel icon="lock" title={obstacle}>
        {obstacle === TEXTS.insecure ? <p>{TEXTS.insecureHow}</p> : null}
      </Panel>
    );
  }
  const state = savedState.value;
  if (state === undefined) return <span class="skeleton block-skeleton" />;
  return (
    <>
      {savedFailure.value === undefined ? null : (
        <p class="alert" role="alert">
          {savedFailure.value}
        </p>
      )}
      {state.videos.length === 0 ? (
        <Panel
          icon="save"
          title={TEXTS.none}
          actions={
            <a class="button button-main" href="recordings">
              {TEXTS.toRecordings}
            </a>
          }
        >
          <p>{TEXTS.noneNote}</p>
        </Panel>
      ) : (
        <SavedLists videos={state.videos} />
      )}
      <Series />
      <Outbox />
      <Storage videos={state.videos} />
    </>
  );
}

export function OfflineScreen() {
  useEffect(startOffline, []);
  useEffect(() => {
    if (saveObstacle() === undefined) void readSaved();
  }, []);
  return (
    <div class="max-60">
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.title}</h1>
      </header>
      <p class="muted">{TEXTS.lead}</p>
      <Content />
    </div>
  );
}
