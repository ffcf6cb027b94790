/**
 * The clock of the UI tests: every test begins at the same moment, independent of the real time of day, and
 * time continues from there at normal speed. Only dates are shifted; timers, `performance.now()`, media time
 * and HTTP headers are not.
 */

/**
 * A Saturday evening in Japan, when television is typically watched and recorded. It is hours away from every
 * boundary that has tests of its own: midnight, the begin of the broadcast day at 05:00, the end of a month;
 * and some minutes away from whole and half hours.
 */
const USUAL = '2026-11-21T20:17:20+09:00';

/** @param text ISO 8601; Japan time if it names no zone @throws if it is not a valid date */
export function momentOf(text: string): number {
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/u.test(text) ? text : `${text}+09:00`);
  if (Number.isNaN(at)) throw new Error(`not a moment: ${text}`);
  return at;
}

/** The moment at which every test begins, epoch ms: `WEB_AT`, or the usual evening. */
export const START = momentOf(process.env.WEB_AT || USUAL);

/**
 * Shifts every date that is read from the clock by `byMs`. Also runs in the page before its scripts, so it
 * must be self-contained. @returns a function that restores the clock
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
  /** Difference to the machine's clock, ms; 0 after the end. */
  readonly aheadMs: number;
  /** Continues from this moment, in this process and in pages opened from now on. */
  set(at: number): void;
  /** Restores the machine's clock. */
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
