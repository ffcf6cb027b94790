/**
 * Responsiveness of the service while the disk of its database hangs: every fsync takes several seconds, as with a disk
 * in standby or a card erasing blocks. Three recordings run, and a programme is booked every second. `bun
 * test/bench/stall.ts [seconds]` (5); needs cc and glibc: fsync is replaced by way of LD_PRELOAD.
 *
 * Exit code 1 when the event loop was blocked for longer than its limit, or a recording lost a packet.
 */
import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording, Station } from '../../lib/wire/api.ts';
import { CrowdAgent } from '../faults/crowd-agent.ts';
import { type Program, startProgram } from '../program.ts';
import { putPrograms } from '../service/guide-rows.ts';
import { until } from '../until.ts';
import { Figures } from './guide/figures.ts';

/** With a stalled disk and without; allows for other load on the machine. */
const LAG_LIMIT_MS = 500;
const STATIONS = 3;
const RUN_MS = 20_000;
const PROBE_MS = 20;
const HOUR_MS = 3_600_000;

const SOURCE = `
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
static void stall(int fd) {
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return;
  path[n] = 0;
  int ms = 0;
  FILE *file = fopen(getenv("STALL_FILE"), "r");
  if (file) { if (fscanf(file, "%d", &ms) != 1) ms = 0; fclose(file); }
  if (ms == 0) return;
  FILE *log = fopen(getenv("STALL_LOG"), "a");
  if (log) {
    snprintf(line, sizeof line, "%s %s\\n", syscall(SYS_gettid) == getpid() ? "main" : "other", path);
    fputs(line, log);
    fclose(log);
  }
  usleep((useconds_t)ms * 1000);
}
int fsync(int fd) { stall(fd); return (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { stall(fd); return (int)syscall(SYS_fdatasync, fd); }
`;

const seconds = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-stall-'));
const stallFile = join(folder, 'stall');
const stallLog = join(folder, 'fsyncs');
const data = join(folder, 'data');
const agent = new CrowdAgent(1, STATIONS);
const figures = new Figures();
let service: Program | undefined;

function built(): string {
  const [source, library] = [join(folder, 'slow.c'), join(folder, 'slow.so')];
  writeFileSync(source, SOURCE);
  const { exitCode, stderr } = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-o', library, source]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return library;
}

async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ ms: number; status: number; value: T }> {
  const began = performance.now();
  const answer = await fetch(`${service?.url}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    ms: performance.now() - began,
    status: answer.status,
    value: (text === '' ? null : JSON.parse(text)) as T,
  };
}

/** Response times of the page that is open, until `ended`. */
async function probe(ended: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!ended()) {
    times.push((await ask('GET', 'health')).ms);
    await Bun.sleep(PROBE_MS);
  }
  return times;
}

interface Found {
  slowest: number;
  median: number;
  booked: string[];
}

/** @param programs one to reserve per second */
async function measure(programs: readonly number[]): Promise<Found> {
  let over = false;
  const lags = probe(() => over);
  const answers = programs.map(async (programId, index) => {
    await Bun.sleep((RUN_MS / programs.length) * index);
    const { ms, status } = await ask('POST', 'reservations', { programId });
    return `${status} after ${Math.round(ms)}`;
  });
  await Bun.sleep(RUN_MS);
  over = true;
  const times = (await lags).sort((a, b) => a - b);
  return {
    slowest: times.at(-1) ?? 0,
    median: times[times.length >> 1] ?? 0,
    booked: await Promise.all(answers),
  };
}

function fsyncs(): string {
  if (!existsSync(stallLog)) return 'none';
  const counts = new Map<string, number>();
  for (const line of readFileSync(stallLog, 'utf8').trim().split('\n')) {
    const what = line.replace(`${data}/`, '').replace(/recordings\/.*/, 'recordings');
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  rmSync(stallLog);
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

function show(what: string, { slowest, median, booked }: Found): void {
  console.log(`${what}: slowest answer ${Math.round(slowest)} ms, median ${median.toFixed(1)} ms`);
  console.log(`  bookings: ${booked.join(', ')} ms`);
}

let failed = false;
try {
  service = await startProgram([process.execPath, join(import.meta.dir, '..', '..', 'src', 'main.ts')], {
    ...{
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: data,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      TUNER_AGENT_URL: agent.url,
    },
    ...{ LD_PRELOAD: built(), STALL_FILE: stallFile, STALL_LOG: stallLog },
  });
  await until('the stations are known', async () =>
    (await ask<Station[]>('GET', 'services')).value.length === STATIONS ? true : undefined,
  );
  const database = new Database(join(data, 'svc.db'));
  const at = Date.now();
  const running = putPrograms(
    database,
    agent.stations.map((station) => ({
      ...{ station, event: 1, startAt: at, endAt: at + HOUR_MS, name: '今の番組' },
    })),
  );
  const later = putPrograms(
    database,
    Array.from({ length: (2 * RUN_MS) / 1000 }, (_, index) => ({
      ...{ station: agent.stations[index % STATIONS] ?? 0, event: 10 + index, name: `後の番組${index}` },
      ...{ startAt: at + (index + 2) * HOUR_MS, endAt: at + (index + 3) * HOUR_MS },
    })),
  );
  database.close();
  for (const programId of running) await ask('POST', 'reservations', { programId });
  const recordings = async () => (await ask<Recording[]>('GET', 'recordings?show=recording')).value;
  await until('all are received', async () =>
    (await recordings()).filter(({ progress }) => (progress?.bytes ?? 0) > 0).length === STATIONS
      ? true
      : undefined,
  );
  const half = later.length / 2;
  show('as it is', await measure(later.slice(0, half)));
  writeFileSync(stallFile, `${Math.round(seconds * 1000)}`);
  const stalled = await measure(later.slice(half));
  rmSync(stallFile);
  show(`every fsync takes ${seconds} s`, stalled);
  console.log(`  fsyncs: ${fsyncs()}`);
  console.log(`  log of the database: ${Math.round(statSync(join(data, 'svc.db-wal')).size / 1024)} KB`);
  const drops = (await recordings()).map(({ progress }) => progress?.drops ?? -1);
  console.log(`  packets lost in the recordings: ${drops.join(', ')}`);
  figures.limited('event loop blocked for', stalled.slowest, 'ms', LAG_LIMIT_MS);
  failed = figures.failed || drops.length !== STATIONS || drops.some((count) => count !== 0);
  for (const line of service.log().split('\n')) if (/ (warn|error) /.test(line)) console.log(line);
} finally {
  await service?.end();
  await agent.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
