/** A tuning command: writes a file to standard output over and over at a rate, `loop-file.ts FILE BYTES_PER_SECOND`. */
import { writeSync } from 'node:fs';

const TICK_MS = 20;
const [path = '', rate = '0'] = process.argv.slice(2);
const bytes = await Bun.file(path).bytes();
const startedAt = performance.now();
for (let sent = 0; ; ) {
  const due = Math.ceil((Number(rate) * (performance.now() - startedAt + TICK_MS)) / 1000);
  while (sent < due) {
    const at = sent % bytes.length;
    sent += writeSync(1, bytes, at, Math.min(due - sent, bytes.length - at));
  }
  await Bun.sleep(TICK_MS);
}
