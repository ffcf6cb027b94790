/**
 * Schedules caption pages. Pages arrive ahead of their time and in order; one with an earlier time than others replaces
 * these: a statement with further pages was interrupted, or the stream was joined elsewhere. Times are milliseconds on
 * the scale of the picture.
 */
import type { CaptionPage } from '../../lib/wire/caption.ts';

export interface CaptionLanguageChoice {
  /** 1 to 8. */
  readonly index: number;
  readonly label: string;
}

export interface TimedPage {
  /** Position on the scale of the picture. */
  readonly atMs: number;
  readonly page: CaptionPage;
}

/** Pages waiting for their time: a minute of captions that change twice a second. */
const MAX_PAGES = 128;

export class CaptionTimeline {
  #pages: TimedPage[] = [];

  add(atMs: number, page: CaptionPage): void {
    const kept = this.#pages.filter((one) => one.atMs < atMs);
    kept.push({ atMs, page });
    this.#pages = kept.slice(-MAX_PAGES);
  }

  /** After a seek, or when another stream is shown. */
  clear(): void {
    this.#pages = [];
  }

  /** The page at a position of the picture; undefined: none is shown. */
  at(positionMs: number): CaptionPage | undefined {
    return pageAt(this.#pages, positionMs);
  }

  /** Drops pages that ended before a position: live pictures do not go back. */
  dropBefore(positionMs: number): void {
    const last = this.#pages.findLastIndex(({ atMs }) => atMs <= positionMs);
    if (last > 0) this.#pages = this.#pages.slice(last);
  }
}

/** The last page of a list in order of time that has begun and has not ended. */
export function pageAt(pages: readonly TimedPage[], positionMs: number): CaptionPage | undefined {
  let low = 0;
  let high = pages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pages[middle]?.atMs ?? 0) <= positionMs) low = middle + 1;
    else high = middle;
  }
  const found = pages[low - 1];
  if (found === undefined || found.page.runs.length === 0) return undefined;
  const { duration } = found.page;
  return duration !== null && positionMs >= found.atMs + duration ? undefined : found.page;
}
