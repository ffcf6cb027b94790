/**
 * A tuning command for benches: writes a file to stdout in real time, repeatedly. `bun paced-file.ts FILE
 * SECONDS`; SECONDS is the duration of the file.
 */
import { readFileSync, writeSync } from 'node:fs';
import { PACKET_SIZE } from '../../../lib/arib/ts/packet.ts';

const TICK_MS = 20;
const [path = '', seconds = ''] = process.argv.slice(2);
const bytes = readFileSync(path);
const perMs = bytes.length / (Number(seconds) * 1000);
const began = performance.now();
let sent = 0;
try {
  for (;;) {
    const due = Math.floor((performance.now() - began) * perMs);
    const to = due - (due % PACKET_SIZE);
    while (sent < to) {
      const at = sent % bytes.length;
      sent += writeSync(1, bytes, at, Math.min(to - sent, bytes.length - at));
    }
    await Bun.sleep(TICK_MS);
  }
} catch {
  // The reader has disconnected.
}
