import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { span } from '../../test/record/span.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { RecordingMeasurement } from './recording-measurement.ts';

const CLEAN = { packets: 100, drops: 0, errors: 0, scrambled: 0 };
const DROP = { ...CLEAN, drops: 1 };
const at = (from: number, to: number) => span(from * 1000, to * 1000);

test('consecutive seconds are one stretch; a gap separates them', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  measurement.received(at(0, 1), CLEAN);
  measurement.received(at(1, 2), CLEAN);
  measurement.broke('stream_ended', at(2, 2.2));
  measurement.received(at(2.2, 3), CLEAN);
  expect(measurement.value.stretches).toEqual([at(0, 2), at(2.2, 3)]);
  expect(measurement.value.sums.packets).toBe(300);
});

test('a gap takes back what was reported as received', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  measurement.received(at(0, 10), CLEAN);
  measurement.broke('disk_full', at(4, 6));
  measurement.broke('disk_full', at(9, 12));
  expect(measurement.value.stretches).toEqual([at(0, 4), at(6, 9)]);
});

test('damage is kept in pieces of at most ten seconds', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  for (let second = 0; second < 25; second += 1) measurement.received(at(second, second + 1), DROP);
  measurement.received(at(25, 26), CLEAN);
  measurement.received(at(26, 27), { ...CLEAN, scrambled: 90 });
  measurement.received(at(27, 28), DROP);
  expect(measurement.value.damage.map(({ from, to, drops }) => [from / 1000, to / 1000, drops])).toEqual([
    [0, 10, 10],
    [10, 20, 10],
    [20, 25, 5],
    [26, 27, 0],
    [27, 28, 1],
  ]);
});

test('the end is corrected by the broadcast clock', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  measurement.endedAt(broadcastMs(5));
  measurement.received(at(0, 10), CLEAN);
  measurement.endedAt(broadcastMs(12_000));
  expect(measurement.until).toBe(broadcastMs(12_000));
});

test('times by a wrong clock are shifted with it, earlier ones are not', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  measurement.received(at(0, 10), DROP, 'a');
  measurement.broke('service_stopped', at(10, 20));
  measurement.received(at(20, 30), DROP, 'a');
  measurement.shift(600_000, broadcastMs(15_000));
  expect(measurement.value).toMatchObject({
    stretches: [at(0, 10), at(620, 630)],
    breaks: [{ ...at(10, 620), cause: 'service_stopped' }],
    damage: [at(0, 10), at(620, 630)],
    files: [{ path: 'a', ...at(0, 630) }],
  });
});

test('a process that lived for a moment stays recorded when a gap begins with it', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  measurement.received(at(1, 1), CLEAN);
  measurement.broke('service_stopped', at(1, 4));
  measurement.received(at(4, 5), CLEAN);
  expect(measurement.value.stretches).toEqual([at(1, 1), at(4, 5)]);
  measurement.broke('disk_failed', at(0, 2));
  expect(measurement.value.stretches).toEqual([at(4, 5)]);
});

test('a loss of picture or sound is one part, however often it is reported; their number is bounded', () => {
  const measurement = new RecordingMeasurement(nothingMeasured());
  const lost = (cause: 'no_picture' | 'no_sound', from: number, to: number) => ({
    ...{ cause, fromBeforeEndMs: from * 1000, toBeforeEndMs: to * 1000 },
  });
  measurement.unwatchable(broadcastMs(10_000), [lost('no_picture', 1.5, 0), lost('no_sound', 1, 0)]);
  measurement.unwatchable(broadcastMs(11_000), [lost('no_picture', 1, 0), lost('no_sound', 1, 0.7)]);
  expect(measurement.value.unwatchable).toEqual([
    { ...at(8.5, 11), cause: 'no_picture' },
    { ...at(9, 10.3), cause: 'no_sound' },
  ]);
  measurement.shift(500, broadcastMs(0));
  expect(measurement.value.unwatchable?.[0]).toEqual({ ...at(9, 11.5), cause: 'no_picture' });
  for (let second = 20; second < 20_000; second += 2)
    measurement.unwatchable(broadcastMs(second * 1000), [lost('no_picture', 0.5, 0)]);
  expect(measurement.value.unwatchable?.length).toBe(5_000);
  expect(measurement.value.unwatchable?.at(-1)?.to).toBe(broadcastMs(19_998_000));
});

describe('data found in the file of a killed process', () => {
  const SCRAMBLED = { ...CLEAN, scrambled: 100 };
  const run = (sums: typeof CLEAN, beforeEndMs: number | null) => ({ ...sums, beforeEndMs });

  test('is scrambled where it was, by its clock references, else by its packets', () => {
    for (const beforeEndMs of [2000, null]) {
      const measurement = new RecordingMeasurement(nothingMeasured());
      measurement.received(at(0, 6), CLEAN);
      const clear = { ...CLEAN, packets: 150 };
      measurement.recounted(at(6, 11), {
        runs: [run(clear, 4900), run(SCRAMBLED, beforeEndMs)],
        holes: [],
        unwatchable: [],
      });
      expect(measurement.value.damage).toEqual([{ ...at(9, 11), ...SCRAMBLED }]);
      expect(measurement.value.sums).toEqual({ packets: 350, drops: 0, errors: 0, scrambled: 100 });
    }
  });

  test('has the reason for scrambling of the packets right before it', () => {
    const measurement = new RecordingMeasurement(nothingMeasured());
    measurement.received(at(0, 6), { ...SCRAMBLED, cause: 'card_missing' });
    measurement.recounted(at(6, 10), {
      runs: [run(SCRAMBLED, 4000), run(CLEAN, 3000), run(SCRAMBLED, 1000)],
      holes: [],
      unwatchable: [],
    });
    expect(measurement.value.damage.map(({ from, to, cause }) => ({ from, to, cause }))).toEqual([
      { ...at(0, 7), cause: 'card_missing' },
      { ...at(9, 10), cause: undefined },
    ]);
  });
});
