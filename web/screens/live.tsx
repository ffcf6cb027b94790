/** Live viewing of a station: the picture with its controls, and the panel of the station beside or below it. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { StationId } from '../../arib/ids.ts';
import { plusMs } from '../../arib/time.ts';
import type { Station } from '../../wire/api.ts';
import type { CaptionLayer } from '../caption/caption-layer.ts';
import { CaptionView } from '../caption/caption-view.tsx';
import { now } from '../device/clock.ts';
import { homeTab, livePanel, volume } from '../device/preferences.ts';
import { ChannelEntryView, ChannelInput } from '../live/channel-input.tsx';
import { LiveControls } from '../live/live-controls.tsx';
import { listenToLiveKeys } from '../live/live-keys.ts';
import { isVeiled, LiveMessage } from '../live/live-messages.tsx';
import { LivePanel } from '../live/live-panel.tsx';
import { saveScreenshot, toggleCaptions } from '../live/live-picture.ts';
import { LivePlayer } from '../live/live-player.ts';
import { LiveSheets, type SheetName } from '../live/live-sheets.tsx';
import { ReceptionNote } from '../live/reception-note.tsx';
import { pressRecord, recordState } from '../live/record.tsx';
import { TEXTS } from '../live/texts.ts';
import { goBack, navigate } from '../navigation/router.ts';
import { SoundButton, VolumeMeter } from '../player/controls.tsx';
import { ControlsVisibility } from '../player/controls-visibility.ts';
import { fullscreen, toggleFullscreen } from '../player/fullscreen.ts';
import { describeMedia, type MediaDescription, takeMediaKeys } from '../player/media-session.ts';
import { Veil } from '../player/overlay.tsx';
import { togglePictureInPicture } from '../player/picture-in-picture.ts';
import type { SoundOutput } from '../player/sound-output.ts';
import { keepAwake } from '../player/wake-lock.ts';
import { hoursAround } from '../query/booking-window.ts';
import { useBookings } from '../query/reservations.ts';
import { shownStationsWith } from '../query/station-order.ts';
import { neighbour, stationById, stations } from '../query/stations.ts';
import { showToast, Toasts } from '../ui/toast.tsx';
import { noticeText } from '../words/advice.ts';
import { narrow } from '../words/channel.ts';
import { qualityChangeText } from '../words/quality.ts';
import { splitTitle } from '../words/title.ts';

function notify(word: string): void {
  const text = noticeText(word);
  if (text !== undefined) showToast(text);
}

/** The programmes of the panel's day tab. */
const DAY_AHEAD_MS = 30 * 3_600_000;
/** Where Enter leads: to what a message offers, else to the sound that waits for a touch, else to the controls. */
const FIRST_CONTROLS = ['.stage-note .button', '.sound-button', '.control-main'] as const;

function firstControl(stage: HTMLElement | null): HTMLElement | null {
  for (const selector of FIRST_CONTROLS) {
    const control = stage?.querySelector<HTMLElement>(selector);
    if (control != null) return control;
  }
  return null;
}

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

function toStation(id: StationId | undefined): void {
  if (id !== undefined) navigate(`live/${id}`, true);
}

/** Where the panel stands beside the picture, and where it always lies below it. Those of `styles/live-panel.css`. */
const PANEL_BESIDE = '(min-width: 75em) and (orientation: landscape)';
const PANEL_BELOW = '(max-width: 68.75em) and (orientation: portrait)';

/** The objects that live as long as the video element. */
interface Viewing {
  readonly player: LivePlayer;
  readonly visibility: ControlsVisibility;
}

function useViewing(video: { readonly current: HTMLVideoElement | null }) {
  const viewing = useSignal<Viewing | undefined>(undefined);
  useEffect(() => {
    if (video.current === null) return undefined;
    const player = new LivePlayer(video.current, {
      onNotice: notify,
      onQuality: ({ quality, isLower }) => showToast(qualityChangeText(quality, isLower)),
      onTaken: (recordingId) => {
        showToast(TEXTS.chaseInstead);
        navigate(`chase/${recordingId}?t=999999`, true);
      },
    });
    const visibility = new ControlsVisibility(
      () => player.paused.value || document.querySelector('dialog[open]') !== null,
    );
    viewing.value = { player, visibility };
    const letSleep = keepAwake();
    return () => {
      letSleep();
      visibility.close();
      player.close();
    };
  }, []);
  return viewing;
}

