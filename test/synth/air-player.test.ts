/** The air player from the outside: tunings as processes, like an agent starts them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceId } from '../../lib/arib/ids.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { smallScenario } from '../../synth/scenario/small.ts';
import { compare, countCompared } from '../record/test-broadcast.ts';
import { until } from '../until.ts';
import { PACKET } from './tuning.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-player-'));
const FAULTS = join(FOLDER, 'faults.json');
const BYTES_PER_SECOND = 150_000;
const scenario = (title: string): string =>
  JSON.stringify(
    smallScenario({
      channels: ['T30', 'T31', 'T32', 'T33'].map((channel) => ({
        channel,
        stations: [{ programmes: [{ durationSec: 600, title }] }],
      })),
    }),
  );

let air: PlayedAir;
let channels: Awaited<ReturnType<PlayedAir['put']>>;

beforeAll(async () => {
  air = await PlayedAir.open();
  channels = await air.put({ scenario: scenario('はじめの番組'), faults: FAULTS, maxLagSec: 60 });
});

afterAll(async () => {
  await air.close();
  rmSync(FOLDER, { recursive: true });
});

/** Starts a tuning without a shell's expansion, like the agent. */
function tune(channel: string, command = air.tuneCommand) {
  const words = command.replaceAll('"', '').replace('{type}', 'GR').replace('{channel}', channel).split(' ');
  return Bun.spawn(words, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', detached: true });
}

/** The first bytes of a tuning, which is then ended like by the agent. */
async function received(child: ReturnType<typeof tune>, bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of child.stdout) {
    parts.push(part);
    length += part.length;
    if (length >= bytes) break;
  }
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
  await child.exited;
  const all = Buffer.concat(parts);
  return Uint8Array.from(all.subarray(0, all.length - (all.length % PACKET)));
}

/** Its result, without waiting for bytes. */
async function ended(child: ReturnType<typeof tune>) {
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { bytes: stdout.length, stderr, exitCode };
}

/** Compares a tuning of a channel with the broadcast: it is the same without a loss. */
async function expectSent(channel: string, stream: Uint8Array, from: number): Promise<void> {
  const station = channels.find((one) => one.channel === channel)?.stations[0]?.serviceId ?? 0;
  const sent = await air.sent({ type: 'GR', channel }, from - 2_000, (Date.now() - from) / 1000 + 3);
  const [own, all] = [stream, sent].map((bytes) => new StationFilter(serviceId(station)).feed(bytes)) as [
    Uint8Array,
    Uint8Array,
  ];
  expect(countCompared(own)).toBeGreaterThan(300);
  expect(compare(own, all)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
}

test('simultaneous tunings carry the same packets, which are those of the broadcast at that time', async () => {
  const from = Date.now();
  const tunings = await Promise.all([1, 2].map(() => received(tune('T30'), 2 * BYTES_PER_SECOND)));
  const [one = Buffer.of(), other = Buffer.of()] = tunings.map((bytes) => Buffer.from(bytes));
  await expectSent('T30', one, from);
  // Either may have begun first.
  const [first, second] = one.includes(other.subarray(0, 10 * PACKET)) ? [one, other] : [other, one];
  const begin = first.indexOf(second.subarray(0, 10 * PACKET));
  expect(begin).toBeGreaterThanOrEqual(0);
  const common = Math.min(first.length - begin, second.length);
  expect(common).toBeGreaterThan(BYTES_PER_SECOND);
  expect(Buffer.compare(first.subarray(begin, begin + common), second.subarray(0, common))).toBe(0);
});

test('a tuning keeps the pace of real time', async () => {
  const began = performance.now();
  await received(tune('T30'), 2 * BYTES_PER_SECOND);
  expect(performance.now() - began).toBeGreaterThan(1_900);
});

test('a broadcast is what the broadcaster prints about it', async () => {
  const at = Date.now();
  const truth = (await air.truth({ type: 'GR', channel: 'T31' }, at)) as {
    channel: string;
    stations: { present: { title: string } }[];
  };
  expect([truth.channel, truth.stations[0]?.present.title]).toEqual(['T31', 'はじめの番組']);
});

test('an unknown channel fails with the message of the scenario', async () => {
  const { bytes, exitCode, stderr } = await ended(tune('T99'));
  expect([bytes, exitCode]).toEqual([0, 1]);
  expect(stderr).toStartWith('synth: ');
  expect(stderr).toContain('T99');
});

test('faults of the control file reach a running tuning, with exit code and message', async () => {
  const running = tune('T31');
  const reader = running.stdout.getReader();
  await reader.read();
  writeFileSync(
    FAULTS,
    JSON.stringify([
      { kind: 'end', channel: 'T31', exitCode: 7 },
      { kind: 'no_lock', channel: 'T32', exitAfterSec: 0.5 },
      { kind: 'loss', channel: 'T33', rate: 0.2, burst: 1 },
    ]),
  );
  while (!(await reader.read()).done);
  expect([await running.exited, await new Response(running.stderr).text()]).toEqual([7, '']);
  expect(await ended(tune('T32'))).toEqual({ bytes: 0, exitCode: 1, stderr: 'synth: no signal lock\n' });
  const began = performance.now();
  await received(tune('T33'), BYTES_PER_SECOND);
  // A fifth is lost: the same amount takes longer.
  expect(performance.now() - began).toBeGreaterThan(1_150);
  rmSync(FAULTS);
  // The file is read again within a moment.
  await until('T31 is received again', async () => (await received(tune('T31'), PACKET)).length > 0);
});

test('a killed tuning does not affect the others, and a stopped one continues without a loss', async () => {
  const from = Date.now();
  const [killed, stopped] = [tune('T30'), tune('T30')];
  const rest = received(stopped, 3 * BYTES_PER_SECOND);
  await killed.stdout.getReader().read();
  process.kill(-killed.pid, 'SIGKILL');
  process.kill(-stopped.pid, 'SIGSTOP');
  await killed.exited;
  await Bun.sleep(1_000);
  process.kill(-stopped.pid, 'SIGCONT');
  await expectSent('T30', await rest, from);
});

test('a tuning that comes first waits for the broadcast; another broadcast ends it', async () => {
  const own = await PlayedAir.open();
  const early = tune('T30', own.tuneCommand);
  const reader = early.stdout.getReader();
  const first = reader.read();
  const [channel] = await own.put({ scenario: scenario('番組') });
  expect(channel).toMatchObject({ type: 'GR', channel: 'T30' });
  expect((await first).value?.length).toBeGreaterThan(0);
  await own.put({ scenario: scenario('つぎの番組') });
  while (!(await reader.read()).done);
  expect(await early.exited).toBe(0);
  const later = tune('T30', own.tuneCommand);
  expect((await later.stdout.getReader().read()).done).toBe(false);
  await own.close();
  expect(await later.exited).toBe(0);
});

test('a scenario that cannot be broadcast is refused with its message', async () => {
  const own = await PlayedAir.open();
  const refused = await own.put({ scenario: '{"name":"x"}' }).catch((error: Error) => error.message);
  expect(refused).toContain('channels');
});
