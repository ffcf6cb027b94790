/** Up to four stations at a time, one of them with sound. The address contains the stations. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import { goBackOr, query, setQuery } from '../navigation/router.ts';
import { keepAwake } from '../player/media-session.ts';
import { stationById } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Toasts } from '../ui/toast.tsx';
import { ChannelList } from './channel-list.tsx';
import { canPlayMulti } from './multi-tile.ts';
import { MultiTileView } from './multi-tile-view.tsx';
import { MULTI_WORDS } from './multi-words.ts';

/** Limit of a household's tuners and one device's decoder. */
const MOST = 4;

/** Ids in the address, without repetition. */
function chosenIds(): StationId[] {
  const ids = (query.value.get('stations') ?? '').split(',').filter((id) => /^\d{1,15}$/u.test(id));
  return [...new Set(ids.map((id) => Number(id) as StationId))].slice(0, MOST);
}

function chooseStations(ids: readonly StationId[]): void {
  setQuery({ stations: ids.join(',') }, true);
}

export function MultiScreen() {
  const ids = chosenIds();
  const heard = useSignal(ids[0]);
  const picks = useSignal(false);
  useEffect(() => keepAwake(), []);
  const heardId = ids.find((id) => id === heard.value) ?? ids[0];
  return (
    <main id="main" class="multi black vstack" tabIndex={-1}>
      <header class="multi-head hstack gap-75">
        <button
          type="button"
          class="control"
          aria-label={MULTI_WORDS.back}
          title={MULTI_WORDS.back}
          onClick={() => goBackOr(heardId === undefined ? '' : `live/${heardId}`)}
        >
          <Icon name="back" />
        </button>
        <h1 class="grow text-l">{MULTI_WORDS.title}</h1>
        {canPlayMulti() && ids.length < MOST ? (
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              picks.value = true;
            }}
          >
            <Icon name="plus" />
            {MULTI_WORDS.add}
          </button>
        ) : null}
      </header>
      {canPlayMulti() ? (
        <ul class="multi-tiles stack grow gap-40" data-count={ids.length} data-nav-group="multi">
          {ids.map((id) => (
            <MultiTileView
              key={id}
              stationId={id}
              station={stationById(id)}
              isHeard={id === heardId}
              onHear={() => {
                heard.value = id;
              }}
              onRemove={() => chooseStations(ids.filter((one) => one !== id))}
            />
          ))}
          {ids.length === 0 ? <li class="text-center pad-3">{MULTI_WORDS.empty}</li> : null}
        </ul>
      ) : (
        <Panel icon="alert" title={MULTI_WORDS.unsupported}>
          <p>{MULTI_WORDS.unsupportedNext}</p>
        </Panel>
      )}
      {picks.value ? (
        <Sheet
          title={MULTI_WORDS.add}
          onClose={() => {
            picks.value = false;
          }}
        >
          <ChannelList
            stationId={heardId ?? (0 as StationId)}
            onChoose={(id) => {
              picks.value = false;
              chooseStations([...ids.filter((one) => one !== id), id]);
            }}
          />
        </Sheet>
      ) : null}
      <Toasts />
    </main>
  );
}
