/** Headers by which a route tells the server how its answer is sent. */

/** Headers of an endless stream: a buffering front proxy would hold it back, or spool it for a slow client. */
export const ENDLESS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } as const;

/**
 * On its way out it becomes `Content-Length`: of an answer to HEAD the framework would count the body, and read a file of
 * gigabytes for it.
 */
export const LENGTH_HEADER = 'x-svc-length';
/** Value of `LENGTH_HEADER` for a HEAD of a body without length, such as a live stream: none is announced. */
export const NO_LENGTH = 'none';
