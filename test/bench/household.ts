/**
 * The executables in an evening of a household: agent and service with eight recordings booked over HTTP, four raw viewers
 * and an encoded one, on eight stations in real time. Processor time, memory, response times and losses against the
 * recorder's limits. `bun test/bench/household.ts [seconds]`. Runs the sources where `dist/` is not built. Ends with 1 when a
 * figure is above its limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel } from '../../lib/wire/agent.ts';
import type { Recording, RecordingDetail } from '../../lib/wire/recordings.ts';
import type { StationRecord } from '../../src/model/station.ts';
import type { Program } from '../program.ts';
import { Figures, quantile } from './guide/figures.ts';
import { cpuSeconds, machineLoad, memoryOf } from './guide/process-use.ts';
import { type StationHome, startStationHome } from './streams/station-home.ts';
import { StreamViewer } from './streams/stream-viewer.ts';

const ROOT = join(import.meta.dir, '..', '..');
const BUN = process.execPath;
const SYNTH = join(ROOT, 'synth', 'main.ts');
const PACED = join(ROOT, 'test', 'bench', 'streams', 'paced-file.ts');
const STATIONS = 8;
const RAW_VIEWERS = 4;
/** Not measured: the tables of all stations are read and the JIT compilers finish. */
const SETTLE_SECONDS = 10;
const PROBE_MS = 50;
const REQUEST_LIMIT_MS = 10_000;

/**
 * Limits: of the service like those of the recorder in `test/bench/record.ts` (half of one of two cores, memory
 * for four full queues, lag as for every screen), of the agent like those in `test/bench/agent.ts`.
 */
const LIMITS = {
  'service, of one core': ['%', 50],
  'service, memory at most': ['MB', 512],
  'agent, of one core': ['%', 15],
  'agent, against cat of the same streams': ['times', 1.3],
  'response time p99': ['ms', 20],
  'packets lost': ['places', 0],
  'damage of recordings': ['windows', 0],
} as const;

const JSON_HEADERS = { 'content-type': 'application/json' };

const seconds = Number(process.argv[2] ?? 30);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-household-'));
const length = SETTLE_SECONDS * 2 + seconds;

async function synth(words: readonly string[], to?: string): Promise<string> {
  const child = Bun.spawn([BUN, SYNTH, '--scenario', 'default', ...words], {
    stdout: to === undefined ? 'pipe' : Bun.file(to),
    stderr: 'inherit',
  });
  const text = to === undefined ? await new Response(child.stdout as ReadableStream).text() : '';
  if ((await child.exited) !== 0) throw new Error(`synth ${words.join(' ')} failed`);
  return text;
}

