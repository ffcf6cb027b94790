/** Texts of broadcasts, devices and other programs that contain markup: every screen shows them as text. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { faultsOf, hasChromium, webRig } from './rig.ts';
import { fillEverything, SCREENS, STATIONS, showScreen } from './screens.ts';

const MARKUP = `"><img class="injected" src=x onerror="hacked=1"><svg class="injected" onload="hacked=1">'\${hacked=1}`;
/** Fields with free text, in any answer. */
const TEXTS =
  /^(?:name|title|subtitle|description|extended|serviceName|message|reason|approver|agent|text|label|keyword|path)$/;

/** Appends the markup to every text of an answer, at any depth. */
function withMarkup(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withMarkup(one, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withMarkup(one, name)]));
  return typeof value === 'string' && value !== '' && TEXTS.test(key) ? value + MARKUP : value;
}

describe.skipIf(!hasChromium)('markup in texts', () => {
  const rig = webRig({ stations: STATIONS });
  beforeEach(() => {
    fillEverything(rig);
    rig.service.state.rewrite = withMarkup;
  });

  test('is shown as text on every screen', async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.goto(rig.service.url);
    const shown: string[] = [];
    const injected: string[] = [];
    for (const [path, ready] of SCREENS) {
      await showScreen(page, path, ready);
      const found = await page.evaluate(() => ({
        isShown: document.body.textContent.includes('<img class="injected"'),
        elements: document.querySelectorAll('.injected').length,
        hacked: 'hacked' in globalThis,
      }));
      if (found.isShown) shown.push(path);
      if (found.elements > 0 || found.hacked) injected.push(path);
    }
    expect(injected).toEqual([]);
    expect(faults).toEqual([]);
    // Else nothing was tested: only screens without such texts may be missing.
    expect(shown.length).toBeGreaterThan(SCREENS.length / 2);
  });
});
