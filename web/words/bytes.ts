/** Sizes for people, in the decimal units of disks. */

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const STEP = 1000;

/** `512 B`, `3.4 MB`, `120 GB`: two digits, three where they are whole; a line never ends before the unit. */
export function bytesText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const words = unit === 0 || value >= 10 ? String(Math.round(value)) : value.toFixed(1);
  return `${words}\u00a0${UNITS[unit] ?? ''}`;
}
