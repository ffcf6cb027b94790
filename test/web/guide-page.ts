/** State of the guide in a page: its scroll position, and whether elements overlap. */
import type { Page } from 'playwright-core';

/** Epoch ms at the top edge of the visible part, read from the hours drawn at the side. */
export async function hourAtTop(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const scroller = document.querySelector('.guide-scroll');
    const space = document.querySelector('.guide-cells');
    if (scroller === null || space === null) return -1;
    const hour = Number.parseFloat(getComputedStyle(space).getPropertyValue('--guide-hour'));
    return scroller.scrollTop / hour;
  });
}

/** Index of the marked day of nine; yesterday is 0. */
export const dayMarked = (page: Page): Promise<number> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.guide-day')].findIndex((day) => day.ariaSelected === 'true'),
  );

/** Pairs of drawn programmes that overlap by more than a pixel, two frames later. */
export async function overlaps(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const cells = [...document.querySelectorAll<HTMLElement>('.prog')].map((cell) => ({
      box: cell.getBoundingClientRect(),
      name: cell.firstElementChild?.textContent ?? '',
    }));
    if (cells.length === 0) return ['nothing is drawn'];
    const found: string[] = [];
    for (const [index, a] of cells.entries()) {
      for (const b of cells.slice(index + 1)) {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const along = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (across > 1 && along > 1) found.push(`${a.name} / ${b.name}`);
      }
    }
    return found;
  });
}
