/**
 * Writes a file to standard output at a constant rate, then stays silent: `paced-file.ts FILE MS
 * [SILENT_MS]`.
 */
export {};

const [path = '', duration = '1000', silence = '0'] = process.argv.slice(2);
const bytes = await Bun.file(path).bytes();
const totalMs = Number(duration);
const started = performance.now();
let sent = 0;
while (sent < bytes.length) {
  const due = Math.min(
    bytes.length,
    Math.ceil((bytes.length * (performance.now() - started + 20)) / totalMs),
  );
  if (due > sent) await Bun.write(Bun.stdout, bytes.subarray(sent, due));
  sent = due;
  await Bun.sleep(20);
}
await Bun.sleep(Number(silence));
