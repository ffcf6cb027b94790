/** Prints figures beside their limits. */
import { MachineClock } from './machine.ts';

export class Figures {
  failed = false;
  readonly machine = new MachineClock();

  /** A figure without a limit. */
  note(name: string, value: number, unit: string): void {
    console.log(`${name}: ${shown(value)} ${unit}`);
  }

  /** @param limit in ms: on the reference machine; it grows with the slowness of this one, measured now */
  limited(name: string, value: number, unit: string, limit: number): void {
    const bound = unit === 'ms' ? limit * this.machine.factor() : limit;
    const over = !(value <= bound);
    this.failed ||= over;
    const ratio = (value === 0 ? 0 : value / bound).toFixed(2);
    console.log(
      `${name}: ${shown(value)} ${unit} (limit ${shown(bound)}, ratio ${ratio}) ${over ? 'OVER' : 'OK'}`,
    );
  }

  /** Compares the 99th percentile with the limit. */
  latency(name: string, times: readonly number[], limit: number): void {
    this.limited(
      `${name}: median ${shown(quantile(times, 0.5))} ms, p99`,
      quantile(times, 0.99),
      'ms',
      limit,
    );
  }
}

function shown(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

/** @returns NaN for no values */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
