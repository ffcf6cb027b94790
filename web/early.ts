/**
 * Runs before the first paint, as a classic script in the head. Fetches what the page's first screen needs while the first
 * script is still on its way: the screen's scripts and style sheets, and the answers that every screen reads.
 */
import './theme-early.ts';
import { askFirst } from './device/first-answers.ts';
import { SCREEN_STYLES } from './screen-styles.ts';

/** Files of this build, put in by `tools/web.ts`. */
declare const SVC_FILES: {
  /** By screen, with the scripts that it imports. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** By group. */
  readonly styles: Readonly<Record<string, string>>;
};

function screenName(): string {
  const folder = new URL('./', document.baseURI).pathname;
  const [name = ''] = location.pathname.slice(folder.length).split('/');
  if (name === '' || name === 'index.html') return 'home';
  return name === 'chase' ? 'watch' : name;
}

function preload(href: string | undefined, kind: 'modulepreload' | 'style'): void {
  if (href === undefined) return;
  const link = document.createElement('link');
  link.rel = kind === 'style' ? 'preload' : kind;
  if (kind === 'style') link.as = kind;
  link.href = href;
  document.head.append(link);
}

const name = screenName();
for (const script of SVC_FILES.scripts[name] ?? []) preload(script, 'modulepreload');
if (name in SCREEN_STYLES) {
  for (const group of SCREEN_STYLES[name as keyof typeof SCREEN_STYLES])
    preload(SVC_FILES.styles[group], 'style');
}
preload(SVC_FILES.styles.fonts, 'style');
askFirst(['api/services', 'api/settings']);
