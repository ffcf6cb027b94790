/** Live viewing of a station: the picture with its controls, and the panel of the station beside or below it. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import { plusMs } from '../../lib/arib/time.ts';
import type { Station } from '../../lib/wire/api.ts';
import { toggleCaptions } from '../caption/caption-choice.ts';
import type { CaptionLayer } from '../caption/caption-layer.ts';
import { CaptionView } from '../caption/caption-view.tsx';
import { DataStage, useDataView } from '../data/data-stage.tsx';
import { LateData } from '../data/late-data.ts';
import { currentMs, now } from '../device/clock.ts';
import { homeTab, livePanel } from '../device/preferences.ts';
import { navigate } from '../navigation/router.ts';
import { SoundButton, VolumeMeter } from '../player/controls.tsx';
import { growInto } from '../player/grow.ts';
import { describeMedia, keepAwake, type MediaDescription, takeMediaKeys } from '../player/media-session.ts';
import { Veil } from '../player/overlay.tsx';
import { isCovered } from '../player/player.ts';
import { ControlsVisibility, fullscreen, stageActions } from '../player/stage-actions.ts';
import { hoursAround } from '../query/booking-window.ts';
import { useBookings } from '../query/reservations.ts';
import { shownStationsWith } from '../query/station-order.ts';
import { neighbour, stationById, stations } from '../query/stations.ts';
import { lazy } from '../ui/lazy.tsx';
import { showToast, Toasts } from '../ui/toast.tsx';
import { narrow } from '../words/channel.ts';
import { qualityChangeText } from '../words/quality.ts';
import { splitTitle } from '../words/title.ts';
import { ChannelEntryView, ChannelInput } from './channel-input.tsx';
import { LiveControls } from './live-controls.tsx';
import { listenToLiveKeys } from './live-keys.ts';
import type { SheetName } from './live-menu.tsx';
import { LiveMessage } from './live-messages.tsx';
import { LivePlayer } from './live-player.ts';
import { ReceptionNote } from './reception-note.tsx';
import { pressRecord, recordState } from './record.tsx';
import { TEXTS } from './texts.ts';

// The picture does not wait for these.
const LateLivePanel = lazy({
  styles: [],
  load: async () => (await import('./live-panel.tsx')).LivePanel,
});
const LateLiveSheets = lazy({
  styles: [],
  load: async () => (await import('./live-sheets.tsx')).LiveSheets,
});

/** The programmes of the panel's day tab. */
const DAY_AHEAD_MS = 30 * 3_600_000;
function focusPanel(root: HTMLElement | null): void {
  root?.querySelector<HTMLElement>('.below [role="tab"]')?.focus({ preventScroll: true });
}

/** For who does not see the picture: the controls over it come and go. */
function headingOf(station: Station | undefined): string {
  if (station === undefined) return TEXTS.liveTitle;
  const { title, artist } = mediaOf(station);
  return title === artist ? title : `${artist}　${title}`;
}

function mediaOf(station: Station): MediaDescription {
  const title = station.now === null ? station.name : splitTitle(station.now.name).title;
  return { title, artist: narrow(station.name), artwork: station.logo ?? undefined };
}

/** Of a saved picture: its name, and the seconds since the programme began. */
function captionOf(station: Station | undefined): readonly [string, number] {
  if (station?.now == null) return [narrow(station?.name ?? ''), 0];
  const { name, startAt } = station.now;
  return [`${narrow(station.name)} ${splitTitle(name).title}`, Math.max(0, (currentMs() - startAt) / 1000)];
}

function toStation(id: StationId | undefined): void {
  if (id !== undefined) navigate(`live/${id}`, true);
}

/** Where the panel stands beside the picture, and where it always lies below it. Those of `styles/live.css`. */
const PANEL_BESIDE = '(min-width: 75em) and (orientation: landscape)';
const PANEL_BELOW = '(max-width: 68.75em) and (orientation: portrait)';

/** The objects that live as long as the video element. */
interface Viewing {
  readonly player: LivePlayer;
  readonly live: LateData;
  readonly visibility: ControlsVisibility;
}

