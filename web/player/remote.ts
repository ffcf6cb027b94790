/**
 * Keys of the player. While no control has the focus the arrows are those of a television: up and down change the
 * channel, left and right the volume; Enter brings the controls, in which the arrows move the focus as elsewhere.
 */
import { isBackKey, isTextField } from '../navigation/focus.ts';
import { channelStep, keyNumber } from '../navigation/keys.ts';

export interface RemoteActions {
  readonly step: (by: 1 | -1) => void;
  readonly number: (key: number) => boolean;
  readonly volume: (by: number) => void;
  readonly mute: () => void;
  readonly togglePause: () => void;
  readonly setPaused: (paused: boolean) => void;
  readonly fullscreen: () => void;
  readonly list: () => void;
  readonly audio: () => void;
  readonly record: () => void;
  readonly info: () => void;
  readonly help: () => void;
  readonly leave: () => void;
  /** Shows the controls and, when asked, puts the focus into them. */
  readonly wake: (focus: boolean) => void;
  /** Hides the controls; false when they were hidden. */
  readonly sleep: () => boolean;
}

const VOLUME_STEP = 0.05;

const KEYS: Readonly<Record<string, (actions: RemoteActions) => void>> = {
  k: (actions) => actions.togglePause(),
  m: (actions) => actions.mute(),
  f: (actions) => actions.fullscreen(),
  l: (actions) => actions.list(),
  a: (actions) => actions.audio(),
  r: (actions) => actions.record(),
  ColorF0Red: (actions) => actions.record(),
  MediaRecord: (actions) => actions.record(),
  i: (actions) => actions.info(),
  '?': (actions) => actions.help(),
  MediaPlayPause: (actions) => actions.togglePause(),
  MediaPlay: (actions) => actions.setPaused(false),
  MediaPause: (actions) => actions.setPaused(true),
  MediaStop: (actions) => actions.leave(),
  AudioVolumeMute: (actions) => actions.mute(),
  Info: (actions) => actions.info(),
  Guide: (actions) => actions.list(),
};

const FREE_KEYS: Readonly<Record<string, (actions: RemoteActions) => void>> = {
  ArrowUp: (actions) => actions.step(1),
  ArrowDown: (actions) => actions.step(-1),
  ArrowRight: (actions) => actions.volume(VOLUME_STEP),
  ArrowLeft: (actions) => actions.volume(-VOLUME_STEP),
  Enter: (actions) => actions.wake(true),
  Tab: (actions) => actions.wake(true),
  ' ': (actions) => actions.togglePause(),
};

function focusedControl(): boolean {
  const active = document.activeElement;
  return active instanceof HTMLElement && active.tabIndex >= 0 && active.closest('.live') !== null;
}

/** True when the key was used. */
function act(event: KeyboardEvent, actions: RemoteActions): boolean {
  const inControls = focusedControl();
  if (isBackKey(event.key)) return inControls && actions.sleep();
  const step = channelStep(event.key);
  if (step !== undefined) {
    actions.step(step);
    return true;
  }
  const number = keyNumber(event);
  if (number !== undefined) return actions.number(number);
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const always = KEYS[key];
  if (always !== undefined) {
    always(actions);
    return true;
  }
  if (inControls) {
    actions.wake(false);
    return false;
  }
  const free = FREE_KEYS[event.key];
  free?.(actions);
  return free !== undefined;
}

/** Takes keys before the page's focus navigation sees them. Returns the function that gives them back. */
export function listenToRemote(actions: RemoteActions): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (!act(event, actions)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('keydown', onKey, true);
  return () => document.removeEventListener('keydown', onKey, true);
}
