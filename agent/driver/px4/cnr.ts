/**
 * Carrier-to-noise ratio from the raw value of a TC90522 demodulator, by the manufacturer's approximations as
 * documented in the Linux driver `tc90522`.
 */

const ISDB_T_FULL_SCALE = 5_505_024;
const ISDB_S_OFFSET = 3_000;

/** dB; null if the chip gives no value. @param raw 24 bits */
export function terrestrialCnr(raw: number): number | null {
  if (raw <= 0) return null;
  const p = 10 * Math.log10(ISDB_T_FULL_SCALE / raw);
  return rounded(0.000024 * p ** 4 - 0.0016 * p ** 3 + 0.0398 * p ** 2 + 0.5491 * p + 3.0965);
}

/** dB; null if the chip gives no value. @param raw 16 bits */
export function satelliteCnr(raw: number): number | null {
  if (raw < ISDB_S_OFFSET) return null;
  const p = Math.sqrt(raw - ISDB_S_OFFSET) / 64;
  const millidecibels =
    -1634.6 * p ** 5 + 14341 * p ** 4 - 50259 * p ** 3 + 88977 * p ** 2 - 89565 * p + 58857;
  return rounded(millidecibels / 1000);
}

/** Not below 0, in hundredths: the raw value is not more precise. */
function rounded(decibels: number): number {
  return Math.max(0, Math.round(decibels * 100) / 100);
}
