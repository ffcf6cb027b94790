/**
 * The cycles announced by a BIT, parsed independently of `lib/arib/`: ARIB STD-B10 Part 2, 5.2.13, 6.2.35;
 * TR-B14, TR-B15 Vol. 4.
 */

export interface BitRead {
  /** Seconds by table_id; for a schedule its base cycle, the longest. */
  cycles: Map<number, number>;
}

function digits(...nibbles: readonly number[]): number {
  return nibbles.reduce((sum, nibble) => sum * 10 + nibble, 0);
}

function cycle(tableId: number, bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  // media_type and flags, schedule_range, base_cycle of three digits and the number of groups.
  if (tableId >= 0x50 && tableId <= 0x6f) return digits(c >> 4, c & 15, d >> 4);
  if (tableId === 0xc3 || tableId === 0xc8) return digits(a >> 4, a & 15, b >> 4, b & 15);
  return digits(a >> 4, a & 15);
}

function readParameters(loop: Uint8Array, cycles: Map<number, number>): void {
  for (let at = 0; at < loop.length; at += 2 + (loop[at + 1] ?? 0)) {
    if (loop[at] !== 0xd7) continue;
    const end = at + 2 + (loop[at + 1] ?? 0);
    // parameter_version 8, update_time 16.
    for (let table = at + 5; table < end; table += 2 + (loop[table + 1] ?? 0)) {
      const tableId = loop[table] ?? 0;
      const bytes = loop.subarray(table + 2, table + 2 + (loop[table + 1] ?? 0));
      cycles.set(tableId, cycle(tableId, bytes));
    }
  }
}

export function readBit(section: Uint8Array): BitRead {
  const cycles = new Map<number, number>();
  const length12 = (at: number): number => (((section[at] ?? 0) & 0x0f) << 8) | (section[at + 1] ?? 0);
  const first = 10 + length12(8);
  readParameters(section.subarray(10, first), cycles);
  const end = 3 + length12(1) - 4;
  for (let at = first; at < end; at += 3 + length12(at + 1)) {
    readParameters(section.subarray(at + 3, at + 3 + length12(at + 1)), cycles);
  }
  return { cycles };
}
