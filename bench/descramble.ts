/**
 * Eight scrambled tunings of 18 Mbit/s through a real agent process, the real card daemon and an emulated card: processor
 * time, memory, packets lost or not as before scrambling, and how long a viewer waits for the first clear byte.
 * `bun bench/descramble.ts [seconds] [agent executable]`. Needs root, pcscd and vsmartcard-vpcd. Ends with 1 when packets
 * are lost or a figure is past its bound.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CardRig, cardRigMissing } from '../test/agent/card-rig.ts';
import { startProgram } from '../test/program.ts';
import { scrambledStream } from '../test/scrambled-stream.ts';
import type { Card } from '../wire/agent.ts';

const seconds = Number(process.argv[2] ?? 20);
const executable = process.argv[3];
const TUNINGS = 8;
const BYTES_PER_SECOND = 18_000_000 / 8;
const PACKET = 188;
/** Crypto periods of a second, twice as often as broadcast; after the last one the first follows. */
const PERIODS = 4;
const TICKS_PER_SECOND = 100;
const CPU_BOUND = 12;
/** The agent keeps what a busy machine is late to take. */
const MEMORY_BOUND_MB = 300;
const FIRST_BYTE_BOUND_MS = 1_000;

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

/** Reads a stream to its end and compares it with the clear original, which repeats. */
class Comparison {
  bytes = 0;
  /** Packets that are missing or differ. */
  lost = 0;
  /** Why the stream ended before its time. */
  end: string | undefined;
  #at: number | undefined;
  #rest: Buffer = Buffer.alloc(0);
  readonly #ring: Buffer;

  constructor(private readonly clear: Uint8Array) {
    this.#ring = Buffer.concat([clear, clear.subarray(0, 64 * PACKET)]);
  }

  /** @returns ms from the request to the first byte */
  async start(url: string, signal: AbortSignal): Promise<number> {
    const asked = performance.now();
    const response = await fetch(url, { signal });
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    const reader = response.body.getReader();
    const first = await reader.read();
    const waited = performance.now() - asked;
    void (async () => {
      for (let part = first; part.value !== undefined; part = await reader.read()) this.#take(part.value);
      this.end = 'the stream ended';
    })().catch((error: unknown) => {
      this.end = String(error);
    });
    return waited;
  }

  #take(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = Math.floor(bytes.length / PACKET) * PACKET;
    for (let at = 0; at < end; ) {
      const from = this.#at ?? this.#find(bytes.subarray(at, Math.min(end, at + 64 * PACKET)));
      if (from === undefined) {
        this.lost += 1;
        at += PACKET;
        continue;
      }
      const length = Math.min(end - at, this.clear.length - from);
      if (bytes.compare(this.clear, from, from + length, at, at + length) === 0) {
        this.#at = (from + length) % this.clear.length;
        at += length;
      } else {
        const same = this.#samePackets(bytes, at, from, length);
        at += same;
        this.lost += 1;
        this.#at = undefined;
      }
    }
    this.#rest = Buffer.from(bytes.subarray(end));
  }

  #samePackets(bytes: Buffer, at: number, from: number, length: number): number {
    let same = 0;
    while (
      same < length &&
      bytes.compare(this.clear, from + same, from + same + PACKET, at + same, at + same + PACKET) === 0
    )
      same += PACKET;
    return same;
  }

  #find(packets: Buffer): number | undefined {
    for (let at = this.#ring.indexOf(packets); at >= 0; at = this.#ring.indexOf(packets, at + 1))
      if (at % PACKET === 0) return at % this.clear.length;
    return undefined;
  }
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
await rig.tell('insert');
const agent = await startProgram(
  executable === undefined
    ? [process.execPath, join(import.meta.dir, '..', 'agent', 'main.ts')]
    : [executable],
  {
    PCSCLITE_CSOCK_NAME: rig.socket,
    AGENT_PORT: '0',
    TUNERS_FILE: join(folder, 'tuners.json'),
    CHANNELS_FILE: join(folder, 'channels.json'),
    FAKE_TUNERS: `GR:${TUNINGS}`,
    FAKE_TUNE: `${process.execPath} ${join(import.meta.dir, 'streams', 'loop-file.ts')} ${folder}/{channel}.ts ${BYTES_PER_SECOND}`,
  },
);
const stop = new AbortController();
try {
  const consumers = originals.map((clear) => new Comparison(clear));
  const url = (index: number): string => `${agent.url}/agent/stream?type=GR&channel=T${13 + index}&use=bench`;
  const waits = await Promise.all(consumers.map((one, index) => one.start(url(index), stop.signal)));
  await Bun.sleep(3_000);
  const [cpuBefore, from] = [cpuSeconds(agent.pid), performance.now()];
  const bytesBefore = consumers.reduce((sum, one) => sum + one.bytes, 0);
  await Bun.sleep(seconds * 1_000);
  const elapsed = (performance.now() - from) / 1_000;
  const cpu = ((cpuSeconds(agent.pid) - cpuBefore) / elapsed) * 100;
  const bytes = consumers.reduce((sum, one) => sum + one.bytes, 0) - bytesBefore;
  const { ecm } = (await (await fetch(`${agent.url}/agent/card`)).json()) as Card;
  console.log(
    `${TUNINGS} tunings, ${elapsed.toFixed(0)} s, ${((bytes * 8) / elapsed / 1e6).toFixed(1)} Mbit/s, ${Math.round(bytes / PACKET).toLocaleString('en')} packets compared; ${ecm.requests} ECMs, median ${ecm.medianMs} ms`,
  );
  print(
    'packets lost or different',
    consumers.reduce((sum, one) => sum + one.lost, 0),
    'packets',
    0,
  );
  const ended = consumers.flatMap(({ end }) => end ?? []);
  print('streams that ended', ended.length, 'streams', 0);
  if (ended.length > 0) console.log(ended.join('; '), agent.log().slice(-1_000));
  print('ECMs failed', ecm.failed, 'ECMs', 0);
  print('processor', cpu, '% of a core', CPU_BOUND);
  print('memory at most', peakMegabytes(agent.pid), 'MB', MEMORY_BOUND_MB);
  print('first clear byte, command included', Math.max(...waits), 'ms', FIRST_BYTE_BOUND_MS);
} finally {
  stop.abort();
  await agent.end();
  rmSync(folder, { recursive: true, force: true });
}
if (isPast) process.exitCode = 1;
