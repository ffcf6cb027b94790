/**
 * Keys common to all players, and the order in which handlers are tried. While no control has the focus the arrows
 * belong to the player; Enter shows the controls, where the arrows move the focus as elsewhere.
 */
import { isBackKey, isTextField } from '../navigation/focus.ts';

export interface PlayerActions {
  readonly volume: (by: number) => void;
  readonly mute: () => void;
  readonly togglePause: () => void;
  readonly setPaused: (paused: boolean) => void;
  readonly fullscreen: () => void;
  readonly audio: () => void;
  readonly captions: () => void;
  readonly screenshot: () => void;
  readonly pictureInPicture: () => void;
  readonly info: () => void;
  readonly help: () => void;
  readonly leave: () => void;
  /** Shows the controls and, when asked, moves the focus into them. */
  readonly wake: (focus: boolean) => void;
  /** Hides the controls; false when they were hidden. */
  readonly sleep: () => boolean;
}

type KeyActions = Readonly<Record<string, () => void>>;

/** The keys of one player beside those of every player. */
interface KeyBindings {
  /** Obeyed wherever the focus is; letters in lower case. */
  readonly always: KeyActions;
  /** Obeyed while no control has the focus. */
  readonly free: KeyActions;
  /** Tried before the tables, for keys that no table can list. True when the key was used. */
  readonly first?: (event: KeyboardEvent) => boolean;
}

const VOLUME_STEP = 0.05;

function sharedKeys(actions: PlayerActions): KeyActions {
  return {
    k: actions.togglePause,
    m: actions.mute,
    f: actions.fullscreen,
    a: actions.audio,
    i: actions.info,
    c: actions.captions,
    s: actions.screenshot,
    p: actions.pictureInPicture,
    ColorF1Green: actions.captions,
    Subtitle: actions.captions,
    '?': actions.help,
    MediaPlayPause: actions.togglePause,
    MediaPlay: () => actions.setPaused(false),
    MediaPause: () => actions.setPaused(true),
    MediaStop: actions.leave,
    AudioVolumeMute: actions.mute,
    Info: actions.info,
  };
}

function sharedFreeKeys(actions: PlayerActions): KeyActions {
  return {
    Enter: () => actions.wake(true),
    Tab: () => actions.wake(true),
    ' ': actions.togglePause,
  };
}

/** The arrows to the left and right as volume keys, for players that do not seek with them. */
export function volumeArrows(actions: Pick<PlayerActions, 'volume'>): KeyActions {
  return {
    ArrowRight: () => actions.volume(VOLUME_STEP),
    ArrowLeft: () => actions.volume(-VOLUME_STEP),
  };
}

function lookUp(table: KeyActions, key: string): (() => void) | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Takes keys before the page's focus navigation sees them. Returns the function that stops it. */
export function listenToKeys(actions: PlayerActions, bindings: KeyBindings): () => void {
  const always = { ...sharedKeys(actions), ...bindings.always };
  const free = { ...sharedFreeKeys(actions), ...bindings.free };
  const controlFocused = (): boolean => {
    const active = document.activeElement;
    return active instanceof HTMLElement && active.tabIndex >= 0 && active.closest('.live') !== null;
  };
  /** True when the key was used. */
  const act = (event: KeyboardEvent): boolean => {
    const inControls = controlFocused();
    if (isBackKey(event.key)) return inControls && actions.sleep();
    if (bindings.first?.(event) === true) return true;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = lookUp(always, key);
    if (action !== undefined) {
      action();
      return true;
    }
    if (inControls) {
      actions.wake(false);
      return false;
    }
    const freeAction = lookUp(free, event.key);
    freeAction?.();
    return freeAction !== undefined;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTextField(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (!act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('keydown', onKey, true);
  return () => document.removeEventListener('keydown', onKey, true);
}
