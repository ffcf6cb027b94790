/** What a transport stream contains, read without the parsers of lib/arib/. */

const PACKET = 188;

/** Programme numbers of its PATs, and its PIDs. The stream may begin within a packet. */
export function collectPids(bytes: Uint8Array): { programs: number[]; pids: Set<number> } {
  const programs = new Set<number>();
  const pids = new Set<number>();
  let at = bytes.indexOf(0x47);
  while (at >= 0 && at + PACKET < bytes.length && bytes[at + PACKET] !== 0x47)
    at = bytes.indexOf(0x47, at + 1);
  for (; at >= 0 && at + PACKET <= bytes.length; at += PACKET) {
    const packet = bytes.subarray(at, at + PACKET);
    const pid = (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
    pids.add(pid);
    if (pid !== 0 || ((packet[1] ?? 0) & 0x40) === 0) continue;
    const section = 5 + (packet[4] ?? 0);
    const length = (((packet[section + 1] ?? 0) & 0x0f) << 8) | (packet[section + 2] ?? 0);
    for (let entry = section + 8; entry + 4 <= section + 3 + length - 4; entry += 4) {
      const number = ((packet[entry] ?? 0) << 8) | (packet[entry + 1] ?? 0);
      if (number !== 0) programs.add(number);
    }
  }
  return { programs: [...programs], pids };
}
