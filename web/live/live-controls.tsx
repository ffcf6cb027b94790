/** Over the picture of a station: its programme above, the controls below. */
import type { Station } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { goBack } from '../navigation/router.ts';
import { BackControl, Control, EdgeButton, FullscreenControl, VolumeControl } from '../player/controls.tsx';
import { isCovered } from '../player/player.ts';
import { stations } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import type { RecordState } from '../words/record-state.ts';
import { airClockText, remainingText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import type { SheetName } from './live-menu.tsx';
import type { LivePlayer } from './live-player.ts';
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
}

function ToLiveButton({ player }: { player: LivePlayer }) {
  const state = player.state.value;
  if (isCovered(state)) return null;
  const isLive = state.kind === 'playing' && !player.isBack.value && !player.paused.value;
  const behind = player.behind.value;
  const late = behind === undefined ? '' : TEXTS.late(behind.toFixed(1));
  const label = isLive ? TEXTS.liveNow(late) : TEXTS.toLive;
  return <EdgeButton isLive={isLive} label={label} onClick={() => player.toLive()} />;
}

function Heading({ station, record }: { station: Station | undefined; record: RecordState }) {
  if (station === undefined) return null;
  const parts = station.now === null ? undefined : splitTitle(station.now.name);
  return (
    <div class="osd-heading flex align-start grow min-0 gap-100">
      <Logo station={station} />
      <div class="shaded stack min-0 gap-10" aria-live="polite">
        <p class="hstack gap-50 text-s bold">
          <span class="glass numbers pill pad-x">{channelLabel(station, stations.value)}</span>
          {narrow(station.name)}
          {record.words === '' ? null : (
            <span class={`osd-record badge ${record.kind === 'recording' ? 'record-color' : 'glass'}`}>
              {record.kind === 'recording' ? <i class="booking-dot" /> : null}
              {record.words}
            </span>
          )}
        </p>
        <p class="osd-title bold line-tight clamp-2 text-xl">
          <WholeTitle title={parts?.title ?? TEXTS.noProgramYet} />
        </p>
        <p class="osd-when numbers cluster text-s semibold gap-text">
          {station.now === null ? null : <span>{spanText(station.now.startAt, station.now.endAt)}</span>}
          <Marks marks={parts?.marks ?? []} />
        </p>
      </div>
      <p class="shaded numbers push-end bold text-xl wide-only">{airClockText(now.value)}</p>
    </div>
  );
}

export function LiveControls(props: LiveControlsProps) {
  const { player, station, awake } = props;
  const program = station?.now ?? null;
  const paused = player.paused.value;
  return (
    <>
      <div
        class="osd osd-top flex align-start gap-100 at-top no-pointer"
        data-shown={awake || props.info ? '' : undefined}
        data-nav-group="osd"
      >
        <BackControl onClick={goBack} />
        <Heading station={station} record={props.record} />
      </div>
      <div
        class="osd osd-bottom stack one-column gap-75 at-bottom no-pointer"
        data-shown={awake ? '' : undefined}
        data-nav-group="osd"
      >
        {program === null ? null : (
          <div class="osd-progress numbers hstack gap-100 text-s bold">
            <ProgramProgress startAt={program.startAt} endAt={program.endAt} />
            <span>{remainingText(program.endAt, now.value)}</span>
          </div>
        )}
        <div class="osd-buttons hstack gap-40">
          <Control
            icon={paused ? 'play' : 'pause'}
            label={paused ? TEXTS.play : TEXTS.pause}
            class="control-main glass"
            onClick={() => player.togglePause()}
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
          <ToLiveButton player={player} />
          <span class="grow" />
          <Control icon="captions" label={TEXTS.captions} onClick={() => props.onSheet('captions')} />
          <Control icon="more" label={TEXTS.menu} onClick={() => props.onSheet('menu')} />
          <FullscreenControl onClick={props.onFullscreen} />
        </div>
      </div>
    </>
  );
}
