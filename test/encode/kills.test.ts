/** The service is killed at each step from an original to its encoded file: a playable file exists at every moment. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { EncodeStep } from '../../src/encode/encode-sources.ts';
import { reconcile } from '../../src/record/file-reconciliation.ts';
import { openDatabase } from '../../src/store/database.ts';
import { RecordingListStore } from '../../src/store/recording-list-store.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { madeStream } from '../play/made-recording.ts';
import { EncodeHome } from './encode-home.ts';

const START = Date.UTC(2026, 0, 5, 12);
/** All steps with `--long`. */
const STEPS: readonly EncodeStep[] =
  process.env.SVC_LONG === '1'
    ? ['named', 'encoded', 'verified', 'renamed', 'stored', 'retired', 'removed']
    : ['encoded', 'renamed', 'stored', 'retired'];

let root: string;
let film: Uint8Array;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-encode-kills-'));
  // Sound only: the comparison of pictures takes eight further processes (encodes.test.ts).
  film = await madeStream({ seconds: 1, flashAt: 0, clock: 95_450, only: 'audio' });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

async function encode(folder: string, step: EncodeStep | 'none'): Promise<number> {
  const script = join(import.meta.dir, 'encode-process.ts');
  const child = Bun.spawn([process.execPath, script, folder, step], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return child.exited;
}

/** Every file named by a row exists, and at least one of them is playable. */
function expectWatchable(folder: string, id: number): string[] {
  const database = openDatabase(join(folder, 'svc.db'));
  try {
    const files = new RecordingListStore(database).find(recordingId(id))?.files ?? [];
    expect(files.length).toBeGreaterThan(0);
    for (const { path } of files) expect([path, existsSync(path)]).toEqual([path, true]);
    return files.map(({ source }) => source);
  } finally {
    database.close();
  }
}

describe('a kill', () => {
  test.each([...STEPS])('after the step %p nothing is lost, and the next start finishes', async (step) => {
    const folder = join(root, step);
    const recordings = join(folder, 'recordings');
    const home = new EncodeHome(folder);
    const id = home.put(film, 1_001);
    await home.close();

    expect(await encode(folder, step)).toBe(137);
    expectWatchable(folder, id);
    // Like a start of the service, before anything else.
    const database = openDatabase(join(folder, 'svc.db'));
    const store = new RecordingStore(database);
    await reconcile({ store, log: SILENT_LOG, wallClock: () => wallMs(START) });
    database.close();
    expectWatchable(folder, id);
    expect(await encode(folder, 'none')).toBe(0);
    expect(expectWatchable(folder, id)).toEqual(['alt']);
    // No other files are left.
    expect(readdirSync(recordings).filter((name) => !name.endsWith('.h264.mkv'))).toEqual([]);
    expect(readdirSync(recordings)).toHaveLength(1);
  });
});