async function read<T>(service: Program, path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(`${service.url}/api/${path}`, {
    ...init,
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Response times of a list that every screen reads, ms, until aborted. */
async function probe(service: Program, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const asked = performance.now();
    await read(service, 'recordings?show=recording');
    times.push(performance.now() - asked);
    await Bun.sleep(PROBE_MS);
  }
  return times;
}

/** Reads an encoded stream at full speed. @returns a function that returns the number of bytes so far */
function viewEncoded(service: Program, { id }: StationRecord, signal: AbortSignal): () => number {
  let bytes = 0;
  void (async () => {
    const response = await fetch(`${service.url}/api/services/${id}/live?codec=h264`, { signal });
    if (response.body === null) return;
    for await (const chunk of response.body) bytes += chunk.length;
  })().catch((error: unknown) => {
    if (!signal.aborted) console.error(String(error));
  });
  return () => bytes;
}

/** The programme of a station is known once its first table was received. */
async function record(service: Program, { id }: StationRecord): Promise<void> {
  const until = performance.now() + SETTLE_SECONDS * 1000;
  for (;;) {
    try {
      await read(service, `services/${id}/record`, { method: 'POST', headers: JSON_HEADERS });
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await Bun.sleep(PROBE_MS);
    }
  }
}

/** Processor time of `cat` that sends a file to a socket, s. */
async function catSeconds(file: string): Promise<number> {
  const sink = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  try {
    const child = Bun.spawn(['bash', '-c', `exec cat "$0" > /dev/tcp/127.0.0.1/${sink.port}`, file]);
    if ((await child.exited) !== 0) throw new Error('cat failed');
    return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  } finally {
    sink.stop(true);
  }
}

/** Percent of a core that `cat` needs for these streams at their rate. */
async function catPercent(files: readonly string[]): Promise<number> {
  let used = 0;
  for (const file of files) used += await catSeconds(file);
  return (used / length) * 100;
}

async function measure({ service, agent, stations }: StationHome, cat: number) {
  const leave = new AbortController();
  const begun = new AbortController();
  const view = ({ id }: StationRecord, { signal }: AbortController): StreamViewer =>
    new StreamViewer(`${service.url}/api/services/${id}/live?codec=raw`, signal);
  try {
    const viewers = stations.slice(0, RAW_VIEWERS).map((station) => view(station, leave));
    // Their streams contain the tables of their stations.
    for (const station of stations.slice(RAW_VIEWERS)) view(station, begun);
    for (const station of stations) await record(service, station);
    begun.abort();
    const encoded = stations.slice(RAW_VIEWERS, RAW_VIEWERS + 1);
    const encodedBytes = encoded.map((station) => viewEncoded(service, station, leave.signal));
    await Bun.sleep(SETTLE_SECONDS * 1000);
    for (const viewer of viewers) viewer.begin();
    const used = [service, agent].map(({ pid }) => cpuSeconds(pid));
    const began = performance.now();
    const over = new AbortController();
    const times = probe(service, over.signal);
    await Bun.sleep(seconds * 1000);
    over.abort();
    const responses = await times;
    const elapsed = (performance.now() - began) / 1000;
    const [serviceCpu = 0, agentCpu = 0] = [service, agent].map(
      ({ pid }, index) => ((cpuSeconds(pid) - (used[index] ?? 0)) / elapsed) * 100,
    );
    const recordings = await read<Recording[]>(service, 'recordings?show=recording');
    const details = await Promise.all(
      recordings.map(({ id }) => read<RecordingDetail>(service, `recordings/${id}/detail`)),
    );
    const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
    const recorded = recordings.filter(({ progress }) => progress?.phase === 'receiving').length;
    console.log(
      `${recorded} recordings, ${viewers.length} raw viewers, ${sum(encodedBytes.map((bytes) => bytes() / 1e6)).toFixed(1)} MB ` +
        `to an encoded one, for ${seconds} s; load of the machine ${machineLoad()}`,
    );
    const measured: Record<keyof typeof LIMITS, number> = {
      'service, of one core': serviceCpu,
      'service, memory at most': memoryOf(service.pid).peak,
      'agent, of one core': agentCpu,
      'agent, against cat of the same streams': agentCpu / cat,
      'response time p99': quantile(responses, 0.99),
      'packets lost':
        sum(viewers.map(({ lost }) => lost)) + sum(recordings.map(({ progress }) => progress?.drops ?? 0)),
      'damage of recordings': sum(details.map(({ damage = [] }) => damage.length)),
    };
    const isServed = viewers.every(({ bytes }) => bytes > 0) && encodedBytes.every((bytes) => bytes() > 0);
    return { measured, isWhole: recorded === stations.length && isServed };
  } finally {
    begun.abort();
    leave.abort();
  }
}

async function main(): Promise<boolean> {
  const all = JSON.parse(await synth(['--channels'])) as Channel[];
  const channels = all.slice(0, STATIONS);
  for (const { type, channel } of channels) {
    const words = ['--type', type, '--channel', channel, '--speed', '0', '--duration', String(length)];
    await synth(words, join(folder, `${channel}.ts`));
  }
  const cat = await catPercent(channels.map(({ channel }) => join(folder, `${channel}.ts`)));
  const tune = `${BUN} ${PACED} ${join(folder, '{channel}.ts')} ${length}`;
  const home = await startStationHome({ folder, channels, tune });
  try {
    const { measured, isWhole } = await measure(home, cat);
    if (!isWhole) console.log('not everything was recorded and served');
    const figures = new Figures();
    for (const [name, [unit, limit]] of Object.entries(LIMITS))
      figures.limited(name, measured[name as keyof typeof LIMITS], unit, limit);
    return isWhole && !figures.failed;
  } finally {
    await home.end();
  }
}

let good = false;
try {
  good = await main();
} catch (error) {
  console.error(`test/bench/household: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
