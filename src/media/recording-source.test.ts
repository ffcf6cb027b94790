/** A conversion of an in-memory recording whose encoder hangs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { media90k } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { VirtualRecording } from '../../test/play/virtual-recording.ts';
import { Encoders } from '../ffmpeg/encoders.ts';
import { EncodedSession } from './encoded-session.ts';
import { findEntry } from './entry-search.ts';
import type { EncodedRecipe } from './recipe.ts';
import { RecordingIndexer } from './recording-index.ts';
import { RecordingSource } from './recording-source.ts';
import { RECORDING_FAILURES } from './session-failures.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-recording-source-'));
const hanging = join(folder, 'ffmpeg');
const pidFile = join(folder, 'pid');

beforeAll(() => {
  // Reads no input and writes no output.
  writeFileSync(hanging, `#!/bin/sh\necho $$ >> ${pidFile}\nexec sleep 600\n`);
  chmodSync(hanging, 0o755);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A session on a recording of 20 s; `step`: ms by which the clock advances at each reading. */
async function hangingSession(step: number) {
  const bytes = Object.assign(new VirtualRecording([{ pictures: 600, pts: 90_000 }], 40), {
    refresh: async () => false,
  });
  const input = { source: bytes, breaks: [], beganAt: undefined, serviceId: undefined };
  const index = await new RecordingIndexer().index(input);
  const zero = media90k(0);
  const entry = await findEntry(bytes, index, zero);
  if (entry === undefined) throw new Error('the recording has pictures');
  let now = 0;
  const clock = () => {
    // Only once the encoder runs.
    if (existsSync(pidFile)) now += step;
    return monotonicMs(now);
  };
  const released = Promise.withResolvers<void>();
  const source = new RecordingSource({
    ...{ bytes, index, entry, follow: undefined, zero, clock },
    onClosed: released.resolve,
  });
  const choice: EncodedRecipe['choice'] = {
    ffmpeg: hanging,
    encoder: {
      name: 'libx264',
      codec: 'h264',
      kind: 'software',
      device: [],
      filters: [],
      live: [],
      file: { small: [], standard: [], fine: [] },
    },
    standIn: false,
  };
  const session = new EncodedSession({
    source,
    layout: () => source.layout,
    recipe: {
      ...{ kind: 'encoded', format: 'h264', choice, ffmpeg: hanging, notices: [] },
      mayFallBack: true,
      audio: () => undefined,
    },
    encoders: new Encoders({
      ...{ path: undefined, searchPath: process.env.PATH ?? '', log: SILENT_LOG },
      now: () => wallMs(Date.now()),
    }),
    failures: RECORDING_FAILURES,
    log: SILENT_LOG,
    onOver: () => void source.close(),
  });
  return { session, released: released.promise };
}

/** Whether a process started by the script is still running. */
async function isLeft(): Promise<boolean> {
  const pids = (await Bun.file(pidFile).text()).trim().split('\n').map(Number);
  return pids.some((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}

test('an encoder without output is ended at its time limit and tried once more, then the viewer gets an error', async () => {
  const { session, released } = await hangingSession(30_000);
  session.start();
  const joining = session.join(new AbortController().signal);
  await expect(joining).rejects.toMatchObject({ code: 'busy' });
  await released;
  expect((await Bun.file(pidFile).text()).trim().split('\n')).toHaveLength(2);
  expect(await isLeft()).toBe(false);
});

test('stopping a session before its first frames reports an error of the recording, not of the reception', async () => {
  const { session, released } = await hangingSession(0);
  session.start();
  const joining = session.join(new AbortController().signal);
  joining.catch(() => {});
  session.stop();
  await expect(joining).rejects.toThrow('録画を読み込めませんでした');
  await released;
});
