/** The addresses of the UI's screens: all return the same document, which shows the screen of its address. */

/** `#` stands for a number. */
export const SCREENS: readonly string[] = [
  ...['/', '/guide', '/reservations', '/recordings', '/rules', '/search', '/tuners', '/settings', '/setup'],
  ...['/offline', '/device', '/multi', '/live/#', '/watch/#', '/chase/#'],
];

const PATTERN = new RegExp(`^(?:${SCREENS.join('|').replaceAll('#', '\\d{1,16}')})$`);

export function isScreen(path: string): boolean {
  return PATTERN.test(path);
}

/**
 * For `/guide/` and the like, which people type: the address without the slashes; undefined if it is not a screen.
 */
export function screenWithoutSlash(path: string): string | undefined {
  const bare = path.replace(/\/+$/, '');
  return bare !== path && bare !== '' && isScreen(bare) ? bare : undefined;
}
