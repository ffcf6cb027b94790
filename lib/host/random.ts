/** Unpredictable bytes, for secrets. Passed in, so that tests can choose them. */

export type Random = (bytes: number) => Uint8Array;

export const systemRandom: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
