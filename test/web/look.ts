/**
 * What can be measured of how a page looks: that nothing is wider than the screen, that letters stand out from what is
 * under them (WCAG 2.1, 1.4.3), that fingers find what is to be pressed (2.5.5). Runs in the page.
 */
import type { Page } from 'playwright-core';

/** What makes the page wider than its window; empty: nothing. */
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

/** Texts in view, of the open sheet where there is one, that are too faint: `class: ratio`. */
export function tooFaint(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Colour = readonly [red: number, green: number, blue: number, opacity: number];
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('no canvas');
    const read = (text: string): Colour => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, opacity = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, opacity / 255];
    };
    const over = ([r, g, b, a]: Colour, below: Colour): Colour => {
      const mix = (top: number, under: number): number => top * a + under * (1 - a);
      return [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 1];
    };
    const light = ([r, g, b]: Colour): number => {
      const linear = (value: number): number =>
        value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
      return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    /** Undefined on pictures and gradients. */
    const under = (element: Element): Colour | undefined => {
      const layers: Colour[] = [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { backgroundColor, backgroundImage } = getComputedStyle(at);
        if (backgroundImage !== 'none') return undefined;
        const layer = read(backgroundColor);
        layers.unshift(layer);
        if (layer[3] > 0.99) break;
      }
      return layers.reduce((below, layer) => over(layer, below), [255, 255, 255, 1] as Colour);
    };
    const found = new Set<string>();
    const root = document.querySelector('dialog[open]') ?? document.body;
    for (const element of root.querySelectorAll('*')) {
      const own = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
      );
      const box = element.getBoundingClientRect();
      const { color, fontSize, fontWeight, visibility } = getComputedStyle(element);
      if (!own || box.width < 2 || box.bottom < 0 || box.top > innerHeight || visibility === 'hidden')
        continue;
      if (element.closest('.hidden-text, :disabled, [aria-disabled="true"], .prog-dim') !== null) continue;
      const ground = under(element);
      if (ground === undefined) continue;
      const [a, b] = [light(over(read(color), ground)), light(ground)];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const size = Number.parseFloat(fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5)) found.add(`${element.className}: ${ratio.toFixed(2)}`);
    }
    return [...found];
  });
}

/** What is to be pressed and smaller than 44 px, what belongs to it counted in: `class: width x height`. */
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
      // What is scrolled away, and what lies under something else, is not pressed here.
      if (box.width < 2 || !isMine(x, y) || element.closest(passed) !== null) continue;
      const isWide = box.width >= least || (isMine(x - 21, y) && isMine(x + 21, y));
      const isTall = box.height >= least || (isMine(x, y - 21) && isMine(x, y + 21));
      if (isWide && isTall) continue;
      found.add(`${element.className}: ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
    }
    return [...found];
  }, except);
}
