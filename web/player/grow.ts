/** From the card that was pressed to the player as one move: its picture grows to where the player's will be. */
import { takePicture } from '../ui/pressed-picture.ts';

const GROW_MS = 280;

/** The largest box of the picture's shape within the stage. */
function within(stage: DOMRect, shape: number): { left: number; top: number; width: number } {
  const width = Math.min(stage.width, stage.height * shape);
  return {
    left: stage.left + (stage.width - width) / 2,
    top: stage.top + (stage.height - width / shape) / 2,
    width,
  };
}

/** Nothing moves without a picture on the card, and for who wants less motion. */
export function growInto(stage: HTMLElement | null): void {
  const pressed = takePicture();
  if (stage === null || pressed === undefined) return;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const { src, box } = pressed;
  const { left, top, width } = within(stage.getBoundingClientRect(), box.width / box.height);
  const picture = new Image();
  picture.src = src;
  picture.alt = '';
  picture.className = 'growing';
  picture.style.width = `${box.width}px`;
  picture.style.height = `${box.height}px`;
  document.body.append(picture);
  const at = (x: number, y: number, scale: number): string => `translate(${x}px, ${y}px) scale(${scale})`;
  const there = at(left, top, width / box.width);
  const move = picture.animate(
    [
      { transform: at(box.left, box.top, 1), opacity: 1 },
      { transform: there, opacity: 1, offset: 0.7 },
      { transform: there, opacity: 0 },
    ],
    { duration: GROW_MS, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' },
  );
  move.finished.catch(() => undefined).finally(() => picture.remove());
}
