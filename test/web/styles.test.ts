/** Every screen looks the same with its own style sheets as with all of them: none is missing at its first paint. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { SCREEN_STYLES } from '../../web/screen-styles.ts';
import { guideWindow } from './fake-guide.ts';
import { fillService, hasChromium, PHONE, type WebRig, webRig } from './rig.ts';
import { fillEverything, SCREENS, STATIONS, showScreen } from './screens.ts';

const HOUR_MS = 3_600_000;
const OTHERS = [
  ['?program=', '.program-title'],
  ['?reservation=3', '.program-title'],
  [`live/${STATIONS[0]?.id}`, '.stage'],
  ['multi', '.stage, .panel, .multi'],
] as const;

function groupsOf(path: string): string[] {
  const [name = ''] = path.split(/[/?]/u);
  const own = SCREEN_STYLES[(name === '' ? 'home' : name) as keyof typeof SCREEN_STYLES];
  return [...own, ...(path.includes('reservation=') ? ['bookings'] : [])];
}

/** Those that a rule of a missing style sheet changes: of all properties, the browser takes minutes. */
const PROPERTIES = [
  ...['display', 'position', 'visibility', 'opacity', 'transform', 'overflow', 'z-index', 'content'],
  ...['width', 'height', 'top', 'left', 'margin', 'padding', 'gap', 'align-items', 'justify-content'],
  ...['color', 'background-color', 'background-image', 'border', 'border-radius', 'box-shadow', 'outline'],
  ...['font-size', 'font-weight', 'line-height', 'text-align', 'text-decoration', 'white-space'],
];

/** Elements that look different once the style sheets of the other groups apply as well: `class: property`. */
function lacking(page: Page, own: string[]): Promise<string[]> {
  return page.evaluate(
    ({ groups, properties }) => {
      const links = [...document.querySelectorAll<HTMLLinkElement>('link[data-group]')].filter(
        ({ dataset }) => dataset.group !== 'fonts' && !groups.includes(dataset.group ?? ''),
      );
      const elements = [...document.querySelectorAll('#app, #app *')].slice(0, 800);
      const look = (): Map<string, string>[] =>
        elements.map((element) => {
          const found = new Map<string, string>();
          for (const part of ['', '::before', '::after']) {
            const style = getComputedStyle(element, part);
            if (part !== '' && style.content === 'none') continue;
            for (const property of properties) found.set(part + property, style.getPropertyValue(property));
          }
          return found;
        });
      const still = new CSSStyleSheet();
      still.replaceSync(
        '*, *::before, *::after { transition: none !important; animation: none !important; }',
      );
      document.adoptedStyleSheets = [still];
      for (const link of links) link.disabled = true;
      const before = look();
      for (const link of links) link.disabled = false;
      const after = look();
      document.adoptedStyleSheets = [];
      const names = new Set<string>();
      for (const [index, element] of elements.entries()) {
        const changed = [...(after[index] ?? [])].filter(
          ([property, value]) => before[index]?.get(property) !== value,
        );
        if (changed.length === 0 || names.size > 20) continue;
        const [[property, value] = ['', '']] = changed;
        const earlier = before[index]?.get(property);
        names.add(`${element.tagName}.${element.getAttribute('class')}: ${property} ${earlier} → ${value}`);
      }
      return [...names];
    },
    { groups: own, properties: PROPERTIES },
  );
}

async function eachScreen(rig: WebRig, options: BrowserContextOptions): Promise<void> {
  const page = await rig.open('nowhere', options);
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLLinkElement>('link[data-group]')].every(({ sheet }) => sheet !== null),
  );
  const now = Date.now();
  const wish = { from: now, to: now + HOUR_MS, type: 'GR' } as const;
  const [station] = guideWindow(rig.service.household.guide, wish, now);
  const program = station?.programs[0]?.id;
  const found: string[] = [];
  for (const [path, ready] of [...SCREENS, ...OTHERS]) {
    await showScreen(page, path === '?program=' ? path + program : path, ready);
    for (const line of await lacking(page, groupsOf(path))) found.push(`${path}: ${line}`);
  }
  expect(found).toEqual([]);
}

describe.skipIf(!hasChromium)('style sheets', () => {
  const rig = webRig({ stations: STATIONS });
  beforeEach(() => {
    fillService(rig, STATIONS);
    fillEverything(rig);
  });

  test('of a screen are complete on a wide screen', () => eachScreen(rig, {}));
  test('of a screen are complete on a phone', () => eachScreen(rig, PHONE));
});
