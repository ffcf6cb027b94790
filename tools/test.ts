/**
 * `npm test [filters]`: the checks and every test. Ends with the slowest files and a line `N passed, N failed`, in which
 * the checks count as one. Arguments are passed to `bun test`; `--long` adds the soak tests, `--rigs` runs the tests in a
 * virtual machine.
 *
 * As many files run at once as there are cores: first those that only compute, then those that wait for real time
 * (`REAL_TIME`). Files that tolerate nothing beside them (`ALONE`) run last, one at a time.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';

const ROOT = join(import.meta.dir, '..');
/** Durations of the last run: the slowest files start first, so that none is left over at the end. */
const DURATIONS = join(ROOT, '.cache', 'test-durations.json');

/** They wait for broadcasts, processes and clocks in real time: as many at once, but not beside tests that compute. */
const REAL_TIME: readonly string[] = [
  // Recordings of real broadcasts: what a busy machine delivers late counts as lost.
  'test/record',
  'test/follow',
  'test/faults',
  // Rules of the agent's interface that count seconds, and a card that is removed while a stream runs.
  'test/conformance',
  'test/agent/card.test.ts',
  // Responses in time while another program locks the database.
  'test/service/held-lock.test.ts',
  // Servers that answer slowly, each request ten seconds in all.
  'test/bml/transfer.test.ts',
  // Programmes of seconds, streamed from their begin to their end.
  'test/compat/programme-stream.test.ts',
  'test/compat/epgstation.test.ts',
  // Live encoders.
  'test/live',
  'test/web/bidirectional.test.ts',
];
/** Nothing may run beside them. */
const ALONE: readonly string[] = [
  // They replace the timers of their process: what another test has left in it would run on their clock.
  'src/media/job/job-runner.test.ts',
  'src/play/data-files.test.ts',
  // Dozens of recordings at once, compared packet by packet.
  'test/faults/fault-table.test.ts',
  // Ten live viewers, an encoder among them.
  'test/live/household.test.ts',
  // Pictures of a browser are compared with what was sent; live television falls back on a busy machine.
  'test/e2e',
  'test/web/live-raw.test.ts',
];
/** In a virtual machine; by `--rigs` only. */
const RIGS = 'test/rigs';
/**
 * Only ends a test that hangs: beside busy programs, a test of 1 s has taken 2 min. The same as in `test/until.ts`, which
 * sets it for a file that runs without this tool; a preloaded default does not hold for the second file of a process.
 */
