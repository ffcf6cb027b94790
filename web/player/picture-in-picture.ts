/** The picture in a small window over other applications. */
import { showToast } from '../ui/toast.tsx';
import { pictureOf } from './picture-of.ts';
import { TEXTS } from './texts.ts';

export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  try {
    const element = video === null ? null : pictureOf(video).element;
    if (document.pictureInPictureElement !== null) await document.exitPictureInPicture();
    else if (element instanceof HTMLVideoElement) await element.requestPictureInPicture();
    else showToast(TEXTS.noSmallWindow);
  } catch {
    showToast(TEXTS.smallWindowFailed);
  }
}
