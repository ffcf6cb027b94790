/** The broadcast's clock, and the NPT of its components (ARIB STD-B24 Vol. 3, 8; TR-B14 Vol. 3). */
import { JST_OFFSET_MS } from '../../../lib/arib/time.ts';
import type { NptReference } from '../../../lib/wire/data-broadcast.ts';

// Dates and numbers as the functions of `browser` compute them (ARIB STD-B24 Vol. 2, 7.6.13). Times in epoch ms.

/** By unit: ms, seconds, minutes, hours, days, weeks. */
const UNIT_MS = [1, 1000, 60_000, 3_600_000, 86_400_000, 604_800_000] as const;

const unitMs = (unit: number): number => UNIT_MS[unit] ?? 1;

/** `target - base` in whole units, towards 0; an unknown unit is ms. NaN outside of 32 bits. */
export function subtractDates(target: number, base: number, unit: number): number {
  const difference = Math.trunc((target - base) / unitMs(unit));
  return difference === (difference | 0) ? difference : Number.NaN;
}

/** An unknown unit is ms, and an amount that is no number is 0. */
export function addToDate(base: number, amount: number, unit: number): number {
  return base + (Number.isNaN(amount) ? 0 : amount) * unitMs(unit);
}

/** With a comma between groups of three digits; what is no number is 0. */
export function formatNumber(value: number): string {
  const digits = String(Math.abs(Math.trunc(Number.isNaN(value) ? 0 : value)));
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ',');
  return value < 0 ? `-${grouped}` : grouped;
}

/** `YYYYMMDDhhmmss` in Japan as epoch ms; undefined if it is none. */
export function parseJstTime(text: string): number | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - JST_OFFSET_MS;
}

/** 33 bits of 90 kHz. */
const NPT_RANGE = 2 ** 33;
const NPT_PER_MS = 90;

interface Reference {
  readonly npt: number;
  /** Broadcast time, epoch ms. */
  readonly at: number;
  readonly isRunning: boolean;
}

/** The broadcast repeats its time; a smaller difference is the way here, not another time. */
const JITTER_MS = 500;

export class BroadcastClock {
  readonly #monotonic: () => number;
  /** Broadcast time at a monotonic time. */
  #known: { readonly at: number; readonly since: number };
  #rate = 1;
  readonly #references = new Map<number, Reference>();

  /** @param wall epoch ms, until the broadcast has told its time */
  constructor(monotonic: () => number, wall: number) {
    this.#monotonic = monotonic;
    this.#known = { at: wall, since: monotonic() };
  }

  #exact(now: number): number {
    return this.#known.at + (now - this.#known.since) * this.#rate;
  }

  /** Epoch ms. */
  now(): number {
    return Math.floor(this.#exact(this.#monotonic()));
  }

  /** @returns whether it is another time than this clock had */
  set(at: number): boolean {
    if (!Number.isFinite(at)) return false;
    const since = this.#monotonic();
    const isOther = Math.abs(at - this.#exact(since)) > JITTER_MS;
    this.#known = { at, since };
    return isOther;
  }

  /** @param rate of a recording: 0 while it is paused */
  setRate(rate: number): void {
    const since = this.#monotonic();
    this.#known = { at: this.#exact(since), since };
    this.#rate = Number.isFinite(rate) ? Math.max(0, rate) : 1;
  }

  /** Monotonic ms until a broadcast time; 0 if it has passed, Infinity while the time stands still. */
  until(at: number): number {
    const left = at - this.now();
    return left <= 0 ? 0 : left / this.#rate;
  }

  /** @returns whether it differs from the last one */
  setReference(component: number, { npt, at, scaleNumerator, scaleDenominator }: NptReference): boolean {
    if (at === null || scaleDenominator !== 1 || scaleNumerator > 1)
      return this.#references.delete(component);
    const reference: Reference = { npt, at, isRunning: scaleNumerator === 1 };
    const before = this.#references.get(component);
    this.#references.set(component, reference);
    if (before === undefined || before.isRunning !== reference.isRunning) return true;
    const expected = before.isRunning ? before.npt + (at - before.at) * NPT_PER_MS : before.npt;
    // References are repeated; rounding to ms is no change.
    return Math.abs(expected - npt) > NPT_PER_MS * 100;
  }

  /** Ms; NaN without a reference. */
  npt(component: number): number {
    const reference = this.#references.get(component);
    if (reference === undefined) return Number.NaN;
    const { npt, at, isRunning } = reference;
    const ticks = isRunning ? npt + (this.now() - at) * NPT_PER_MS : npt;
    return Math.floor((((ticks % NPT_RANGE) + NPT_RANGE) % NPT_RANGE) / NPT_PER_MS);
  }

  /** The broadcast time at which the component's NPT is `ms`; undefined if it is not known. */
  timeOfNpt(component: number, ms: number): number | undefined {
    const reference = this.#references.get(component);
    return reference?.isRunning === true ? reference.at + ms - reference.npt / NPT_PER_MS : undefined;
  }

  /** Another moment: its references follow. */
  clearReferences(): void {
    this.#references.clear();
  }
}
