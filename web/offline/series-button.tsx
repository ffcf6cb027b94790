/** Above the recordings of a series: its next episodes are saved by themselves; above all, what is saved. */
import { Icon } from '../ui/icon.tsx';
import { showToast } from '../ui/toast.tsx';
import { saveObstacle } from './measure.ts';
import { savedState } from './saved-state.ts';
import { autoSeries, startSeries, stopSeries } from './series.ts';
import { TEXTS } from './texts.ts';

export function SeriesButton({ series, name }: { series: string; name: string }) {
  const isOn = autoSeries.value.some(({ key }) => key === series);
  const press = (): void => {
    const obstacle = saveObstacle();
    if (obstacle !== undefined) showToast(obstacle);
    else if (isOn) stopSeries(series);
    else void startSeries({ key: series, name });
  };
  return (
    <button type="button" class="button button-small" aria-pressed={isOn} onClick={press}>
      {isOn ? TEXTS.seriesStop : TEXTS.seriesSave}
    </button>
  );
}

/** The way to what is saved; nothing where nothing is. */
export function OfflineLine() {
  const videos = savedState.value?.videos ?? [];
  if (videos.length === 0) return null;
  const ready = videos.filter(({ state }) => state === 'ready').length;
  const running = videos.filter(({ state }) => state === 'downloading').length;
  return (
    <a
      class="encode-line hstack full-width press-height below-100 ink round-l bordered surface gap-75 text-left pad-2"
      href="offline"
    >
      <Icon name="save" />
      <span class="grow min-0">{TEXTS.line(ready, running, videos.length - ready - running)}</span>
      <Icon name="next" />
    </a>
  );
}
