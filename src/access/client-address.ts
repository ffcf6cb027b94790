/**
 * The client's address behind trusted proxies, like a real-IP module with recursive lookup. Only addresses count;
 * data that a client can set is used only if a trusted proxy sent it.
 */
import { canonicalAddress, type Networks } from '../../lib/host/networks.ts';

const IN_BRACKETS = /^\[([^\]]*:[^\]]*)\](?::(\d{1,5}))?$/;
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/**
 * The address of an entry, which may have the port that some proxies add: `192.0.2.1:5678`, `[2001:db8::1]:443`.
 * Undefined for anything else; a zone (`fe80::1%eth0`) refers to an interface of another machine.
 */
function readEntry(entry: string): string | undefined {
  const [, address = entry, port = '1'] = IN_BRACKETS.exec(entry) ?? WITH_PORT.exec(entry) ?? [];
  if (/[%[\]]/.test(address) || Number(port) < 1 || Number(port) > MAX_PORT) return undefined;
  return canonicalAddress(address);
}

/**
 * Walks `X-Forwarded-For` from the right, skipping trusted proxies: the first other address is the client, the
 * leftmost when all are proxies. An unreadable entry stops the walk at the address before it. Entries are separated
 * by one or more blanks and commas, as in nginx.
 * @param peer the socket's address
 * @returns the canonical address; undefined when even the peer's cannot be read
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | null,
  proxies: Networks,
): string | undefined {
  let client = peer === undefined ? undefined : canonicalAddress(peer);
  if (client === undefined || forwardedFor === null) return client;
  const entries = forwardedFor.split(/[ \t,]+/).filter((entry) => entry !== '');
  for (const entry of entries.reverse()) {
    if (!proxies.contains(client)) break;
    const address = readEntry(entry);
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** `X-Forwarded-Host`, if a trusted proxy sent it. */
export function forwardedHost(
  peer: string | undefined,
  header: string | null,
  proxies: Networks,
): string | null {
  return peer !== undefined && proxies.contains(peer) ? header : null;
}

/** One or more path segments of characters that need no escaping anywhere. */
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/**
 * The path prefix that a front proxy removed, without a trailing slash; '' if there is none, or if the header is not
 * trusted.
 */
export function pathPrefix(
  peer: string | undefined,
  forwardedPrefix: string | null,
  proxies: Networks,
): string {
  if (peer === undefined || forwardedPrefix === null || !proxies.contains(peer)) return '';
  const prefix = forwardedPrefix.trim().replace(/\/+$/, '');
  const dots = prefix.split('/').some((segment) => segment === '.' || segment === '..');
  return PREFIX.test(prefix) && !dots ? prefix : '';
}
