/** Keys of live viewing: up and down change the channel, digits choose one, the red key records. */
import { channelStep, keyNumber } from '../navigation/keys.ts';
import { listenToKeys, type PlayerActions, volumeArrows } from '../player/player-keys.ts';

/** Far enough to repeat a missed word. */
export const BACK_S = 10;

interface LiveActions extends PlayerActions {
  readonly step: (by: 1 | -1) => void;
  /** A button 1 to 12 of the remote control. */
  readonly number: (key: number) => void;
  /** The next three digits are a channel. */
  readonly threeDigits: () => void;
  /** s; negative: back. */
  readonly skip: (by: number) => void;
  readonly toLive: () => void;
  readonly facts: () => void;
  readonly list: () => void;
  /** Several stations at a time. */
  readonly multi: () => void;
  readonly record: () => void;
}

/** Returns the function that stops it. */
export function listenToLiveKeys(actions: LiveActions): () => void {
  return listenToKeys(actions, {
    first: (event) => {
      const step = channelStep(event.key);
      if (step !== undefined) {
        actions.step(step);
        return true;
      }
      const number = keyNumber(event);
      if (number !== undefined) actions.number(number);
      return number !== undefined;
    },
    always: {
      l: actions.list,
      w: actions.multi,
      Guide: actions.list,
      r: actions.record,
      ColorF0Red: actions.record,
      MediaRecord: actions.record,
      '.': actions.threeDigits,
      j: () => actions.skip(-BACK_S),
      MediaRewind: () => actions.skip(-BACK_S),
      MediaFastForward: () => actions.skip(BACK_S),
      End: actions.toLive,
      q: actions.facts,
    },
    free: {
      ArrowUp: () => actions.step(1),
      ArrowDown: () => actions.step(-1),
      ...volumeArrows(actions),
    },
  });
}
