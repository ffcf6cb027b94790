/** Actions on the picture of a station: captions on and off, and the screenshot. */
import type { Station } from '../../wire/api.ts';
import { captionSettings, changeCaptions } from '../caption/caption-choice.ts';
import type { CaptionLayer } from '../caption/caption-layer.ts';
import { currentMs } from '../device/clock.ts';
import { saveFile, screenshotName, takeScreenshot } from '../player/screenshot.ts';
import { showToast } from '../ui/toast.tsx';
import { narrow } from '../words/channel.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

export function toggleCaptions(): void {
  const visible = !captionSettings.peek().visible;
  changeCaptions({ visible });
  showToast(visible ? TEXTS.captionsOn : TEXTS.captionsOff);
}

export async function saveScreenshot(
  video: HTMLVideoElement | null,
  captions: CaptionLayer | undefined,
  station: Station | undefined,
): Promise<void> {
  const blob = video === null ? undefined : await takeScreenshot(video, captions?.canvas);
  if (blob === undefined) {
    showToast(TEXTS.noPicture);
    return;
  }
  const title = station?.now == null ? '' : splitTitle(station.now.name).title;
  const positionS = station?.now == null ? 0 : Math.max(0, (currentMs() - station.now.startAt) / 1000);
  saveFile(blob, screenshotName(`${narrow(station?.name ?? '')} ${title}`, positionS));
  showToast(TEXTS.pictureSaved);
}
