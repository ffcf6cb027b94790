import { describe, expect, test } from 'bun:test';
import { adaptation, StreamBuilder } from '../../../test/stream-builder.ts';
import { pid } from '../ids.ts';
import { StreamStatistics } from './statistics.ts';

const PAYLOAD = new Uint8Array(184);
const CLEAN = { transportErrors: 0, continuityErrors: 0, scrambled: 0, duplicates: 0 };

function count(builder: StreamBuilder): StreamStatistics {
  const statistics = new StreamStatistics();
  statistics.count(builder.bytes());
  return statistics;
}

describe('continuity', () => {
  test('is correct across a wrap of the counter', () => {
    const builder = new StreamBuilder().setCounter(0x100, 5);
    for (let n = 0; n < 40; n++)
      builder.packet(0x100, { payload: PAYLOAD }).packet(0x101, { payload: PAYLOAD });
    const statistics = count(builder);
    expect(statistics.packets).toBe(80);
    expect(statistics.pid(pid(0x100))).toEqual({ packets: 40, ...CLEAN });
    expect(statistics.pids()).toEqual([pid(0x100), pid(0x101)]);
    expect(statistics.lastCounter(pid(0x100))).toBe((5 + 39) & 0x0f);
  });

  test('is broken once where packets were lost', () => {
    const builder = new StreamBuilder()
      .packet(0x100, { payload: PAYLOAD })
      .packet(0x100, { payload: PAYLOAD, counter: 4 })
      .packet(0x100, { payload: PAYLOAD });
    expect(count(builder).pid(pid(0x100))).toEqual({ packets: 3, ...CLEAN, continuityErrors: 1 });
  });

  test('does not advance without payload', () => {
    const pcr = adaptation({ pcr: 1 });
    const builder = new StreamBuilder()
      .packet(0x100, { payload: PAYLOAD })
      .packet(0x100, { adaptation: pcr })
      .packet(0x100, { adaptation: pcr })
      .packet(0x100, { payload: PAYLOAD })
      .packet(0x100, { adaptation: pcr, counter: 9 });
    expect(count(builder).continuityErrors).toBe(1);
  });

  test('may jump where the discontinuity_indicator is set', () => {
    const builder = new StreamBuilder()
      .packet(0x100, { payload: PAYLOAD })
      .packet(0x100, {
        payload: new Uint8Array(100),
        adaptation: adaptation({ discontinuity: true }),
        counter: 9,
      })
      .packet(0x100, { payload: PAYLOAD });
    expect(count(builder).continuityErrors).toBe(0);
  });

  test('is not checked for null packets', () => {
    expect(count(new StreamBuilder().nulls(5))).toMatchObject({ packets: 5, ...CLEAN });
  });
});

describe('a duplicate', () => {
  test('is allowed once', () => {
    const builder = new StreamBuilder().packet(0x100, { payload: PAYLOAD }).repeat();
    builder.packet(0x100, { payload: PAYLOAD });
    expect(count(builder).pid(pid(0x100))).toEqual({ packets: 3, ...CLEAN, duplicates: 1 });
  });

  test('of a duplicate is an error', () => {
    const builder = new StreamBuilder().packet(0x100, { payload: PAYLOAD }).repeat().repeat();
    expect(count(builder)).toMatchObject({ duplicates: 1, continuityErrors: 1 });
  });

  test('with another header is not a duplicate: fifteen packets were lost', () => {
    const builder = new StreamBuilder()
      .packet(0x100, { payload: PAYLOAD })
      .packet(0x100, { payload: PAYLOAD, counter: 0, start: true });
    expect(count(builder)).toMatchObject({ duplicates: 0, continuityErrors: 1 });
  });
});

test('packets with errors are counted and excluded from the continuity check', () => {
  const builder = new StreamBuilder()
    .packet(0x100, { payload: PAYLOAD })
    .packet(0x100, { payload: PAYLOAD, error: true, counter: 7 })
    .packet(0x100, { payload: PAYLOAD, counter: 1 });
  expect(count(builder).pid(pid(0x100))).toEqual({ packets: 3, ...CLEAN, transportErrors: 1 });
});

test('scrambled packets are counted', () => {
  const builder = new StreamBuilder()
    .packet(0x100, { payload: PAYLOAD, scrambling: 2 })
    .packet(0x100, { payload: PAYLOAD, scrambling: 3 })
    .packet(0x100, { payload: PAYLOAD });
  expect(count(builder).pid(pid(0x100))).toEqual({ packets: 3, ...CLEAN, scrambled: 2 });
});

test('a PID that was never received has counts of zero', () => {
  const statistics = new StreamStatistics();
  expect(statistics.pid(pid(0x100))).toEqual({ packets: 0, ...CLEAN });
  expect(statistics.lastCounter(pid(0x100))).toBeUndefined();
  expect(statistics.pids()).toEqual([]);
});
