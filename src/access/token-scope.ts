/**
 * What an access token may not do although the screens may: manage the access of others. A stolen token must not end
 * sessions, or remove and watch other devices. Approval of a pairing is refused by its page, settings of folders by
 * the settings' route.
 */

/** Paths, and all below them. */
const BEYOND_TOKENS = ['/api/device/tokens', '/api/sessions'] as const;

export function isBeyondTokens(path: string): boolean {
  return BEYOND_TOKENS.some((one) => path === one || path.startsWith(`${one}/`));
}
