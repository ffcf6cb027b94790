/** The element that shows a player's picture: on the raw path it is separate from the one that plays the sound. */

export const RAW_PICTURE = 'raw-picture';

interface ShownPicture {
  readonly element: HTMLVideoElement | HTMLCanvasElement;
  /** Width of the picture; 0: there is none. */
  readonly width: number;
  readonly height: number;
}

export function pictureOf(video: HTMLVideoElement): ShownPicture {
  const beside = video.nextElementSibling;
  const element = beside?.classList.contains(RAW_PICTURE) === true ? beside : video;
  if (element instanceof HTMLCanvasElement) {
    return { element, width: element.width, height: element.height };
  }
  const shown = element instanceof HTMLVideoElement ? element : video;
  return { element: shown, width: shown.videoWidth, height: shown.videoHeight };
}
