import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { media90k } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { openClip } from '../../test/play/clip.ts';
import { madeStream } from '../../test/play/made-recording.ts';
import { until } from '../../test/until.ts';
import { findEntry } from '../media/entry-search.ts';
import { RecordingEncode } from './recording-encode.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recording-encode-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('while it is paused nothing is fed and no time counts; then it continues to the end', async () => {
  const path = join(folder, 'film.ts');
  writeFileSync(path, await madeStream({ seconds: 4, flashAt: 2, clock: 95_430 }));
  const { bytes, index, close } = await openClip(path);
  const entry = await findEntry(bytes, index, media90k(0));
  if (entry === undefined) throw new Error('no entry');
  const output = join(folder, 'fed');
  let time = 0;
  let shares = 0;
  const encode = new RecordingEncode({
    ...{ bytes, index, entry, streams: 1, stallMs: 5_000, elapsed: () => monotonicMs(time) },
    command: ['sh', '-c', `exec cat > ${output}`],
    onProgress: () => {
      shares += 1;
    },
  });
  encode.hold(true);
  await until('its process', () => Bun.file(output).exists());
  // Longer than the timeout for a hang.
  time += 60_000;
  // One interval of the hang check, which emits no event to wait for.
  await Bun.sleep(600);
  expect([shares, statSync(output).size]).toEqual([0, 0]);
  encode.hold(false);
  const { code, broken, tookMs, reached } = await encode.outcome;
  expect([code, broken, tookMs]).toEqual([0, undefined, 0]);
  expect(reached).toBeGreaterThan(index.duration - 9_000);
  expect(statSync(output).size).toBeGreaterThan(10_000);
  close();
});
