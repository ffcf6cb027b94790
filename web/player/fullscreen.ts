/** Full screen of an element, with what older Safari and iPhones offer instead. */
import { signal } from '@preact/signals';
import { onEveryBack } from '../navigation/back.ts';

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

let forget = (): void => {};

function follow(): void {
  const isFull = fullscreenElement() !== null;
  if (isFull === fullscreen.value) return;
  fullscreen.value = isFull;
  forget();
  // Back leads out of full screen before it leaves the player.
  if (isFull) forget = onEveryBack(leaveFullscreen);
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

export async function toggleFullscreen(stage: HTMLElement, video: HTMLVideoElement): Promise<void> {
  if (leaveFullscreen()) return;
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
  }
}
