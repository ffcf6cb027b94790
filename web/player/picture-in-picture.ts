/** The picture in a small window over other applications. */
import { showToast } from '../ui/toast.tsx';

export async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  try {
    if (document.pictureInPictureElement !== null) await document.exitPictureInPicture();
    else await video?.requestPictureInPicture();
  } catch {
    showToast('小窓では表示できませんでした。');
  }
}
