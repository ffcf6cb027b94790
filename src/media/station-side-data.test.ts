import { expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, pts90k } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { defineReader } from '../reception/reader-kind.ts';
import type { SideItem, SideReaderOptions } from '../reception/side-item.ts';
import type { SideFrame } from './frame.ts';
import { defineSideRow, type SideRow } from './side-row.ts';
import { SIDE_ROWS } from './side-rows.ts';
import { StationSideData } from './station-side-data.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 23, 12));
const PTS = 900_000;

interface Handlers {
  value?(item: SideItem): void;
  event?(item: SideItem): void;
}

/** Side data of a station whose readers and outputs are played by the test. */
function station(rows: readonly SideRow[] = SIDE_ROWS) {
  /** By name of the reader or output. */
  const running = new Map<string, Handlers>();
  const open = ({ name }: { name: string }, _options: unknown, handlers: Handlers) => {
    running.set(name, handlers);
    return { stop: async () => running.delete(name) };
  };
  const stream = { reader: open, output: open } as never;
  return {
    side: new StationSideData({
      stream,
      reading: () => ({ serviceId: serviceId(1024) }),
      rows,
      log: SILENT_LOG,
    }),
    running,
  };
}

/** A station that sent its time once. @returns what a viewer gets whose time scale begins at `origin` */
function clocksFrom(origin: number, pts = PTS): unknown[] {
  const { side, running } = station();
  const given: SideFrame[] = [];
  const follower = side.follow((frame) => given.push(frame));
  const item: SideItem & { at: BroadcastMs } = { time: pts90k(pts), at: AT, key: 'clock', size: 0 };
  running.get('clock')?.event?.(item);
  follower.onScale(origin);
  const late = follower.current('always');
  running.get('clock')?.event?.(item);
  expect(given).toEqual(late);
  return late.map(({ time, item: { time: stamp, ...rest } }) => ({
    time,
    stamp,
    at: 'at' in rest && rest.at,
  }));
}

test('a time received before the time scale begins is extrapolated to its beginning', () => {
  expect(clocksFrom(PTS + 1_940)).toEqual([{ time: 0, stamp: PTS + 1_940, at: AT + 22 }]);
  expect(clocksFrom(PTS + 4 * 90_000)).toEqual([{ time: 0, stamp: PTS + 360_000, at: AT + 4_000 }]);
});

test('this also works across a wrap of the time stamps', () => {
  const [last, origin] = [2 ** 33 - 90_000, 2 ** 33 + 90_000];
  expect(clocksFrom(origin, last)).toEqual([{ time: 0, stamp: 90_000, at: AT + 2_000 }]);
});

test('a time after the beginning is reported at its own position', () => {
  expect(clocksFrom(PTS - 9_000)).toEqual([{ time: 9_000, stamp: PTS, at: AT }]);
});

test('a time of another clock is ignored', () => {
  expect(clocksFrom(PTS + 31 * 90_000)).toEqual([]);
});

test('no two rows share a name or a channel', () => {
  const taken = SIDE_ROWS.flatMap(({ name, channels }) => [name, ...channels]);
  expect(taken).toEqual([...new Set(taken)]);
});

test('a row on demand is read while at least one follower asks, and its state is kept meanwhile', () => {
  const reader = defineReader<SideReaderOptions, never, SideItem>({
    name: 'expensive',
    start: () => ({ feed: () => {} }),
  });
  const row = defineSideRow({ name: 'expensive', channels: [0x7f], source: { reader }, when: 'demand' });
  const { side, running } = station([...SIDE_ROWS, row]);
  const followers = [side.follow(() => {}), side.follow(() => {})] as const;
  for (const follower of followers) follower.onStamps();
  expect([...running.keys()]).toEqual(['caption', 'clock']);
  followers[0].demand(true);
  const item = { key: 'a', size: 5, frame: new Uint8Array(5) };
  running.get('expensive')?.value?.(item);
  followers[1].demand(true);
  expect(followers[1].current('demand')).toEqual([{ kind: 'side', row, item }]);
  expect(followers[1].current('always')).toEqual([]);
  followers[0].demand(false);
  expect(running.has('expensive')).toBe(true);
  followers[1].stop();
  expect([...running.keys()]).toEqual(['caption', 'clock']);
  followers[0].demand(true);
  expect(followers[0].current('demand')).toEqual([]);
  followers[0].stop();
  expect(running.size).toBe(0);
});
