/**
 * The raw path's decoder in one worker of headless Chromium beside ffmpeg on one thread of the same machine: 1440x1080
 * interlaced at 15 Mbit/s, decoded as coded and with every field made a frame; and the size of what browsers load.
 * `bun test/bench/mpeg2.ts`. Ends with 1 when a figure misses its limit.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWeb } from '../../tools/web.ts';
import { sharedBrowser } from '../web/browser.ts';
import type { BenchRequest } from './streams/mpeg2.worker.ts';

const FRAME_RATE = 30000 / 1001;
const SECONDS = 8;
const MIN_REAL_TIME = 10;
const MIN_DEINTERLACED = 6;
const MIN_OF_FFMPEG = 0.6;
const MAX_KB = 60;
const FFMPEG_RUNS = 5;
const ROUNDS = 2;
/** USER_HZ, the unit of times in /proc. */
const TICKS_PER_SECOND = 100;
const WORKER = join(import.meta.dir, 'streams', 'mpeg2.worker.ts');

async function ffmpeg(args: readonly string[]): Promise<string> {
  const child = Bun.spawn(['ffmpeg', '-hide_banner', '-y', ...args], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 120_000,
  });
  const [output, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`ffmpeg ${args.join(' ')}\n${output}`);
  return output;
}

/** Two fields per frame of a moving, noisy picture. */
async function encode(file: string): Promise<void> {
  const source = `testsrc2=size=1440x1080:rate=60000/1001:duration=${SECONDS},noise=alls=20:allf=t`;
  const rate = ['-b:v', '15M', '-minrate', '15M', '-maxrate', '15M', '-bufsize', '9M'];
  await ffmpeg([
    ...['-f', 'lavfi', '-i', source, '-vf', 'tinterlace=interleave_top,setsar=4/3', '-c:v', 'mpeg2video'],
    ...['-flags', '+ildct+ilme', '-top', '1', '-g', '15', '-bf', '2', ...rate, '-f', 'mpeg2video', file],
  ]);
}

/** Frames per second of processor time, on one thread; the best run. */
async function nativeRate(file: string, frames: number): Promise<number> {
  let most = 0;
  for (let run = 0; run < FFMPEG_RUNS; run += 1) {
    const output = await ffmpeg(['-benchmark', '-threads', '1', '-i', file, '-f', 'null', '-']);
    const [, user = '', system = ''] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(output) ?? [];
    most = Math.max(most, frames / (Number(user) + Number(system)));
  }
  return most;
}

/** Child processes of this process, recursively. */
function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statOf(`/proc/${name}/stat`)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  return [...parents.keys()].filter(isOurs);
}

/** The fields after the name, proc(5); undefined if the process has ended. */
function statOf(path: string): string[] | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Processor time of the browser's workers, s; other load on the machine is not counted. */
function workerSeconds(): number {
  let ticks = 0;
  for (const pid of descendants()) {
    const tasks = `/proc/${pid}/task`;
    for (const task of existsSync(tasks) ? readdirSync(tasks) : []) {
      const comm = `${tasks}/${task}/comm`;
      if (!existsSync(comm) || !readFileSync(comm, 'utf8').startsWith('DedicatedWorker')) continue;
      const fields = statOf(`${tasks}/${task}/stat`);
      ticks += Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0);
    }
  }
  return ticks / TICKS_PER_SECOND;
}

interface Rates {
  readonly frames: number;
  /** Frames per second of processor time, as coded and with every field made a frame. */
  readonly decoded: number;
  readonly deinterlaced: number;
}

async function browserRates(folder: string, stream: string): Promise<Rates> {
  const built = await Bun.build({ entrypoints: [WORKER], target: 'browser', format: 'esm', minify: true });
  const script = await built.outputs[0]?.text();
  if (script === undefined) throw new Error('the worker was not built');
  const server = Bun.serve({
    port: 0,
    routes: {
      '/': new Response('<!doctype html><title>bench</title>', { headers: { 'content-type': 'text/html' } }),
      '/worker.js': new Response(script, { headers: { 'content-type': 'text/javascript' } }),
      '/decoder.wasm': () => new Response(Bun.file(join(folder, 'decoder.wasm'))),
      '/stream': () => new Response(Bun.file(stream)),
    },
  });
  const browser = await sharedBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.url.href);
    const frames = await page.evaluate(async () => {
      const read = async (path: string): Promise<ArrayBuffer> => (await fetch(path)).arrayBuffer();
      const worker = new Worker('worker.js', { type: 'module' });
      const ask = (request: BenchRequest): Promise<number> =>
        new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(Number(data));
          worker.postMessage(request);
        });
      Object.assign(globalThis, { askDecoder: ask });
      return ask({
        kind: 'load',
        wasm: await read('decoder.wasm'),
        stream: new Uint8Array(await read('stream')),
      });
    });
    const rate = async (fields: boolean): Promise<number> => {
      const before = workerSeconds();
      const count = await page.evaluate(
        ([withFields, rounds]) =>
          (globalThis as unknown as { askDecoder: (request: BenchRequest) => Promise<number> }).askDecoder({
            kind: 'run',
            fields: withFields,
            rounds,
          }),
        [fields, ROUNDS] as const,
      );
      return count / (workerSeconds() - before);
    };
    // The first rounds run code of the browser's baseline compiler.
    await rate(true);
    const decoded = Math.max(await rate(false), await rate(false), await rate(false));
    const deinterlaced = Math.max(await rate(true), await rate(true), await rate(true));
    return { frames, decoded, deinterlaced };
  } finally {
    await browser.close();
    await server.stop(true);
  }
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
try {
  const stream = join(folder, 'stream.m2v');
  await encode(stream);
  await buildWeb(folder);
  const rates = await browserRates(folder, stream);
  const native = await nativeRate(stream, rates.frames);
  const sizes = await Promise.all(
    ['decoder.wasm', 'decoder.mjs'].map(async (name) => (await stat(join(folder, name))).size),
  );
  const size = sizes.reduce((sum, one) => sum + one, 0) / 1000;
  const row = (name: string, value: string): void => console.log(`${name.padEnd(44)} ${value}`);
  const times = (rate: number): string => `${rate.toFixed(0)} frames/s, ${(rate / FRAME_RATE).toFixed(1)} x`;
  row('ffmpeg, one thread', times(native));
  row('decoder in a worker', `${times(rates.decoded)} (at least ${MIN_REAL_TIME} x)`);
  row('with every field made a frame', `${times(rates.deinterlaced)} (at least ${MIN_DEINTERLACED} x)`);
  row('decoder to ffmpeg', `${(rates.decoded / native).toFixed(2)} (at least ${MIN_OF_FFMPEG})`);
  row('decoder.wasm and decoder.mjs', `${size.toFixed(1)} kB (under ${MAX_KB})`);
  const isMet =
    rates.decoded / FRAME_RATE >= MIN_REAL_TIME &&
    rates.deinterlaced / FRAME_RATE >= MIN_DEINTERLACED &&
    rates.decoded / native >= MIN_OF_FFMPEG &&
    size < MAX_KB;
  if (!isMet) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
