/** Cookies of this service, read and written. RFC 6265bis. */

/** Number of cookies of one name (other paths, a sibling domain) that are tried. */
const MAX_COPIES = 4;

/**
 * The name of a cookie at an address. Over https it begins with a prefix, by which browsers guarantee that neither plain
 * http nor, where the path is the whole host, another host of the domain set it. RFC 6265bis, 4.1.3.
 * @param url of the service, or the path below it that the cookie is for
 */
function cookieName(name: string, url: string): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'https:') return name;
  return `${pathname === '/' ? '__Host-' : '__Secure-'}${name}`;
}

/** Values of the cookies of that name, in the order sent. @param url as of `cookieName` */
export function cookieValues(header: string | null, name: string, url: string): string[] {
  const begin = `${cookieName(name, url)}=`;
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .map((pair) => pair.slice(begin.length))
    .slice(0, MAX_COPIES);
}

interface NewCookie {
  /** Without the prefix of https. */
  name: string;
  /** base64url. */
  value: string;
  /** https makes the cookie `Secure`, the path limits it. */
  url: string;
  /** 0 deletes it. */
  lifetimeMs: number;
  /**
   * `Lax`: sent when a link of another site leads here, but not with requests that another site's page makes or posts.
   */
  sameSite?: 'Lax' | 'Strict';
}

export function setCookie({ name, value, url, lifetimeMs, sameSite = 'Lax' }: NewCookie): string {
  const { protocol, pathname } = new URL(url);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const seconds = Math.floor(lifetimeMs / 1_000);
  return `${cookieName(name, url)}=${value}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}
