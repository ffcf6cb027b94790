/** A recorder that crashes as soon as it has begun to write, repeatedly: the downtimes are gaps. */
import { expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RecorderProcess, stored } from '../record/recorder-process-control.ts';
import { clockSpan, compare, probed, TestBroadcast, until } from '../record/test-broadcast.ts';

const LIVES = 6;
/** Octets with a clock reference among them, so that each life has its place in what was sent; a tenth of a second. */
const LIFE_BYTES = 30_000;
/** The test kills it: how long each process lives depends on the machine. */
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
  // The missing time is reported as such, by the broadcast's clock.
  const causes = measured.breaks.map(({ cause }) => cause);
  expect(causes).toEqual(Array.from(lived, () => 'service_stopped' as const));
  const toldMs = measured.breaks.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(Math.abs(toldMs - clockSpan(bytes).lostMs)).toBeLessThan(LIVES * 150);
  expect(await probed(path)).toBeGreaterThan(60);
}

export const recorderLives = {
  start: async (): Promise<void> => {
    air = await TestBroadcast.start(['T30'], 'GR:1');
  },
  tests: (): void =>
    test('of less than a second are in one file, and only the time between them is missing', shortLives),
  close: (): Promise<void> => air?.close(),
};
