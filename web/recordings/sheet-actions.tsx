/** What can be done with one recording, in its sheet. */
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { EncodeItem } from '../../lib/wire/encode.ts';
import { now } from '../device/clock.ts';
import { watchPath } from '../navigation/router.ts';
import { SaveButton } from '../offline/save-button.tsx';
import { ENCODES } from '../query/encodes.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { placeText } from '../words/encode.ts';
import { canPlay, leftInBin, playWords } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { encode, moveToBin, setProtected, setWatched, takeFromBin } from './actions.ts';
import { EncodeWish } from './encode-wish.tsx';
import { closeRecording } from './query.ts';
import { TEXTS } from './texts.ts';

interface ActionsProps {
  readonly recording: Recording;
  readonly onErase: () => void;
  readonly onStop: () => void;
}

/** A mark is undone with the same button; moving to the bin closes the sheet and shows a toast. */
export function Actions({ recording, onErase, onStop }: ActionsProps) {
  if (recording.binnedAt !== null) return <BinActions recording={recording} onErase={onErase} />;
  const original = recording.files.find(({ source }) => source === 'ts');
  const watched = recording.watchedAt !== null;
  const bin = (): void => {
    closeRecording();
    void moveToBin([recording]);
  };
  return (
    <div class="program-actions">
      {canPlay(recording) ? <PlayButtons recording={recording} /> : null}
      {recording.recording || recording.state === 'failed' ? null : (
        <button
          type="button"
          class="button"
          data-nav-initial={canPlay(recording) ? undefined : ''}
          // A second press restores the mark; the resume position is restored by the toast's undo only.
          onClick={() => void setWatched([recording], !watched, { quiet: recording.resumeMs === null })}
        >
          <Icon name={watched ? 'unseen' : 'eye'} />
          {watched ? TEXTS.setUnwatched : TEXTS.setWatched}
        </button>
      )}
      <button
        type="button"
        class="button"
        aria-pressed={recording.protected}
        onClick={() => void setProtected([recording], !recording.protected, { quiet: true })}
      >
        <Icon name="lock" />
        {recording.protected ? TEXTS.unprotect : TEXTS.protect}
      </button>
      {recording.recording ? (
        <button type="button" class="button" onClick={onStop}>
          <Icon name="stop" />
          {TEXTS.stop}
        </button>
      ) : (
        <button type="button" class="button" onClick={bin}>
          <Icon name="bin" />
          {TEXTS.toBin}
        </button>
      )}
      {original === undefined || recording.recording ? null : <EncodeButton recording={recording} />}
      {original === undefined || recording.recording ? null : (
        <a class="button" href={original.url} download={`${splitTitle(recording.name).title}.ts`}>
          <Icon name="save" />
          {TEXTS.saveFile}
        </a>
      )}
      {recording.recording || recording.files.length === 0 ? null : <SaveButton recording={recording} />}
      <WaitingWish recording={recording} />
    </div>
  );
}

/** No marks for a running recording. */
function WaitingWish({ recording }: { recording: Recording }) {
  const { value } = useQuery(ENCODES);
  const item = value?.queue.find(({ recordingId }) => recordingId === recording.id);
  return item?.state === 'waiting' ? <EncodeWish item={item} /> : null;
}

function encodeWords(queued: EncodeItem | undefined): string {
  if (queued === undefined) return TEXTS.encode;
  return queued.state === 'running' ? TEXTS.cancelEncodeAt(placeText(queued)) : TEXTS.cancelEncode;
}

/** While it is in the queue a second press takes it out again. */
function EncodeButton({ recording }: { recording: Recording }) {
  const { value } = useQuery(ENCODES);
  const queued = value?.queue.find(({ recordingId }) => recordingId === recording.id);
  return (
    <button
      type="button"
      class="button"
      data-wide={queued === undefined ? undefined : ''}
      onClick={() => void encode([recording], queued === undefined)}
    >
      <Icon name={queued === undefined ? 'recordings' : 'close'} />
      {encodeWords(queued)}
    </button>
  );
}

/** Where there is a resume position, playback from the start is offered too. */
function PlayButtons({ recording }: { recording: Recording }) {
  const path = watchPath(recording);
  return (
    <>
      <a class="button button-main" href={path} data-nav-initial="">
        <Icon name="play" />
        {playWords(recording)}
      </a>
      {recording.resumeMs === null ? null : (
        <a class="button" href={`${path}?t=0`}>
          <Icon name="start" />
          {TEXTS.fromStart}
        </a>
      )}
    </>
  );
}

function BinActions({ recording, onErase }: { recording: Recording; onErase: () => void }) {
  return (
    <>
      <p class="program-note">
        <Icon name="bin" />
        {TEXTS.inBin(leftInBin(recording.binnedAt ?? broadcastMs(0), now.value))}
      </p>
      <div class="program-actions">
        <button
          type="button"
          class="button button-main"
          data-nav-initial=""
          onClick={() => {
            closeRecording();
            void takeFromBin([recording]);
          }}
        >
          <Icon name="undo" />
          {TEXTS.undo}
        </button>
        <button type="button" class="button" onClick={onErase}>
          <Icon name="bin" />
          {TEXTS.eraseNow}
        </button>
      </div>
    </>
  );
}
