/** Full screen of an element, with what older Safari and iPhones offer instead. */
import { signal } from '@preact/signals';

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

function follow(): void {
  fullscreen.value = fullscreenElement() !== null;
}

document.addEventListener('fullscreenchange', follow);
document.addEventListener('webkitfullscreenchange', follow);

/** A phone held upright turns the picture; elsewhere the lock is refused, which is as well. */
async function turnLandscape(): Promise<void> {
  try {
    await (screen.orientation as LockableOrientation | undefined)?.lock?.('landscape');
  } catch {
    // Not a device that turns.
  }
}

export async function toggleFullscreen(stage: HTMLElement, video: HTMLVideoElement): Promise<void> {
  if (fullscreenElement() !== null) {
    if (document.exitFullscreen !== undefined) await document.exitFullscreen();
    else (document as WebkitDocument).webkitExitFullscreen?.();
    return;
  }
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
