import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RESERVED_BYTES, ReservedSpace } from './reserved-space.ts';

let folder: string;
let free: number;
let reserved: ReservedSpace;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-reserved-'));
  free = 1e12;
  reserved = new ReservedSpace(join(folder, 'svc.db'), { free: () => free });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('space is reserved where there is plenty, released when the disk is full, and reserved again', () => {
  free = RESERVED_BYTES;
  reserved.make();
  expect(existsSync(reserved.file)).toBe(false);
  free = 1e12;
  reserved.make();
  expect(statSync(reserved.file).size).toBe(RESERVED_BYTES);
  expect(reserved.look()).toBe(1e12);
  expect(existsSync(reserved.file)).toBe(true);
  free = 1_000_000;
  expect(reserved.look()).toBe(1_000_000);
  expect(existsSync(reserved.file)).toBe(false);
  expect(reserved.look()).toBe(1_000_000);
});
