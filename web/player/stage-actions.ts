/** Actions of keys and controls that every player with controls has. */
import { type Signal, signal } from '@preact/signals';
import { volume } from '../device/preferences.ts';
import { onEveryBack } from '../navigation/back.ts';
import { goBack } from '../navigation/router.ts';
import { showToast } from '../ui/toast.tsx';
import { saveFile, screenshotName, takeScreenshot, togglePictureInPicture } from './shown-picture.ts';
import type { SoundOutput } from './sound-output.ts';
import { TEXTS } from './texts.ts';

const AWAKE_MS = 3_000;
/** Input by remote control is slower than by mouse. */
const AWAKE_KEYS_MS = 6_000;
const INFO_MS = 5_000;
const METER_MS = 1_400;

/** Overlays of the player and how long they are shown: controls while the viewer is active, information, the volume. */
export class ControlsVisibility {
  /** Controls are shown and can take the focus. */
  readonly awake = signal(false);
  /** The title of the current programme is shown. */
  readonly info = signal(false);
  /** The volume's level is shown. */
  readonly meter = signal(false);
  readonly #timers = new Map<Signal<boolean>, ReturnType<typeof setTimeout>>();
  readonly #hold: () => boolean;

  /** @param hold true while the controls must stay (paused, an open sheet) */
  constructor(hold: () => boolean) {
    this.#hold = hold;
  }

  wake(byKey = false): void {
    this.#show(this.awake, byKey ? AWAKE_KEYS_MS : AWAKE_MS);
  }

  sleep(): void {
    this.#hide(this.awake);
  }

  showInfo(): void {
    this.#show(this.info, INFO_MS);
  }