const TEST_LIMIT_MS = { short: 600_000, long: 3_600_000 };
/** Limit of one `bun test`, after which it is killed with its processes. */
const RUN_LIMIT_MS = { short: 40 * 60_000, long: 4 * 3_600_000 };
/** What `bun test` prints of a failed hook, an error between two tests or a crash: no report names them. */
const TROUBLE =
  /^(?:\(fail\)|# Unhandled error|error: |panic|worker .*(?:crash|exit|signal))|crashed|Segmentation fault/i;
/** Lines kept of those, the last ones. */
const TROUBLES = 20;
/** Rows of the table of slowest files. */
const SLOWEST = 20;

interface Outcome {
  passed: number;
  failed: number;
  files: { file: string; seconds: number }[];
  /** File and name of each failed test; where a run failed without one, the lines that tell why. */
  failures: string[];
}

const NOTHING: Outcome = { passed: 0, failed: 0, files: [], failures: [] };

const args = process.argv.slice(2);
const isLong = args.includes('--long');
const isRigs = args.includes('--rigs');
const filters = args.filter((arg) => arg !== '--long' && arg !== '--rigs');

/** Processor time of the whole machine: that of browsers, which are killed, counts for no process that waits. */
function busySeconds(): number {
  return cpus().reduce((sum, { times: { user, nice, sys } }) => sum + (user + nice + sys) / 1000, 0);
}

/** Counts of a JUnit report, and the time of each file; describe blocks are nested in files and carry a line. */
function reported(xml: string): Outcome {
  const attribute = (text: string, name: string): string =>
    new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? '';
  const number = (text: string, name: string): number => Number(attribute(text, name));
  const [, all = ''] = /<testsuites ([^>]*)>/.exec(xml) ?? [];
  const failed = number(all, 'failures');
  const files = [...xml.matchAll(/<testsuite ([^>]*)>/g)]
    .map(([, suite = '']) => suite)
    .filter((suite) => attribute(suite, 'line') === '')
    .map((suite) => ({ file: attribute(suite, 'file'), seconds: number(suite, 'time') }));
  const failures = [...xml.matchAll(/<testcase ([^>]*[^/])>\s*<failure/g)].map(
    ([, test = '']) => `${attribute(test, 'file')}:${attribute(test, 'line')} ${attribute(test, 'name')}`,
  );
  return { passed: number(all, 'tests') - failed - number(all, 'skipped'), failed, files, failures };
}

/** Writes the stream to standard error. @returns its last lines that tell of trouble */
async function passedOn(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const [decoder, troubles] = [new TextDecoder(), [] as string[]];
  let rest = '';
  for await (const bytes of stream) {
    process.stderr.write(bytes);
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    troubles.push(...lines.filter((line) => TROUBLE.test(line)));
    troubles.splice(0, troubles.length - TROUBLES);
  }
  return troubles;
}

/** One `bun test`; its output is passed on. A run that is killed or crashes counts as one failure. */
async function bunTest(...words: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  const report = join(folder, 'report.xml');
  const limitMs = isLong || isRigs ? TEST_LIMIT_MS.long : TEST_LIMIT_MS.short;
  const flags = ['--no-orphans', `--timeout=${limitMs}`];
  const reporter = ['--reporter=junit', `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, 'test', ...flags, ...reporter, ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...(isLong ? { SVC_LONG: '1' } : {}), ...(isRigs ? { SVC_RIGS: '1' } : {}) },
    timeout: isLong ? RUN_LIMIT_MS.long : RUN_LIMIT_MS.short,
    killSignal: 'SIGTERM',
  });
  const troubles = await passedOn(child.stderr);
  const code = await child.exited;
  try {
    const outcome = reported(readFileSync(report, 'utf8'));
    if (code === 0 || outcome.failed > 0) return outcome;
    const end = `bun test ended with ${child.signalCode ?? code} and no failed test`;
    return { ...outcome, failed: 1, failures: [end, ...troubles] };
  } catch {
    console.error(`bun test ${words.join(' ')} ended with ${child.signalCode ?? code} and no report`);
    return { ...NOTHING, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const within = (paths: readonly string[]): string[] => paths.map((path) => `./${path}`);
const without = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => ['--path-ignore-patterns', path.endsWith('.ts') ? path : `${path}/**`]);

async function everything(): Promise<Outcome[]> {
  const atOnce = [`--parallel=${availableParallelism()}`, '--no-isolate'];
  const timings = [`--timings=${DURATIONS}`, '--update-timings'];
  return [
    await bunTest(...atOnce, ...timings, ...without([...REAL_TIME, ...ALONE])),
    await bunTest(...atOnce, ...within(REAL_TIME), ...without(ALONE)),
    await bunTest(...within(ALONE)),
  ];
}

const [began, busyBefore] = [performance.now(), busySeconds()];
const isClean = await check();
console.log(isClean ? 'check: clean' : 'check: findings above');
const selected = filters.length === 0 && isRigs ? [`./${RIGS}`] : filters;
const outcomes = selected.length > 0 ? [await bunTest(...selected)] : await everything();

const files = outcomes.flatMap((outcome) => outcome.files).sort((a, b) => b.seconds - a.seconds);
const row = (seconds: number, text: string): string => `${seconds.toFixed(1).padStart(8)}  ${text}`;
const rows = files.slice(0, SLOWEST).map(({ seconds, file }) => row(seconds, file));
if (files.length > 1) console.log(['\n seconds  slowest test files', ...rows].join('\n'));
const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, one) => all + of(one), 0);
console.log(row((performance.now() - began) / 1000, 'all'));
console.log(row(busySeconds() - busyBefore, 'processor seconds of this machine meanwhile\n'));
for (const failure of outcomes.flatMap((outcome) => outcome.failures)) console.log(`failed: ${failure}`);
const failed = sum((outcome) => outcome.failed) + (isClean ? 0 : 1);
console.log(`${sum((outcome) => outcome.passed) + (isClean ? 1 : 0)} passed, ${failed} failed`);
// Not `exit`: output may not be flushed yet.
process.exitCode = failed === 0 ? 0 : 1;
