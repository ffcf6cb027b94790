/**
 * Two hundred reservations that begin in the same second. In a file of its own: the stand-in agent runs in
 * this process, and the file comparisons of other tests would delay it.
 */
import { afterAll, beforeAll } from 'bun:test';
import { crowd } from './crowd.ts';

const { start, tests, close } = crowd();

beforeAll(start, 60_000);
afterAll(close, 60_000);

tests();
