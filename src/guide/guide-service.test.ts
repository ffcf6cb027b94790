import { describe, expect, test } from 'bun:test';
import { networkId } from '../../lib/arib/ids.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { ClockOffsets } from './guide-service.ts';

const NOW = wallMs(1_800_000_000_000);
const BS = networkId(4);

function offsets(...samples: number[]): ClockOffsets {
  const made = new ClockOffsets();
  for (const [index, sample] of samples.entries()) made.add(BS, sample, wallMs(NOW + index * 5000));
  return made;
}

describe('ClockOffsets', () => {
  test('the offset is that of the least late table, so that late ones have no effect', () => {
    expect(offsets(20, 30, -9000, -4000, -7000, -5000, 25).list()).toEqual([
      { networkId: BS, type: 'BS', offsetMs: 30, measuredAt: wallMs(NOW + 30_000), warning: false },
    ]);
    expect(offsets(10, 20).list()[0]?.offsetMs).toBe(20);
    // A single table with a wrong time.
    expect(offsets(10, 60_000, 20, 15).list()[0]?.offsetMs).toBe(20);
  });

  test('an offset of more than a second in either direction causes a warning', () => {
    const warnings = [1000, 1001, -1001].map((ms) => offsets(ms, ms, ms).list()[0]?.warning);
    expect(warnings).toEqual([false, true, true]);
    expect(offsets(1500, 1500, 1500).takeWarning()?.offsetMs).toBe(1500);
    expect(offsets(500, 500, 500).takeWarning()).toBeUndefined();
  });

  test('the first tables during a busy start cause no warning', () => {
    expect([offsets(-4000), offsets(-4000, -3000)].map((each) => each.takeWarning())).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('a warning is logged once per episode, even if the offset fluctuates', () => {
    const made = new ClockOffsets();
    let warned = 0;
    let at = NOW;
    const hear = (offsetMs: number, times: number): void => {
      for (let index = 0; index < times; index += 1) {
        at = wallMs(at + 5000);
        made.add(BS, offsetMs, wallMs(at));
        if (made.takeWarning() !== undefined) warned += 1;
      }
    };
    for (let round = 0; round < 10; round += 1) {
      hear(1100, 20);
      hear(900, 20);
    }
    expect(warned).toBe(1);
    hear(0, 20);
    hear(3000, 20);
    expect(warned).toBe(2);
  });

  test('after the clock is corrected, old samples are dropped', () => {
    const made = offsets(60_000, 60_000, 60_000);
    made.add(BS, 10, wallMs(NOW + 11 * 60_000));
    expect(made.list()[0]?.offsetMs).toBe(10);
    const set = offsets(...Array.from({ length: 20 }, () => 5000));
    for (let index = 0; index < 17; index++) set.add(BS, 0, wallMs(NOW + (20 + index) * 5000));
    expect(set.list()[0]?.offsetMs).toBe(0);
  });

  test('offsets are kept per network, in order; networks that households do not receive are ignored', () => {
    const made = offsets(10);
    made.add(networkId(0x7fe8), 20, NOW);
    made.add(networkId(6), 30, NOW);
    made.add(networkId(0x1234), 40, NOW);
    expect(made.list().map(({ type, offsetMs }) => [type, offsetMs])).toEqual([
      ['BS', 10],
      ['CS', 30],
      ['GR', 20],
    ]);
  });

  test('memory is bounded', () => {
    const made = new ClockOffsets();
    for (let network = 0; network < 1000; network++) made.add(networkId(0x7800 + network), 0, NOW);
    expect(made.list().length).toBeLessThanOrEqual(128);
  });
});
