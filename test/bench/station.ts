/**
 * Narrowed stations by HTTP: agent and service beside Mirakurun, each with eight stations of eight channels in real
 * time and one viewer each, in parallel, so that other load affects both. Processor time and memory as ratios (below 1
 * is better), packets lost. `bun test/bench/station.ts FOLDER [seconds] [air] [stations] [--mirakurun]`; FOLDER: where
 * Mirakurun is installed (`test/bench/streams/mirakurun.ts`), `-`: without it; air: a folder in which the streams are kept, and
 * made where they are not there; stations: 8, fewer to learn what a further one costs; --mirakurun: svc's viewers use its
 * Mirakurun-compatible port. Runs the executables where `dist/` is built.
 * Ends with 1 when a ratio is above 1, a packet is lost, or a viewer gets less than was sent.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel } from '../../lib/wire/agent.ts';
import { cpuSeconds, machineLoad, memoryOf, threadsOf } from './guide/process-use.ts';
import { startMirakurun } from './streams/mirakurun.ts';
import { startStationHome } from './streams/station-home.ts';
import { StreamViewer } from './streams/stream-viewer.ts';

const ROOT = join(import.meta.dir, '..', '..');
const BUN = process.execPath;
const SYNTH = join(ROOT, 'synth', 'main.ts');
const SCENARIO = 'default';
const FLAG = '--mirakurun';
const isByMirakurunPort = process.argv.includes(FLAG);
const [peerFolder = '-', secondsText = '30', airText, stationsText = '8'] = process.argv
  .slice(2)
  .filter((word) => word !== FLAG);
const STATIONS = Number(stationsText);
/** Time until all streams are open and the JIT compilers have finished; not measured. */
const SETTLE_SECONDS = 8;
const seconds = Number(secondsText);
/** A viewer that gets less than this fraction of the other's data counts as not served. */
const LEAST_SHARE = 0.97;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-station-'));
const length = SETTLE_SECONDS * 2 + seconds;

async function synth(...words: string[]): Promise<string> {
  const child = Bun.spawn([BUN, SYNTH, '--scenario', SCENARIO, ...words], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`synth ${words.join(' ')} failed`);
  return text;
}

const airFolder = airText ?? folder;
const airOf = (channel: string): string => join(airFolder, `${channel}.ts`);

async function makeAir({ type, channel }: Channel): Promise<void> {
  if (existsSync(airOf(channel))) return;
  const words = ['--type', type, '--channel', channel, '--speed', '0', '--duration', String(length)];
  const made = Bun.spawn([BUN, SYNTH, '--scenario', SCENARIO, ...words], {
    stdout: Bun.file(airOf(channel)),
    stderr: 'inherit',
  });
  if ((await made.exited) !== 0) throw new Error(`no stream of ${channel}`);
}

interface Product {
  readonly name: string;
  /** Process ids by name. */
  readonly pids: Readonly<Record<string, number>>;
  readonly viewers: readonly StreamViewer[];
}

