import { describe, expect, test } from 'bun:test';
import { cellFrom, firstInView, heightOf, layoutOf, placeOf, rangeInView } from './layout.ts';

const REM = 16;

describe('the layout', () => {
  test('has two columns on the smallest phones, more on wide screens, one as a list', () => {
    expect(layoutOf('grid', { width: 328, rem: REM }).columns).toBe(2);
    expect(layoutOf('grid', { width: 1_300, rem: REM }).columns).toBe(5);
    expect(layoutOf('list', { width: 1_300, rem: REM }).columns).toBe(1);
    expect(layoutOf('grid', { width: 0, rem: REM }).columns).toBe(1);
  });

  test('fills the width exactly', () => {
    for (const width of [328, 700, 1_111, 2_400]) {
      const { columns, cellWidth, gap } = layoutOf('grid', { width, rem: REM });
      expect(columns * cellWidth + (columns - 1) * gap).toBeCloseTo(width);
    }
  });

  test('gives every cell a place below the one before it in its column', () => {
    const layout = layoutOf('grid', { width: 1_300, rem: REM });
    const { columns, cellHeight, gap } = layout;
    expect(placeOf(layout, columns)).toEqual({ left: 0, top: cellHeight + gap });
    expect(heightOf(layout, columns + 1)).toBe(2 * cellHeight + gap);
    expect(heightOf(layout, 0)).toBe(0);
  });
});

describe('the drawn cells', () => {
  const layout = { columns: 4, cellWidth: 100, cellHeight: 90, gap: 10 };

  test('are those in view and two rows around them, however many there are', () => {
    expect(rangeInView(layout, 40_000, { top: 100_000, height: 800 })).toEqual({ first: 3_992, end: 4_040 });
    expect(rangeInView(layout, 40_000, { top: -500, height: 800 })).toEqual({ first: 0, end: 20 });
  });

  test('end with the last cell', () => {
    expect(rangeInView(layout, 7, { top: 0, height: 800 })).toEqual({ first: 0, end: 7 });
    expect(rangeInView(layout, 7, { top: 5_000, height: 800 })).toEqual({ first: 7, end: 7 });
    expect(rangeInView(layout, 0, { top: 0, height: 800 })).toEqual({ first: 0, end: 0 });
  });
});

describe('keys', () => {
  /** Three rows: 0 1 2 3, 4 5 6 7, 8 9. */
  const step = (index: number, key: string) => cellFrom(index, key, { columns: 4, count: 10, pageRows: 2 });

  test('move along rows and columns and leave at the edges', () => {
    expect([step(0, 'ArrowRight'), step(3, 'ArrowRight'), step(4, 'ArrowLeft')]).toEqual([
      1,
      undefined,
      undefined,
    ]);
    expect([step(1, 'ArrowDown'), step(5, 'ArrowUp'), step(2, 'ArrowUp')]).toEqual([5, 1, undefined]);
  });

  test('enter a short last row at its end, and leave it downwards', () => {
    expect([step(7, 'ArrowDown'), step(9, 'ArrowDown'), step(9, 'ArrowRight')]).toEqual([
      9,
      undefined,
      undefined,
    ]);
  });

  test('move by pages and to both ends', () => {
    expect([step(1, 'PageDown'), step(9, 'PageUp'), step(2, 'PageUp'), step(8, 'PageDown')]).toEqual([
      9,
      1,
      undefined,
      undefined,
    ]);
    expect([step(6, 'Home'), step(6, 'End'), step(6, 'x')]).toEqual([0, 9, undefined]);
  });
});

test('the first cell of the view is in the first row that is not above the view', () => {
  const layout = { columns: 3, cellWidth: 100, cellHeight: 90, gap: 10 };
  expect([-50, 0, 1, 100, 101, 100_000].map((top) => firstInView(layout, 30, top))).toEqual([
    ...[0, 0, 3, 3, 6, 29],
  ]);
  expect(firstInView(layout, 0, 0)).toBe(0);
});
