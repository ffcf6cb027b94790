/**
 * Eight scrambled tunings through a real agent and the real card daemon, every packet compared: some changes of the keys,
 * with `--long` an hour. The readers limit the rate of the stream, so a busy machine compares fewer packets.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { StreamComparison } from '../bench/streams/stream-comparison.ts';
import { scrambledStream } from '../scrambled-stream.ts';
import { cardRigMissing } from './card-rig.ts';

/** The keys change four times a second. */
const SECONDS = process.env.SVC_LONG === '1' ? 3_600 : 4;
/** Of each tuning; the rate is a matter of the benchmark. */
const MBITS = SECONDS > 60 ? 18 : 4;
/** One second of all eight tunings. */
const FEWEST_PACKETS = (8 * MBITS * 1_000_000) / 8 / 188;
const BENCH = join(import.meta.dir, '..', 'bench', 'descramble.ts');
const PACKET = 188;

test.skipIf(cardRigMissing() !== undefined)(
  'eight descrambled tunings lose nothing',
  async () => {
    const child = Bun.spawn([process.execPath, BENCH, String(SECONDS), '-', String(MBITS)], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const text = await new Response(child.stdout).text();
    await child.exited;
    // Processor times are checked by the benchmark: a test may run beside others.
    expect(text).toMatch(/^packets lost or different +0\.0 /m);
    expect(text).toMatch(/^streams that ended +0\.0 /m);
    expect(text).toMatch(/^ECMs failed +0\.0 /m);
    const compared = /, ([\d,]+) packets compared/.exec(text)?.[1]?.replaceAll(',', '');
    expect(Number(compared)).toBeGreaterThan(FEWEST_PACKETS);
  },
  (SECONDS + 600) * 1_000,
);

test('the comparison detects a missing and a changed packet, however the stream is split', () => {
  const { clear } = scrambledStream({
    programs: [{ number: 101, pmtPid: 0x1f0, ecmPid: null, streams: [0x100, 0x110], seed: 1 }],
    periods: 2,
    rounds: 500,
  });
  const whole = Buffer.concat([clear.subarray(300 * PACKET), clear, clear]);
  const gapped = Buffer.concat([whole.subarray(0, 900 * PACKET), whole.subarray(901 * PACKET)]);
  const changed = Buffer.from(whole);
  changed[900 * PACKET + 50] = (changed[900 * PACKET + 50] ?? 0) ^ 1;
  for (const length of [7, PACKET, 1_000, whole.length]) {
    const lost = [whole, gapped, changed].map((stream) => {
      const comparison = new StreamComparison(clear);
      for (let at = 0; at < stream.length; at += length) comparison.take(stream.subarray(at, at + length));
      return comparison.lost;
    });
    expect(lost).toEqual([0, 1, 1]);
  }
});