interface Use {
  /** % of one core. */
  readonly cpu: number;
  /** MB, of all its processes. */
  readonly memory: number;
  readonly peak: number;
  readonly proportional: number;
  readonly threads: number;
  readonly megabits: number;
  readonly lost: number;
  /** Viewers that received anything. */
  readonly served: number;
  /** The same for each process. */
  readonly parts: readonly string[];
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

async function measured(products: readonly Product[]): Promise<Map<string, Use>> {
  const cpuOf = ({ pids }: Product): number[] => Object.values(pids).map(cpuSeconds);
  const before = products.map(cpuOf);
  for (const { viewers } of products) for (const viewer of viewers) viewer.begin();
  const began = performance.now();
  await Bun.sleep(seconds * 1000);
  const elapsed = (performance.now() - began) / 1000;
  return new Map(
    products.map((product, index): [string, Use] => {
      const { name, viewers } = product;
      const names = Object.keys(product.pids);
      const pids = Object.values(product.pids);
      const memory = pids.map(memoryOf);
      const cpu = cpuOf(product).map((now, at) => ((now - (before[index]?.[at] ?? 0)) / elapsed) * 100);
      return [
        name,
        {
          cpu: sum(cpu),
          memory: sum(memory.map(({ now }) => now)),
          peak: sum(memory.map(({ peak }) => peak)),
          proportional: sum(memory.map(({ proportional }) => proportional)),
          threads: sum(pids.map(threadsOf)),
          megabits: (sum(viewers.map(({ bytes }) => bytes)) * 8) / elapsed / 1e6,
          lost: sum(viewers.map(({ lost }) => lost)),
          served: viewers.filter(({ bytes }) => bytes > 0).length,
          parts: names.map(
            (part, at) =>
              `${part} ${cpu[at]?.toFixed(1)} %, ${memory[at]?.now.toFixed(0)} MB, most ${memory[at]?.peak.toFixed(0)}`,
          ),
        },
      ];
    }),
  );
}

function print(name: string, use: Use): void {
  const memory = `${use.memory.toFixed(0)} MB (most ${use.peak.toFixed(0)}, own share ${use.proportional.toFixed(0)})`;
  console.log(
    `${name.padEnd(10)} ${use.cpu.toFixed(1)} % of a core, ${memory}, ${use.threads} threads, ` +
      `${use.megabits.toFixed(1)} Mbit/s to ${use.served} viewers, ${use.lost} packets lost`,
  );
  if (use.parts.length > 1) console.log(`           ${use.parts.join('; ')}`);
}

async function measure(): Promise<boolean> {
  await synth('--prepare');
  const all = JSON.parse(await synth('--channels')) as Channel[];
  const channels = all.slice(0, STATIONS);
  for (const channel of channels) await makeAir(channel);
  const paced = (channel: string): string =>
    `${BUN} ${join(ROOT, 'test', 'bench', 'streams', 'paced-file.ts')} ${airOf(channel)} ${length}`;
  const home = await startStationHome({ folder, channels, tune: paced('{channel}') });
  const { agent, service, stations } = home;
  const leave = new AbortController();
  const watch = (urls: readonly string[]): StreamViewer[] =>
    urls.map((url) => new StreamViewer(url, leave.signal));
  let peer: Awaited<ReturnType<typeof startMirakurun>> | undefined;
  try {
    const viewers = watch(
      stations.map(({ id }) =>
        isByMirakurunPort
          ? `${home.mirakurunUrl}/api/services/${id}/stream?decode=0`
          : `${service.url}/api/services/${id}/live?codec=raw`,
      ),
    );
    const products: Product[] = [{ name: 'svc', pids: { agent: agent.pid, service: service.pid }, viewers }];
    if (peerFolder !== '-') {
      peer = await startMirakurun(peerFolder, join(folder, 'mirakurun'), stations, paced('<channel>'));
      const { pid, stationUrl } = peer;
      products.push({
        name: 'Mirakurun',
        pids: { Mirakurun: pid },
        viewers: watch(stations.map(stationUrl)),
      });
    }
    await Bun.sleep(SETTLE_SECONDS * 1000);
    const uses = await measured(products);
    console.log(`${stations.length} stations for ${seconds} s; load of the machine ${machineLoad()}`);
    for (const [name, use] of uses) print(name, use);
    return judged(uses.get('svc'), uses.get('Mirakurun'));
  } finally {
    leave.abort();
    await peer?.end();
    await home.end();
  }
}

function judged(own: Use | undefined, other: Use | undefined): boolean {
  if (own === undefined) return false;
  if (other === undefined) return own.lost === 0 && own.megabits > 0;
  const ratios = { cpu: own.cpu / other.cpu, memory: own.memory / other.memory };
  console.log(
    `ratio: processor time ${ratios.cpu.toFixed(2)}, memory ${ratios.memory.toFixed(2)} (goal below 1)`,
  );
  const isServed = own.megabits >= other.megabits * LEAST_SHARE;
  if (!isServed) console.log('the viewers of svc got less than those of Mirakurun');
  return ratios.cpu < 1 && ratios.memory < 1 && own.lost === 0 && isServed;
}

let good = false;
try {
  good = await measure();
} catch (error) {
  console.error(`test/bench/station: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
