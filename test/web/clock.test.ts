/**
 * Checks that the UI tests have a clock of their own, in this process and in the browser, and that it is
 * restored.
 */
import { describe, expect, test } from 'bun:test';
import { momentOf, START, shiftDate, testClock } from './clock.ts';
import { hasChromium, webRig } from './rig.ts';

const MINUTE_MS = 60_000;
/** The machine's time, independent of the test clock. */
const machineNow = (): number => performance.timeOrigin + performance.now();

function expectMachine(): void {
  expect(Math.abs(Date.now() - machineNow())).toBeLessThan(5_000);
  expect(String(Date)).toContain('[native code]');
}

test('a time without a zone is Japanese time', () => {
  expect(momentOf('2026-11-22T04:58')).toBe(Date.UTC(2026, 10, 21, 19, 58));
  expect(momentOf('2026-11-22T04:58Z')).toBe(Date.UTC(2026, 10, 22, 4, 58));
  expect(momentOf('2026-11-22T04:58:30+01:00')).toBe(Date.UTC(2026, 10, 22, 3, 58, 30));
  expect(() => momentOf('evening')).toThrow('evening');
});

test('dates are shifted, explicit dates are not, and all are instances of Date', () => {
  const real = Date;
  const restore = shiftDate(-40 * MINUTE_MS);
  try {
    for (const at of [Date.now(), Date.parse(new Date().toISOString()), Date.parse(Date())]) {
      expect(Math.abs(at - real.now() + 40 * MINUTE_MS)).toBeLessThan(5_000);
    }
    expect(new Date(5).getTime()).toBe(5);
    expect(Date.UTC(2026, 0)).toBe(real.UTC(2026, 0));
    expect(new Date(0)).toBeInstanceOf(real);
    expect(new real(0)).toBeInstanceOf(Date);
    class Kept extends Date {}
    expect(new Kept(7)).toBeInstanceOf(Kept);
  } finally {
    restore();
  }
  expect(Date).toBe(real);
});

test('a clock set again starts from there, not from where it was', () => {
  const clock = testClock();
  try {
    for (const text of ['2030-01-01T00:00', '2001-06-01T00:00']) {
      clock.set(momentOf(text));
      expect(Date.now() - momentOf(text)).toBeWithin(0, 5_000);
    }
  } finally {
    clock.end();
  }
  expect(clock.aheadMs).toBe(0);
  expectMachine();
});

describe.skipIf(!hasChromium)('beside a browser', () => {
  const rig = webRig();

  test('a test starts at the usual moment, and so do its pages', async () => {
    expect(Date.now() - START).toBeWithin(0, MINUTE_MS);
    const page = await rig.open('nowhere');
    const { text, ...dates } = await page.evaluate(() => ({
      now: Date.now(),
      made: Date.parse(new Date().toISOString()),
      text: Date(),
      frame: ((): number => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        const inner = frame.contentWindow as (Window & { Date?: DateConstructor }) | null;
        return inner?.Date?.now() ?? 0;
      })(),
    }));
    for (const at of [...Object.values(dates), Date.parse(text) + 1_000]) {
      expect(Math.abs(at - Date.now())).toBeLessThan(MINUTE_MS);
    }
  });

  test('a page opened after the clock was set has the new moment', async () => {
    const later = momentOf('2026-12-31T23:59:30');
    rig.clock.set(later);
    const page = await rig.open('nowhere');
    expect(await page.evaluate(() => Date.now())).toBeWithin(later, later + MINUTE_MS);
  });

  test('and the next test starts at the usual moment again', () => {
    expect(Date.now() - START).toBeWithin(0, MINUTE_MS);
  });
});

test("afterwards this process uses the machine's clock", expectMachine);
