/** Passes the requester to routes. Not a header, so that a client cannot forge it. */
import type { Requester } from '../model/requester.ts';

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
