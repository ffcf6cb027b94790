/** The address at which a client opened the service, for responses with absolute addresses. */

/** Set by the outer server; a copy sent by the client is overwritten. */
export const BASE_HEADER = 'x-svc-base';

/** Ends with a slash; relative addresses of the service resolve against it. */
export function publicBase(request: Request): string {
  return request.headers.get(BASE_HEADER) ?? new URL('/', request.url).href;
}
