import { expect, test } from 'bun:test';
import { withinWindow } from './reservation-window.ts';

const ROWS = [
  { id: 1, startAt: 0, endAt: 100 },
  { id: 2, startAt: 100, endAt: 200 },
  { id: 3, startAt: 150, endAt: 400 },
];

test('a window takes what overlaps it, and of that the first so many', () => {
  const rows: [object, number[]][] = [
    [{}, [1, 2, 3]],
    [{ from: 100 }, [2, 3]],
    [{ to: 100 }, [1]],
    [{ from: 99, to: 150 }, [1, 2]],
    [{ from: 400 }, []],
    [{ limit: 2 }, [1, 2]],
    [{ from: 100, limit: 1 }, [2]],
    [{ limit: 0 }, []],
  ];
  for (const [window, ids] of rows) {
    expect([window, withinWindow(ROWS, window).map(({ id }) => id)]).toEqual([window, ids]);
  }
});
