/** EPGStation's sequence: start, recording with an extension, and a service that restarts before the next recording. */
import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgrammeChanges } from '../follow/programme-changes.ts';
import { realTime } from '../real-time.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { Epgstation, type Recording } from './epgstation-client.ts';

/** Present/following is repeated every 3 s at most, and is used within a second or two on a busy machine. */
const LATE_SEC = 6;
const AIR = {
  T20: [{ at: 0, durationSec: 8, title: '延びる試合', overrunSec: 8, overrunSteps: 2, noticeSec: 2 }],
  T21: [{ at: 32, durationSec: 8, title: '再起動のあとの番組' }],
};

const { prepare, test } = realTime();
let evening: ProgrammeChanges;
let again: TestService | undefined;
let client: Epgstation;
let port = 0;
const folder = mkdtempSync(join(tmpdir(), 'svc-epgstation-'));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const environment = () => ({ MIRAKURUN_PORT: String(port), DATA_DIR: folder, EPG_SWEEP_SETTLE: '1000' });

prepare(async () => {
  port = await freePort();
  client = new Epgstation(port);
  const started = client.start();
  evening = await ProgrammeChanges.start(AIR, 'GR:2', 1, environment());
  await started;
});

afterAll(async () => {
  client.close();
  await again?.close();
  await evening.close();
  rmSync(folder, { recursive: true, force: true });
});

const stretchOf = ({ bytes }: Recording) => evening.stretchOf(bytes);

test('it starts before the server, records an extended programme whole, and records after a restart', async () => {
  expect(client.tuners.map(({ types }) => types)).toEqual([['GR'], ['GR']]);
  const [match, later] = await Promise.all(
    ['延びる試合', '再起動のあとの番組'].map((name) => client.program(name)),
  );
  if (match === undefined || later === undefined) throw new Error('not known');
  const first = client.record(match);
  const second = client.record(later);

  await until('the recording has ended', () => first.end !== 'running');
  expect(first).toMatchObject({ end: 'clean', tries: 1 });
  expect(first.waited).toBeLessThan(5_000);
  expect(stretchOf(first).from).toBeLessThan(LATE_SEC);
  expect(stretchOf(first).to).toBeGreaterThan(15.5);
  expect(stretchOf(first).to).toBeLessThan(16 + LATE_SEC);
  // The extension was announced, so that the plan of EPGStation knows it.
  const lengths = client.updates.filter(({ id }) => id === match.id).map(({ duration }) => duration);
  expect(Math.max(...lengths)).toBeGreaterThanOrEqual(16_000);

  // The stream of the next programme is asked for, and the service ends.
  await until('the next recording is prepared', () => second.tries === 1);
  const { reads, streams } = client;
  await evening.service.close();
  expect(second.bytes.length).toBe(0);
  again = await startTestService({
    environment: { TUNER_AGENT_URL: evening.air.agentUrl, ...environment() },
  });
  await until('changes are followed again', () => client.streams > streams && client.reads > reads);
  expect(client.programs.get(later.id)?.name).toBe('再起動のあとの番組');

  await until('the recording has ended', () => second.end !== 'running');
  expect(second.end).toBe('clean');
  expect(second.tries).toBeGreaterThan(1);
  expect(stretchOf(second).from).toBeGreaterThan(31.5);
  expect(stretchOf(second).from).toBeLessThan(32 + LATE_SEC);
  expect(stretchOf(second).to).toBeGreaterThan(39.5);
  expect(client.problem ?? '').not.toContain('JSON');
});
