import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESERVED_BYTES, ReservedSpace } from './reserved-space.ts';

let folder: string;
let free: number;
let ballast: ReservedSpace;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-ballast-'));
  free = 1e12;
  ballast = new ReservedSpace(join(folder, 'svc.db'), { free: () => free });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('space is reserved where there is plenty, released when the disk is full, and reserved again', () => {
  free = RESERVED_BYTES;
  ballast.make();
  expect(existsSync(ballast.file)).toBe(false);
  free = 1e12;
  ballast.make();
  expect(statSync(ballast.file).size).toBe(RESERVED_BYTES);
  expect(ballast.look()).toBe(1e12);
  expect(existsSync(ballast.file)).toBe(true);
  free = 1_000_000;
  expect(ballast.look()).toBe(1_000_000);
  expect(existsSync(ballast.file)).toBe(false);
  expect(ballast.look()).toBe(1_000_000);
});
