/**
 * Start-up latency of a viewer: from the request to the first media byte and to the first picture that can be decoded,
 * raw and H.264, with the tuner cold and tuned, as p50 and p99 of all rounds. `bun test/bench/live.ts [rounds] [scenario]`.
 *
 * An encoded answer begins with a fragment that can be decoded, so that its first byte is its first picture.
 *
 * Every figure is compared with a limit from the same run: the broadcaster alone, the agent alone, a plain ffmpeg on
 * the broadcaster's output. Ends with 1 when a ratio of the p50 or of the p99 is above its bound, and with the reason
 * when a measurement cannot be made.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { StationLayout } from '../../src/reception/station-layout.ts';
import { type Program, startProgram } from '../program.ts';
import { quantile } from './guide/figures.ts';
import { fillLiveHome } from './streams/live-home.ts';
import {
  broadcast,
  type Judging,
  plainEncoder,
  rawJudge,
  servedJudge,
  type Times,
  timeStream,
  watch,
} from './streams/stream-start.ts';

const ROOT = join(import.meta.dir, '..', '..');
const BUN = process.execPath;
const SYNTH = join(ROOT, 'synth', 'main.ts');
const rounds = Number(process.argv[2] ?? 10);
const scenario = process.argv[3] ?? 'default';
const TYPE = 'GR';
const CHANNEL = 'T27';
const READY_LIMIT_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const programs: Program[] = [];

/** Times of all rounds, ms. */
interface Samples {
  byte: number[];
  picture: number[];
}

async function launch(command: string[], environment: Record<string, string>): Promise<string> {
  const program = await startProgram(command, environment);
  programs.push(program);
  return program.url;
}

/**
 * @param missing describes what is missing; undefined if complete @throws Error with the description after a
 * timeout
 */
async function until(missing: () => Promise<string | undefined>): Promise<void> {
  const deadline = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const reason = await missing();
    if (reason === undefined) return;
    if (performance.now() > deadline) throw new Error(`not ready after ${READY_LIMIT_MS} ms: ${reason}`);
    await Bun.sleep(50);
  }
}

async function synth(...words: string[]): Promise<string> {
  const child = Bun.spawn([BUN, SYNTH, '--scenario', scenario, ...words], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`synth ${words.join(' ')} failed`);
  return text;
}

const airCommand = [BUN, SYNTH, '--scenario', scenario, '--type', TYPE, '--channel', CHANNEL];

/**
 * The broadcaster alone: what a tuner without any agent or service would deliver. `byte` is the time when PAT
 * and PMT have arrived: before that the station is unknown.
 */
async function airAlone(station: number, onLayout: (layout: StationLayout) => void): Promise<Times> {
  const started = performance.now();
  const air = Bun.spawn(airCommand, { stdout: 'pipe', stderr: 'ignore' });
  try {
    let tables = Number.NaN;
    const judge = rawJudge(station, (layout) => {
      if (Number.isNaN(tables)) tables = performance.now() - started;
      onLayout(layout);
    });
    const { picture } = await timeStream(air.stdout, started, judge);
    return { byte: tables, picture };
  } finally {
    air.kill();
    await air.exited;
  }
}

/** Intra pictures occur every 15 frames, at the same moments in every tuning of a channel. */
const GOP_MS = 500.5;

/** Waits for this round's position between intra pictures, which is the same for every measurement. */
async function inStep(round: number): Promise<void> {
  const wanted = (round / rounds) * GOP_MS;
  const wait = (wanted - (Date.now() % GOP_MS) + GOP_MS) % GOP_MS;
  await Bun.sleep(wait);
}

async function repeat(run: (ready: () => Promise<void>) => Promise<Times>): Promise<Samples> {
  const samples: Samples = { byte: [], picture: [] };
  for (let round = 0; round < rounds; round += 1) {
    const { byte, picture } = await run(() => inStep(round));
    samples.byte.push(byte);
    samples.picture.push(picture);
  }
  return samples;
}

let failed = 0;
const ms = (value: number): string => value.toFixed(0).padStart(5);

function report(
  what: string,
  mine: readonly number[],
  peerName: string,
  peer: readonly number[],
  bound: number,
): void {
  const columns = [0.5, 0.99].map((part) => {
    const [own, other] = [quantile(mine, part), quantile(peer, part)];
    const ratio = own / other;
    const isOver = !(ratio <= bound);
    if (isOver) failed += 1;
    const text = `${ms(own)} /${ms(other)} = ${ratio.toFixed(2)}`;
    return `p${part * 100} ${text}${isOver ? ` ABOVE ${bound}` : ''}`;
  });
  console.log(`${what.padEnd(40)} ms / ${peerName.padEnd(18)} ${columns.join('   ')}`);
}

interface Household {
  agent: string;
  service: string;
  stationUrl: (codec: string) => string;
  serviceId: number;
}

