/**
 * Sets the chosen theme on the document: `data-theme` is always `light` or `dark`; the style sheet uses no media query.
 */
import { effect } from '@preact/signals';
import { theme } from './preferences.ts';
import { shownTheme } from './theme-choice.ts';

const CHROME_COLOURS = { light: '#fbf6ef', dark: '#14131a' } as const;

export function applyTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const shown = shownTheme(theme.value, system.matches);
    document.documentElement.dataset.theme = shown;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', CHROME_COLOURS[shown]);
  };
  system.addEventListener('change', apply);
  effect(apply);
}
