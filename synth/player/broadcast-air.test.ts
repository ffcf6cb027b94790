/** The pace of a channel, in virtual time. */
import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import { Line } from '../fault/line.ts';
import { NO_FAULTS } from '../fault/model.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { Multiplexer } from '../mux/multiplexer.ts';
import { ChannelAir } from './broadcast-air.ts';
import { Tuning } from './tuning.ts';

/** A packet per millisecond, each with its number. */
function channel(maxLagSec: number, speed = 1): ChannelAir {
  const numbered = {
    due: 0,
    seek(ticks: number) {
      this.due = ticks;
    },
    emit(out: Uint8Array, at: number, system: number) {
      new DataView(out.buffer).setFloat64(at, system / 27_000);
      this.due += 90;
    },
  };
  return new ChannelAir(new Multiplexer(27_000, [numbered]), maxLagSec, speed);
}

/** A receiver, and the numbers that it received. */
function receiver(): { tuning: Tuning; received: number[] } {
  const received: number[] = [];
  const write = (bytes: Uint8Array): number => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let at = 0; at < bytes.length; at += PACKET_SIZE) received.push(view.getFloat64(at));
    return bytes.length;
  };
  const line = new Line({ faults: NO_FAULTS, stations: [] });
  return { received, tuning: new Tuning({ write, end: () => {} }, line, 1_000_000, () => {}) };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
/** The channel begins an hour after the clock's zero. */
const HOUR_MS = 3_600_000;
const BEGIN = broadcastMs(STC_ZERO + HOUR_MS);

test('a tuning begins at the present moment and receives what is due, no matter how late the steps are', () => {
  const air = channel(2);
  const { tuning, received } = receiver();
  air.add(tuning, 500, BEGIN);
  for (const now of [525, 550, 1_490, 1_500]) air.step(now);
  expect(received).toEqual(range(HOUR_MS, HOUR_MS + 1_000));
});

test('all tunings of a channel receive the same packets, a later one from its beginning on', () => {
  const air = channel(2);
  const [first, second] = [receiver(), receiver()];
  air.add(first.tuning, 0, BEGIN);
  air.step(100);
  air.add(second.tuning, 150, broadcastMs(BEGIN + 150));
  air.step(300);
  expect(first.received).toEqual(range(HOUR_MS, HOUR_MS + 300));
  expect(second.received).toEqual(range(HOUR_MS + 150, HOUR_MS + 300));
});

test('a channel without tunings stands still, and continues at the moment of the next one', () => {
  const air = channel(2);
  const [first, second] = [receiver(), receiver()];
  air.add(first.tuning, 0, BEGIN);
  air.step(100);
  air.remove(first.tuning);
  expect(air.isIdle).toBe(true);
  air.step(200);
  // The machine's clock was set meanwhile.
  air.add(second.tuning, 300, broadcastMs(BEGIN + 60_000));
  air.step(310);
  expect(first.received).toEqual(range(HOUR_MS, HOUR_MS + 100));
  expect(second.received).toEqual(range(HOUR_MS + 60_000, HOUR_MS + 60_010));
});

test('a player that was stopped for longer than the lag omits the time in between', () => {
  const air = channel(2);
  const { tuning, received } = receiver();
  air.add(tuning, 0, BEGIN);
  air.step(100);
  air.step(2_000);
  air.step(5_000);
  air.step(5_010);
  expect(received).toEqual([...range(HOUR_MS, HOUR_MS + 2_000), ...range(HOUR_MS + 5_000, HOUR_MS + 5_010)]);
});

test('a faster broadcast passes more time, and may be as late as another one', () => {
  const air = channel(2, 10);
  const { tuning, received } = receiver();
  air.add(tuning, 0, BEGIN);
  air.step(10);
  air.step(2_000);
  expect(received).toEqual(range(HOUR_MS, HOUR_MS + 20_000));
});