/** Agent and service on the broadcast of one channel, with one tuner. */
async function moveIn(): Promise<Household> {
  await synth('--prepare', '--channel', CHANNEL);
  const channels = JSON.parse(await synth('--channels')) as Channel[];
  const wanted = channels.filter((channel) => channel.type === TYPE && channel.channel === CHANNEL);
  const data = join(folder, 'data');
  mkdirSync(data);
  const [station] = fillLiveHome(data, wanted, Date.now());
  if (station === undefined) throw new Error(`scenario ${scenario} has no station on ${CHANNEL}`);
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(wanted));
  const agent = await launch([BUN, join(ROOT, 'agent', 'main.ts')], {
    AGENT_PORT: '0',
    CHANNELS_FILE: channelsFile,
    TUNERS_FILE: join(folder, 'tuners.json'),
    FAKE_TUNE: `${BUN} ${SYNTH} --scenario ${scenario} --type {type} --channel {channel}`,
    FAKE_TUNERS: 'GR:1',
  });
  const service = await launch([BUN, join(ROOT, 'src', 'main.ts')], {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: data,
    TUNER_AGENT_URL: agent,
    TRUSTED_NETWORKS: '127.0.0.0/8',
  });
  await until(async () => {
    const list = (await (await fetch(`${service}/api/services`)).json()) as { id: number }[];
    return list.some(({ id }) => id === station.id) ? undefined : 'the service lists no station';
  });
  const stationUrl = (codec: string): string => `${service}/api/services/${station.id}/live?codec=${codec}`;
  // Encoder trials and the first request warm up the caches.
  const first = await watch(stationUrl('h264'), servedJudge());
  first.leave();
  await Bun.sleep(3000);
  return { agent, service, stationUrl, serviceId: station.serviceId };
}

async function whenCold(household: Household): Promise<Samples> {
  let layout: StationLayout | undefined;
  const air = await repeat(async (ready) => {
    await ready();
    return airAlone(household.serviceId, (found) => {
      layout = found;
    });
  });
  if (layout === undefined) throw new Error('no layout');
  const seen = layout;
  const plain = await repeat(async (ready) => {
    await ready();
    return plainEncoder(() => broadcast(airCommand), seen);
  });
  const cold = async (codec: string, judge: Judging, ready: () => Promise<void>): Promise<Times> => {
    await until(async () => {
      const tuners = (await (await fetch(`${household.agent}/agent/tuners`)).json()) as Tuner[];
      const used = tuners.filter((tuner) => tuner.state !== 'idle');
      const uses = used.flatMap(({ users }) => users.map(({ use }) => use));
      return used.length === 0 ? undefined : `a tuner is not idle, used by ${uses.join(', ')}`;
    });
    await ready();
    const one = await watch(household.stationUrl(codec), judge());
    one.leave();
    return one.times;
  };
  const raw = await repeat((ready) => cold('raw', () => rawJudge(household.serviceId), ready));
  const encoded = await repeat((ready) => cold('h264', servedJudge, ready));
  report('raw, tuner cold: first byte', raw.byte, 'broadcaster tables', air.byte, 2);
  report('raw, tuner cold: first picture', raw.picture, 'broadcaster alone', air.picture, 2);
  report('h264, tuner cold: first byte', encoded.byte, 'plain ffmpeg', plain.byte, 2);
  report('h264, tuner cold: first decodable fragment', encoded.picture, 'plain ffmpeg', plain.picture, 1.5);
  return plain;
}

async function whenTuned(household: Household, plain: Samples): Promise<void> {
  const again = async (url: string, judge: Judging, ready: () => Promise<void>): Promise<Times> => {
    await ready();
    const one = await watch(url, judge());
    one.leave();
    await Bun.sleep(300);
    return one.times;
  };
  const agentStream = `${household.agent}/agent/stream?type=${TYPE}&channel=${CHANNEL}&priority=9&use=live%20bench`;
  const rawUrl = household.stationUrl('raw');
  const encodedUrl = household.stationUrl('h264');
  const judge: Judging = () => rawJudge(household.serviceId);
  const viewer = await watch(encodedUrl, servedJudge());
  await Bun.sleep(2500);
  const bare = await repeat((ready) => again(agentStream, judge, ready));
  const raw = await repeat((ready) => again(rawUrl, judge, ready));
  const shared = await repeat((ready) => again(encodedUrl, servedJudge, ready));
  viewer.leave();
  const rawViewer = await watch(rawUrl, judge());
  await Bun.sleep(2500);
  const encoded = await repeat((ready) => again(encodedUrl, servedJudge, ready));
  rawViewer.leave();
  report('raw, tuned: first byte', raw.byte, 'agent alone', bare.byte, 2);
  report('raw, tuned: first picture', raw.picture, 'agent alone', bare.picture, 1);
  report('h264, tuned: first decodable fragment', encoded.picture, 'plain ffmpeg', plain.picture, 0.8);
  report('h264, encoded already: first fragment', shared.picture, 'plain ffmpeg', plain.picture, 0.2);
}

async function measure(): Promise<void> {
  const household = await moveIn();
  await whenTuned(household, await whenCold(household));
}

try {
  await measure();
} catch (error) {
  failed += 1;
  console.error(`test/bench/live: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await Promise.all(programs.reverse().map((program) => program.end()));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
