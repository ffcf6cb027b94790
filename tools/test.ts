/**
 * `npm test [filters]`: the checks and every test. Ends with a table of the slowest files and a line
 * `N passed, N failed`, in which the checks count as one. Arguments are passed to `bun test`; `--long` adds the soak tests,
 * `--rigs` runs the tests in a virtual machine.
 *
 * Runs `bun test` several times in parallel lanes. Tests that depend on real time tolerate lanes of a lower priority beside
 * them, to a degree: live encoding runs beside browsers, the waiting tests beside the checks and the films of the demo. Tests
 * that tolerate hardly any load run beside lanes whose session has a lower weight: the fault table beside those that do not
 * depend on real time, the ones that run one at a time beside browsers that may be slow.
 *
 * A file that depends on real time and failed beside others is run once more by itself, to distinguish a slow machine from
 * a fault. It is named in the output, because such a test needs repair.
 */
import { join } from 'node:path';
import { check } from './check.ts';
import { Lane, type Outcome } from './lane.ts';

const ROOT = join(import.meta.dir, '..');
const SYNTH = join(ROOT, 'synth', 'main.ts');

/** They wait for broadcast time, processes and timeouts. */
const WAITING = [
  'src/guide',
  'src/station',
  'src/scan',
  'src/logo',
  'test/agent',
  'test/conformance',
  'test/faults',
  'test/follow',
  'test/guide',
  'test/record',
  'test/service',
];
const WAITING_AT_ONCE = 3;
/** They need much processor time; only the browser's timeouts depend on real time. */
const BROWSER = ['test/web'];
const BUSY_AT_ONCE = 3;
/**
 * For lanes that may be delayed: a third of the scheduling weight of those in real time. Relative, because
 * only root may raise a priority. A browser has its own session, whose weight counts against the whole
 * machine (`sched_autogroup`; `test/web/browser.ts`): with a lower weight it would get almost no time beside
 * other busy programs.
 */
const BUSY_NICENESS = 5;
/**
 * For lanes that may be slow within the session: they only get the processor time that the others leave. Not
 * for a session of its own, which would get 1 % beside another busy program.
 */
const LOWEST_NICENESS = 19;
const TIMELESS_AT_ONCE = 2;
/** Beside two busy loops, a test of 1 s has taken 117 s. A test that hangs is killed with its lane. */
const TIMELESS_LIMIT_MS = 600_000;
/** Two minutes of broadcast time at a quarter of a core: runs beside the encoding lane. */
const HOUSEHOLD = 'test/live/household.test.ts';
/** Real encoders in real time, and encoded recordings in a browser, one file at a time. */
const ENCODING = ['test/live', 'test/e2e/encoded.test.ts', 'test/e2e/surround.test.ts'];
/**
 * Households of many processes, whose packets must arrive within 0.5 s: only beside lanes of a lower weight.
 */
const CROWDED = 'test/faults/fault-table.test.ts';
/**
 * One file at a time, with only lanes of a lower weight in parallel: live television in a browser at the best
 * quality, which a busy machine cannot keep, and positions in recordings, measured by flashes that a busy
 * machine misses.
 */
const ONE_AT_A_TIME = ['test/e2e', 'test/web/live-raw.test.ts'];
/** Screens whose tests wait for the page, however slow it is: run beside the tests that run one at a time. */
const PATIENT = [
  'test/web/first-visit.test.ts',
  'test/web/fullscreen.test.ts',
  'test/web/look.test.ts',
  'test/web/recordings.test.ts',
  'test/web/reservations.test.ts',
  'test/web/rules.test.ts',
  'test/web/settings.test.ts',
  'test/web/tasks.test.ts',
];
const PATIENT_AT_ONCE = 2;
/** Two minutes at a sixth of a core, without timing constraints: beside the first lanes. */
const SOAK = 'test/agent/descramble-soak.test.ts';
/** Run by `--rigs` only: real kernel drivers in a virtual machine. */
const RIGS = ['./test/rigs'];
/** Tests in the browser lane that have timeouts: sockets, processes, workers and encoders. */
const REAL_TIME = [
  'agent',
  'host',
  'src/booking',
  'src/encode',
  'src/ffmpeg',
  'src/media',
  'src/play',
  'src/reception',
  'src/record',
  'src/store',
  'src/tuner',
  'test/encode',
  'test/host',
  'test/play',
  'test/reception',
];
/** If more files than this failed, a slow machine is not the reason, and none is run again. */
const SECOND_RUNS = 6;
/** Rows of the table of slowest files. */
const SLOWEST = 20;
/** Limit of a lane; on a busy machine some take half of it. */
const LIMIT_MS = 40 * 60_000;
const LONG_LIMIT_MS = 3 * 3_600_000;

const args = process.argv.slice(2);
const long = args.includes('--long');
const rigs = args.includes('--rigs');
const named = args.filter((arg) => arg !== '--long' && arg !== '--rigs');
const filters = rigs && named.length === 0 ? RIGS : named;

function lane(
  name: string,
  words: readonly string[],
  { niceness = 0, ownSession = false }: { niceness?: number; ownSession?: boolean } = {},
): Lane {
  const environment = { ...(long ? { SVC_LONG: '1' } : {}), ...(rigs ? { SVC_RIGS: '1' } : {}) };
  const limitMs = long ? LONG_LIMIT_MS : LIMIT_MS;
  return new Lane({ name, args: words, environment, folder: ROOT, niceness, ownSession, limitMs });
}

/** Encoding the films of the demo takes a minute or two; they are needed after the waiting tests. */
function prepareFilms(): Bun.Subprocess {
  const command = [process.execPath, '--no-orphans', SYNTH, '--prepare'];
  return Bun.spawn(['nice', '-n', String(LOWEST_NICENESS), ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: LIMIT_MS,
  });
}

