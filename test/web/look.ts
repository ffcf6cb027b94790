/**
 * Measures the layout of a page: nothing wider than the screen, no findings of axe-core, touch targets large
 * enough (WCAG 2.2, 2.5.5). Runs in the page.
 */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Elements that make the page wider than its window. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const isCut = (element: Element): boolean => {
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        const { overflowX, position } = getComputedStyle(at);
        if (at !== document.body && overflowX !== 'visible') return true;
        if (position === 'fixed') return false;
      }
      return false;
    };
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.right > width + 1 && !isCut(element);
    });
    return [`${document.documentElement.scrollWidth} px`, ...wide.map(({ className }) => String(className))];
  });
}

/**
 * Rules of axe-core that the page breaks, contrast (WCAG 2.2, 1.4.3) among them: `rule: element (why)`.
 *
 * @param only these rules; default: all
 */
export async function violations(page: Page, only?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // Finishes transitions: colours would be measured half-way.
  await page.evaluate(() => {
    const still = new CSSStyleSheet();
    still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important; }');
    document.adoptedStyleSheets = [still];
  });
  return await page.evaluate(async (rules) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') };
    const chosen = rules === undefined ? {} : { runOnly: [...rules] };
    const { violations: broken } = await checker.run(document, { resultTypes: ['violations'], ...chosen });
    return broken.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any, all, none }) => {
        const [why] = [...any, ...all, ...none];
        return `${id}: ${target.join(' ')} (${why?.message ?? ''})`;
      }),
    );
  }, only);
}

/** Controls smaller than 44 px, with what belongs to them included: `class: width x height`. */
export function tooSmall(page: Page, except: string): Promise<string[]> {
  return page.evaluate((passed) => {
    const least = 43.5;
    const found = new Set<string>();
    const root = document.querySelector('dialog[open]') ?? document.body;
    for (const element of root.querySelectorAll('a, button, input, select')) {
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const isMine = (left: number, top: number): boolean => {
        const hit = document.elementFromPoint(left, top);
        return hit !== null && (hit === element || element.contains(hit) || hit.contains(element));
      };
      // Skips what is scrolled out of view or covered by something else.
      if (box.width < 2 || !isMine(x, y) || element.closest(passed) !== null) continue;
      const isWide = box.width >= least || (isMine(x - 21, y) && isMine(x + 21, y));
      const isTall = box.height >= least || (isMine(x, y - 21) && isMine(x, y + 21));
      if (isWide && isTall) continue;
      found.add(`${element.className}: ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
    }
    return [...found];
  }, except);
}
