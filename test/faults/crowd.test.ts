/**
 * Two hundred reservations that begin in the same second. In a file of its own: the stand-in agent runs in
 * this process, and the file comparisons of other tests would delay it.
 */
import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test';
import { crowd } from './crowd.ts';

setDefaultTimeout(200_000);

/** Time until the programmes begin, in which the service starts and plans all of them. */
const LEAD_MS = 18_000;

const { start, tests, close } = crowd(Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000);

beforeAll(start, LEAD_MS + 60_000);
afterAll(close, 60_000);

tests();
