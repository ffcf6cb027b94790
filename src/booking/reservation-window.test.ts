import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { withinWindow } from './reservation-window.ts';

const ROWS = [
  { id: 1, startAt: broadcastMs(0), endAt: broadcastMs(100), state: 'scheduled' },
  { id: 2, startAt: broadcastMs(100), endAt: broadcastMs(200), state: 'conflict' },
  { id: 3, startAt: broadcastMs(150), endAt: broadcastMs(400), state: 'conflict' },
] as const;

test('a window selects overlapping reservations, optionally of one state, up to a limit', () => {
  const rows: [object, number[]][] = [
    [{}, [1, 2, 3]],
    [{ from: 100 }, [2, 3]],
    [{ to: 100 }, [1]],
    [{ from: 99, to: 150 }, [1, 2]],
    [{ from: 400 }, []],
    [{ limit: 2 }, [1, 2]],
    [{ from: 100, limit: 1 }, [2]],
    [{ limit: 0 }, []],
    [{ state: 'conflict' }, [2, 3]],
    [{ state: 'conflict', from: 200, limit: 1 }, [3]],
  ];
  for (const [window, ids] of rows) {
    expect([window, withinWindow(ROWS, window).map(({ id }) => id)]).toEqual([window, ids]);
  }
});
