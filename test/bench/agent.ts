/**
 * Cost of sharing tunings: 8 tunings with 16 consumers at 17 Mbit/s each through a real agent process. CPU, memory,
 * lost packets, and time to the first byte. `bun test/bench/agent.ts [seconds] [agent executable]`.
 *
 * Prints every figure with its goal as a ratio (below 1 is better). Exit code 1 when one exceeds its bound.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamCounter } from '../../agent/tuning.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import { numberedPackets } from '../agent/packets.ts';
import { type Program, startProgram } from '../program.ts';
import { MachineClock } from './guide/machine.ts';

const ROOT = join(import.meta.dir, '..', '..');
const seconds = Number(process.argv[2] ?? 20);
const executable = process.argv[3];

const TUNINGS = 8;
const CONSUMERS_A_TUNING = 2;
const BYTES_PER_SECOND = 17_000_000 / 8;
/** The interval in which the source writes. */
const SOURCE_TICK_MS = 20;
/** USER_HZ of Linux on the processors that this runs on. */
const TICKS_PER_SECOND = 100;

const CPU_GOAL = 5;
const CPU_BOUND = 8;
/** Percent of one core: a fiftieth of the goal is below the resolution. */
const COUNTING_GOAL = 0.1;
const COUNTING_BOUND = 0.5;
const RSS_GOAL = 100;
const RSS_BOUND = 130;
/** In addition to the command's own start: recognising the first packets and sending the response. */
const COLD_BOUND_MS = 50;
/** Two intervals of the source: the next chunk, and one more for a busy machine. */
const TUNED_BOUND_MS = 2 * SOURCE_TICK_MS;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-agent-'));
const source = (channel: string): string[] => [
  process.execPath,
  join(ROOT, 'test', 'agent', 'ts-source.ts'),
  '--name',
  channel,
  '--rate',
  String(BYTES_PER_SECOND),
];

function startAgent(): Promise<Program> {
  const command =
    executable === undefined ? [process.execPath, join(ROOT, 'agent', 'main.ts')] : [executable];
  return startProgram(command, {
    AGENT_PORT: '0',
    TUNERS_FILE: join(folder, 'tuners.json'),
    CHANNELS_FILE: join(folder, 'channels.json'),
    FAKE_TUNERS: `GR:${TUNINGS}`,
    FAKE_TUNE: source('{channel}').join(' '),
  });
}

/** Reads one stream to its end and counts the packets whose numbers are not consecutive. */
class BenchConsumer {
  bytes = 0;
  lost = 0;
  #next: number | undefined;
  readonly #framer = new PacketFramer();

  /** @returns ms from the request to the first byte. */
  async start(url: string): Promise<number> {
    const asked = performance.now();
    const response = await fetch(url);
    const reader = response.body?.getReader();
    if (response.status !== 200 || reader === undefined)
      throw new Error(`the agent answers ${response.status}`);
    const first = await reader.read();
    const waited = performance.now() - asked;
    if (first.value === undefined) throw new Error('the stream ended before its first byte');
    void this.#run(first.value, () => reader.read());
    return waited;
  }

  async #run(first: Uint8Array, read: () => Promise<{ value?: Uint8Array | undefined }>): Promise<void> {
    try {
      for (let chunk: Uint8Array | undefined = first; chunk !== undefined; chunk = (await read()).value) {
        this.#count(chunk);
      }
    } catch {
      // The agent has exited.
    }
  }

  #count(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    this.#framer.scan(chunk, (bytes, from, to) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = from; at < to; at += PACKET_SIZE) {
        const number = view.getUint32(at + 4);
        if (this.#next !== undefined) this.lost += Math.abs(number - this.#next);
        this.#next = number + 1;
      }
    });
  }
}

/** Time until the command alone sends its first byte, ms. */
async function commandAlone(): Promise<number> {
  const asked = performance.now();
  const child = Bun.spawn(source('T13'), { stdio: ['ignore', 'pipe', 'ignore'] });
  const reader = child.stdout.getReader();
  await reader.read();
  const waited = performance.now() - asked;
  await reader.cancel();
  child.kill('SIGKILL');
  await child.exited;
  return waited;
}

