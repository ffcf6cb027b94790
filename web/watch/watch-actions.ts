/** Actions of keys, controls, gestures and the device's media keys on a recording. */
import { toggleCaptions } from '../caption/caption-choice.ts';
import { skipBack, skipForward } from '../device/preferences.ts';
import { navigate, watchPath } from '../navigation/router.ts';
import { listenToKeys, type PlayerActions } from '../player/player-keys.ts';
import { type StageParts, stageActions } from '../player/stage-actions.ts';
import { showToast } from '../ui/toast.tsx';
import { rateText } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { chapterStep } from './bar-marks.ts';
import { TEXTS } from './texts.ts';
import type { Known, Watching } from './use-watch.ts';
import type { WatchSheetName } from './watch-sheets.tsx';

// Keys of watching a recording: left and right skip, digits jump, letters as other players have them.

export interface WatchActions extends PlayerActions {
  readonly skip: (by: 1 | -1) => void;
  /** s */
  readonly skipBy: (seconds: number) => void;
  /** 0 to 1 of the whole. */
  readonly toPart: (part: number) => void;
  readonly toStart: () => void;
  readonly toEnd: () => void;
  readonly step: (by: 1 | -1) => void;
  readonly rate: (by: 1 | -1) => void;
  readonly chapter: (by: 1 | -1) => void;
  /** Back to the commercials that were skipped last. */
  readonly takeBackSkip: () => void;
  readonly next: () => void;
}

const VOLUME_STEP = 0.05;
const LONG_SKIP_S = 60;

/** Returns the function that stops it. */
export function listenToWatchKeys(actions: WatchActions): () => void {
  return listenToKeys(actions, {
    first: (event) => {
      if (event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
        actions.skipBy(event.key === 'ArrowLeft' ? -LONG_SKIP_S : LONG_SKIP_S);
        return true;
      }
      if (!/^\d$/u.test(event.key)) return false;
      actions.toPart(Number(event.key) / 10);
      return true;
    },
    always: {
      j: () => actions.skip(-1),
      l: () => actions.skip(1),
      ',': () => actions.step(-1),
      '.': () => actions.step(1),
      '<': () => actions.rate(-1),
      '>': () => actions.rate(1),
      '[': () => actions.chapter(-1),
      ']': () => actions.chapter(1),
      z: actions.takeBackSkip,
      n: actions.next,
      Home: actions.toStart,
      End: actions.toEnd,
      ColorF0Red: actions.takeBackSkip,
      ColorF2Yellow: () => actions.chapter(-1),
      ColorF3Blue: () => actions.chapter(1),
      MediaRewind: () => actions.skip(-1),
      MediaFastForward: () => actions.skip(1),
      MediaTrackPrevious: () => actions.chapter(-1),
      MediaTrackNext: actions.next,
    },
    free: {
      ArrowLeft: () => actions.skip(-1),
      ArrowRight: () => actions.skip(1),
      ArrowUp: () => actions.volume(VOLUME_STEP),
      ArrowDown: () => actions.volume(-VOLUME_STEP),
    },
  });
}

/** The current subject of the actions. */
interface WatchParts extends Omit<StageParts<Watching>, 'caption'> {
  readonly known: () => Known;
  readonly openSheet: (name: WatchSheetName) => void;
  /** Shows the number of skipped seconds, and the position in seconds that they lead to. */
  readonly onSkipped: (seconds: number, position: number) => void;
}

function placeActions(parts: WatchParts) {
  const skipBy = (seconds: number): void => {
    const player = parts.viewing()?.player;
    player?.skip(seconds);
    parts.onSkipped(seconds, player?.position.peek() ?? 0);
  };
  return {
    skipBy,
    skip: (by: 1 | -1) => skipBy(by === 1 ? skipForward.peek() : -skipBack.peek()),
    toPart: (part: number) => {
      const player = parts.viewing()?.player;
      player?.seek(player.length.peek() * part);
      parts.viewing()?.visibility.wake();
    },
    toStart: () => {
      parts.viewing()?.player.seek(0);
      parts.viewing()?.visibility.wake();
    },
    toEnd: () => {
      parts.viewing()?.player.toLive();
      parts.viewing()?.visibility.wake();
    },
    seek: (seconds: number) => parts.viewing()?.player.seek(seconds),
    step: (by: 1 | -1) => parts.viewing()?.player.step(by),
    chapter: (by: 1 | -1) => {
      const player = parts.viewing()?.player;
      const to = chapterStep(parts.known().chapters, player?.position.peek() ?? 0, by);
      if (to !== undefined) player?.seek(to);
      else if (by === -1) player?.seek(0);
    },
    takeBackSkip: () => parts.viewing()?.commercials.takeBack(),
    rate: (by: 1 | -1) => {
      const player = parts.viewing()?.player;
      player?.stepRate(by);
      if (player !== undefined) showToast(rateText(player.rate.peek()), undefined, 'rate');
    },
  };
}

/** Actions of keys and controls alike. */
export function watchActions(parts: WatchParts): WatchActions & { seek: (seconds: number) => void } {
  const caption = () =>
    [
      splitTitle(parts.known().recording?.name ?? '').title,
      parts.viewing()?.player.position.peek() ?? 0,
    ] as const;
  return {
    ...stageActions({ ...parts, caption }),
    ...placeActions(parts),
    captions: toggleCaptions,
    next: () => {
      const { next } = parts.known();
      if (next === undefined) showToast(TEXTS.noNextEpisode);
      else navigate(watchPath(next), true);
    },
    audio: () => parts.openSheet('audio'),
    help: () => parts.openSheet('help'),
    info: () => parts.viewing()?.visibility.showInfo(),
  };
}