function useViewing(
  video: { readonly current: HTMLVideoElement | null },
  station: { readonly current: StationId },
) {
  const viewing = useSignal<Viewing | undefined>(undefined);
  useEffect(() => {
    if (video.current === null) return undefined;
    const player = new LivePlayer(video.current, {
      onQuality: ({ quality, why }) => showToast(qualityChangeText(quality, why)),
      onTaken: (recordingId) => {
        showToast(TEXTS.chaseInstead);
        navigate(`chase/${recordingId}?t=999999`, true);
      },
    });
    const visibility = new ControlsVisibility(
      () => player.paused.value || document.querySelector('dialog[open]') !== null,
    );
    const live = new LateData(async () => {
      const { createLiveData } = await import('./live-data.ts');
      return createLiveData(player, { stationId: () => station.current, toStation });
    });
    viewing.value = { player, live, visibility };
    const letSleep = keepAwake();
    return () => {
      letSleep();
      visibility.close();
      live.close();
      player.close();
    };
  }, []);
  return viewing;
}

export function LiveScreen({ stationId }: { stationId: StationId }) {
  const stage = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const shownStation = useRef(stationId);
  shownStation.current = stationId;
  const viewing = useViewing(video, shownStation);
  const sheet = useSignal<SheetName | undefined>(undefined);
  const touched = useRef(false);
  /** Of the last step through the channels. */
  const direction = useRef<1 | -1 | undefined>(undefined);
  const layer = useRef<CaptionLayer | undefined>(undefined);
  const entry = useMemo(
    () =>
      new ChannelInput(
        () => stationById(shownStation.current)?.type ?? 'GR',
        (station) => toStation(station.id),
      ),
    [],
  );
  useEffect(() => () => entry.close(), []);
  useLayoutEffect(() => growInto(stage.current), []);

  const actions = useMemo(() => {
    const step = (by: 1 | -1): void => {
      direction.current = by;
      toStation(neighbour(shownStationsWith(shownStation.current), shownStation.current, by)?.id);
    };
    const stages = stageActions({
      viewing: () => viewing.peek(),
      stage: () => stage.current,
      video: () => video.current,
      captions: () => layer.current?.canvas,
      caption: () => captionOf(stationById(shownStation.current)),
    });
    const sleep = (): boolean => {
      const wasAwake = stages.sleep();
      // Back leads from the panel to the picture, where the arrows change channels.
      const inPanel = document.activeElement?.closest('.below') != null;
      if (inPanel) main.current?.focus({ preventScroll: true });
      return wasAwake || inPanel;
    };
    /** @param byKey the focus goes along */
    const info = (byKey: boolean): void => {
      if (!fullscreen.value && matchMedia(PANEL_BESIDE).matches) {
        livePanel.value = !livePanel.value;
        if (byKey && livePanel.value) setTimeout(() => focusPanel(main.current), 0);
      } else if (!fullscreen.value && matchMedia(PANEL_BELOW).matches) viewing.value?.visibility.showInfo();
      else sheet.value = 'info';
    };
    const open = (name: SheetName) => (): void => {
      sheet.value = name;
    };
    return {
      ...stages,
      step,
      number: (button: number) => entry.button(button),
      threeDigits: () => entry.begin(),
      skip: (by: number) => stages.waking(({ player }) => player.skip(by)),
      toLive: () => viewing.value?.player.toLive(),
      captions: toggleCaptions,
      facts: open('facts'),
      multi: () => navigate(`multi?stations=${shownStation.current}`),
      list: open('channels'),
      format: open('quality'),
      audio: open('audio'),
      record: () => {
        pressRecord(stationById(shownStation.current));
        viewing.value?.visibility.wake();
      },
      info: () => info(false),
      panel: info,
      help: open('help'),
      sleep,
    };
  }, []);

  useEffect(() => listenToLiveKeys(actions), []);
  const view = useDataView(viewing.value?.live, main);
  useEffect(() => {
    const next = (): void => actions.step(1);
    const previous = (): void => actions.step(-1);
    return takeMediaKeys({ setPaused: actions.setPaused, next, previous });
  }, []);
  const ready = viewing.value;
  useEffect(() => {
    ready?.live.forget();
    ready?.player.tune(stationId);
    ready?.visibility.showInfo();
  }, [stationId, ready]);

  // The present programme, and the station's day.
  useBookings(hoursAround(now.value, plusMs(now.value, DAY_AHEAD_MS)));
  const station = stationById(stationId);
  useEffect(() => {
    describeMedia(station === undefined ? undefined : mediaOf(station));
    // Back home the viewer finds the station where it was left.
    if (station !== undefined) homeTab.value = station.type;
  }, [station]);

  const awake = ready?.visibility.awake.value ?? false;
  useEffect(() => {
    // Controls that go take the focus with them: back to the picture, where the arrows change channels.
    const active = document.activeElement;
    if (!awake && active !== null && active.closest('.osd') !== null)
      main.current?.focus({ preventScroll: true });
  }, [awake]);

  const state = ready?.player.state.value;
  const isPlaying = state?.kind === 'playing';
  useEffect(() => {
    // Who zaps once is likely to zap again.
    if (!isPlaying || direction.current === undefined) return;
    const next = neighbour(stations.peek(), stationId, direction.current);
    direction.current = undefined;
    if (next !== undefined) ready?.player.prepare(next.id);
  }, [isPlaying, stationId]);
  const data = ready?.live.loaded.value?.data;
  // A service of an earlier version does not tell.
  const hasData = data?.isMissing.value !== true && ready?.player.tuned.value?.data !== false;
  const onData = ready !== undefined && hasData ? () => ready.live.pressData() : undefined;
  const veiled = state === undefined || isCovered(state);
  const info = (ready?.visibility.info.value ?? false) || (state !== undefined && veiled);
  return (
    <main
      id="main"
      class="live text-white"
      tabIndex={-1}
      ref={main}
      data-panel={livePanel.value ? '' : undefined}
      data-page={view.page}
    >
      <h1 class="hidden-text">{headingOf(station)}</h1>
      <div
        class="stage"
        ref={stage}
        {...view.stage}
        data-asleep={awake || veiled ? undefined : ''}
        onPointerDown={(event) => {
          touched.current = event.pointerType === 'touch';
        }}
        onPointerMove={(event) => {
          if (event.pointerType !== 'touch') ready?.visibility.wake();
        }}
      >
        <div class="stage-picture inset-0">
          {/* biome-ignore lint/a11y/useMediaCaption: captions are drawn by the page, the stream has no text track */}
          <video class="stage-video" ref={video} playsInline />
          <CaptionView
            video={video}
            pageAt={(seconds) => ready?.player.captions.pageAt(seconds)}
            onLayer={(drawn) => {
              layer.current = drawn;
            }}
          />
          <CaptionView video={video} pageAt={(seconds) => ready?.player.captions.superimposedAt(seconds)} />
        </div>
        <Veil shown={veiled} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
        <div
          class="stage-touch inset-0"
          onDblClick={actions.fullscreen}
          onClick={() => {
            if (!touched.current) return;
            if (!actions.sleep()) ready?.visibility.wake();
          }}
        />
        {ready === undefined ? null : (
          <>
            <LiveMessage
              player={ready.player}
              station={station}
              onList={actions.list}
              onFormat={actions.format}
            />
            <LiveControls
              player={ready.player}
              station={station}
              awake={awake}
              info={info}
              record={recordState(station)}
              onRecord={actions.record}
              onStep={actions.step}
              onSheet={(name) => {
                sheet.value = name;
              }}
              onFullscreen={actions.fullscreen}
            />
            <DataStage live={ready.live} view={view} station={station} />
            {isPlaying || state?.kind === 'stalled' ? <ReceptionNote player={ready.player} /> : null}
            <SoundButton sound={ready.player.sound} />
            <VolumeMeter shown={ready.visibility.meter.value && !awake} />
            <LateLiveSheets
              name={sheet.value}
              station={station}
              stationId={stationId}
              player={ready.player}
              data={data}
              actions={actions}
              onData={onData}
              onClose={() => {
                sheet.value = undefined;
              }}
              onOpen={(name) => {
                sheet.value = name;
              }}
            />
            <ChannelEntryView text={entry.text.value} />
          </>
        )}
        <Toasts />
      </div>
      <LateLivePanel station={station} stationId={stationId} state={state} onData={onData} />
    </main>
  );
}
