/**
 * Eight recordings and four raw viewers at once on two cores, at the rate of full terrestrial stations: cost and
 * losses. `bun test/bench/record.ts [seconds] [encode]`; `encode`: beside an encode of a recording, as the
 * queue runs it. Ends with 1 when a figure is above its limit.
 *
 * The stream is generated before and sent in real time by a process of its own, so that the figures are those of
 * the recorder only: filter, measuring, queues, files, and the viewers' way over the main thread.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs, media90k } from '../../lib/arib/time.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import { StreamStatistics } from '../../lib/arib/ts/statistics.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { backgroundWords } from '../../src/encode/create-encode.ts';
import { encodeCommand } from '../../src/encode/encode-command.ts';
import { encodedTracks } from '../../src/encode/encoded-tracks.ts';
import { metadataText } from '../../src/encode/file-texts.ts';
import { RecordingEncode } from '../../src/encode/recording-encode.ts';
import { Encoders } from '../../src/ffmpeg/encoders.ts';
import { VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { LiveService } from '../../src/live/live-service.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer } from '../../src/media/recording-index.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { SessionFixture } from '../record/session-fixture.ts';
import { Figures } from './guide/figures.ts';

const ROOT = join(import.meta.dir, '..', '..');
const SYNTH = join(ROOT, 'synth', 'main.ts');
const RECORDINGS = 8;
const VIEWERS = 4;
/** From the scenario `default`: a high-definition station of a full terrestrial channel. */
const CHANNEL = 'T27';
const SERVICE = serviceId(9216);
const CORES = '0,1';
/** Time until all streams are running; not measured. */
const SETTLE_MS = 3_000;
const SLICE_MS = 20;
const PROBE_MS = 5;

/** Limits: half of one of the two cores in total, memory for four full queues, lag as for every screen. */
const LIMITS = { cpuPercent: 50, memoryMb: 512, lagMs: 20, drops: 0, gaps: 0 } as const;

/** Printed by the measured process. */
interface Measured {
  cpuPercent: number;
  memoryMb: number;
  lagMs: number;
  drops: number;
  gaps: number;
  recordedMb: number;
  viewedMb: number;
}

/** Sends a file in real time to every client, from its beginning. Prints its address. */
function send(path: string, seconds: number): void {
  const bytes = new Uint8Array(readFileSync(path));
  const perMs = bytes.length / (seconds * 1000);
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      let sent = 0;
      let timer: ReturnType<typeof setInterval> | undefined;
      const began = performance.now();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          timer = setInterval(() => {
            const due = Math.min(bytes.length, Math.floor((performance.now() - began) * perMs));
            const to = due - (due % PACKET_SIZE);
            if (to > sent) controller.enqueue(bytes.slice(sent, to));
            sent = Math.max(sent, to);
          }, SLICE_MS);
        },
        cancel: () => clearInterval(timer),
      });
      return new Response(body, { headers: { 'content-type': 'video/mp2t' } });
    },
  });
  process.stdout.write(`http://127.0.0.1:${server.port}\n`);
}

const stations: StationRecord[] = Array.from({ length: VIEWERS }, (_, index) => ({
  id: stationId(networkId(32608 + index), SERVICE),
  type: 'GR',
  networkId: networkId(32608 + index),
  serviceId: SERVICE,
  transportStreamId: null,
  channel: `T${40 + index}`,
  name: `${index}`,
  serviceType: 1,
  remoteControlKey: 1,
}));

/** Reads a raw stream like a viewer and counts missing packets. */
async function view(live: LiveService, station: StationRecord, signal: AbortSignal) {
  const statistics = new StreamStatistics();
  let bytes = 0;
  const { body } = await live.open({ stationId: station.id, codec: 'raw', audio: undefined }, signal);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  signal.addEventListener('abort', () => void reader.cancel(), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    statistics.count(value);
  }
  return { bytes, drops: statistics.continuityErrors };
}

/** Encodes the stream repeatedly at the lowest priority. @returns the number of encodes */
async function encodeMeanwhile(path: string, folder: string, signal: AbortSignal): Promise<number> {
  const source = await RecordingBytes.open(() => [path]);
  const input = { source, breaks: [], beganAt: undefined, serviceId: SERVICE };
  const index = await new RecordingIndexer().index(input);
  const entry = await findEntry(source, index, media90k(0));
  const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libsvtav1');
  if (entry === undefined || encoder === undefined) throw new Error('nothing to encode with');
  const metadata = join(folder, 'tags.txt');
  writeFileSync(
    metadata,
    metadataText({ title: '', station: '', description: '', startAt: broadcastMs(0) }, true),
  );
  const command = encodeCommand({
    choice: { ffmpeg: 'ffmpeg', encoder, standIn: false },
    video: { kind: 'mpeg2', material: 'video', shape: undefined },
    ...{
      quality: 'standard',
      tracks: encodedTracks([], 1),
      cuts: null,
      captions: null,
      metadata,
      poster: null,
    },
    output: join(folder, 'out.mkv'),
  });
  let done = 0;
  while (!signal.aborted) {
    const encode = new RecordingEncode({
      ...{ bytes: source, index, entry, streams: 1, stallMs: 600_000, elapsed: systemMonotonicClock },
      command: [...backgroundWords(), ...command],
    });
    const stop = (): void => void encode.stop();
    signal.addEventListener('abort', stop, { once: true });
    const { code, stderr, broken } = await encode.outcome;
    signal.removeEventListener('abort', stop);
    if (broken === undefined && code !== 0) throw new Error(stderr);
    if (broken === undefined) done += 1;
  }
  await source.close();
  return done;
}

