/** Keys of live viewing: up and down change the channel, digits choose one, the red key records. */
import { channelStep, keyNumber } from '../navigation/keys.ts';
import { listenToKeys, type PlayerActions, volumeArrows } from '../player/player-keys.ts';

interface LiveActions extends PlayerActions {
  readonly step: (by: 1 | -1) => void;
  /** False when no station has that remote control key. */
  readonly number: (key: number) => boolean;
  readonly list: () => void;
  readonly record: () => void;
}

/** Returns the function that stops it. */
export function listenToLiveKeys(actions: LiveActions): () => void {
  return listenToKeys('.live', actions, {
    first: (event) => {
      const step = channelStep(event.key);
      if (step !== undefined) {
        actions.step(step);
        return true;
      }
      const number = keyNumber(event);
      return number !== undefined && actions.number(number);
    },
    always: {
      l: actions.list,
      Guide: actions.list,
      r: actions.record,
      ColorF0Red: actions.record,
      MediaRecord: actions.record,
    },
    free: {
      ArrowUp: () => actions.step(1),
      ArrowDown: () => actions.step(-1),
      ...volumeArrows(actions),
    },
  });
}
