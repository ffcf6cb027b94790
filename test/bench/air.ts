/**
 * What the synthetic broadcast costs: eight small and eight HD channels, as a process for each tuning and by the air
 * player. Processor time until a tuning's first byte, and share of a core while it runs. `bun test/bench/air.ts [seconds]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { smallScenario } from '../../synth/scenario/small.ts';

const SYNTH = join(import.meta.dir, '..', '..', 'synth', 'main.ts');
const CHANNELS = 8;
const SETTLE_MS = 3_000;
/** Of /proc/PID/stat: kernel ticks per second, as Linux reports them to programs. */
const TICKS_PER_SECOND = 100;

/** Processor seconds so far of all processes of these groups. */
function processorTime(groups: readonly number[]): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const [, , group = 0] = fields;
      if (groups.includes(group)) ticks += (fields[11] ?? 0) + (fields[12] ?? 0);
    } catch {
      // The process has exited.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

interface Named {
  type: string;
  channel: string;
}

interface Way {
  name: string;
  /** The command of a tuning. */
  command: (channel: Named) => string[];
  /** Process group of what all tunings share. */
  shared: number[];
}

function started(way: Way, channel: Named, stdout: 'pipe' | 'ignore') {
  return Bun.spawn(way.command(channel), {
    stdin: 'ignore',
    stdout,
    stderr: 'inherit',
    detached: true,
  });
}

/** Processor ms until the first byte of one more tuning. */
async function startCost(way: Way, channel: Named | undefined): Promise<void> {
  if (channel === undefined) return;
  const before = processorTime(way.shared);
  const began = performance.now();
  const child = started(way, channel, 'pipe');
  const reader = (child.stdout as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const waitedMs = performance.now() - began;
  const used = processorTime([child.pid, ...way.shared]) - before;
  process.kill(-child.pid, 'SIGKILL');
  await child.exited;
  console.log(`  first byte after ${waitedMs.toFixed(0)} ms, processor ${(used * 1000).toFixed(0)} ms`);
}

async function measure(way: Way, channels: readonly Named[], seconds: number): Promise<void> {
  console.log(way.name);
  await startCost(way, channels[0]);
  await startCost(way, channels[0]);
  const tunings = channels.map((channel) => started(way, channel, 'ignore'));
  const groups = [...tunings.map(({ pid }) => pid), ...way.shared];
  await Bun.sleep(SETTLE_MS);
  const before = processorTime(groups);
  const began = performance.now();
  await Bun.sleep(seconds * 1000);
  const share = ((processorTime(groups) - before) / (performance.now() - began)) * 1e5;
  console.log(`  ${channels.length} channels: ${share.toFixed(1)} % of a core`);
  for (const { pid } of tunings) process.kill(-pid, 'SIGKILL');
  await Promise.all(tunings.map(({ exited }) => exited));
}

/** This file as the process of the player: its command line in the first line of stdout. */
async function play(scenario: string): Promise<void> {
  const air = await PlayedAir.open();
  await air.put({ scenario });
  console.log(air.tuneCommand);
  await Bun.sleep(2 ** 31 - 1);
}

async function compare(scenario: string, channels: readonly Named[], seconds: number): Promise<void> {
  const command = ({ type, channel }: Named) => [
    ...[process.execPath, SYNTH, '--scenario', scenario, '--type', type, '--channel', channel],
  ];
  await measure({ name: 'a process for each tuning', command, shared: [] }, channels, seconds);
  const player = Bun.spawn([process.execPath, import.meta.path, '--play', scenario], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const { value } = await player.stdout.getReader().read();
  const words = new TextDecoder().decode(value).trim().replaceAll('"', '').split(' ');
  const tune = ({ type, channel }: Named) =>
    words.map((word) => word.replace('{type}', type).replace('{channel}', channel));
  await measure({ name: 'the air player', command: tune, shared: [player.pid] }, channels, seconds);
  process.kill(-player.pid, 'SIGKILL');
  await player.exited;
}

const [first = '15', scenario = ''] = process.argv.slice(2);
if (first === '--play') await play(scenario);
else {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const small = join(folder, 'small.json');
  const names = Array.from({ length: CHANNELS }, (_, index) => ({ type: 'GR', channel: `T${30 + index}` }));
  writeFileSync(
    small,
    JSON.stringify(smallScenario({ channels: names.map(({ channel }) => ({ channel })) })),
  );
  console.log('small channels, 1.2 Mbit/s');
  await compare(small, names, Number(first));
  console.log('channels of the default region, 17 to 30 Mbit/s');
  await compare('default', DEFAULT.channels.slice(0, CHANNELS), Number(first));
  rmSync(folder, { recursive: true });
}
