/** The picture that a player shows: its element, a screenshot of it, and a small window with it. */
import { showToast } from '../ui/toast.tsx';
import { lengthClock } from '../words/recording.ts';
import { TEXTS } from './texts.ts';

export const RAW_PICTURE = 'raw-picture';

interface ShownPicture {
  readonly element: HTMLVideoElement | HTMLCanvasElement;
  /** Width of the picture; 0: there is none. */
  readonly width: number;
  readonly height: number;
}

/** On the raw path the picture is an element beside the one that plays the sound. */
export function pictureOf(video: HTMLVideoElement): ShownPicture {
  const beside = video.nextElementSibling;
  const element = beside?.classList.contains(RAW_PICTURE) === true ? beside : video;
  if (element instanceof HTMLCanvasElement) {
    return { element, width: element.width, height: element.height };
  }
  const shown = element instanceof HTMLVideoElement ? element : video;
  return { element: shown, width: shown.videoWidth, height: shown.videoHeight };
}

// Saves the current picture, with its caption, as a file.

/** Characters that some system forbids in file names. */
const UNSAFE = /[\\/:*?"<>|\p{Cc}]/gu;
const MOST_LETTERS = 80;

/** `灯台守の娘 0-12-34.png` */
export function screenshotName(title: string, seconds: number): string {
  const name = title.replace(UNSAFE, ' ').replace(/\s+/gu, ' ').trim().slice(0, MOST_LETTERS).trim();
  return `${name === '' ? TEXTS.picture : name} ${lengthClock(seconds * 1000).replaceAll(':', '-')}.png`;
}

/** Undefined: there is no picture. @param captions canvas drawn over the picture, with its aspect ratio */
export async function takeScreenshot(
  video: HTMLVideoElement,
  captions: HTMLCanvasElement | undefined,
): Promise<Blob | undefined> {
  const { element, width, height } = pictureOf(video);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (width === 0 || height === 0 || context === null) return undefined;
  canvas.width = width;
  canvas.height = height;
  context.drawImage(element, 0, 0, width, height);
  if (captions !== undefined && captions.width > 0) context.drawImage(captions, 0, 0, width, height);
  return await new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png');
  });
}

/** The browser may still be reading it when the call returns. */
const READ_MS = 60_000;

export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}

/** The picture in a small window over other applications. */
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
