import { describe, expect, test } from 'bun:test';
import { type Bounds, beyond, type Direction, nearest } from './spatial.ts';

/** A grid of 100 x 60 cards with gaps of 20, `count` of them in rows of `columns`. */
function grid(columns: number, count: number): Bounds[] {
  return Array.from({ length: count }, (_, index) => {
    const left = (index % columns) * 120;
    const top = Math.floor(index / columns) * 80;
    return { left, top, right: left + 100, bottom: top + 60 };
  });
}

function step(boxes: Bounds[], from: number, direction: Direction, inLine = false): number {
  const origin = boxes[from];
  if (origin === undefined) throw new Error('no such box');
  return nearest(origin, boxes, direction, inLine);
}

describe('nearest', () => {
  const cards = grid(3, 8);

  test('moves along rows and columns of a grid', () => {
    expect(step(cards, 0, 'right')).toBe(1);
    expect(step(cards, 1, 'down')).toBe(4);
    expect(step(cards, 4, 'left')).toBe(3);
    expect(step(cards, 4, 'up')).toBe(1);
  });

  test('goes to the closest of a short last row', () => {
    expect(step(cards, 5, 'down')).toBe(7);
  });

  test('stays in its row when asked to', () => {
    expect(step(cards, 7, 'right', true)).toBe(-1);
    expect(step(cards, 7, 'right')).not.toBe(-1);
  });

  test('finds nothing past the edge', () => {
    expect(step(cards, 0, 'up')).toBe(-1);
    expect(step(cards, 0, 'left')).toBe(-1);
    expect(step(cards, 2, 'right', true)).toBe(-1);
  });

  test('prefers a box straight ahead to a nearer one to the side', () => {
    const from = { left: 0, top: 0, right: 100, bottom: 40 };
    const aside = { left: 300, top: 50, right: 400, bottom: 90 };
    const ahead = { left: 0, top: 200, right: 100, bottom: 240 };
    expect(nearest(from, [aside, ahead], 'down')).toBe(1);
  });

  test('a box around the origin is never a target', () => {
    const from = { left: 40, top: 40, right: 60, bottom: 60 };
    const around = { left: 0, top: 0, right: 200, bottom: 200 };
    expect(nearest(from, [around], 'right')).toBe(-1);
    expect(nearest(from, [from], 'down')).toBe(-1);
  });

  test('wide rows reach a narrow button above them', () => {
    const row = { left: 0, top: 100, right: 800, bottom: 140 };
    const buttons = [
      { left: 0, top: 0, right: 80, bottom: 40 },
      { left: 360, top: 0, right: 440, bottom: 40 },
    ];
    expect(nearest(row, buttons, 'up')).toBe(1);
  });

  test('every card of a grid is reachable from every other by arrows', () => {
    const boxes = grid(4, 14);
    const reached = new Set([0]);
    const open = [0];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const direction of ['up', 'down', 'left', 'right'] as const) {
        const to = step(boxes, from, direction, direction === 'left' || direction === 'right');
        if (to >= 0 && !reached.has(to)) {
          reached.add(to);
          open.push(to);
        }
      }
    }
    expect(reached.size).toBe(boxes.length);
  });
});

test('beyond tells whether a box lies outside a group on that side', () => {
  const group = { left: 100, top: 0, right: 500, bottom: 500 };
  expect(beyond(group, { left: 0, top: 400, right: 90, bottom: 440 }, 'left')).toBe(true);
  expect(beyond(group, { left: 0, top: 400, right: 90, bottom: 440 }, 'right')).toBe(false);
});