/** Cost of the statistics of all tunings, in % of one core: counts the same packets repeatedly. */
function countingCost(): number {
  const chunk = numberedPackets(0, 256, 'bench');
  const counter = new StreamCounter();
  const run = (chunks: number): number => {
    const begun = process.threadCpuUsage().user;
    for (let index = 0; index < chunks; index += 1) counter.count(chunk);
    return (process.threadCpuUsage().user - begun) / 1_000_000 / (chunks * chunk.length);
  };
  run(2_000);
  return run(10_000) * TUNINGS * BYTES_PER_SECOND * 100;
}

/** Processor time of a process so far, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process, peak and current, MB. */
function residentMegabytes(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { peak: of('VmHWM'), now: of('VmRSS') };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

let failed = false;
const rounded = (value: number): number => Math.round(value * 10) / 10;

const machine = new MachineClock();

/** Prints a figure with its goal; fails above the bound. Both in ms: on the reference machine, scaled by the speed now. */
function print(name: string, value: number, unit: string, aim: number, most: number): void {
  const factor = unit === 'ms' ? machine.factor() : 1;
  const [goal, bound] = [aim * factor, most * factor];
  const ratio = goal === 0 ? '' : `, ratio ${(value / goal).toFixed(2)}`;
  const past = !(value <= bound);
  failed ||= past;
  console.log(
    `${name}: ${value.toFixed(value < 1 ? 2 : 1)} ${unit} (goal ${rounded(goal)}, bound ${rounded(bound)}${ratio})${past ? ' PAST' : ''}`,
  );
}

async function measure(agent: Program): Promise<void> {
  const alone = median([await commandAlone(), await commandAlone(), await commandAlone()]);
  const consumers: BenchConsumer[] = [];
  const waits: number[][] = [];
  for (let turn = 0; turn < CONSUMERS_A_TUNING; turn += 1) {
    const waited: number[] = [];
    for (let index = 0; index < TUNINGS; index += 1) {
      const consumer = new BenchConsumer();
      consumers.push(consumer);
      waited.push(await consumer.start(`${agent.url}/agent/stream?type=GR&channel=T${13 + index}&use=bench`));
    }
    waits.push(waited);
  }
  await Bun.sleep(2_000);
  const [cpuBefore, from] = [cpuSeconds(agent.pid), performance.now()];
  const bytesBefore = consumers.reduce((sum, one) => sum + one.bytes, 0);
  await Bun.sleep(seconds * 1_000);
  const elapsed = (performance.now() - from) / 1_000;
  const cpu = ((cpuSeconds(agent.pid) - cpuBefore) / elapsed) * 100;
  const rate = ((consumers.reduce((sum, one) => sum + one.bytes, 0) - bytesBefore) * 8) / elapsed / 1e6;
  const memory = residentMegabytes(agent.pid);
  const lost = consumers.reduce((sum, one) => sum + one.lost, 0);
  console.log(
    `${TUNINGS} tunings, ${consumers.length} consumers, ${elapsed.toFixed(0)} s, ${rate.toFixed(1)} Mbit/s in all`,
  );
  print('cpu', cpu, '% of one core', CPU_GOAL, CPU_BOUND);
  print('memory at most', memory.peak, `MB, now ${memory.now.toFixed(1)}`, RSS_GOAL, RSS_BOUND);
  print('lost', lost, 'packets', 0, 0);
  print('statistics', countingCost(), '% of one core', COUNTING_GOAL, COUNTING_BOUND);
  // Checks that all data was received: otherwise the figures belong to a smaller load.
  print('load missing', 100 - (rate / ((BYTES_PER_SECOND * 8 * consumers.length) / 1e6)) * 100, '%', 0, 2);
  const cold = median(waits[0] ?? []);
  console.log(
    `first byte, cold: ${cold.toFixed(1)} ms, the command alone ${alone.toFixed(1)} ms, ratio ${(cold / alone).toFixed(2)}`,
  );
  print('first byte, cold, above the command alone', cold - alone, 'ms', 10, COLD_BOUND_MS);
  print('first byte, tuned', median(waits.slice(1).flat()), 'ms', SOURCE_TICK_MS, TUNED_BOUND_MS);
}

const agent = await startAgent();
try {
  await measure(agent);
} finally {
  await agent.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