export function Live({ stationId }: { stationId: StationId }) {
  const stage = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const viewing = useViewing(video);
  const sheet = useSignal<SheetName | undefined>(undefined);
  const touched = useRef(false);
  /** Of the last step through the channels. */
  const direction = useRef<1 | -1 | undefined>(undefined);
  const shownStation = useRef(stationId);
  shownStation.current = stationId;
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

  const actions = useMemo(() => {
    const step = (by: 1 | -1): void => {
      direction.current = by;
      toStation(neighbour(shownStationsWith(shownStation.current), shownStation.current, by)?.id);
    };
    const full = (): void => {
      if (stage.current !== null && video.current !== null)
        void toggleFullscreen(stage.current, video.current);
    };
    const sound = (change: (output: SoundOutput) => void): void => {
      const current = viewing.value;
      if (current === undefined) return;
      change(current.player.sound);
      current.visibility.showMeter();
    };
    const sleep = (): boolean => {
      const visibility = viewing.value?.visibility;
      const awake = visibility?.awake.value ?? false;
      visibility?.sleep();
      // Back leads from the panel to the picture, where the arrows change channels.
      const inPanel = document.activeElement?.closest('.below') != null;
      if (inPanel) main.current?.focus({ preventScroll: true });
      return awake || inPanel;
    };
    /** @param byKey the focus goes along */
    const info = (byKey: boolean): void => {
      if (!fullscreen.value && matchMedia(PANEL_BESIDE).matches) {
        livePanel.value = !livePanel.value;
        if (byKey && livePanel.value) setTimeout(() => focusPanel(main.current), 0);
      } else if (!fullscreen.value && matchMedia(PANEL_BELOW).matches) viewing.value?.visibility.showInfo();
      else sheet.value = 'info';
    };
    return {
      step,
      number: (button: number) => entry.button(button),
      threeDigits: () => entry.begin(),
      skip: (by: number) => {
        viewing.value?.player.skip(by);
        viewing.value?.visibility.wake();
      },
      toLive: () => viewing.value?.player.toLive(),
      captions: toggleCaptions,
      screenshot: () => void saveScreenshot(video.current, layer.current, stationById(shownStation.current)),
      pictureInPicture: () => void togglePictureInPicture(video.current),
      facts: () => {
        sheet.value = 'facts';
      },
      volume: (by: number) => sound((output) => output.setVolume(volume.value + by)),
      mute: () => sound((output) => output.toggleMute()),
      togglePause: () => {
        viewing.value?.player.togglePause();
        viewing.value?.visibility.wake();
      },
      setPaused: (paused: boolean) => {
        viewing.value?.player.setPaused(paused);
        viewing.value?.visibility.wake();
      },
      fullscreen: full,
      multi: () => navigate(`multi?stations=${shownStation.current}`),
      list: () => {
        sheet.value = 'channels';
      },
      audio: () => {
        sheet.value = 'audio';
      },
      record: () => {
        pressRecord(stationById(shownStation.current));
        viewing.value?.visibility.wake();
      },
      info: () => info(false),
      panel: info,
      help: () => {
        sheet.value = 'help';
      },
      leave: goBack,
      wake: (focus: boolean) => {
        viewing.value?.visibility.wake(true);
        // The controls take the focus only once they are shown.
        if (focus) setTimeout(() => firstControl(stage.current)?.focus(), 0);
      },
      sleep,
    };
  }, []);

  useEffect(() => listenToLiveKeys(actions), []);
  useEffect(() => {
    const next = (): void => actions.step(1);
    const previous = (): void => actions.step(-1);
    return takeMediaKeys({ setPaused: actions.setPaused, next, previous });
  }, []);
  const ready = viewing.value;
  useEffect(() => {
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
  const veiled = state === undefined || isVeiled(state);
  const info = (ready?.visibility.info.value ?? false) || (state?.kind === 'tuning' && veiled);
  return (
    <main id="main" class="live" tabIndex={-1} ref={main} data-panel={livePanel.value ? '' : undefined}>
      <h1 class="hidden-text">{headingOf(station)}</h1>
      <div
        class="stage"
        ref={stage}
        data-asleep={awake || veiled ? undefined : ''}
        onPointerDown={(event) => {
          touched.current = event.pointerType === 'touch';
        }}
        onPointerMove={(event) => {
          if (event.pointerType !== 'touch') ready?.visibility.wake();
        }}
      >
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
        <Veil shown={veiled} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
        <div
          class="stage-touch"
          onDblClick={actions.fullscreen}
          onClick={() => {
            if (!touched.current) return;
            if (!actions.sleep()) ready?.visibility.wake();
          }}
        />
        {ready === undefined ? null : (
          <>
            <LiveMessage player={ready.player} station={station} onList={actions.list} />
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
              onPictureInPicture={actions.pictureInPicture}
              onSkip={actions.skip}
              onScreenshot={actions.screenshot}
              onPanel={actions.panel}
            />
            {isPlaying || state?.kind === 'stalled' ? <ReceptionNote player={ready.player} /> : null}
            <SoundButton sound={ready.player.sound} />
            <VolumeMeter shown={ready.visibility.meter.value && !awake} />
            <LiveSheets
              name={sheet.value}
              station={station}
              stationId={stationId}
              player={ready.player}
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
      <LivePanel station={station} stationId={stationId} state={state} />
    </main>
  );
}
