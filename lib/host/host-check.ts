/**
 * Protection from web pages of other sites, the same in both programs.
 *
 * DNS rebinding: a page whose own host name is pointed at this machine can read and write as if it were ours, and
 * only the Host header shows it. So requests are only accepted for an IP literal, `localhost`, a name of this machine
 * or a configured one. An Origin, which browsers send with writes and cross-origin reads, must be the same host.
 * Cross-site loads: `<img>`, `<video>` and `<script>` send neither, but Fetch Metadata identifies them. Programs
 * other than browsers send no Origin and no `Sec-Fetch-Site`, and are accepted.
 */
import { parseAddress } from './networks.ts';

/** One or more labels; `_` occurs in names of containers. RFC 1123, 2.1. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Domains that public name servers cannot delegate: mDNS, and what home routers use. RFC 6762, RFC 8375. */
const HOME_DOMAINS = ['local', 'lan', 'home.arpa', 'internal'] as const;

/** A host for comparison: lower case, without port, brackets and the final dot. */
function bareHost(host: string): string {
  const trimmed = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(trimmed);
  if (bracketed !== null) return bracketed[1] ?? '';
  return trimmed.replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Names of the machine in the home network. @param hostname from the system */
function machineNames(hostname: string): string[] {
  const full = bareHost(hostname);
  const [short = ''] = full.split('.');
  if (short === '') return [];
  return [full, short, ...HOME_DOMAINS.map((domain) => `${short}.${domain}`)];
}

export class AllowedHosts {
  private constructor(
    readonly names: ReadonlySet<string>,
    /** With their leading dot. */
    readonly domains: readonly string[],
  ) {}

  /** IP literals and `localhost`. */
  static readonly literals = new AllowedHosts(new Set(['localhost']), []);

  /**
   * @param text comma-separated names; `.example.net` means the domain and everything below it
   * @param hostname the machine's
   * @throws Error naming the invalid entry
   */
  static parse(text: string, hostname: string): AllowedHosts {
    const names = new Set(['localhost', ...machineNames(hostname)]);
    const domains: string[] = [];
    for (const entry of text.split(',').map((one) => one.trim().toLowerCase())) {
      if (entry === '') continue;
      const name = entry.replace(/^\./, '');
      if (!NAME.test(name)) throw new Error(`"${entry}" is not a host name or .domain (without port)`);
      if (entry.startsWith('.')) domains.push(entry);
      names.add(name);
    }
    return new AllowedHosts(names, domains);
  }

  /** @param host as in the Host header, with or without a port */
  allows(host: string): boolean {
    const bare = bareHost(host);
    return parseAddress(bare) !== undefined || this.hasName(bare);
  }

  /** Whether a host is one of the names, which IP literals are not. */
  hasName(host: string): boolean {
    const bare = bareHost(host);
    return this.names.has(bare) || this.domains.some((domain) => bare.endsWith(domain));
  }
}

/** Whether a name exists in homes only: one label, or in a domain without public name servers. RFC 6761, 6.3. */
export function isHomeName(host: string): boolean {
  const bare = bareHost(host);
  return !bare.includes('.') || ['localhost', ...HOME_DOMAINS].some((domain) => bare.endsWith(`.${domain}`));
}

export interface HostHeaders {
  host: string | null;
  origin: string | null;
  /** `X-Forwarded-Host` of a trusted proxy, which may add its entry to a list. null from any other client. */
  forwardedHost: string | null;
}

/** The name under which the client opened the service: the first forwarded one, else Host. */
export function openedHost({ host, forwardedHost }: Omit<HostHeaders, 'origin'>): string {
  const forwarded = forwardedHost?.split(',')[0]?.trim() ?? '';
  return forwarded === '' ? (host?.trim() ?? '') : forwarded;
}

/**
 * Every name that a request carries must be one of ours. A proxy that answers to any name forwards the name of a
 * rebinding page, and one that sets no `X-Forwarded-Host` forwards what the page's script wrote there.
 */
function areOwnNames({ host, forwardedHost }: HostHeaders, allowed: AllowedHosts): boolean {
  const forwarded = (forwardedHost ?? '').split(',').filter((name) => name.trim() !== '');
  if (!forwarded.every((name) => allowed.allows(name))) return false;
  const own = host?.trim() ?? '';
  // Behind a proxy Host may be its name for this machine (`proxy_pass http://svc`). No website has a name without dot.
  const isUpstreamName = forwarded.length > 0 && /^[a-z0-9_-]+(?::\d+)?$/i.test(own);
  return own === '' || isUpstreamName || allowed.allows(own);
}

type HostVerdict = 'ok' | 'foreign_host' | 'foreign_origin';

/** A request without Host does not come from a browser. */
export function checkHost(headers: HostHeaders, allowed: AllowedHosts): HostVerdict {
  if (!areOwnNames(headers, allowed)) return 'foreign_host';
  return headers.origin === null || isOwnOrigin(headers.origin, headers) ? 'ok' : 'foreign_origin';
}

/** @param url an Origin or a Referer */
function isOwnOrigin(url: string, names: HostHeaders): boolean {
  // A proxy may send its port or not; without one only the name can be compared.
  return isSameHost(url, openedHost(names), (names.forwardedHost ?? '').trim() !== '');
}

function isSameHost(origin: string, host: string, isPortOptional: boolean): boolean {
  const from = URL.parse(origin);
  if (from === null || (from.protocol !== 'http:' && from.protocol !== 'https:')) return false;
  const own = URL.parse(`${from.protocol}//${host}`);
  if (own === null) return false;
  if (own.host === from.host) return true;
  return isPortOptional && own.port === '' && own.hostname === from.hostname;
}

/** A user follows a link or types an address; not a frame, a script, or a form that writes. */
function isNavigation(method: string, headers: Headers): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  return (
    isReading && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  );
}

