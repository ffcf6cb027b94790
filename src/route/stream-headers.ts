/** Headers with which a route controls how the server sends its response. */

/** Headers of an endless stream: a buffering front proxy would delay it, or spool it for a slow client. */
export const ENDLESS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } as const;

/**
 * Replaced by `Content-Length` when sent: for HEAD the framework would count the body itself, and read a file of
 * gigabytes to do so.
 */
export const LENGTH_HEADER = 'x-svc-length';
/** Value of `LENGTH_HEADER` for a HEAD of a body without length, such as a live stream: no length is sent. */
export const NO_LENGTH = 'none';
