/**
 * A tuning command: writes a file to standard output repeatedly, `loop-file.ts FILE BYTES_PER_SECOND TAKEN`.
 * TAKEN is a file with the number of bytes that the reader has read, in decimal digits: on an overloaded
 * machine the stream is delayed instead of being cut, because no more than `AHEAD_BYTES` are in transit. It
 * is never silent, because the agent would end a silent broadcast.
 */
import { readFileSync, writeSync } from 'node:fs';

const TICK_MS = 20;
/**
 * Less than the 8 MB that the agent queues until the first key of a tuning, and much less than the 64 MB at
 * which it disconnects a slow reader: a card that gets no processor time delays the stream instead of leaving
 * its beginning scrambled.
 */
const AHEAD_BYTES = 4 * 1024 * 1024;
const SILENT_MS = 500;
const PACKET = 188;
const [path = '', rate = '0', takenPath = ''] = process.argv.slice(2);
const bytes = await Bun.file(path).bytes();
const startedAt = performance.now();
let taken = 0;
let sentAt = startedAt;
for (let sent = 0; ; ) {
  const due = Math.ceil((Number(rate) * (performance.now() - startedAt + TICK_MS)) / 1000);
  if (due > taken + AHEAD_BYTES) taken = Number(readFileSync(takenPath, 'utf8'));
  const isSilent = performance.now() - sentAt > SILENT_MS;
  const end = Math.max(Math.min(due, taken + AHEAD_BYTES), isSilent ? sent + PACKET : 0);
  if (sent < end) sentAt = performance.now();
  while (sent < end) {
    const at = sent % bytes.length;
    sent += writeSync(1, bytes, at, Math.min(end - sent, bytes.length - at));
  }
  await Bun.sleep(TICK_MS);
}
