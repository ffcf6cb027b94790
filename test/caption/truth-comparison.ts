/** Compares decoded caption pages with the list of the broadcaster (its truth). */
import { expect } from 'bun:test';
import type { CaptionPage } from '../../lib/arib/caption/page.ts';
import { type Pts90k, pts90k } from '../../lib/arib/time.ts';
import type { TruthPage } from '../synth/caption-peer.ts';
import { addTruth, pageCells } from './page-cells.ts';

const LONGEST = 3_600 * 90_000;

interface ShownPage {
  readonly at: Pts90k;
  readonly page: CaptionPage;
}

/** The previous page had no text, or the truth erases it at the time that it specified itself. */
function expectEnded(shown: ShownPage, page: TruthPage, pages: readonly TruthPage[]): void {
  const { duration, runs } = shown.page;
  if (duration === null) {
    expect(runs).toEqual([]);
    return;
  }
  const end = pts90k(shown.at + duration * 90);
  expect(pts90k(page.pts - end)).toBeLessThan(LONGEST);
  expect(pages.some(({ pts, clears }) => clears && pts === end)).toBe(true);
}

/**
 * Every page of the truth is shown at its time with its cells; a page ends when it specifies. Returns the number of
 * pages compared. @param tolerance of the times, 90 kHz
 */
export function comparePages(
  pages: readonly TruthPage[],
  events: readonly ShownPage[],
  tolerance: number,
): number {
  const screen = new Map<string, string>();
  let compared = 0;
  let shown: ShownPage | undefined;
  for (const page of pages) {
    addTruth(screen, page);
    const event = events.find(({ at }) => Math.abs(at - page.pts) <= tolerance);
    if (event === undefined) {
      // Already erased: the page had an end of its own, or nothing was shown.
      expect(screen.size).toBe(0);
      if (shown !== undefined) expectEnded(shown, page, pages);
      continue;
    }
    expect(pageCells(event.page)).toEqual([...screen.values()].sort());
    shown = event;
    compared++;
  }
  return compared;
}
