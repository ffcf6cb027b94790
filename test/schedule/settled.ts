/** What a plan leaves when it is made again of its own result: nothing to do. */
import { expect } from 'bun:test';
import type { Home } from './plan-home.ts';

export function settled(home: Home): void {
  const { create, update, remove } = home.look();
  expect({ create, update, remove }).toEqual({ create: [], update: [], remove: [] });
}