async function record(
  folder: string,
  agentUrl: string,
  seconds: number,
  encoded: string | undefined,
): Promise<Measured> {
  const fixture = new SessionFixture(folder, agentUrl);
  const encoders = new Encoders({
    path: undefined,
    searchPath: '',
    log: SILENT_LOG,
    now: () => wallMs(Date.now()),
  });
  const live = new LiveService({
    pool: fixture.pool,
    stations: { find: (id) => stations.find((one) => one.id === id), audios: () => [] },
    encoders,
    log: SILENT_LOG,
  });
  const endAt = Date.now() + SETTLE_MS + seconds * 1000;
  const sessions = Array.from({ length: RECORDINGS }, (_, index) =>
    fixture.record({ station: { type: 'GR', channel: `T${20 + index}`, serviceId: SERVICE }, endAt }),
  );
  const leave = new AbortController();
  const encoding =
    encoded === undefined ? undefined : encodeMeanwhile(encoded, dirname(folder), leave.signal);
  const views = stations.map((station) => view(live, station, leave.signal));
  await Bun.sleep(SETTLE_MS);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const lags: number[] = [];
  let expected = began + PROBE_MS;
  const probe = setInterval(() => {
    const now = performance.now();
    lags.push(Math.max(0, now - expected));
    expected = now + PROBE_MS;
  }, PROBE_MS);
  const results = await Promise.all(sessions.map((session) => session.done));
  clearInterval(probe);
  const elapsedMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  leave.abort();
  const viewed = await Promise.all(views);
  await encoding;
  await live.close();
  await encoders.close();
  await fixture.close();
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const sum = (values: number[]): number => values.reduce((total, one) => total + one, 0);
  const mb = (bytes: number): number => Math.round(bytes / 1e6);
  return {
    cpuPercent: Math.round((user + system) / 10 / elapsedMs),
    memoryMb: Math.round(peak / 1024),
    lagMs: Math.round((lags.sort((a, b) => a - b)[Math.floor(lags.length * 0.99)] ?? 0) * 10) / 10,
    drops: sum(results.map(({ measured }) => measured.sums.drops)) + sum(viewed.map(({ drops }) => drops)),
    gaps: sum(results.map(({ measured }) => measured.breaks.length)),
    recordedMb: mb(sum(results.flatMap(({ parts }) => parts.map((part) => part.bytes)))),
    viewedMb: mb(sum(viewed.map(({ bytes }) => bytes))),
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}

/** Runs a part of this program on the two cores. */
function spawnPart(...words: string[]): Bun.Subprocess<'ignore', 'pipe', 'inherit'> {
  const pinned = Bun.which('taskset') === null ? [] : ['taskset', '-c', CORES];
  return Bun.spawn([...pinned, process.execPath, import.meta.path, ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
}

async function main(seconds: number, withEncode: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const air = join(folder, 'air.ts');
  const length = seconds + 2 * (SETTLE_MS / 1000);
  const words = ['--scenario', 'default', '--type', 'GR', '--channel', CHANNEL];
  const made = Bun.spawn([process.execPath, SYNTH, ...words, '--speed', '0', '--duration', String(length)], {
    stdin: 'ignore',
    stdout: Bun.file(air),
    stderr: 'inherit',
  });
  let sender: ReturnType<typeof spawnPart> | undefined;
  try {
    if ((await made.exited) !== 0) throw new Error('the stream could not be made');
    sender = spawnPart('send', air, String(length));
    const url = await firstLine(sender.stdout);
    const encode = withEncode ? [air] : [];
    const child = spawnPart('measure', join(folder, 'desk'), url, String(seconds), ...encode);
    const measured = JSON.parse(await firstLine(child.stdout)) as Measured;
    await child.exited;
    const rate = (Bun.file(air).size * 8) / length / 1e6;
    console.log(
      `${RECORDINGS} recordings and ${VIEWERS} raw viewers for ${seconds} s, each tuning ${rate.toFixed(1)} Mbit/s; ` +
        `${measured.recordedMb} MB recorded, ${measured.viewedMb} MB viewed${withEncode ? ', beside an encode' : ''}`,
    );
    const figures = new Figures();
    for (const [key, what, unit] of [
      ['cpuPercent', 'CPU, of one core', '%'],
      ['memoryMb', 'memory at most', 'MB'],
      ['lagMs', 'main loop lag p99', 'ms'],
      ['drops', 'packets lost', 'places'],
      ['gaps', 'interruptions', ''],
    ] as const)
      figures.limited(what, measured[key], unit, LIMITS[key]);
    return figures.failed || measured.recordedMb === 0 ? 1 : 0;
  } finally {
    sender?.kill();
    await sender?.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

const [part, first = '', second = '', third = '', fourth] = process.argv.slice(2);
if (part === 'send') send(first, Number(second));
else if (part === 'measure') {
  process.stdout.write(`${JSON.stringify(await record(first, second, Number(third), fourth))}\n`);
  process.exit(0);
} else process.exit(await main(Number(part ?? 20), first === 'encode'));
