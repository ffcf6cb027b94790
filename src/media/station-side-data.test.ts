import { expect, test } from 'bun:test';
import { serviceId } from '../../arib/ids.ts';
import { broadcastMs, pts90k } from '../../arib/time.ts';
import type { StationTime } from '../reception/clock-output.ts';
import { StationSideData } from './station-side-data.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 23, 12));
const PTS = 900_000;

/** A station that sent its time once. @returns frames of a follower whose time scale begins at `origin` */
async function clocksFrom(origin: number, pts = PTS) {
  let tell: (time: StationTime) => void = () => {};
  const idle = { stop: async () => {} };
  const stream = {
    reader: () => idle,
    output: (_kind: unknown, _options: unknown, { event }: { event: typeof tell }) => {
      tell = event;
      return idle;
    },
  };
  const side = new StationSideData(stream as never, serviceId(1024));
  const frames: unknown[] = [];
  const follower = side.follow((frame) => frames.push(frame));
  tell({ pts: pts90k(pts), at: AT });
  follower.onScale(origin);
  follower.stop();
  return frames;
}

test('a time received before the time scale begins is extrapolated to its beginning', async () => {
  expect(await clocksFrom(PTS + 1_940)).toEqual([{ kind: 'clock', media: 0, pts: PTS + 1_940, at: AT + 22 }]);
  expect(await clocksFrom(PTS + 4 * 90_000)).toEqual([
    { kind: 'clock', media: 0, pts: PTS + 360_000, at: AT + 4_000 },
  ]);
});

test('this also works across a wrap of the time stamps', async () => {
  const [last, origin] = [2 ** 33 - 90_000, 2 ** 33 + 90_000];
  expect(await clocksFrom(origin, last)).toEqual([{ kind: 'clock', media: 0, pts: 90_000, at: AT + 2_000 }]);
});

test('a time after the beginning is reported at its own position', async () => {
  expect(await clocksFrom(PTS - 9_000)).toEqual([{ kind: 'clock', media: 9_000, pts: PTS, at: AT }]);
});

test('a time of another clock is ignored', async () => {
  expect(await clocksFrom(PTS + 31 * 90_000)).toEqual([]);
});
