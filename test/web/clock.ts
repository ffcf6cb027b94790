/**
 * The clock of the tests of the UI: every test begins at the same moment, whatever the hour is where it runs, and time
 * continues from there as it does outside. Only dates move: timers, `performance.now()`, media time and the headers of
 * HTTP run as ever.
 */

/**
 * A Saturday evening in Japan: when television is watched and recorded, far from the seams that have tests of their own
 * (whole hours and half hours, midnight, the broadcast day's begin at 05:00, the end of a month), and with some hours
 * of the same broadcast day on either side.
 */
const USUAL = '2026-11-21T20:17:20+09:00';

/** @param text ISO 8601; in Japan where it names no zone. Throws where it is no moment. */
export function momentOf(text: string): number {
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/u.test(text) ? text : `${text}+09:00`);
  if (Number.isNaN(at)) throw new Error(`not a moment: ${text}`);
  return at;
}

/** When every test begins, epoch ms: `WEB_AT`, or a usual evening. */
export const START = momentOf(process.env.WEB_AT || USUAL);

/**
 * Makes every date that is asked of the clock `byMs` later, until the answer is called. Runs in the page too, before
 * its scripts, and so stands alone.
 */
export function shiftDate(byMs: number): () => void {
  const real = Date;
  const now = (): number => real.now() + byMs;
  const shifted: DateConstructor = new Proxy(real, {
    apply: () => new real(now()).toString(),
    construct: (target, words, asked) =>
      Reflect.construct(target, words.length === 0 ? [now()] : words, asked === shifted ? target : asked),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  globalThis.Date = shifted;
  return () => {
    globalThis.Date = real;
  };
}

export interface TestClock {
  /** What the clock is ahead of the machine's, ms; 0 after the end. */
  readonly aheadMs: number;
  /** Dates continue from this moment, in this process and in pages opened from now on. */
  set(at: number): void;
  /** The machine's clock again. */
  end(): void;
}

export function testClock(): TestClock {
  let restore = (): void => undefined;
  let aheadMs = 0;
  const end = (): void => {
    restore();
    restore = () => undefined;
    aheadMs = 0;
  };
  return {
    get aheadMs() {
      return aheadMs;
    },
    set(at) {
      end();
      aheadMs = at - Date.now();
      restore = shiftDate(aheadMs);
    },
    end,
  };
}
