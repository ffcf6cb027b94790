/** Keys of watching a recording: left and right skip, digits jump, letters as other players have them. */
import { listenToKeys, type PlayerActions } from '../player/player-keys.ts';

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
  readonly captions: () => void;
  readonly screenshot: () => void;
  readonly next: () => void;
  readonly pictureInPicture: () => void;
}

const VOLUME_STEP = 0.05;
const LONG_SKIP_S = 60;

/** Returns the function that stops it. */
export function listenToWatchKeys(actions: WatchActions): () => void {
  return listenToKeys('.live', actions, {
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
      c: actions.captions,
      s: actions.screenshot,
      n: actions.next,
      p: actions.pictureInPicture,
      Home: actions.toStart,
      End: actions.toEnd,
      ColorF0Red: actions.takeBackSkip,
      ColorF1Green: actions.captions,
      ColorF2Yellow: () => actions.chapter(-1),
      ColorF3Blue: () => actions.chapter(1),
      Subtitle: actions.captions,
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
