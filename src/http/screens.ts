/** The addresses of the UI's screens: each is the same document, which then shows what its address says. */

/** `#` stands for a number. */
export const SCREENS: readonly string[] = [
  ...['/', '/guide', '/reservations', '/recordings', '/rules', '/search', '/tuners', '/settings', '/setup'],
  ...['/offline', '/device', '/multi', '/live/#', '/watch/#', '/chase/#'],
];

const PATTERN = new RegExp(`^(?:${SCREENS.join('|').replaceAll('#', '\\d{1,16}')})$`);

export function isScreen(path: string): boolean {
  return PATTERN.test(path);
}

/** `/guide/` and the like: people type them. The address without the slashes; undefined when it is no screen. */
export function screenWithoutSlash(path: string): string | undefined {
  const bare = path.replace(/\/+$/, '');
  return bare !== path && bare !== '' && isScreen(bare) ? bare : undefined;
}
