/**
 * A tuning command for the agent's tests: numbered packets on one PID at a given rate, with the misbehaviours
 * that the agent has to survive.
 *
 *   bun ts-source.ts [--rate BYTES_PER_SECOND] [--packets N] [--exit CODE] [--delay MS] [--silent-after N]
 *                    [--garbage] [--stderr TEXT] [--deaf] [--log FILE] [--name TEXT]
 *
 * Every packet's payload begins with its 32-bit number and the word given by --name (the channel). With
 * --log, `start NAME PID` is appended to the file at start.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { numberedPackets } from './packets.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '4000000' },
    packets: { type: 'string' },
    exit: { type: 'string', default: '0' },
    delay: { type: 'string', default: '0' },
    'silent-after': { type: 'string' },
    garbage: { type: 'boolean', default: false },
    stderr: { type: 'string' },
    deaf: { type: 'boolean', default: false },
    log: { type: 'string' },
    name: { type: 'string', default: '' },
  },
});

const TICK_MS = 20;
if (values.deaf) process.on('SIGTERM', () => {});
if (values.log !== undefined) appendFileSync(values.log, `start ${values.name} ${process.pid}\n`);
if (values.stderr !== undefined) process.stderr.write(`${values.stderr}\n`);
await Bun.sleep(Number(values.delay));

const limit = Number(values.packets ?? values['silent-after'] ?? Number.POSITIVE_INFINITY);
const perTick = Math.max(1, Math.round((Number(values.rate) * TICK_MS) / 1000 / 188));
let sent = 0;
const startedAt = performance.now();
for (let tick = 1; sent < limit; tick += 1) {
  const count = Math.min(perTick, limit - sent);
  const bytes = numberedPackets(sent, count, values.name);
  if (values.garbage) bytes.fill(0x5a);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  } catch (error) {
    // The reader has disconnected.
    if (!values.deaf) throw error;
  }
  sent += count;
  await Bun.sleep(Math.max(0, startedAt + tick * TICK_MS - performance.now()));
}
if (values['silent-after'] !== undefined) await Bun.sleep(60_000);
process.exit(Number(values.exit));
