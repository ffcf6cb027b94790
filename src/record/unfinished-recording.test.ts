import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../arib/time.ts';
import { wallMs } from '../../host/clock.ts';
import { span } from '../../test/record/span.ts';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { recordingId } from '../model/ids.ts';
import { type Measured, nothingMeasured } from '../model/verdict.ts';
import { endedWhileAway, previousProgress } from './unfinished-recording.ts';

const BEGAN = broadcastMs(1_700_000_000_000);
const RECORD = {
  startAt: broadcastMs(BEGAN + 10_000),
  closeAt: broadcastMs(BEGAN + 100_000),
  beganAt: BEGAN,
  ended: null,
};
/** The machine's clock, which dates files, is an hour behind the broadcast's. */
const CLOCKS = {
  broadcastClock: () => broadcastMs(BEGAN + 7_200_000),
  wallClock: () => wallMs(BEGAN + 3_600_000),
};

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-left-'));
  path = join(folder, 'a.ts');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Packets, and a truncated one; last written at `at` of the broadcast. */
function written(packets: number, at: number): void {
  const builder = new StreamBuilder();
  for (let each = 0; each < packets; each += 1) builder.packet(0x100, { payload: new Uint8Array(184) });
  writeFileSync(path, Buffer.concat([builder.bytes(), new Uint8Array(100)]));
  utimesSync(path, new Date(at - 3_600_000), new Date(at - 3_600_000));
}

const saved = (): Measured => ({
  ...nothingMeasured(),
  stretches: [span(BEGAN, BEGAN + 20_000)],
  sums: { packets: 60, drops: 1, errors: 0, scrambled: 0 },
});

test('data after the last saved state is counted from the file, up to its last write', async () => {
  written(100, BEGAN + 24_000);
  const left = await endedWhileAway(
    RECORD,
    { measured: saved(), parts: [{ path, bytes: 60 * 188 }] },
    CLOCKS,
  );
  expect(left.end).toBe('finished');
  expect(left.measured).toMatchObject({
    stretches: [span(BEGAN, BEGAN + 24_000)],
    breaks: [{ ...span(BEGAN + 24_000, BEGAN + 100_000), cause: 'service_stopped' }],
    sums: { packets: 100, drops: 1 },
  });
  expect(statSync(path).size).toBe(100 * 188);
});

test('a recording killed before its first save is counted from its file', async () => {
  written(100, BEGAN + 4000);
  const left = await endedWhileAway(
    RECORD,
    { measured: nothingMeasured(), parts: [{ path, bytes: 0 }] },
    CLOCKS,
  );
  expect(left.measured).toMatchObject({
    stretches: [span(BEGAN, BEGAN + 4000)],
    breaks: [{ from: BEGAN + 4000, cause: 'service_stopped' }],
    sums: { packets: 100 },
  });
});

test('without a file nothing counts as received; earlier gaps stay', async () => {
  const breaks = [{ ...span(BEGAN, BEGAN + 5000), cause: 'no_tuner' as const }];
  const measured = { ...nothingMeasured(), breaks };
  const left = await endedWhileAway(RECORD, { measured, parts: [{ path, bytes: 0 }] }, CLOCKS);
  expect(left.measured).toMatchObject({
    stretches: [],
    breaks: [...breaks, { ...span(BEGAN + 5000, BEGAN + 100_000), cause: 'service_stopped' }],
  });
});

test('a recording that had already ended is unchanged', async () => {
  const ended = { as: 'stopped' as const, at: broadcastMs(BEGAN + 20_000) };
  const former = { measured: saved(), parts: [] };
  expect(await endedWhileAway({ ...RECORD, ended }, former, CLOCKS)).toEqual({
    ...{ end: 'stopped', at: broadcastMs(BEGAN + 20_000), measured: saved(), parts: [] },
  });
});

test('damaged measurements are replaced by a count of the last file, since the start of the recording', async () => {
  written(100, BEGAN + 24_000);
  const store = { measured: () => null, parts: () => [{ path, bytes: 60 * 188 }] };
  const former = previousProgress(store, { id: recordingId(1), beganAt: BEGAN });
  expect(former.parts).toEqual([{ path, bytes: 0 }]);
  const { measured } = await endedWhileAway(RECORD, former, CLOCKS);
  expect(measured.sums.packets).toBe(100);
  expect(measured.stretches).toEqual([span(BEGAN, BEGAN + 24_000)]);
  expect(measured.breaks).toMatchObject([{ from: BEGAN + 24_000, cause: 'service_stopped' }]);
  expect(previousProgress(store, { id: recordingId(1), beganAt: null }).measured.stretches).toEqual([]);
});
