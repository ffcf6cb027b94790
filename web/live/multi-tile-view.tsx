/** One station of several: its picture, the present programme, and its actions. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { navigate } from '../navigation/router.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { needsLogin, Reason } from '../words/failure-panel.tsx';
import { TEXTS as WORDS } from '../words/texts.ts';
import { splitTitle } from '../words/title.ts';
import { liveAdvice } from './live-advice.ts';
import { MultiTile } from './multi-tile.ts';
import { MULTI_WORDS, tileText } from './multi-words.ts';

function TileNote({ tile }: { tile: MultiTile | undefined }) {
  const state = tile?.state.value;
  if (state?.kind === 'opening') {
    return (
      <div class="stage-note" role="status">
        <span class="spinner circle" />
        <span>{MULTI_WORDS.tuning}</span>
      </div>
    );
  }
  if (state?.kind !== 'waiting' && state?.kind !== 'failed') return null;
  const { failure } = state;
  const isLogin = needsLogin(failure);
  const { title } = liveAdvice(failure);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <b>{title}</b>
      <Reason title={title} failure={failure} />
      <button
        type="button"
        class="button button-small"
        onClick={() => (isLogin ? location.reload() : tile?.retry())}
      >
        {isLogin ? WORDS.reopen : MULTI_WORDS.retry}
      </button>
    </div>
  );
}

interface TileProps {
  readonly station: Station | undefined;
  readonly stationId: StationId;
  readonly isHeard: boolean;
  readonly onHear: () => void;
  readonly onRemove: () => void;
}

export function MultiTileView({ station, stationId, isHeard, onHear, onRemove }: TileProps) {
  const video = useRef<HTMLVideoElement>(null);
  const tile = useSignal<MultiTile | undefined>(undefined);
  useEffect(() => {
    if (video.current === null) return undefined;
    const made = new MultiTile(video.current, stationId);
    tile.value = made;
    return () => made.close();
  }, [stationId]);
  const made = tile.value;
  const kind = made?.state.value.kind;
  useEffect(() => {
    if (made !== undefined) made.isHeard = isHeard;
  }, [made, isHeard, kind]);
  const name = narrow(station?.name ?? String(stationId));
  const title = station?.now == null ? '' : splitTitle(station.now.name).title;
  return (
    <li class="multi-tile stage" data-heard={isHeard ? '' : undefined}>
      <video class="stage-video" ref={video} playsInline muted />
      <button
        type="button"
        class="multi-hear full-width full-height inset-0"
        aria-pressed={isHeard}
        aria-label={tileText(name, title, isHeard)}
        onClick={() => {
          if (isHeard) navigate(`live/${stationId}`);
          else onHear();
        }}
      />
      <TileNote tile={made} />
      <div class="multi-bar at-right at-left at-bottom hstack absolute no-pointer gap-50">
        {station === undefined ? null : <Logo station={station} />}
        <span class="stack grow min-0 shaded">
          <span class="hstack gap-40 text-s bold">
            <span class="numbers">{station === undefined ? '' : channelLabel(station, stations.value)}</span>{' '}
            {name}
            {isHeard ? <Icon name="sound" /> : null}
          </span>
          <span class="text-s truncate">{title}</span>
        </span>
        <a
          class="control"
          href={`live/${stationId}`}
          aria-label={`${name}: ${MULTI_WORDS.enlarge}`}
          title={MULTI_WORDS.enlarge}
        >
          <Icon name="enlarge" />
        </a>
        <button
          type="button"
          class="control"
          aria-label={`${name}: ${MULTI_WORDS.remove}`}
          title={MULTI_WORDS.remove}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      </div>
    </li>
  );
}
