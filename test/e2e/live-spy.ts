/**
 * Records what a live page shows, on either path: every picture with its position on the timeline, whether it
 * is a white flash, the text drawn over it, and messages. Reads pixels, canvas calls and texts, not the
 * player's own statistics.
 */
import type { Page } from 'playwright-core';

export interface ShownPicture {
  /** Epoch ms. */
  readonly wall: number;
  /** Media time, s. */
  readonly media: number;
  readonly isWhite: boolean;
  /** Mean difference of its sampled points from the previous picture, 0 to 255. */
  readonly change: number;
  /** Text over it, without spaces. */
  readonly text: string;
}

interface Log {
  pictures: ShownPicture[];
  messages: { wall: number; text: string }[];
}

type Spying = Window & { svcLog: Log };

/**
 * Installed before the page's own scripts. Must be self-contained, because it is sent to the page as text.
 */
export function liveSpy(): void {
  const MOST = 3_000;
  const log: Log = { pictures: [], messages: [] };
  (window as unknown as Spying).svcLog = log;
  let drawn = '';
  const overPicture = (context: CanvasRenderingContext2D): boolean =>
    context.canvas.parentElement?.className.includes('captions') === true;
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box): void {
    if (overPicture(this)) drawn = '';
    clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place): void {
    if (overPicture(this)) drawn += text;
    fillText.call(this, text, ...place);
  };
  const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 9 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  let shown: HTMLVideoElement | null = null;
  let before: Uint8ClampedArray | undefined;
  const follow = (video: HTMLVideoElement): void => {
    video.requestVideoFrameCallback((_now, { mediaTime }) => {
      if (video !== shown || context === null) return;
      context.drawImage(video, 0, 0, 16, 9);
      const { data } = context.getImageData(0, 0, 16, 9);
      const POINTS = 16 * 9 * 3;
      let differences = 0;
      for (let at = 0; at < data.length; at += 1) {
        if (at % 4 === 3) continue;
        differences += Math.abs((data[at] ?? 0) - (before?.[at] ?? 0));
      }
      before = data;
      const change = differences / POINTS;
      // The corner in which the broadcast flashes.
      const [w, h] = [video.videoWidth / 12, video.videoHeight / 12];
      context.drawImage(video, 11 * w, 11 * h, w, h, 0, 0, 1, 1);
      const corner = context.getImageData(0, 0, 1, 1).data;
      const isWhite = Math.min(corner[0] ?? 0, corner[1] ?? 0, corner[2] ?? 0) > 200;
      const picture = { wall: Date.now(), media: mediaTime, isWhite, change };
      // After the page has drawn this picture.
      requestAnimationFrame(() => {
        log.pictures.push({ ...picture, text: drawn.replaceAll(/\s/gu, '') });
        if (log.pictures.length > MOST) log.pictures.splice(0, MOST / 2);
      });
      follow(video);
    });
  };
  setInterval(() => {
    const now =
      document.querySelector<HTMLVideoElement>('video.raw-picture') ?? document.querySelector('video');
    if (now === shown) return;
    shown = now;
    if (now !== null) follow(now);
  }, 20);
  let last = '';
  setInterval(() => {
    const notes = [...document.querySelectorAll('[role=status],[role=alert],.toast')];
    const text = notes.map((one) => one.textContent?.trim() ?? '').join('\n');
    if (text !== last && text !== '') log.messages.push({ wall: Date.now(), text });
    last = text;
  }, 50);
}

/** Pictures shown since a given moment. */
export async function shownSince(page: Page, wall: number): Promise<ShownPicture[]> {
  const all = await page.evaluate(() => (window as unknown as Spying).svcLog.pictures);
  return all.filter((picture) => picture.wall >= wall);
}

/** Messages since a given moment, one per line. */
export async function messagesSince(page: Page, wall: number): Promise<string> {
  const all = await page.evaluate(() => (window as unknown as Spying).svcLog.messages);
  return all
    .filter((one) => one.wall >= wall)
    .map(({ text }) => text)
    .join('\n');
}

/** Media times at which flashes began. */
export function flashesOf(pictures: readonly ShownPicture[]): number[] {
  return pictures
    .filter(({ isWhite }, index) => isWhite && pictures[index - 1]?.isWhite === false)
    .map(({ media }) => media);
}

/** Longest time without a new picture that still counts as moving, s. */
const STILL_S = 0.6;
const MOVING_S = 1;
/** The same picture encoded again differs by less than this. */
const SAME = 0.2;

/** When the picture began to move for a full second, epoch ms; undefined: not yet. */
export function movingSince(all: readonly ShownPicture[]): number | undefined {
  const pictures = all.filter(({ change }) => change > SAME);
  let first = 0;
  for (let at = 1; at < pictures.length; at += 1) {
    const [before, here] = [pictures[at - 1], pictures[at]];
    if (before === undefined || here === undefined) continue;
    const isStill = here.wall - before.wall > STILL_S * 1_000;
    if (isStill) first = at;
    else if (here.wall - (pictures[first]?.wall ?? here.wall) >= MOVING_S * 1_000)
      return pictures[first]?.wall;
  }
  return undefined;
}
