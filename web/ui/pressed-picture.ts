/** The picture of the card that was pressed: the screen that the press opens may begin with it. */

interface PressedPicture {
  readonly src: string;
  readonly box: DOMRect;
}

let pressed: (PressedPicture & { readonly at: number }) | undefined;
/** What moves from there begins at once. */
const RECENT_MS = 1_000;

/** Of a card without a picture it forgets the one before. */
export function notePicture(card: Element | null, { timeStamp }: Event): void {
  const image = card?.querySelector<HTMLImageElement>('.card-still > img, .poster-picture');
  pressed =
    image == null ? undefined : { src: image.currentSrc, box: image.getBoundingClientRect(), at: timeStamp };
}

/** Once; undefined: the screen was opened otherwise, later, or from a card without a picture. */
export function takePicture(): PressedPicture | undefined {
  const picture = pressed;
  pressed = undefined;
  return picture !== undefined && performance.now() - picture.at < RECENT_MS ? picture : undefined;
}
