/** Saving one recording on this device: a button that says how far it is. */
import { useState } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { splitTitle } from '../words/title.ts';
import { saveObstacle } from './measure.ts';
import { savedState } from './saved-state.ts';
import type { SavedVideo } from './saved-video.ts';
import { preparing, pressRetry, pressSave, progress } from './saving.ts';
import { FAILURE_TEXTS, TEXTS } from './texts.ts';

const EXTENSIONS = { encoded: 'mkv', alt: 'mkv', ts: 'ts' } as const;

/** Why it is not possible here, and what is instead: the file itself. */
function Obstacle({ recording, reason }: { recording: Recording; reason: string }) {
  const [file] = recording.files;
  return (
    <div class="no-margin round-m ground-deep pad-3 whole-line" role="status">
      <p>{reason}</p>
      {reason === TEXTS.insecure ? <p>{TEXTS.insecureHow}</p> : null}
      {file === undefined ? null : (
        <a
          class="button button-small"
          href={file.url}
          download={`${splitTitle(recording.name).title}.${EXTENSIONS[file.source]}`}
        >
          <Icon name="save" />
          {TEXTS.download}
        </a>
      )}
    </div>
  );
}

export function saveStateWords(row: SavedVideo): string {
  if (row.state === 'ready') return TEXTS.saved;
  if (row.state === 'failed') return TEXTS.stateFailed;
  if (row.paused) return TEXTS.statePaused;
  const running = progress.value.get(row.id);
  return running === undefined ? TEXTS.stateWaiting : TEXTS.stateRunning(savedPart(row, running.received));
}

/** 0 to 1: the total has a margin, so that it is never quite reached. */
export function savedPart({ totalBytes }: SavedVideo, received: number): number {
  return totalBytes > 0 ? Math.min(1, Math.max(0, received / totalBytes)) : 0;
}

/** @param recording finished, with files */
export function SaveButton({ recording }: { recording: Recording }) {
  const [explained, setExplained] = useState(false);
  const row = savedState.value?.videos.find(({ id }) => id === recording.id);
  const obstacle = saveObstacle();
  if (row !== undefined && row.state !== 'failed') {
    return (
      <a class="button" href="offline">
        <Icon name={row.state === 'ready' ? 'check' : 'save'} />
        <span class="numbers">{saveStateWords(row)}</span>
      </a>
    );
  }
  const isPreparing = preparing.value.has(recording.id);
  const press = (): void => {
    if (obstacle !== undefined) setExplained(!explained);
    else if (row === undefined) void pressSave(recording);
    else void pressRetry(row);
  };
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={isPreparing}
        aria-expanded={obstacle === undefined ? undefined : explained}
        onClick={isPreparing ? undefined : press}
      >
        <Icon name="save" />
        {isPreparing ? TEXTS.preparing : row === undefined ? TEXTS.save : TEXTS.retry}
      </button>
      {row?.failure == null ? null : (
        <p class="no-margin round-m ground-deep pad-3 whole-line" role="status">
          {FAILURE_TEXTS[row.failure]}
        </p>
      )}
      {explained && obstacle !== undefined ? <Obstacle recording={recording} reason={obstacle} /> : null}
    </>
  );
}
