/** Overlay of a recording: title above, seek bar and controls below. */
import type { Signal } from '@preact/signals';
import type { Recording } from '../../lib/wire/api.ts';
import type { Previews } from '../../lib/wire/recordings.ts';
import { captionSettings, changeCaptions } from '../caption/caption-choice.ts';
import { currentMs } from '../device/clock.ts';
import { skipBack, skipForward } from '../device/preferences.ts';
import { goBack } from '../navigation/router.ts';
import { BackControl, Control, EdgeButton, PictureButtons, VolumeControl } from '../player/controls.tsx';
import { isCovered } from '../player/player.ts';
import { stationById } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { narrow } from '../words/channel.ts';
import { lengthClock, rateText, recordedPart } from '../words/recording.ts';
import { shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import type { Chapter } from './bar-marks.ts';
import { SeekBar } from './seek-bar.tsx';
import { TEXTS } from './texts.ts';
import type { WatchPlayer } from './watch-player.ts';
import type { WatchSheetName } from './watch-sheets.tsx';
import { recordedSpan } from './watch-source.ts';

interface WatchControlsProps {
  readonly player: WatchPlayer;
  readonly recording: Recording | undefined;
  readonly awake: boolean;
  readonly info: boolean;
  readonly chapters: readonly Chapter[];
  readonly previews: Previews | undefined;
  readonly pointed: Signal<number | undefined>;
  readonly onSkip: (by: 1 | -1) => void;
  readonly onChapter: (by: 1 | -1) => void;
  readonly onSheet: (name: WatchSheetName) => void;
  readonly onFullscreen: () => void;
  readonly onPictureInPicture: () => void;
  readonly onScreenshot: () => void;
  /** Undefined: the recording has no data broadcast. */
  readonly onData: (() => void) | undefined;
  /** Undefined: there is no next episode. */
  readonly onNext: (() => void) | undefined;
}

function Heading({ recording }: { recording: Recording | undefined }) {
  if (recording === undefined) return null;
  const { title, marks } = splitTitle(recording.name);
  const name = narrow(recording.serviceName);
  const logo = stationById(recording.serviceId)?.logo ?? null;
  const part = recordedPart(recording);
  return (
    <div class="osd-heading flex align-start grow min-0 gap-100">
      <Logo station={{ id: recording.serviceId, name, logo }} />
      <div class="shaded stack min-0 gap-10">
        <p class="hstack gap-50 text-s bold">
          {name}
          {recording.recording ? (
            <span class="badge record-color">
              <i class="booking-dot" />
              {TEXTS.recording}
            </span>
          ) : null}
        </p>
        <p class="osd-title bold line-tight clamp-2 text-xl">
          <WholeTitle title={title} />
        </p>
        <p class="osd-when numbers cluster text-s semibold gap-text">
          <span>{shortText(recordedSpan(recording)[0], currentMs())}</span>
          {part === undefined ? null : <span class="text-warn">{part}</span>}
          <Marks marks={marks} />
        </p>
      </div>
    </div>
  );
}

interface SkipControlProps {
  readonly seconds: number;
  readonly back?: boolean;
  readonly onClick: () => void;
}

function SkipControl({ seconds, back = false, onClick }: SkipControlProps) {
  const label = back ? TEXTS.skipBack(seconds) : TEXTS.skipForward(seconds);
  return (
    <button type="button" class="control control-skip" aria-label={label} onClick={onClick}>
      <Icon name={back ? 'rewind' : 'forward'} />
      <b class="numbers place-center inset-0 extrabold" aria-hidden="true">
        {seconds}
      </b>
    </button>
  );
}

function Time({ player }: { player: WatchPlayer }) {
  const { isGrowing } = player;
  return (
    <span class="watch-time numbers bold nowrap">
      {lengthClock(player.position.value * 1000)}
      <span>
        {' / '}
        {lengthClock(player.length.value * 1000)}
        {isGrowing ? <span class="text-xs wide-only"> {TEXTS.recorded}</span> : null}
      </span>
    </span>
  );
}

/** For a recording in progress: jumps to the live edge. */
export function LiveButton({ player }: { player: WatchPlayer }) {
  const state = player.state.value;
  if (!player.isGrowing || isCovered(state) || state.kind === 'ended') return null;
  const isLive = player.isLive && state.kind === 'playing';
  const label = isLive ? TEXTS.atLive : TEXTS.toLive;
  return <EdgeButton isLive={isLive} label={label} onClick={() => player.toLive()} />;
}

function LeftButtons(props: WatchControlsProps) {
  const { player, chapters, onSkip, onChapter, onNext } = props;
  const over = player.state.value.kind === 'ended';
  const stopped = player.paused.value || over;
  return (
    <>
      <Control
        icon={over ? 'start' : stopped ? 'play' : 'pause'}
        label={over ? TEXTS.fromStart : stopped ? TEXTS.play : TEXTS.pause}
        class="control-main glass"
        onClick={() => player.togglePause()}
      />
      <SkipControl seconds={skipBack.value} back onClick={() => onSkip(-1)} />
      <SkipControl seconds={skipForward.value} onClick={() => onSkip(1)} />
      <Control icon="start" label={TEXTS.fromStart} class="wide-only" onClick={() => player.seek(0)} />
      {chapters.length === 0 ? null : (
        <>
          <Control
            icon="chapterBack"
            label={TEXTS.previousChapter}
            class="control-chapter"
            onClick={() => onChapter(-1)}
          />
          <Control
            icon="chapterNext"
            label={TEXTS.nextChapter}
            class="control-chapter"
            onClick={() => onChapter(1)}
          />
        </>
      )}
      {onNext === undefined ? null : (
        <Control icon="episode" label={TEXTS.nextEpisode} class="wide-only" onClick={onNext} />
      )}
      <VolumeControl sound={player.sound} />
      <Time player={player} />
      <LiveButton player={player} />
    </>
  );
}

function RightButtons(props: WatchControlsProps) {
  const { player, onSheet } = props;
  const shown = captionSettings.value.visible;
  const audios = player.source?.audios.length ?? 0;
  return (
    <>
      <button
        type="button"
        class="control control-captions"
        aria-label={shown ? TEXTS.captionsOff : TEXTS.captionsOn}
        aria-pressed={shown}
        onClick={() => changeCaptions({ visible: !shown })}
      >
        <Icon name="captions" />
      </button>
      <button
        type="button"
        class="control control-rate wide-only"
        aria-label={TEXTS.rateOf(rateText(player.rate.value))}
        onClick={() => onSheet('rate')}
      >
        <b class="numbers">{player.rate.value}×</b>
      </button>
      {audios > 1 ? (
        <Control icon="speech" label={TEXTS.sound} class="wide-only" onClick={() => onSheet('audio')} />
      ) : null}
      {props.onData === undefined ? null : (
        <Control icon="data" label={TEXTS.dataBroadcast} class="control-data" onClick={props.onData} />
      )}
      <Control icon="tune" label={TEXTS.settings} onClick={() => onSheet('settings')} />
      <PictureButtons {...props} onHelp={() => onSheet('help')} />
    </>
  );
}

export function WatchControls(props: WatchControlsProps) {
  const { player, recording, awake, info, chapters, previews, pointed, onSkip } = props;
  return (
    <>
      <div
        class="osd osd-top flex align-start gap-100 at-top no-pointer"
        data-shown={awake || info ? '' : undefined}
        data-nav-group="osd"
      >
        <BackControl onClick={goBack} />
        <Heading recording={recording} />
      </div>
      <div
        class="osd osd-bottom osd-watch stack one-column gap-75 at-bottom no-pointer"
        data-shown={awake || pointed.value !== undefined ? '' : undefined}
        data-nav-group="osd"
      >
        <SeekBar
          player={player}
          chapters={chapters}
          gaps={player.source?.gaps ?? []}
          previews={previews}
          pointed={pointed}
          onSkip={onSkip}
        />
        <div class="osd-buttons hstack gap-40">
          <LeftButtons {...props} />
          <span class="grow" />
          <RightButtons {...props} />
        </div>
      </div>
    </>
  );
}
