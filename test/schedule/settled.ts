/** Checks that planning again from a plan's own result changes nothing. */
import { expect } from 'bun:test';
import type { Home } from './plan-home.ts';

export function settled(home: Home): void {
  const { create, update, remove } = home.look();
  expect({ create, update, remove }).toEqual({ create: [], update: [], remove: [] });
}