/**
 * Whether a page of another site loads something. Browsers omit the header if the address is plain http and not
 * `localhost`; then `CORP_HEADER` prevents such a page from reading the response.
 * @param isPage a screen, or a page of the login: links of other sites may lead there
 */
export function isCrossSiteLoad(method: string, headers: Headers, isPage: boolean): boolean {
  if (headers.get('sec-fetch-site') !== 'cross-site') return false;
  return !(isPage && isNavigation(method, headers));
}

/** How every browser begins its User-Agent; players (VLC, mpv, ffmpeg, those of apps) do not. RFC 9110, 10.1.5. */
const BROWSER = /^Mozilla\//;

/**
 * For requests that cost something, as those for media do: whether a page of another site may have caused it, by
 * `<video src>` for example. Over plain http browsers send no `Sec-Fetch-Site`, and such a page can suppress its
 * Referer: so a browser has to send an own Origin, which `checkHost` compares, or an own Referer, as it does for our
 * pages. An access token proves as much: pages of other sites cannot send one.
 */
export function mayBeForeignLoad(names: HostHeaders, headers: Headers): boolean {
  if (names.origin !== null) return false;
  if (/^Bearer /i.test(headers.get('authorization') ?? '')) return false;
  const site = headers.get('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return false;
  const referer = headers.get('referer');
  if (referer !== null) return !isOwnOrigin(referer, names);
  return site !== null || BROWSER.test(headers.get('user-agent') ?? '');
}

/**
 * Whether a page of ours certainly caused the request, for those that are sent on to servers outside: every browser sends
 * an Origin with a POST; with a GET at least the Referer, as our pages ask for (`referrer-policy`).
 */
export function isFromOwnPage(method: string, names: HostHeaders, headers: Headers): boolean {
  if (names.origin !== null) return isOwnOrigin(names.origin, names);
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (headers.get('sec-fetch-site') === 'same-origin') return true;
  const referer = headers.get('referer');
  return referer !== null && isOwnOrigin(referer, names);
}

/** Sent with every response: no page of another origin can use it as image, audio, script or frame. Fetch, 3.7. */
export const CORP_HEADER = { name: 'cross-origin-resource-policy', value: 'same-origin' } as const;
