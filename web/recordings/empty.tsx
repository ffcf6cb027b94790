/** Empty list: why it is empty, and how to get recordings. */
import { setQuery } from '../navigation/router.ts';
import { Panel } from '../ui/panel.tsx';
import { isFiltered, NO_FILTERS, narrowings, type RecordingQuery } from './query.ts';
import { TEXTS } from './texts.ts';

export function Empty({ shown }: { shown: RecordingQuery }) {
  const narrowed = shown.q.trim() !== '' || narrowings(shown) > 0;
  if (narrowed) {
    return (
      <Panel
        icon="search"
        title={shown.q.trim() === '' ? TEXTS.noneOfFilter : TEXTS.noneFound(shown.q.trim())}
        actions={
          <button type="button" class="button button-main" onClick={() => setQuery(NO_FILTERS, true)}>
            {TEXTS.clearFilter}
          </button>
        }
      >
        <p>{TEXTS.noneFoundNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'bin') {
    return (
      <Panel icon="bin" title={TEXTS.binEmpty}>
        <p>{TEXTS.binEmptyNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'failed') {
    return (
      <Panel icon="check" title={TEXTS.noFailed}>
        <p>{TEXTS.noFailedNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'protected') {
    return (
      <Panel icon="lock" title={TEXTS.noProtected}>
        <p>{TEXTS.noProtectedNote}</p>
      </Panel>
    );
  }
  if (isFiltered(shown) || shown.series !== undefined) {
    return (
      <Panel
        icon="check"
        title={shown.unwatched ? TEXTS.noUnwatched : TEXTS.noneOfSeries}
        actions={
          <a class="button button-main" href="recordings">
            {TEXTS.showAll}
          </a>
        }
      />
    );
  }
  return (
    <Panel
      icon="recordings"
      title={TEXTS.none}
      actions={
        <>
          <a class="button button-main" href="guide" data-nav-initial="">
            {TEXTS.bookFromGuide}
          </a>
          <a class="button" href="rules">
            {TEXTS.makeRule}
          </a>
        </>
      }
    >
      <p>{TEXTS.noneNote}</p>
    </Panel>
  );
}
