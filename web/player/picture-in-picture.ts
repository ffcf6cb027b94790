/** The picture in a small window over other applications. */
import { showToast } from '../ui/toast.tsx';
import { pictureOf } from './picture-of.ts';

export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  try {
    const element = video === null ? null : pictureOf(video).element;
    if (document.pictureInPictureElement !== null) await document.exitPictureInPicture();
    else if (element instanceof HTMLVideoElement) await element.requestPictureInPicture();
    else showToast('放送画質では、このブラウザーの小窓に対応していません。');
  } catch {
    showToast('小窓では表示できませんでした。');
  }
}
