/** Loaded before every test file: a slow machine must not make a test fail, so only a test that hangs reaches the limit. */
import { setDefaultTimeout } from 'bun:test';
import { TEST_LIMIT_MS } from './until.ts';

setDefaultTimeout(TEST_LIMIT_MS);
