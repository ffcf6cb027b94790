/**
 * Response times and memory under denial-of-service attempts from outside: each attack runs for some seconds beside a
 * local client that requests the stations every 10 ms. `bun test/bench/access.ts [seconds]` (3). Attacker and service share
 * the machine's cores, so the figures are an upper bound.
 *
 * Ends with 1 when an answer took longer, or memory grew by more, than its limit.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../program.ts';
import { Figures } from './guide/figures.ts';

const RUN_MS = Number(process.argv[2] ?? 3) * 1_000;
const PACE_MS = 10;
/** p99, with an attacker on the same cores that opens 2,000 connections at once. */
const P99_LIMIT_MS = 2_000;
const MEMORY_LIMIT_MB = 400;
const CONNECTIONS = 2_000;
const PARALLEL = 32;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-access-'));
let service: Program | undefined;

function program(): Program {
  if (service === undefined) throw new Error('not started');
  return service;
}

const address = (): URL => new URL(program().url);

function memoryMb(): number {
  const status = readFileSync(`/proc/${program().pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

interface Attack {
  readonly name: string;
  /** Runs until aborted. @returns a summary for the report */
  run(signal: AbortSignal): Promise<string>;
}

/** A different address for each request, as from many machines. */
let stranger = 0;
function fromOutside(): Record<string, string> {
  stranger += 1;
  return { 'x-forwarded-for': `198.51.${(stranger >> 8) % 256}.${stranger % 256}` };
}

/** Sends this many requests at a time, one after another. */
function flood(name: string, make: () => [path: string, init: RequestInit], parallel = PARALLEL): Attack {
  return {
    name,
    run: async (signal) => {
      let done = 0;
      const line = async (): Promise<void> => {
        while (!signal.aborted) {
          const [path, init] = make();
          try {
            await (await fetch(program().url + path, { ...init, signal })).bytes();
            done += 1;
          } catch {
            // The connection was refused, or the run has ended.
            if (!signal.aborted) await Bun.sleep(1);
          }
        }
      };
      await Promise.all(Array.from({ length: parallel }, line));
      return `${Math.round((done * 1000) / RUN_MS)} requests/s`;
    },
  };
}

function post(path: string, body: string): [string, RequestInit] {
  const headers = { 'content-type': 'application/json', ...fromOutside() };
  return [path, { method: 'POST', headers, body }];
}

/** Connections that stay open; each sends one byte every 100 ms. */
function hold(name: string, text: string, drip: string): Attack {
  return {
    name,
    run: async (signal) => {
      const sockets: Socket[] = [];
      const { hostname, port } = address();
      for (let count = 0; count < CONNECTIONS && !signal.aborted; count += 1) {
        const socket = connect(Number(port), hostname, () => socket.write(text));
        socket.on('error', () => socket.destroy());
        sockets.push(socket);
        if (count % 50 === 49) await Bun.sleep(1);
      }
      while (!signal.aborted) {
        for (const socket of sockets) if (drip !== '' && socket.writable) socket.write(drip);
        await Bun.sleep(100);
      }
      const open = sockets.filter((socket) => !socket.destroyed).length;
      for (const socket of sockets) socket.destroy();
      return `${open} connections`;
    },
  };
}

const guess = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
const MEGABYTE = JSON.stringify({ name: 'x'.repeat(1_000_000) });
const HEAD = 'Host: 127.0.0.1\r\nX-Forwarded-For: 198.51.100.1\r\n';

const ATTACKS: readonly Attack[] = [
  {
    name: 'nobody',
    run: async (signal) => {
      await new Promise((end) => signal.addEventListener('abort', end));
      return '';
    },
  },
  hold('silent connections', '', ''),
  hold('slow headers', `GET /api/services HTTP/1.1\r\n${HEAD}X-Slow: `, 'x'),
  hold(
    'slow bodies',
    `POST /api/device/code HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"name":"`,
    'x',
  ),
  flood('guessed tokens', () => [
    '/api/services',
    { headers: { ...fromOutside(), authorization: `Bearer svc_${guess()}` } },
  ]),
  flood('guessed device codes', () => post('/api/device/token', JSON.stringify({ deviceCode: guess() }))),
  flood('pairing codes', () => post('/api/device/code', '{"name":"x"}')),
  flood('device names of 1 MB', () => post('/api/device/code', MEGABYTE), 8),
  flood('no credentials', () => ['/', { headers: { ...fromOutside(), accept: 'text/html' } }]),
];

/** Response times of the local client, ms, sorted. */
async function answers(signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const began = performance.now();
    const response = await fetch(`${program().url}/api/services`);
    await response.bytes();
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    times.push(performance.now() - began);
    await Bun.sleep(PACE_MS);
  }
  return times.sort((a, b) => a - b);
}

const at = (times: readonly number[], share: number): number => times[Math.floor(times.length * share)] ?? 0;

try {
  service = await startProgram([process.execPath, join(import.meta.dir, '..', '..', 'src', 'main.ts')], {
    PORT: '0',
    DATA_DIR: folder,
    TRUSTED_NETWORKS: '127.0.0.0/8',
    TRUSTED_PROXIES: '127.0.0.1',
    TUNER_AGENT_URL: 'http://127.0.0.1:1',
  });
  await Bun.sleep(1_000);
  const before = memoryMb();
  const figures = new Figures();
  for (const { name, run } of ATTACKS) {
    const signal = AbortSignal.timeout(RUN_MS);
    const [times, done] = await Promise.all([answers(signal), run(signal)]);
    const grown = memoryMb() - before;
    const [median, late] = [at(times, 0.5), at(times, 0.99)];
    console.log(
      `${name}: ${times.length} answers, median ${median.toFixed(1)} ms${done === '' ? '' : `; ${done}`}`,
    );
    figures.limited('  p99', late, 'ms', P99_LIMIT_MS);
    figures.limited('  memory more than before', grown, 'MB', MEMORY_LIMIT_MB);
  }
  process.exitCode = figures.failed ? 1 : 0;
} finally {
  await service?.end();
  rmSync(folder, { recursive: true, force: true });
}
