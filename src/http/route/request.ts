/** What routes read of a request besides its path: its requester, the address opened, conditions and encodings. */
import type { Requester } from '../../model/requester.ts';

/** Not a header, so that a client cannot forge it. */
const requesters = new WeakMap<Request, Requester>();

/** Called by the outer server with the request that it passes to the inner application. */
export function setRequester(request: Request, requester: Requester): void {
  requesters.set(request, requester);
}

/** @throws Error for a request that did not pass the access decision: a bug, which must not let anyone in */
export function requesterOf(request: Request): Requester {
  const requester = requesters.get(request);
  if (requester === undefined) throw new Error('the request did not pass the access decision');
  return requester;
}

/** The address at which a client opened the service. Set by the outer server; a copy sent by the client is overwritten. */
export const BASE_HEADER = 'x-svc-base';

/** Ends with a slash; relative addresses of the service resolve against it. */
export function publicBase(request: Request): string {
  return request.headers.get(BASE_HEADER) ?? new URL('/', request.url).href;
}

/** Encodings of bodies that a client accepts. */
const ACCEPTED = {
  br: /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
} as const;

/** RFC 9110, 12.5.3; `gzip;q=0` refuses it. */
export function accepts(request: Request, encoding: keyof typeof ACCEPTED): boolean {
  return ACCEPTED[encoding].test(request.headers.get('accept-encoding') ?? '');
}

/** RFC 9110 13.1.2, weak comparison. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(',').some((entry) => {
    const tag = entry.trim().replace(/^W\//, '');
    return tag === '*' || tag === etag;
  });
}
