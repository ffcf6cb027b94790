/**
 * Watching a recording, finished or in progress: the picture with its controls, and below it on upright phones the
 * rest.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { captionLanguage } from '../caption/caption-choice.ts';
import type { CaptionLayer } from '../caption/caption-layer.ts';
import { CaptionView } from '../caption/caption-view.tsx';
import { DataStage, useDataView } from '../data/data-stage.tsx';
import { navigate } from '../navigation/router.ts';
import { SoundButton, VolumeMeter } from '../player/controls.tsx';
import { growInto } from '../player/grow.ts';
import { describeMedia, takeMediaKeys, tellPlace } from '../player/media-session.ts';
import { Veil } from '../player/overlay.tsx';
import { isCovered } from '../player/player.ts';
import { recordingQuery } from '../query/queries.ts';
import { stationById } from '../query/stations.ts';
import { entryOf } from '../query/use-query.ts';
import { hasPicture } from '../recordings/poster.tsx';
import { Icon } from '../ui/icon.tsx';
import { lazy } from '../ui/lazy.tsx';
import { Toasts } from '../ui/toast.tsx';
import { narrow } from '../words/channel.ts';
import { splitTitle } from '../words/title.ts';
import type { CaptionTrack } from './caption-track.ts';
import type { Air } from './end-panel.tsx';
import { PictureTouch } from './picture-touch.tsx';
import { TEXTS } from './texts.ts';
import {
  type Known,
  useCommercials,
  useDataButton,
  useOpening,
  useRecording,
  useWatching,
  type Watching,
} from './use-watch.ts';
import { listenToWatchKeys, watchActions } from './watch-actions.ts';
import { WatchBelow } from './watch-below.tsx';
import { WatchControls } from './watch-controls.tsx';
import { type Skipped, SkipSign, SoundOnly, WatchMessage } from './watch-messages.tsx';
import type { WatchSheetName } from './watch-sheets.tsx';
import { recordedSpan } from './watch-source.ts';

const LateEndPanel = lazy({
  styles: [],
  load: async () => (await import('./end-panel.tsx')).EndPanel,
});
/** Nobody opens one before the picture. */
const LateWatchSheets = lazy({
  styles: [],
  load: async () => (await import('./watch-sheets.tsx')).WatchSheets,
});

interface WatchProps {
  readonly recordingId: RecordingId;
  /** It is, or was when it was opened, being recorded. */
  readonly chase: boolean;
}

/** Debounce of a series of skip presses, which add up. */
const SKIP_SHOWN_MS = 1_200;

/** Seconds that were skipped just now and the position that they lead to, for the sign over the picture. */
function useSkipSign() {
  const shown = useSignal<Skipped | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const skipped = (seconds: number, position: number): void => {
    const before = shown.peek();
    const goesOn = before !== undefined && before.seconds > 0 === seconds > 0;
    const total = seconds + (goesOn ? before.seconds : 0);
    shown.value = { seconds: total, position, key: (before?.key ?? 0) + 1 };
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      shown.value = undefined;
    }, SKIP_SHOWN_MS);
  };
  return { shown: shown.value, skipped };
}

/** The media session's metadata and the page's title. */
function useMedia(recording: Recording | undefined, ready: Watching | undefined): void {
  useEffect(() => {
    if (recording === undefined) return;
    const { poster } = recording;
    const { title } = splitTitle(recording.name);
    describeMedia({
      title,
      artist: narrow(recording.serviceName),
      artwork: hasPicture(poster) ? poster : undefined,
    });
    document.title = title;
  }, [recording?.name, recording?.poster]);
  const state = ready?.player.state.value.kind;
  const [length, rate, paused] = [
    ready?.player.length.value,
    ready?.player.rate.value,
    ready?.player.paused.value,
  ];
  useEffect(() => {
    const growing = ready?.player.source?.growing === true;
    const position = ready?.player.position.peek() ?? 0;
    tellPlace(growing || length === undefined ? undefined : { position, length, rate: rate ?? 1 });
  }, [state, growingKey(length, ready), rate, paused]);
}

/** The length of a growing recording changes all the time, and is not announced. */
function growingKey(length: number | undefined, ready: Watching | undefined): number | undefined {
  return ready?.player.source?.growing === true ? 0 : length;
}

