/**
 * Protection from web pages of other sites, the same in both programs.
 *
 * DNS rebinding: a page whose own name is pointed at this machine reads and writes as if it were ours, and only the
 * Host header shows it. So a request is answered only under an IP literal, `localhost`, a name of this machine or a
 * configured one. An Origin, which browsers send with writes and cross-origin reads, has to be that same host.
 * Cross-site loads: `<img>`, `<video>` and `<script>` send neither, but Fetch Metadata tells them.
 * Programs that are no browsers send no Origin and no `Sec-Fetch-Site`, and pass.
 */
import { parseAddress } from './networks.ts';

/** One label, or several; `_` occurs in names of containers. RFC 1123, 2.1. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Domains that no public name server can give to anyone: mDNS, and what home routers use. RFC 6762, RFC 8375. */
const HOME_DOMAINS = ['local', 'lan', 'home.arpa', 'internal'] as const;

/** A host as compared: lower case, without port, brackets and the final dot. */
function bareHost(host: string): string {
  const trimmed = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(trimmed);
  if (bracketed !== null) return bracketed[1] ?? '';
  return trimmed.replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Names under which the machine is reached at home. @param hostname as the system tells it */
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
   * @param text names by comma; `.example.net` stands for the domain and everything below it
   * @param hostname the machine's
   * @throws Error naming the entry that is no name
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
    if (parseAddress(bare) !== undefined) return true;
    return this.names.has(bare) || this.domains.some((domain) => bare.endsWith(domain));
  }
}

export interface HostHeaders {
  host: string | null;
  origin: string | null;
  /** `X-Forwarded-Host` of a trusted proxy: which names lead here is that proxy's decision. null from anyone else. */
  forwardedHost: string | null;
}

type HostVerdict = 'ok' | 'foreign_host' | 'foreign_origin';

/** A request without Host comes from no browser. */
export function checkHost({ host, origin, forwardedHost }: HostHeaders, allowed: AllowedHosts): HostVerdict {
  const forwarded = forwardedHost?.split(',')[0]?.trim();
  const isForwarded = forwarded !== undefined && forwarded !== '';
  const own = isForwarded ? forwarded : (host?.trim() ?? '');
  if (!isForwarded && own !== '' && !allowed.allows(own)) return 'foreign_host';
  if (origin === null) return 'ok';
  // A proxy tells the port of its address or leaves it out; without one only the name can be compared.
  return isSameHost(origin, own, isForwarded) ? 'ok' : 'foreign_origin';
}

function isSameHost(origin: string, host: string, isPortOptional: boolean): boolean {
  const from = URL.parse(origin);
  if (from === null || (from.protocol !== 'http:' && from.protocol !== 'https:')) return false;
  const own = URL.parse(`${from.protocol}//${host}`);
  if (own === null) return false;
  if (own.host === from.host) return true;
  return isPortOptional && own.port === '' && own.hostname === from.hostname;
}

/** A person follows a link or types an address; not a frame, not a script, not a form that writes. */
function isNavigation(method: string, headers: Headers): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  return (
    isReading && headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  );
}

/**
 * Whether a page of another site loads something. Browsers omit the header where the address is plain http and not
 * `localhost`; there `CORP_HEADER` keeps such a page from reading what it loads.
 * @param isPage a screen, or a page of the login: links of other sites may lead there
 */
export function isCrossSiteLoad(method: string, headers: Headers, isPage: boolean): boolean {
  if (headers.get('sec-fetch-site') !== 'cross-site') return false;
  return !(isPage && isNavigation(method, headers));
}

/** Sent with every answer: no page of another origin gets it as image, sound, script or frame. Fetch, 3.7. */
export const CORP_HEADER = { name: 'cross-origin-resource-policy', value: 'same-origin' } as const;
