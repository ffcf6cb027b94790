/** Cookies of this service, read and written. RFC 6265bis. */

/** Number of cookies of one name (other paths, a sibling domain) that are tried. */
const MAX_COPIES = 4;

/** Values of the cookies of that name, in the order sent. */
export function cookieValues(header: string | null, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, MAX_COPIES);
}

interface NewCookie {
  name: string;
  /** base64url. */
  value: string;
  /** The site's address: https makes the cookie `Secure`, the path limits it. */
  url: string;
  /** 0 deletes it. */
  lifetimeMs: number;
}

/**
 * `Lax`: sent when a link of another site leads here, but not with requests that another site's page makes or posts.
 */
export function setCookie({ name, value, url, lifetimeMs }: NewCookie): string {
  const { protocol, pathname } = new URL(url);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const seconds = Math.floor(lifetimeMs / 1_000);
  return `${name}=${value}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
