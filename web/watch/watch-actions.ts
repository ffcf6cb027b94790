/** Actions of keys, controls, gestures and the device's media keys on a recording. */
import { captionSettings, changeCaptions } from '../caption/caption-choice.ts';
import type { CaptionLayer } from '../caption/caption-layer.ts';
import { skipBack, skipForward, volume } from '../device/preferences.ts';
import { goBack, navigate, watchPath } from '../navigation/router.ts';
import { toggleFullscreen } from '../player/fullscreen.ts';
import { togglePictureInPicture } from '../player/picture-in-picture.ts';
import { saveFile, screenshotName, takeScreenshot } from '../player/screenshot.ts';
import type { SoundOutput } from '../player/sound-output.ts';
import { showToast } from '../ui/toast.tsx';
import { rateText } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { chapterStep } from './bar-marks.ts';
import { TEXTS } from './texts.ts';
import type { Known, Watching } from './use-watch.ts';
import type { WatchActions } from './watch-keys.ts';
import type { WatchSheetName } from './watch-sheets.tsx';

/** The current subject of the actions. */
interface WatchParts {
  readonly watching: () => Watching | undefined;
  readonly known: () => Known;
  readonly stage: () => HTMLElement | null;
  readonly video: () => HTMLVideoElement | null;
  readonly layer: () => CaptionLayer | undefined;
  readonly openSheet: (name: WatchSheetName) => void;
  /** Shows the number of skipped seconds, and the position in seconds that they lead to. */
  readonly onSkipped: (seconds: number, position: number) => void;
}

/** Where Enter leads: to what a message offers, else to the sound that waits for a touch, else to the controls. */
const FIRST_CONTROLS = ['.stage-note .button', '.sound-button', '.control-main'] as const;

async function screenshot(parts: WatchParts): Promise<void> {
  const video = parts.video();
  const blob = video === null ? undefined : await takeScreenshot(video, parts.layer()?.canvas);
  if (blob === undefined) {
    showToast(TEXTS.noPicture);
    return;
  }
  const name = splitTitle(parts.known().recording?.name ?? '').title;
  saveFile(blob, screenshotName(name, parts.watching()?.player.position.peek() ?? 0));
  showToast(TEXTS.pictureSaved);
}

function soundActions(parts: WatchParts) {
  const sound = (change: (output: SoundOutput) => void): void => {
    const current = parts.watching();
    if (current === undefined) return;
    change(current.player.sound);
    current.visibility.showMeter();
  };
  return {
    volume: (by: number) => sound((output) => output.setVolume(volume.value + by)),
    mute: () => sound((output) => output.toggleMute()),
  };
}

function placeActions(parts: WatchParts) {
  const skipBy = (seconds: number): void => {
    const player = parts.watching()?.player;
    player?.skip(seconds);
    parts.onSkipped(seconds, player?.position.peek() ?? 0);
  };
  return {
    skipBy,
    skip: (by: 1 | -1) => skipBy(by === 1 ? skipForward.peek() : -skipBack.peek()),
    toPart: (part: number) => {
      const player = parts.watching()?.player;
      player?.seek(player.length.peek() * part);
      parts.watching()?.visibility.wake();
    },
    toStart: () => {
      parts.watching()?.player.seek(0);
      parts.watching()?.visibility.wake();
    },
    toEnd: () => {
      parts.watching()?.player.toLive();
      parts.watching()?.visibility.wake();
    },
    seek: (seconds: number) => parts.watching()?.player.seek(seconds),
    step: (by: 1 | -1) => parts.watching()?.player.step(by),
    chapter: (by: 1 | -1) => {
      const player = parts.watching()?.player;
      const to = chapterStep(parts.known().chapters, player?.position.peek() ?? 0, by);
      if (to !== undefined) player?.seek(to);
      else if (by === -1) player?.seek(0);
    },
    takeBackSkip: () => parts.watching()?.commercials.takeBack(),
    rate: (by: 1 | -1) => {
      const player = parts.watching()?.player;
      player?.stepRate(by);
      if (player !== undefined) showToast(rateText(player.rate.peek()), undefined, 'rate');
    },
  };
}

/** Actions of keys and controls alike. */
export function watchActions(parts: WatchParts): WatchActions & { seek: (seconds: number) => void } {
  const pause = (change: (watching: Watching) => void): void => {
    const current = parts.watching();
    if (current === undefined) return;
    change(current);
    current.visibility.wake();
  };
  return {
    ...soundActions(parts),
    ...placeActions(parts),
    togglePause: () => pause(({ player }) => player.togglePause()),
    setPaused: (paused) => pause(({ player }) => player.setPaused(paused)),
    captions: () => {
      const visible = !captionSettings.peek().visible;
      changeCaptions({ visible });
      showToast(visible ? TEXTS.captionsShown : TEXTS.captionsHidden, undefined, 'captions');
    },
    screenshot: () => void screenshot(parts),
    next: () => {
      const { next } = parts.known();
      if (next === undefined) showToast(TEXTS.noNextEpisode);
      else navigate(watchPath(next), true);
    },
    pictureInPicture: () => void togglePictureInPicture(parts.video()),
    fullscreen: () => {
      const [stage, video] = [parts.stage(), parts.video()];
      if (stage !== null && video !== null) void toggleFullscreen(stage, video);
    },
    audio: () => parts.openSheet('audio'),
    help: () => parts.openSheet('help'),
    info: () => parts.watching()?.visibility.showInfo(),
    leave: goBack,
    wake: (focus) => {
      parts.watching()?.visibility.wake(true);
      if (!focus) return;
      // The controls take the focus only once they are shown.
      setTimeout(() => {
        const stage = parts.stage();
        const found = FIRST_CONTROLS.map((one) => stage?.querySelector<HTMLElement>(one) ?? null);
        found.find((one) => one !== null)?.focus();
      }, 0);
    },
    sleep: () => {
      const visibility = parts.watching()?.visibility;
      const awake = visibility?.awake.peek() ?? false;
      visibility?.sleep();
      return awake;
    },
  };
}
