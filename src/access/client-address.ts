/**
 * Who is asking: the client's address behind trusted proxies, like a real-IP module with recursive lookup. Only
 * addresses count; nothing that a client can write is believed before a trusted proxy is seen.
 */
import { canonicalAddress, type Networks } from '../../host/networks.ts';

/** `192.0.2.1:5678` and `[2001:db8::1]:443`: some proxies add the port. */
function withoutPort(entry: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry);
  if (bracketed !== null) return bracketed[1] ?? '';
  return entry.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/**
 * Walks `X-Forwarded-For` from the right, skipping trusted proxies: the first other address is the client, the
 * leftmost when all are proxies. An unreadable entry stops the walk at the address before it.
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
  for (const entry of forwardedFor.split(',').reverse()) {
    if (!proxies.contains(client)) break;
    const address = canonicalAddress(withoutPort(entry.trim()));
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** `X-Forwarded-Host` as far as it is believable: from a trusted proxy. */
export function forwardedHost(
  peer: string | undefined,
  header: string | null,
  proxies: Networks,
): string | null {
  return peer !== undefined && proxies.contains(peer) ? header : null;
}

/** One or more path segments of characters that need no escaping anywhere. */
const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+$/;

/** The path prefix that a front proxy removed, without a trailing slash; '' when none, or not believable. */
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
