/** What is saved on this device, and what is being saved: one row each. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { connection } from '../device/connection.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { showToast } from '../ui/toast.tsx';
import { narrow } from '../words/channel.ts';
import { lengthClock, quoted } from '../words/recording.ts';
import { airDateText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { savedPart, saveStateWords } from './save-button.tsx';
import { savedState } from './saved-state.ts';
import type { SavedVideo } from './saved-video.ts';
import { deleteSaved, pressRetry, progress, removeSaved, saveFirst, setSavePaused } from './saving.ts';
import { FAILURE_TEXTS, TEXTS } from './texts.ts';

const savedTitle = ({ name }: SavedVideo): string => splitTitle(name).title;

function SavedPoster({ poster }: { poster: Blob | null }) {
  const url = useMemo(() => (poster === null ? undefined : URL.createObjectURL(poster)), [poster]);
  useEffect(() => () => URL.revokeObjectURL(url ?? ''), [url]);
  return (
    <span class="offline-picture video-shape place-center rigid clip round-m ground-deep" aria-hidden="true">
      {url === undefined ? (
        <Icon name="recordings" />
      ) : (
        <img class="poster-picture full-width full-height" src={url} alt="" />
      )}
    </span>
  );
}

/** Two ways, and the safe one first. */
function RemoveSheet({ row, onClose }: { row: SavedVideo; onClose: () => void }) {
  const act = (work: (row: SavedVideo) => Promise<void>) => (): void => {
    onClose();
    work(row).then(
      () => showToast(TEXTS.removed),
      () => showToast(TEXTS.noPersistence),
    );
  };
  return (
    <Sheet title={TEXTS.removeAsk(quoted(savedTitle(row)))} onClose={onClose}>
      <div class="gap-100 stack">
        <p>{TEXTS.removeNote}</p>
        <p>{TEXTS.deleteNote}</p>
        {connection.value === 'open' ? null : <p>{TEXTS.deleteLater}</p>}
        <div class="flex wrap gap-75">
          <button type="button" class="button" data-nav-initial="" onClick={act(removeSaved)}>
            {TEXTS.remove}
          </button>
          <button type="button" class="button button-danger" onClick={act(deleteSaved)}>
            {TEXTS.deleteToo}
          </button>
        </div>
      </div>
    </Sheet>
  );
}

interface RowProps {
  readonly row: SavedVideo;
  readonly onRemove: () => void;
}

function Facts({ row }: { row: SavedVideo }) {
  return (
    <p class="numbers flex wrap no-margin note gap-text">
      <span>{narrow(row.stationName)}</span>
      <span>{airDateText(row.startTime)}</span>
      <span>{lengthClock(row.length * 1000)}</span>
      <span>{TEXTS.size(row.totalBytes)}</span>
    </p>
  );
}

function ReadyRow({ row, onRemove }: RowProps) {
  const place = savedState.value?.resumes.find(({ id }) => id === row.id)?.entry;
  const at = place === undefined ? row.recording.resumeMs : place.at * 1000;
  return (
    <li class="surface bordered round-m gap-75 cluster pad-2">
      <a class="hstack min-0 gap-75 basis-16" href={`watch/${row.id}`} data-nav-group="offline">
        <SavedPoster poster={row.poster} />
        <span class="gap-25 min-0 stack basis-16">
          <b>{savedTitle(row)}</b>
          <Facts row={row} />
          {at === null ? null : <span class="muted tone-text">{TEXTS.watchedTo(lengthClock(at))}</span>}
        </span>
      </a>
      <button
        type="button"
        class="button button-small"
        aria-label={TEXTS.removeOf(quoted(savedTitle(row)))}
        onClick={onRemove}
      >
        <Icon name="bin" />
      </button>
    </li>
  );
}

function RunningSave({ row }: { row: SavedVideo }) {
  const now = progress.value.get(row.id);
  if (row.state === 'failed' || now === undefined) return null;
  const left = row.totalBytes - now.received;
  const part = savedPart(row, now.received);
  const { rate } = now;
  return (
    <>
      <div
        class="progress"
        role="progressbar"
        aria-label={saveStateWords(row)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
      >
        <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
      </div>
      <p class="numbers flex wrap no-margin note gap-text">
        <span>{TEXTS.received(now.received, row.totalBytes)}</span>
        {rate === undefined || rate <= 0 ? null : <span>{TEXTS.left(left / rate)}</span>}
      </p>
      {now.isWaiting ? <p class="muted tone-text">{TEXTS.waitingForService}</p> : null}
    </>
  );
}

function WaitingRow({ row, onRemove, isFirst }: RowProps & { isFirst: boolean }) {
  const isPage = row.way === 'page';
  return (
    <li class="surface bordered round-m gap-75 cluster pad-2">
      <span class="gap-25 min-0 stack basis-16">
        <b>{savedTitle(row)}</b>
        <Facts row={row} />
        <span class="muted tone-text" data-tone={row.state === 'failed' ? 'bad' : undefined}>
          {saveStateWords(row)}
          {row.failure === null ? null : `: ${FAILURE_TEXTS[row.failure]}`}
        </span>
        <RunningSave row={row} />
      </span>
      <span class="flex wrap gap-50">
        {row.state === 'failed' ? (
          <button type="button" class="button button-small" onClick={() => void pressRetry(row)}>
            <Icon name="retry" />
            {TEXTS.retry}
          </button>
        ) : null}
        {row.state === 'downloading' && isPage ? (
          <button
            type="button"
            class="button button-small"
            onClick={() => void setSavePaused(row, !row.paused)}
          >
            <Icon name={row.paused ? 'play' : 'pause'} />
            {row.paused ? TEXTS.goOn : TEXTS.pause}
          </button>
        ) : null}
        {row.state === 'downloading' && isPage && !isFirst ? (
          <button type="button" class="button button-small" onClick={() => void saveFirst(row)}>
            <Icon name="up" />
            {TEXTS.first}
          </button>
        ) : null}
        <button type="button" class="button button-small" onClick={onRemove}>
          <Icon name="close" />
          {row.state === 'failed' ? TEXTS.drop : TEXTS.stop}
        </button>
      </span>
    </li>
  );
}

export function SavedLists({ videos }: { videos: readonly SavedVideo[] }) {
  const [removing, setRemoving] = useState<SavedVideo | undefined>(undefined);
  const waiting = videos.filter(({ state }) => state !== 'ready');
  const ready = videos.filter(({ state }) => state === 'ready');
  const running = waiting.filter(({ state }) => state === 'downloading');
  const isInPage = running.some(({ way }) => way === 'page');
  return (
    <>
      {waiting.length === 0 ? null : (
        <section>
          <h2>{TEXTS.downloading}</h2>
          {running.length === 0 ? null : <p class="muted">{isInPage ? TEXTS.inPage : TEXTS.inBackground}</p>}
          <ul class="unlisted gap-50 no-padding stack below-75 above-75">
            {waiting.map((row) => (
              <WaitingRow
                key={row.id}
                row={row}
                isFirst={row === running[0]}
                onRemove={() => void removeSaved(row)}
              />
            ))}
          </ul>
        </section>
      )}
      {ready.length === 0 ? null : (
        <section>
          <h2>{TEXTS.ready}</h2>
          <ul class="unlisted gap-50 no-padding stack below-75 above-75">
            {ready.map((row) => (
              <ReadyRow key={row.id} row={row} onRemove={() => setRemoving(row)} />
            ))}
          </ul>
        </section>
      )}
      {removing === undefined ? null : <RemoveSheet row={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}
