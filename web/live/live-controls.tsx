/** Over the picture of a station: its programme above, the controls below. */
import type { Station } from '../../wire/api.ts';
import { now } from '../device/clock.ts';
import { goBack, navigate } from '../navigation/router.ts';
import { canPictureInPicture } from '../player/capabilities.ts';
import { BackControl, Control, VolumeControl } from '../player/controls.tsx';
import { fullscreen } from '../player/fullscreen.ts';
import { stations } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import type { RecordState } from '../words/record-state.ts';
import { airClockText, remainingText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { BACK_S } from './live-keys.ts';
import type { LivePlayer } from './live-player.ts';
import type { SheetName } from './live-sheets.tsx';
import { TEXTS } from './texts.ts';

interface LiveControlsProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly awake: boolean;
  readonly info: boolean;
  readonly record: RecordState;
  readonly onRecord: () => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onSheet: (name: SheetName) => void;
  readonly onFullscreen: () => void;
  readonly onPictureInPicture: () => void;
  readonly onSkip: (by: number) => void;
  readonly onScreenshot: () => void;
  /** @param byKey the button was pressed by a key, so that the focus goes along */
  readonly onPanel: (byKey: boolean) => void;
}

/** Whether the newest picture is shown; pressed, it is. */
function LiveButton({ player }: { player: LivePlayer }) {
  const live = !player.isBack.value && !player.paused.value;
  const behind = player.behind.value;
  const late = behind === undefined ? '' : TEXTS.late(behind.toFixed(1));
  return (
    <button
      type="button"
      class="live-button"
      data-live={live ? '' : undefined}
      aria-label={live ? TEXTS.liveNow(late) : TEXTS.toLive}
      title={live ? TEXTS.liveNow(late) : TEXTS.toLive}
      onClick={() => player.toLive()}
    >
      <i class="booking-dot" />
      {TEXTS.live}
    </button>
  );
}

function Heading({ station, record }: { station: Station | undefined; record: RecordState }) {
  if (station === undefined) return null;
  const parts = station.now === null ? undefined : splitTitle(station.now.name);
  return (
    <div class="osd-heading">
      <Logo station={station} />
      <div class="osd-words" aria-live="polite">
        <p class="osd-station">
          <span class="osd-key numbers">{channelLabel(station, stations.value)}</span>
          {narrow(station.name)}
          {record.words === '' ? null : (
            <span class={`osd-record osd-record-${record.kind}`}>
              {record.kind === 'recording' ? <i class="booking-dot" /> : null}
              {record.words}
            </span>
          )}
        </p>
        <p class="osd-title">{parts?.title ?? TEXTS.noProgramYet}</p>
        <p class="osd-when numbers">
          {station.now === null ? null : <span>{spanText(station.now.startAt, station.now.endAt)}</span>}
          <Marks marks={parts?.marks ?? []} />
        </p>
      </div>
      <p class="osd-clock numbers">{airClockText(now.value)}</p>
    </div>
  );
}

export function LiveControls(props: LiveControlsProps) {
  const { player, station, awake } = props;
  const program = station?.now ?? null;
  const paused = player.paused.value;
  const audios = program?.audios.length ?? 0;
  return (
    <>
      <div class="osd osd-top" data-shown={awake || props.info ? '' : undefined} data-nav-group="osd">
        <BackControl onClick={goBack} />
        <Heading station={station} record={props.record} />
      </div>
      <div class="osd osd-bottom" data-shown={awake ? '' : undefined} data-nav-group="osd">
        {program === null ? null : (
          <div class="osd-progress numbers">
            <ProgramProgress startAt={program.startAt} endAt={program.endAt} />
            <span>{remainingText(program.endAt, now.value)}</span>
          </div>
        )}
        <div class="osd-buttons">
          <Control
            icon={paused ? 'play' : 'pause'}
            label={paused ? TEXTS.play : TEXTS.pause}
            class="control-main"
            onClick={() => player.togglePause()}
          />
          <Control
            icon="rewind"
            label={TEXTS.skipBack(BACK_S)}
            class="control-back"
            onClick={() => props.onSkip(-BACK_S)}
          />
          <Control icon="down" label={TEXTS.previousChannel} onClick={() => props.onStep(-1)} />
          <Control icon="up" label={TEXTS.nextChannel} onClick={() => props.onStep(1)} />
          <VolumeControl sound={player.sound} />
          <Control
            icon={props.record.kind === 'recording' ? 'stop' : 'record'}
            label={props.record.label}
            class={`control-record control-record-${props.record.kind}`}
            onClick={props.onRecord}
          />
          <LiveButton player={player} />
          <span class="osd-space" />
          <Control icon="captions" label={TEXTS.captions} onClick={() => props.onSheet('captions')} />
          {audios > 1 ? (
            <Control icon="speech" label={TEXTS.sound} onClick={() => props.onSheet('audio')} />
          ) : null}
          <Control icon="quality" label={TEXTS.format} onClick={() => props.onSheet('quality')} />
          <Control
            icon="list"
            label={TEXTS.channelList}
            class="control-list"
            onClick={() => props.onSheet('channels')}
          />
          <Control
            icon="info"
            label={TEXTS.programInfo}
            class="control-panel"
            onClick={(event) => props.onPanel(event.detail === 0)}
          />
          <Control
            icon="tiles"
            label={TEXTS.multi}
            class="control-multi"
            onClick={() => station !== undefined && navigate(`multi?stations=${station.id}`)}
          />
          <Control icon="camera" label={TEXTS.screenshot} class="control-shot" onClick={props.onScreenshot} />
          {canPictureInPicture() ? (
            <Control
              icon="window"
              label={TEXTS.smallWindow}
              class="control-pip"
              onClick={props.onPictureInPicture}
            />
          ) : null}
          <Control
            icon="help"
            label={TEXTS.help}
            class="control-help"
            onClick={() => props.onSheet('help')}
          />
          <Control
            icon={fullscreen.value ? 'reduce' : 'enlarge'}
            label={fullscreen.value ? TEXTS.leaveFullScreen : TEXTS.fullScreen}
            onClick={props.onFullscreen}
          />
        </div>
      </div>
    </>
  );
}
