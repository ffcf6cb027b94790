/**
 * A tuning command: writes a file to standard output over and over, `loop-file.ts FILE BYTES_PER_SECOND TAKEN`.
 * TAKEN is a file with the bytes that the reader has taken, as decimal digits: on an overloaded machine the stream is
 * late then instead of being cut, because no more than `AHEAD_BYTES` are under way.
 */
import { readFileSync, writeSync } from 'node:fs';

const TICK_MS = 20;
/** Several seconds of a transponder, far below the 64 MB at which the agent cuts a slow reader. */
const AHEAD_BYTES = 8 * 1024 * 1024;
const [path = '', rate = '0', takenPath = ''] = process.argv.slice(2);
const bytes = await Bun.file(path).bytes();
const startedAt = performance.now();
let taken = 0;
for (let sent = 0; ; ) {
  const due = Math.ceil((Number(rate) * (performance.now() - startedAt + TICK_MS)) / 1000);
  if (due > taken + AHEAD_BYTES) taken = Number(readFileSync(takenPath, 'utf8'));
  const end = Math.min(due, taken + AHEAD_BYTES);
  while (sent < end) {
    const at = sent % bytes.length;
    sent += writeSync(1, bytes, at, Math.min(end - sent, bytes.length - at));
  }
  await Bun.sleep(TICK_MS);
}
