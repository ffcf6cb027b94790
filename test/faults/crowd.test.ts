/**
 * Two hundred reservations that begin in the same second. In a file of its own: here the agent's pace is the test's, and
 * comparing what others recorded would hold it up.
 */
import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test';
import { crowd } from './crowd.ts';

setDefaultTimeout(200_000);

/** Until the programmes begin: the service has started and has planned all of them. */
const LEAD_MS = 18_000;

const { start, tests, close } = crowd(Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000);

beforeAll(start, LEAD_MS + 60_000);
afterAll(close, 60_000);

tests();
