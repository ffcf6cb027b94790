/**
 * Cache of the latest sections, so that repetitions, which are nearly all sections of a broadcast, are recognised
 * before anything is computed or copied. ARIB STD-B10 Part 2, 5.1 (version_number, sub-tables).
 *
 * A section is known if the latest one with its PID, table_id, extension and number had the same length, version and
 * CRC_32. Ignoring the other bytes loses nothing: a difference there is a damaged repetition, or one of 2^32 changes
 * that keep the CRC without the new version that the standard requires. EIT of two networks with the same service_id
 * share an entry and are then never recognised, which only costs time.
 */

/**
 * Limit of cached sections; beyond it the cache is cleared and all are read once more. The schedules of a hundred BS
 * and CS stations for eight days have 50000.
 */
const LIMIT = 65_536;
const SHORTEST = 12;

export class SectionMemory {
  /** Number of recognised sections. */
  repetitions = 0;
  /** Key to length, version and CRC. */
  readonly #known = new Map<number, number>();

  /**
   * Whether the section of `size` octets at the start of `bytes` equals the last one with its key; counts it if so.
   */
  knows(bytes: Uint8Array, size: number, pid: number): boolean {
    if (!isLong(bytes, size) || this.#known.get(placeOf(bytes, pid)) !== identityOf(bytes, size))
      return false;
    this.repetitions++;
    return true;
  }

  /** Must be called with a section whose CRC was verified. */
  remember(bytes: Uint8Array, pid: number): void {
    if (!isLong(bytes, bytes.length)) return;
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(placeOf(bytes, pid), identityOf(bytes, bytes.length));
  }

  clear(): void {
    this.#known.clear();
  }
}

/** Short sections (time, discontinuity) have new content each time. */
function isLong(bytes: Uint8Array, size: number): boolean {
  return size >= SHORTEST && ((bytes[1] as number) & 0x80) !== 0;
}

/** PID 13, table_id 8, extension 16, section_number 8: 45 bits. */
function placeOf(bytes: Uint8Array, pid: number): number {
  const low = ((bytes[3] as number) << 16) | ((bytes[4] as number) << 8) | (bytes[6] as number);
  return (pid * 0x100 + (bytes[0] as number)) * 0x1000000 + low;
}

/** Length 12, reserved 2, version 5 and current_next 1, CRC 32: 52 bits. */
function identityOf(bytes: Uint8Array, size: number): number {
  const head = size * 0x100 + (bytes[5] as number);
  const high = ((bytes[size - 4] as number) << 8) | (bytes[size - 3] as number);
  return (
    (head * 0x10000 + high) * 0x10000 + (((bytes[size - 2] as number) << 8) | (bytes[size - 1] as number))
  );
}
