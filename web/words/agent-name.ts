/** A readable name for a browser's `User-Agent`. */
import { TEXTS } from './texts.ts';

/** The first match counts: many browsers include the names of others for compatibility. */
const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\/|\bOpera/, 'Opera'],
  [/\bSilk\//, 'Silk'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/\bWeb0S\b|\bwebOS\b/i, 'webOS'],
  [/\bTizen\b/, 'Tizen'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function first(rows: typeof BROWSERS, agent: string): string[] {
  const row = rows.find(([pattern]) => pattern.test(agent));
  return row === undefined ? [] : [row[1]];
}

/** `Chrome・Windows`. */
export function agentName(agent: string): string {
  const names = [...first(BROWSERS, agent), ...first(SYSTEMS, agent)];
  return names.length === 0 ? TEXTS.browser : names.join('・');
}
