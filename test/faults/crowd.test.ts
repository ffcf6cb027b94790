/**
 * Two hundred reservations that begin in the same second. In a file of its own: the stand-in agent runs in
 * this process, and the file comparisons of other tests would delay it.
 */
import { afterAll } from 'bun:test';
import { realTime } from '../real-time.ts';
import { crowd } from './crowd.ts';

const { start, tests, close } = crowd();

const measured = realTime();
measured.prepare(start);
afterAll(close);

tests(measured);
