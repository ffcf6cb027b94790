/**
 * Eight scrambled tunings through a real agent process, the real card daemon and an emulated card: processor time, memory,
 * packets lost or different from before scrambling, and how long a viewer waits for the first clear byte.
 * `bun test/bench/descramble.ts [seconds] [agent executable, or -] [Mbit/s of a tuning]`. Needs root, pcscd and vsmartcard-vpcd.
 * Ends with 1 when packets are lost or a figure is past its bound.
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Card } from '../../lib/wire/agent.ts';
import { CardRig, cardRigMissing } from '../agent/card-rig.ts';
import { startProgram } from '../program.ts';
import { scrambledStream } from '../scrambled-stream.ts';
import { until } from '../until.ts';
import { StreamComparison } from './streams/stream-comparison.ts';

const seconds = Number(process.argv[2] ?? 20);
const executable = process.argv[3] === '-' ? undefined : process.argv[3];
const TUNINGS = 8;
const BYTES_PER_SECOND = (Number(process.argv[4] ?? 18) * 1_000_000) / 8;
const PACKET = 188;
/** Crypto periods of a second, twice as often as in a broadcast; the last one is followed by the first. */
const PERIODS = 4;
const TICKS_PER_SECOND = 100;
const CPU_BOUND = 12;
/** The agent queues data while a busy machine reads late. */
const MEMORY_BOUND_MB = 300;
const FIRST_BYTE_BOUND_MS = 1_000;
/** Interval at which the tuning commands are informed how much was read. */
const ACKNOWLEDGE_MS = 100;
/** Interval between two lines of a long run. */
const PROGRESS_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-descramble-'));

function makeStream(channel: number): Uint8Array {
  const { scrambled, clear } = scrambledStream({
    programs: [
      { number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: channel },
      { number: 102, pmtPid: 0x1f1, ecmPid: null, streams: [0x120], seed: 1 },
    ],
    periods: PERIODS,
    cyclic: true,
    rounds: Math.floor(BYTES_PER_SECOND / PACKET / 3),
    tablesEvery: 300,
  });
  writeFileSync(join(folder, `T${channel}.ts`), scrambled);
  return clear;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

let isPast = false;

function print(name: string, value: number, unit: string, bound: number): void {
  const past = !(value <= bound);
  isPast ||= past;
  console.log(
    `${name.padEnd(36)} ${value.toFixed(1)} ${unit} (at most ${bound} ${unit})${past ? ' PAST' : ''}`,
  );
}

const missing = cardRigMissing();
if (missing !== undefined) {
  console.log(`not measured: ${missing}`);
  process.exit(0);
}
const originals = Array.from({ length: TUNINGS }, (_, index) => makeStream(13 + index));
await using rig = await CardRig.start();
await rig.send('insert');
const agent = await startProgram(
  executable === undefined
    ? [process.execPath, join(import.meta.dir, '..', '..', 'agent', 'main.ts')]
    : [executable],
  {
    PCSCLITE_CSOCK_NAME: rig.socket,
    AGENT_PORT: '0',
    TUNERS_FILE: join(folder, 'tuners.json'),
    CHANNELS_FILE: join(folder, 'channels.json'),
    FAKE_TUNERS: `GR:${TUNINGS}`,
    FAKE_TUNE: `${process.execPath} ${join(import.meta.dir, 'streams', 'loop-file.ts')} ${folder}/{channel}.ts ${BYTES_PER_SECOND} ${folder}/{channel}.taken`,
  },
);
const card = async (): Promise<Card> => (await fetch(`${agent.url}/agent/card`)).json() as Promise<Card>;
// If the card is not ready, the first seconds of a tuning stay scrambled on a busy machine.
await until('the card is ready', async () => (await card()).state === 'ready');
const stop = new AbortController();
const consumers = originals.map((clear) => new StreamComparison(clear));
const acknowledge = (): void => {
  for (const [index, { bytes }] of consumers.entries()) {
    const path = join(folder, `T${13 + index}.taken`);
    writeFileSync(`${path}.new`, String(bytes));
    renameSync(`${path}.new`, path);
  }
};
acknowledge();
const acknowledging = setInterval(acknowledge, ACKNOWLEDGE_MS);
try {
  const url = (index: number): string => `${agent.url}/agent/stream?type=GR&channel=T${13 + index}&use=bench`;
  const waits: number[] = [];
  for (const [index, one] of consumers.entries()) waits.push(await one.start(url(index), stop.signal));
  await Bun.sleep(3_000);
  const [cpuBefore, from] = [cpuSeconds(agent.pid), performance.now()];
  const bytesBefore = consumers.reduce((sum, one) => sum + one.bytes, 0);
  const endOf = (): string[] => consumers.flatMap(({ end }) => end ?? []);
  const packets = (): number => consumers.reduce((sum, one) => sum + one.bytes, 0) / PACKET;
  const lost = (): number => consumers.reduce((sum, one) => sum + one.lost, 0);
  for (let lines = 1; performance.now() - from < seconds * 1_000 && endOf().length === 0; ) {
    await Bun.sleep(1_000);
    if (performance.now() - from < lines * PROGRESS_MS) continue;
    console.log(
      `${lines * (PROGRESS_MS / 60_000)} min: ${Math.round(packets()).toLocaleString('en')} packets, ${lost()} lost`,
    );
    lines += 1;
  }
  const elapsed = (performance.now() - from) / 1_000;
  const cpu = ((cpuSeconds(agent.pid) - cpuBefore) / elapsed) * 100;
  const bytes = consumers.reduce((sum, one) => sum + one.bytes, 0) - bytesBefore;
  const { ecm } = await card();
  console.log(
    `${TUNINGS} tunings, ${elapsed.toFixed(0)} s, ${((bytes * 8) / elapsed / 1e6).toFixed(1)} Mbit/s, ${Math.round(bytes / PACKET).toLocaleString('en')} packets compared; ${ecm.requests} ECMs, median ${ecm.medianMs} ms`,
  );
  print('packets lost or different', lost(), 'packets', 0);
  if (lost() > 0) console.log(agent.log().slice(-2_000));
  const ended = endOf();
  print('streams that ended', ended.length, 'streams', 0);
  if (ended.length > 0) console.log(ended.join('; '), agent.log().slice(-1_000));
  print('ECMs failed', ecm.failed, 'ECMs', 0);
  print('processor', cpu, '% of a core', CPU_BOUND);
  print('memory at most', peakMegabytes(agent.pid), 'MB', MEMORY_BOUND_MB);
  print('first clear byte, command included', Math.max(...waits), 'ms', FIRST_BYTE_BOUND_MS);
} finally {
  clearInterval(acknowledging);
  stop.abort();
  await agent.end();
  rmSync(folder, { recursive: true, force: true });
}
if (isPast) process.exitCode = 1;
