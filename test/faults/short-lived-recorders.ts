/** A recorder that repeatedly crashes just after it began to write: the downtimes are gaps. */
import { expect } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RealTime } from '../real-time.ts';
import { RecorderProcess, stored } from '../record/recorder-process-control.ts';
import { clockSpan, compare, probed, TestBroadcast } from '../record/test-broadcast.ts';
import { until } from '../until.ts';

const LIVES = 6;
/**
 * Enough bytes to contain a clock reference, so that each run can be located in the sent stream; a tenth of a
 * second.
 */
const LIFE_BYTES = 30_000;
/** Far beyond the kill: how long each process runs depends on the machine. */
const FAR_MS = 600_000;

let air: TestBroadcast;
async function shortLives(): Promise<void> {
  const folder = join(air.folder, 'short');
  const began = Date.now();
  const endAt = began + FAR_MS;
  let id: number | undefined;
  let size = 0;
  const lived: number[] = [];
  for (let life = 0; life < LIVES; life += 1) {
    const recorder = new RecorderProcess(air, folder, 'T30', began, endAt, id);
    await until('it receives', () => recorder.state?.phase === 'receiving');
    id = recorder.state?.id;
    const [name = ''] = readdirSync(join(folder, 'recordings'));
    await until('it has written', () => statSync(join(folder, 'recordings', name)).size > size + LIFE_BYTES);
    recorder.process.kill('SIGKILL');
    await recorder.process.exited;
    const before = size;
    size = statSync(join(folder, 'recordings', name)).size;
    lived.push(size - before);
  }
  const last = new RecorderProcess(air, folder, 'T30', began, endAt, id);
  await last.endWhenMostlyWhole();
  const { state, verdict, path, bytes, measured } = stored(folder);
  const found = compare(bytes, await air.sent('T30', began, Date.now()));
  expect({ ...found, lived }).toMatchObject({ foreign: 0, holes: LIVES });
  expect({ state, drops: verdict?.drops }).toEqual({ state: 'recorded', drops: 0 });
  // The missing time is reported, by the broadcast clock.
  const causes = measured.breaks.map(({ cause }) => cause);
  expect(causes).toEqual(Array.from(lived, () => 'service_stopped' as const));
  const reportedMs = measured.breaks.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(Math.abs(reportedMs - clockSpan(bytes).lostMs)).toBeLessThan(LIVES * 150);
  expect(await probed(path)).toBeGreaterThan(60);
}

export const recorderLives = {
  start: async (): Promise<void> => {
    air = await TestBroadcast.start(['T30'], 'GR:1');
  },
  tests: ({ test }: RealTime): void =>
    test(
      'that run for less than a second write one file, and only the time between them is missing',
      shortLives,
    ),
  close: (): Promise<void> => air?.close(),
};
