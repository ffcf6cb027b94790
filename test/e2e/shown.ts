/** Compares what a page shows of a recording with what the broadcaster sent. */
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Presented, presented } from './presented.ts';
import { type AirLine, letters } from './recorded-air.ts';

export const FRAME_S = 1001 / 30_000;
/** A caption is drawn with its picture, or the next one. */
const CAPTION_SLACK_S = 0.15;

export const plays = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const video = document.querySelector('video');
    return (
      video !== null && !video.paused && !video.seeking && video.readyState >= 3 && video.currentTime > 0
    );
  });

/** Clicks the bar, and waits until the picture of that time is shown. */
export async function seekTo(page: Page, part: number, length: number): Promise<void> {
  await page.locator('.stage').hover();
  const bar = await page.locator('.seek').boundingBox();
  if (bar === null) throw new Error('no bar');
  await page.mouse.click(bar.x + bar.width * part, bar.y + bar.height / 2);
  const target = part * length;
  await page.waitForFunction((at) => {
    const video = document.querySelector('video');
    return video !== null && !video.seeking && video.readyState >= 3 && Math.abs(video.currentTime - at) < 2;
  }, target);
}

const nearest = (all: readonly number[], to: number): number =>
  Math.min(...all.map((one) => Math.abs(one - to)));

interface Errors {
  pictures: number[];
  sounds: number[];
  captions: number;
}

export const noErrors = (): Errors => ({ pictures: [], sounds: [], captions: 0 });

/** Compares what was presented with the broadcast; collects the errors. */
export function compare(line: AirLine, { flashes, beeps, captions }: Presented, errors: Errors): void {
  for (const flash of flashes) {
    errors.pictures.push(nearest(line.marks, flash));
    errors.sounds.push(nearest(beeps, flash));
  }
  for (const { at, text: drawn } of captions) {
    const text = letters(drawn);
    const wanted = line.textsAt(at, CAPTION_SLACK_S);
    if (wanted === undefined) continue;
    // Matched texts are removed; the rest was drawn but not sent.
    let rest = text;
    const missing: string[] = [];
    for (const one of [...wanted].sort((a, b) => b.text.length - a.text.length)) {
      if (rest.includes(one.text)) rest = rest.replace(one.text, '');
      else if (!one.flashes) missing.push(one.text);
    }
    expect({ at, text, missing, rest }).toEqual({ at, text, missing: [], rest: '' });
    if (wanted.length > 0) errors.captions += 1;
  }
}

/** Number of observations: a busy machine may drop the pictures of a flash. */
const LOOKS = 6;

/** Seeks there and watches until enough was seen, again if a busy machine dropped too much. */
async function lookAt(
  page: Page,
  seconds: number,
  length: number,
  { flashes, isEnough }: { flashes: number; isEnough: (seen: Presented) => boolean },
): Promise<Presented> {
  for (let looks = 1; ; looks += 1) {
    await seekTo(page, seconds / length, length);
    const seen = await presented(page, flashes);
    if (isEnough(seen) || looks === LOOKS) {
      expect(isEnough(seen)).toBe(true);
      return seen;
    }
  }
}

/** The next flash after a position. */
export const flashAt = (page: Page, seconds: number, length: number): Promise<Presented> =>
  lookAt(page, seconds, length, { flashes: 1, isEnough: (seen) => seen.flashes.length === 1 });

/** The pictures on both sides of a position at which a section follows another. */
export const joinAt = (page: Page, join: number, length: number): Promise<Presented> =>
  lookAt(page, join - 2.4, length, {
    flashes: 4,
    isEnough: ({ flashes, widest }) =>
      flashes.some((at) => at < join) && flashes.some((at) => at > join) && widest < 1,
  });

export const worst = (list: readonly number[]): number => Math.round(Math.max(...list) * 1000);
