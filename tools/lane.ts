/** A run of `bun test`: streams its output, collects counts and the time of each file, and enforces a time limit. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  /** Shown in the output. */
  name: string;
  passed: number;
  failed: number;
  /** The line that names the failed test, and the end of the output before it. */
  failures: Failure[];
  /** Empty when the run was killed. */
  files: FileOutcome[];
  /** Wall time. */
  seconds: number;
  /** Processor time, including that of its child processes. */
  cpuSeconds: number;
}

interface Failure {
  name: string;
  /** Empty when the run was killed. */
  reason: string[];
}

interface FileOutcome {
  /** Path from the root of the project. */
  file: string;
  /** Wall time including hooks. */
  seconds: number;
  /** Number of failed tests. */
  failed: number;
}

interface LaneOptions {
  /** Shown in the output. */
  name: string;
  /** Arguments of `bun test`. */
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  folder: string;
  /** Niceness of its processes, 0 to 19; default 0. */
  niceness?: number;
  /**
   * Runs in a session of its own with the same niceness; default false. Otherwise the kernel weighs a
   * browser's session against the session of all lanes, whatever the niceness of its lane (sched(7),
   * "autogroup").
   */
  ownSession?: boolean;
  /** Time limit, after which it is killed with all its processes and counts as failed. */
  limitMs: number;
}

type OutputStream = 'stdout' | 'stderr';

/** Grace period before SIGKILL. */
const END_LIMIT_MS = 10_000;
const FAILURE = /^\(fail\) /;
const RESULT = /^\((pass|fail|skip)\) /;
/** Lines kept of the output before a failed test: source excerpt, error and stack. */
const REASON_LINES = 30;
/** Line above the tests of a file. */
const HEADING = /^\S+\.test\.tsx?:$/;

function count(summary: string, word: string): number {
  const found = summary.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'));
  return found === null ? 0 : Number(found[1]);
}

/** Each failure once; `bun test` prints them twice. */
function failuresOf(report: string): Failure[] {
  const found = new Map<string, Failure>();
  let before: string[] = [];
  for (const line of report.split('\n')) {
    if (FAILURE.test(line) && !found.has(line))
      found.set(line, { name: line, reason: before.slice(-REASON_LINES) });
    if (RESULT.test(line) || HEADING.test(line)) before = [];
    else before.push(line);
  }
  return [...found.values()];
}

/** The files of a JUnit report; describe blocks are nested in them and carry a line. */
function fileOutcomes(path: string): Outcome['files'] {
  let xml: string;
  try {
    xml = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return [...xml.matchAll(/<testsuite ([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const file = /\bfile="([^"]*)"/.exec(attributes)?.[1];
    const seconds = Number(/\btime="([\d.]+)"/.exec(attributes)?.[1]);
    const failed = Number(/\bfailures="(\d+)"/.exec(attributes)?.[1] ?? 0);
    if (file === undefined || /\bline="/.test(attributes)) return [];
    return [{ file, seconds, failed }];
  });
}

/**
 * Sets the niceness of a session to that of its leader, where the kernel groups processes by session
 * (sched(7), "autogroup").
 */
function lowerSession(leader: number, niceness: number): void {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(niceness));
  } catch {
    // The kernel has no such groups, or the program has ended.
  }
}

export class Lane {
  /** The lane that wrote last. */
  static #writing: Lane | undefined;
  readonly outcome: Promise<Outcome>;
  readonly #options: LaneOptions;
  #report = '';
  /** Heading of the current test file. */
  #heading = '';

  constructor(options: LaneOptions) {
    this.#options = options;
    this.outcome = this.#run();
  }

  async #run(): Promise<Outcome> {
    const { name, args, environment, folder, niceness = 0, ownSession = false, limitMs } = this.#options;
    const reports = mkdtempSync(join(tmpdir(), 'svc-tests-'));
    const times = join(reports, 'times.xml');
    const report = ['--reporter=junit', `--reporter-outfile=${times}`];
    // `--no-orphans`: when it ends, also by a signal, it kills every process that its tests started.
    const flags = ['--no-orphans', '--timeout', '60000', ...report];
    const command = [process.execPath, 'test', ...flags, ...args];
    const began = performance.now();
    const child = Bun.spawn(niceness === 0 ? command : ['nice', '-n', String(niceness), ...command], {
      cwd: folder,
      detached: ownSession,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, ...environment },
    });
    if (ownSession) lowerSession(child.pid, niceness);
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS).unref();
    }, limitMs);
    const output = Promise.all([this.#read('stderr', child.stderr), this.#read('stdout', child.stdout)]);
    const code = await child.exited;
    clearTimeout(limit);
    // If it was killed, processes started by its tests may still hold its output open.
    const outputLimit = Promise.withResolvers<void>();
    const outputTimer = setTimeout(outputLimit.resolve, END_LIMIT_MS);
    await Promise.race([output, outputLimit.promise]);
    clearTimeout(outputTimer);
    const failures = failuresOf(this.#report);
    if (isLate) failures.push({ name: `(fail) ${name}: not done in ${limitMs / 1000} s`, reason: [] });
    else if (code !== 0 && failures.length === 0)
      failures.push({ name: `(fail) ${name}: ended with ${child.signalCode ?? code}`, reason: [] });
    const files = fileOutcomes(times);
    rmSync(reports, { recursive: true, force: true });
    // `bun test` reports on stderr, the counts last.
    const tail = this.#report.slice(-4096);
    return {
      name,
      seconds: (performance.now() - began) / 1000,
      cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
      passed: count(tail, 'pass'),
      failed: Math.max(count(tail, 'fail'), code === 0 ? 0 : 1),
      failures,
      files,
    };
  }

  async #read(target: OutputStream, stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stream) {
      const text = rest + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      if (end > 0) this.#write(target, text.slice(0, end));
    }
    if (rest !== '') this.#write(target, `${rest}\n`);
  }

  /** Writes whole lines, with the heading of their file if another lane wrote in between. */
  #write(target: OutputStream, text: string): void {
    const isAnother = Lane.#writing !== undefined && Lane.#writing !== this;
    Lane.#writing = this;
    process[target].write(isAnother && this.#heading !== '' ? `\n${this.#heading}\n${text}` : text);
    if (target === 'stdout') return;
    this.#report += text;
    this.#heading = text.split('\n').findLast((line) => HEADING.test(line)) ?? this.#heading;
  }
}
