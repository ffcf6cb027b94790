/** What can be done with one recording, in its sheet. */
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { watchPath } from '../navigation/router.ts';
import { SaveButton } from '../offline/save-button.tsx';
import { savedState } from '../offline/saved-state.ts';
import { ENCODES } from '../query/encodes.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { MoreActions } from '../ui/more-actions.tsx';
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
export function RecordingActions({ recording, onErase, onStop }: ActionsProps) {
  // What is being saved on this device, or could not be, is shown without a press.
  const isSaving =
    savedState.value?.videos.some(({ id, state }) => id === recording.id && state !== 'ready') === true;
  if (recording.binnedAt !== null) return <BinActions recording={recording} onErase={onErase} />;
  const isPlayable = canPlay(recording);
  const bin = (): void => {
    closeRecording();
    void moveToBin([recording]);
  };
  return (
    <>
      <div class="program-actions below-150 above-150 no-margin wrap flex gap-50">
        {isPlayable ? (
          <a class="button button-main" href={watchPath(recording)} data-nav-initial="">
            <Icon name="play" />
            {playWords(recording)}
          </a>
        ) : null}
        <button
          type="button"
          class="button"
          data-nav-initial={isPlayable ? undefined : ''}
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
          <>
            <button type="button" class="button" onClick={bin}>
              <Icon name="bin" />
              {TEXTS.toBin}
            </button>
            {recording.state === 'failed' && !isPlayable ? null : (
              <MoreActions wanted={isSaving}>
                <Rest recording={recording} />
              </MoreActions>
            )}
          </>
        )}
      </div>
      <EncodeWish recording={recording} />
    </>
  );
}

/** Of a recording that is over. One that failed is not converted, and only converted ones are saved on a device. */
function Rest({ recording }: { recording: Recording }) {
  const original = recording.files.find(({ source }) => source === 'ts');
  const watched = recording.watchedAt !== null;
  const failed = recording.state === 'failed';
  const saves = recording.files.some(({ source }) => !failed || source !== 'ts');
  return (
    <>
      {recording.resumeMs === null || !canPlay(recording) ? null : (
        <a class="button" href={`${watchPath(recording)}?t=0`}>
          <Icon name="start" />
          {TEXTS.fromStart}
        </a>
      )}
      <button
        type="button"
        class="button"
        // A second press restores the mark; the resume position is restored by the toast's undo only.
        onClick={() => void setWatched([recording], !watched, { quiet: recording.resumeMs === null })}
      >
        <Icon name={watched ? 'unseen' : 'eye'} />
        {watched ? TEXTS.setUnwatched : TEXTS.setWatched}
      </button>
      {original === undefined ? null : (
        <>
          {failed ? null : <EncodeButton recording={recording} />}
          <a class="button" href={original.url} download={`${splitTitle(recording.name).title}.ts`}>
            <Icon name="save" />
            {TEXTS.saveFile}
          </a>
        </>
      )}
      {saves ? <SaveButton recording={recording} /> : null}
    </>
  );
}

/** While it is in the queue, the line of its conversion has the way out. */
function EncodeButton({ recording }: { recording: Recording }) {
  const { value } = useQuery(ENCODES);
  if (value?.queue.some(({ recordingId }) => recordingId === recording.id)) return null;
  return (
    <button type="button" class="button" onClick={() => void encode([recording], true)}>
      <Icon name="recordings" />
      {TEXTS.encode}
    </button>
  );
}

function BinActions({ recording, onErase }: { recording: Recording; onErase: () => void }) {
  return (
    <>
      <p class="below-100 alert" data-tone="warn">
        <Icon name="bin" />
        {TEXTS.inBin(leftInBin(recording.binnedAt ?? broadcastMs(0), now.value))}
      </p>
      <div class="program-actions below-150 above-150 no-margin wrap flex gap-50">
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
