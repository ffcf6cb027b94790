/** Puts the chosen theme on the document: `data-theme` is always `light` or `dark`, the style sheet asks no media. */
import { effect } from '@preact/signals';
import { theme } from './preferences.ts';

const CHROME_COLOURS = { light: '#fbf6ef', dark: '#14131a' } as const;

export function applyTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const chosen = theme.value === 'auto' ? (system.matches ? 'dark' : 'light') : theme.value;
    document.documentElement.dataset.theme = chosen;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', CHROME_COLOURS[chosen]);
  };
  system.addEventListener('change', apply);
  effect(apply);
}