/** The recording has ended: it can be watched like any other now. */
function Offer({ ready, known, encoded }: { ready: Watching; known: Known; encoded: boolean }) {
  const { recording } = known;
  if (recording === undefined) return null;
  const change = async (): Promise<void> => {
    const place = Math.floor(ready.player.position.peek());
    // An encoded file has a time of its own: the service converts the position.
    await ready.report.tell();
    await entryOf(recordingQuery(recording.id)).renew();
    navigate(encoded ? `watch/${recording.id}` : `watch/${recording.id}?t=${place}`, true);
  };
  return (
    <button
      type="button"
      class="watch-offer hstack absolute text-s text-white text-left round-m gap-75 layer-3"
      onClick={() => void change()}
    >
      <Icon name="check" />
      <span>
        {encoded ? TEXTS.encoded : TEXTS.ended}
        <b class="block-level text-accent">{TEXTS.toUsual}</b>
      </span>
    </button>
  );
}

/** Overlays above the picture. */
interface Over {
  readonly ready: Watching;
  readonly known: Known;
  readonly actions: ReturnType<typeof watchActions>;
  readonly sheet: Signal<WatchSheetName | undefined>;
  readonly pointed: Signal<number | undefined>;
  readonly captions: CaptionTrack | undefined;
  readonly onScreenshot: () => void;
  readonly onData?: (() => void) | undefined;
}

/** What the station of a recording that has just ended shows now. */
function airOf(recording: Recording | undefined): Air | undefined {
  const station = recording === undefined ? undefined : stationById(recording.serviceId);
  if (recording === undefined || station === undefined) return undefined;
  const { now } = station;
  const title = now === null ? narrow(station.name) : splitTitle(now.name).title;
  return {
    title,
    goesOn: now !== null && now.id === recording.programId,
    open: () => navigate(`live/${station.id}`, true),
  };
}

/** It was stopped, or broke off, before its programme was over. */
function isCutShort(recording: Recording | undefined): boolean {
  return recording !== undefined && !recording.recording && recordedSpan(recording)[1] < recording.endAt;
}

interface MessagesProps extends Over {
  /** It was opened while it was recorded. */
  readonly chase: boolean;
  /** The recording that is chased has ended, and was encoded. */
  readonly over: boolean;
  readonly encoded: boolean;
  readonly covered: boolean;
}

function Messages({ ready, known, actions, sheet, chase, over, encoded, covered }: MessagesProps) {
  const { player } = ready;
  const { kind } = player.state.value;
  // Where it cannot be played on as it was recorded, the original may be gone already.
  const offered = kind === 'failed' || (!covered && kind !== 'ended');
  const list = (): void => navigate('recordings');
  return (
    <>
      {player.source?.hasVideo === false && !covered ? <SoundOnly recording={known.recording} /> : null}
      <WatchMessage
        player={player}
        failure={known.failure}
        onRetry={() => void known.renew()}
        onList={list}
        onQuality={() => {
          sheet.value = 'quality';
        }}
      />
      {kind === 'ended' ? (
        <LateEndPanel
          isCutShort={isCutShort(known.recording)}
          next={known.next}
          onNext={actions.next}
          air={chase ? airOf(known.recording) : undefined}
          onAgain={actions.toStart}
          onList={list}
        />
      ) : null}
      {chase && over && offered ? <Offer ready={ready} known={known} encoded={encoded} /> : null}
    </>
  );
}

function Controls({ ready, known, actions, sheet, pointed, captions, onScreenshot, onData }: Over) {
  const { player, visibility } = ready;
  const failed = known.failure !== undefined;
  const awake = visibility.awake.value && !failed;
  const open = (name: WatchSheetName | undefined): void => {
    sheet.value = name;
  };
  return (
    <>
      <WatchControls
        player={player}
        recording={known.recording}
        awake={awake}
        info={visibility.info.value || failed || isCovered(player.state.value)}
        chapters={known.chapters}
        previews={known.previews}
        pointed={pointed}
        onSkip={actions.skip}
        onChapter={actions.chapter}
        onSheet={open}
        onFullscreen={actions.fullscreen}
        onPictureInPicture={actions.pictureInPicture}
        onScreenshot={onScreenshot}
        onData={onData}
        onNext={known.next === undefined ? undefined : actions.next}
      />
      <SoundButton sound={player.sound} />
      <VolumeMeter shown={visibility.meter.value && !awake} />
      <LateWatchSheets
        name={sheet.value}
        player={player}
        recording={known.recording}
        chapters={known.chapters}
        isCut={known.previews?.kept !== undefined}
        captions={captions}
        onOpen={open}
        onScreenshot={onScreenshot}
        onClose={() => open(undefined)}
      />
    </>
  );
}