  showMeter(): void {
    this.#show(this.meter, METER_MS);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #show(shown: Signal<boolean>, ms: number): void {
    shown.value = true;
    clearTimeout(this.#timers.get(shown));
    const end = (): void => {
      if (shown === this.awake && this.#hold()) this.#show(shown, ms);
      else this.#hide(shown);
    };
    this.#timers.set(shown, setTimeout(end, ms));
  }

  #hide(shown: Signal<boolean>): void {
    clearTimeout(this.#timers.get(shown));
    shown.value = false;
  }
}

/** The objects that live as long as the video element. */
interface StageViewing {
  readonly player: {
    readonly sound: SoundOutput;
    togglePause(): void;
    setPaused(paused: boolean): void;
  };
  readonly visibility: ControlsVisibility;
}

/** The current subject of the actions. */
export interface StageParts<Viewing extends StageViewing> {
  readonly viewing: () => Viewing | undefined;
  readonly stage: () => HTMLElement | null;
  readonly video: () => HTMLVideoElement | null;
  /** Captions drawn over the picture. */
  readonly captions: () => HTMLCanvasElement | undefined;
  /** Of a saved picture: title, and position in s. */
  readonly caption: () => readonly [title: string, positionS: number];
}

/** Where Enter leads: to what a message offers, else to the sound that waits for a touch, else to the controls. */
const FIRST_CONTROLS = ['.stage-note .button', '.sound-button', '.control-main'] as const;

async function saveScreenshot(parts: StageParts<StageViewing>): Promise<void> {
  const video = parts.video();
  const blob = video === null ? undefined : await takeScreenshot(video, parts.captions());
  if (blob !== undefined) saveFile(blob, screenshotName(...parts.caption()));
  showToast(blob === undefined ? TEXTS.noPicture : TEXTS.pictureSaved);
}

export function stageActions<Viewing extends StageViewing>(parts: StageParts<Viewing>) {
  /** Acts, and shows the controls. */
  const waking = (act: (viewing: Viewing) => void): void => {
    const viewing = parts.viewing();
    if (viewing === undefined) return;
    act(viewing);
    viewing.visibility.wake();
  };
  const sound = (change: (output: SoundOutput) => void): void => {
    const viewing = parts.viewing();
    if (viewing === undefined) return;
    change(viewing.player.sound);
    viewing.visibility.showMeter();
  };
  return {
    waking,
    volume: (by: number) => sound((output) => output.setVolume(volume.value + by)),
    mute: () => sound((output) => output.toggleMute()),
    togglePause: () => waking(({ player }) => player.togglePause()),
    setPaused: (paused: boolean) => waking(({ player }) => player.setPaused(paused)),
    screenshot: () => void saveScreenshot(parts),
    pictureInPicture: () => void togglePictureInPicture(parts.video()),
    fullscreen: () => {
      const [stage, video] = [parts.stage(), parts.video()];
      if (stage !== null && video !== null) void toggleFullscreen(stage, video);
    },
    leave: goBack,
    wake: (focus: boolean) => {
      parts.viewing()?.visibility.wake(true);
      if (!focus) return;
      // The controls take the focus only once they are shown.
      setTimeout(() => {
        const stage = parts.stage();
        const found = FIRST_CONTROLS.map((one) => stage?.querySelector<HTMLElement>(one) ?? null);
        found.find((one) => one !== null)?.focus();
      }, 0);
    },
    /** False when the controls were hidden. */
    sleep: (): boolean => {
      const visibility = parts.viewing()?.visibility;
      const awake = visibility?.awake.peek() ?? false;
      visibility?.sleep();
      return awake;
    },
  };
}

// Full screen of an element, with what older Safari and iPhones offer instead.

interface WebkitDocument {
  webkitFullscreenElement?: Element | null;
  webkitExitFullscreen?: () => void;
}
interface WebkitElement {
  webkitRequestFullscreen?: () => void;
}
interface WebkitVideo {
  webkitEnterFullscreen?: () => void;
}
interface LockableOrientation {
  lock?: (orientation: 'landscape') => Promise<void>;
}

export const fullscreen = signal(false);

function fullscreenElement(): Element | null {
  return document.fullscreenElement ?? (document as WebkitDocument).webkitFullscreenElement ?? null;
}

let forget: (() => void) | undefined;

/** Back leads out of full screen before it leaves the player. */
function takeBack(isTaken: boolean): void {
  forget?.();
  forget = isTaken ? onEveryBack(leaveFullscreen) : undefined;
}

function follow(): void {
  const isFull = fullscreenElement() !== null;
  if (isFull === fullscreen.value) return;
  fullscreen.value = isFull;
  if (!isFull || forget === undefined) takeBack(isFull);
}

document.addEventListener('fullscreenchange', follow);
document.addEventListener('webkitfullscreenchange', follow);

/** False when there is no full screen to leave. */
export function leaveFullscreen(): boolean {
  if (fullscreenElement() === null) return false;
  if (document.exitFullscreen !== undefined) void document.exitFullscreen();
  else (document as WebkitDocument).webkitExitFullscreen?.();
  return true;
}

/** A phone held upright turns the picture; elsewhere the lock is refused, which is as well. */
async function turnLandscape(): Promise<void> {
  try {
    await (screen.orientation as LockableOrientation | undefined)?.lock?.('landscape');
  } catch {
    // Not a device that turns.
  }
}

async function toggleFullscreen(stage: HTMLElement, video: HTMLVideoElement): Promise<void> {
  if (leaveFullscreen()) return;
  // Before the event that tells of it: Back may be pressed in between.
  takeBack(true);
  try {
    if (stage.requestFullscreen !== undefined) {
      await stage.requestFullscreen({ navigationUI: 'hide' });
      await turnLandscape();
    } else if ((stage as WebkitElement).webkitRequestFullscreen !== undefined) {
      (stage as WebkitElement).webkitRequestFullscreen?.();
    } else {
      (video as WebkitVideo).webkitEnterFullscreen?.();
    }
  } catch {
    // The browser wants a gesture or forbids it in this frame: the picture stays as it is.
    takeBack(false);
  }
}
