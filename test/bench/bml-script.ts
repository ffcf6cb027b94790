/**
 * The script machine of data broadcast in a worker of headless Chromium, beside plain JavaScript in the same run:
 * processor time of the worker for the first run of a program in a new worker, as pages have them, and for later runs, each
 * the least of several; the longest slice by the clock, which other load lengthens; the size of the machine.
 * `bun test/bench/bml-script.ts`. Ends with 1 when a first run misses its limit.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../web/browser.ts';
import { Figures } from './guide/figures.ts';
import type { ScriptAnswer, ScriptRequest } from './streams/bml-script.worker.ts';

/** New workers for each program; in each, the program runs this often. */
const WORKERS = 4;
const ROUNDS = 4;
const LIMITS: Readonly<Record<string, number>> = {
  'fib(22)': 60,
  'loop of 1,000,000 turns': 250,
  'loop of 1,000,000 turns, global variables': 250,
  '20,000 calls of the host': 50,
};

async function bundled(entry: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
  });
  const text = await built.outputs[0]?.text();
  if (text === undefined) throw new Error(`${entry} was not built`);
  return text;
}

/** Processor time of the newest worker of the browser, ms; proc(5), nanoseconds. */
function workerMs(): number {
  let newest = 0;
  let time = Number.NaN;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const tasks = `/proc/${pid}/task`;
    for (const task of existsSync(tasks) ? readdirSync(tasks) : []) {
      try {
        if (!readFileSync(`${tasks}/${task}/comm`, 'utf8').startsWith('DedicatedWorker')) continue;
        if (Number(task) < newest || !isOurs(Number(pid))) continue;
        time = Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
        newest = Number(task);
      } catch {
        // The thread ended meanwhile.
      }
    }
  }
  return time;
}

/** Whether a process descends from this one. */
function isOurs(pid: number): boolean {
  if (pid === process.pid || pid <= 1) return pid === process.pid;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return isOurs(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
}

interface Run extends ScriptAnswer {
  readonly ms: number;
}

async function ask(page: Page, request: ScriptRequest): Promise<Run> {
  // A new worker may have no thread yet.
  const before = request.program < 0 ? 0 : workerMs();
  const answer = await page.evaluate(
    (message) =>
      new Promise<ScriptAnswer>((resolve, reject) => {
        const { worker } = globalThis as unknown as { worker: Worker };
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message: text }) => reject(new Error(text));
        worker.postMessage(message);
      }),
    request,
  );
  return { ...answer, ms: workerMs() - before };
}

/** The runs of a program in one new worker. */
async function runs(page: Page, program: number, plain: boolean): Promise<Run[]> {
  await page.evaluate(() =>
    Object.assign(globalThis, { worker: new Worker('worker.js', { type: 'module' }) }),
  );
  // The script is loaded; there is no such program.
  await ask(page, { program: -1, plain: true });
  const found: Run[] = [];
  for (let round = 0; round < ROUNDS; round += 1) found.push(await ask(page, { program, plain }));
  await page.evaluate(() => (globalThis as unknown as { worker: Worker }).worker.terminate());
  return found;
}

const script = await bundled('streams/bml-script.worker.ts');
const machine = await bundled('../../web/bml/script/machine.ts');
const server = Bun.serve({
  port: 0,
  routes: {
    '/': new Response('<!doctype html><title>bench</title>', { headers: { 'content-type': 'text/html' } }),
    '/worker.js': new Response(script, { headers: { 'content-type': 'text/javascript' } }),
  },
});
const browser = await sharedBrowser();
try {
  const page = await browser.newPage();
  await page.goto(server.url.href);
  const figures = new Figures();
  for (let program = 0; ; program += 1) {
    const inMachine: Run[][] = [];
    const inPlain: Run[][] = [];
    for (let round = 0; round < WORKERS; round += 1) {
      inMachine.push(await runs(page, program, false));
      inPlain.push(await runs(page, program, true));
    }
    const name = inMachine[0]?.[0]?.name ?? '';
    if (name === '') break;
    const results = new Set([...inMachine, ...inPlain].flat().map(({ result }) => result));
    if (results.size !== 1) throw new Error(`${name}: ${[...results].join(', ')}`);
    const least = (workers: readonly Run[][], from: number, to: number): number =>
      Math.min(...workers.flatMap((list) => list.slice(from, to).map(({ ms }) => ms)));
    const first = least(inMachine, 0, 1);
    const limit = LIMITS[name];
    if (limit === undefined) figures.note(name, first, 'ms');
    else figures.limited(name, first, 'ms', limit);
    figures.note('  to plain JavaScript', first / least(inPlain, 0, 1), 'times');
    figures.note('  later runs', least(inMachine, 1, ROUNDS), 'ms');
    figures.note('  to plain JavaScript', least(inMachine, 1, ROUNDS) / least(inPlain, 1, ROUNDS), 'times');
    figures.note('  longest slice', Math.min(...inMachine.map(([run]) => run?.slice ?? 0)), 'ms');
  }
  figures.note('machine, minified', machine.length / 1000, 'kB');
  figures.note('machine, gzip', Bun.gzipSync(machine).length / 1000, 'kB');
  if (figures.failed) process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop(true);
}