/** The station as the recording names it: it may be gone. */
function stationOf(recording: Recording | undefined) {
  if (recording === undefined) return undefined;
  const { serviceId: id, serviceName: name } = recording;
  return { id, name, logo: stationById(id)?.logo ?? null };
}

/** Keys and the device's own media keys, for as long as the screen is there. */
function useKeys(actions: ReturnType<typeof watchActions>): void {
  useEffect(() => listenToWatchKeys(actions), []);
  useEffect(
    () =>
      takeMediaKeys({
        setPaused: actions.setPaused,
        next: actions.next,
        previous: () => actions.chapter(-1),
        skip: actions.skip,
        seek: actions.seek,
      }),
    [],
  );
}

export function WatchScreen({ recordingId, chase }: WatchProps) {
  const stage = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const layer = useRef<CaptionLayer | undefined>(undefined);
  const sheet = useSignal<WatchSheetName | undefined>(undefined);
  const pointed = useSignal<number | undefined>(undefined);
  const { shown: skipShown, skipped } = useSkipSign();
  const known = useRecording(recordingId, chase);
  const latest = useRef(known);
  latest.current = known;
  const watching = useWatching(video, () => latest.current.recording?.serviceId);
  const ready = watching.value;
  // The service may be away at the end.
  useEffect(() => void LateEndPanel.prefetch().catch(() => undefined), []);
  const view = useDataView(ready?.live, main);
  const onData = useDataButton(ready, known);
  const { captions, over, encoded } = useOpening(ready, recordingId, chase, known);
  useCommercials(ready, known);
  const openSheet = (name: WatchSheetName | undefined): void => {
    sheet.value = name;
  };
  const actions = useMemo(
    () =>
      watchActions({
        viewing: () => watching.peek(),
        known: () => latest.current,
        stage: () => stage.current,
        video: () => video.current,
        captions: () => layer.current?.canvas,
        openSheet,
        onSkipped: skipped,
      }),
    [],
  );
  useKeys(actions);
  useLayoutEffect(() => growInto(stage.current), []);
  useMedia(known.recording, ready);
  const state = ready?.player.state.value;
  useEffect(() => {
    if (state?.kind === 'ended') void ready?.report.tell(true);
  }, [state?.kind]);
  const awake = ready?.visibility.awake.value ?? false;
  useEffect(() => {
    // Controls that go take the focus with them: back to the picture, where the arrows skip.
    const active = document.activeElement;
    if (!awake && active?.closest('.osd') != null) main.current?.focus({ preventScroll: true });
  }, [awake]);
  const covered = known.failure !== undefined || state === undefined || isCovered(state);
  const onScreenshot = (): void => {
    openSheet(undefined);
    actions.screenshot();
  };
  return (
    <main id="main" class="live watch text-white" tabIndex={-1} ref={main} data-page={view.page}>
      <h1 class="hidden-text">{splitTitle(known.recording?.name ?? TEXTS.title).title}</h1>
      <div
        class="stage"
        ref={stage}
        {...view.stage}
        data-asleep={awake || covered ? undefined : ''}
        onPointerMove={(event) => {
          if (event.pointerType !== 'touch') ready?.visibility.wake();
        }}
      >
        <div class="stage-picture inset-0">
          {/* biome-ignore lint/a11y/useMediaCaption: captions are drawn by the page, the stream has no text track */}
          <video class="stage-video" ref={video} playsInline />
          <CaptionView
            video={video}
            pageAt={(seconds) => captions?.at(seconds, captionLanguage.value)}
            onLayer={(drawn) => {
              layer.current = drawn;
            }}
          />
        </div>
        <Veil shown={covered} />
        {ready === undefined ? null : (
          <>
            <PictureTouch watching={ready} pointed={pointed} actions={actions} />
            <SkipSign shown={skipShown} />
            <Messages
              {...{ ready, known, actions, sheet, pointed, captions, onScreenshot }}
              {...{ chase, over, encoded, covered }}
            />
            <Controls {...{ ready, known, actions, sheet, pointed, captions, onScreenshot, onData }} />
            <DataStage live={ready.live} view={view} station={stationOf(known.recording)} />
          </>
        )}
        <Toasts />
      </div>
      <WatchBelow
        recording={known.recording}
        player={ready?.player}
        series={known.series}
        onChapter={known.chapters.length === 0 ? undefined : actions.chapter}
        onSheet={openSheet}
        onScreenshot={onScreenshot}
        onData={onData}
      />
    </main>
  );
}