const within = (paths: readonly string[]): string[] => paths.map((path) => `./${path}`);
const without = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => ['--path-ignore-patterns', pattern]);
const withoutFolders = (paths: readonly string[]): string[] =>
  without(paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**`)));
const atOnce = (files: number): string[] => [`--parallel=${files}`, '--no-isolate'];

async function everything(): Promise<Outcome[]> {
  const films = prepareFilms();
  const waiting = [...atOnce(WAITING_AT_ONCE), ...within(WAITING), ...without([CROWDED, SOAK])];
  const others = withoutFolders([...WAITING, ...ENCODING, ...ONE_AT_A_TIME, ...BROWSER, ...REAL_TIME]);
  const withoutRealTime = [...atOnce(TIMELESS_AT_ONCE), `--timeout=${TIMELESS_LIMIT_MS}`, ...others];
  const aside = { niceness: BUSY_NICENESS, ownSession: true };
  const inRealTime = async (): Promise<Outcome[]> => [
    await lane('waiting tests', waiting).outcome,
    ...(await Promise.all([
      lane('the fault table', within([CROWDED])).outcome,
      lane('tests without real time', withoutRealTime, aside).outcome,
    ])),
  ];
  const [outcomes, soak] = await Promise.all([
    inRealTime(),
    lane('descrambling for two minutes', within([SOAK]), { niceness: LOWEST_NICENESS }).outcome,
    films.exited,
  ]);
  const encoding = [...within(ENCODING), ...without([HOUSEHOLD])];
  const busy = [...within([...BROWSER, ...REAL_TIME]), ...withoutFolders([...ONE_AT_A_TIME, ...PATIENT])];
  const withProcessor = await Promise.all([
    lane('live encoding and encoded recordings', encoding).outcome,
    lane('a household for two minutes', within([HOUSEHOLD])).outcome,
    lane('browsers, encoders and sockets', [...atOnce(BUSY_AT_ONCE), ...busy], { niceness: BUSY_NICENESS })
      .outcome,
  ]);
  const last = await Promise.all([
    lane('tests that run one at a time', [...within(ONE_AT_A_TIME), ...withoutFolders(ENCODING)]).outcome,
    lane('browsers that may be slow', [...atOnce(PATIENT_AT_ONCE), ...within(PATIENT)], aside).outcome,
  ]);
  outcomes.push(soak, ...withProcessor, ...last);
  return outcomes;
}

/** Runs failed files that depend on real time a second time, whose result counts. */
async function runAgain(outcomes: readonly Outcome[]): Promise<void> {
  const folders = [...WAITING, ...ENCODING, ...BROWSER, ...REAL_TIME, ...ONE_AT_A_TIME];
  const again = outcomes.flatMap((outcome) =>
    outcome.files
      .filter(({ file, failed }) => failed > 0 && folders.some((folder) => file.startsWith(`${folder}/`)))
      .map(({ file, failed }) => ({ outcome, file, failed })),
  );
  if (again.length > SECOND_RUNS) return;
  for (const { outcome, file, failed } of again) {
    console.log(`\n${file}: ${failed} failed beside others, runs once more by itself`);
    const second = await lane(file, [`./${file}`]).outcome;
    if (second.failed > 0) continue;
    outcome.passed += failed;
    outcome.failed -= failed;
    console.log(`\nunstable: ${file} passes only by itself`);
  }
}

function printLanes(outcomes: readonly Outcome[]): void {
  const rows = outcomes.map(
    ({ name, seconds, cpuSeconds }) =>
      `${seconds.toFixed(1).padStart(8)} ${cpuSeconds.toFixed(1).padStart(10)}  ${name}`,
  );
  console.log(['', ' seconds  processor  lane', ...rows].join('\n'));
}

/**
 * A file much slower than the others should be split, merged with one of the same set-up, or use virtual
 * time.
 */
function printSlowest(outcomes: readonly Outcome[]): void {
  const files = outcomes.flatMap((outcome) => outcome.files).sort((a, b) => b.seconds - a.seconds);
  if (files.length < 2) return;
  const rows = files
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)}  ${file}`);
  console.log(['', ' seconds  slowest test files', ...rows, ''].join('\n'));
}

async function selected(): Promise<Outcome[]> {
  const only = lane('tests', filters);
  return [await only.outcome];
}

async function checked(niceness?: number): Promise<boolean> {
  const isClean = await check(niceness);
  console.log(isClean ? 'check: clean' : 'check: findings above');
  return isClean;
}

/** With filters the tests run after the checks; without, in parallel, since they take longer. */
async function run(): Promise<{ clean: boolean; outcomes: Outcome[] }> {
  if (filters.length > 0) return { clean: await checked(), outcomes: await selected() };
  const [clean, outcomes] = await Promise.all([checked(LOWEST_NICENESS), everything()]);
  return { clean, outcomes };
}

const { clean, outcomes } = await run();
printLanes(outcomes);
printSlowest(outcomes);
// Collected from the first run: a second run that passes does not show why the first failed.
const failures = outcomes.flatMap((outcome) => outcome.failures);
await runAgain(outcomes);
if (failures.length > 0) {
  const lines = failures.flatMap(({ name, reason }) => [...reason.map((line) => `  ${line}`), name]);
  console.error(['', 'failed, or passed only by itself:', ...lines].join('\n'));
}
let passed = clean ? 1 : 0;
let failed = clean ? 0 : 1;
for (const outcome of outcomes) {
  passed += outcome.passed;
  failed += outcome.failed;
}
console.log(`${passed} passed, ${failed} failed`);
// Not `exit`: output may not be flushed yet.
process.exitCode = failed === 0 ? 0 : 1;
