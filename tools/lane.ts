/** A run of `bun test`: streams its output, collects counts and the time of each file, and enforces a time limit. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  /** For people. */
  name: string;
  passed: number;
  failed: number;
  /** What failed: the line that names it, and the end of what was said before it. */
  failures: Failure[];
  /** Empty when the run was killed. */
  files: FileOutcome[];
  /** Wall time. */
  seconds: number;
  /** Of the processor, with the processes that it has waited for. */
  cpuSeconds: number;
}

interface Failure {
  name: string;
  /** Empty when the run was killed. */
  reason: string[];
}

interface FileOutcome {
  /** From the root of the project. */
  file: string;
  /** Wall time with its hooks. */
  seconds: number;
  /** Tests of it that failed. */
  failed: number;
}

interface LaneOptions {
  /** For people. */
  name: string;
  /** Of `bun test`. */
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  folder: string;
  /** Niceness of its processes, 0 to 19; default 0. */
  niceness?: number;
  /** Time limit: it is killed with all its processes, and has failed. */
  limitMs: number;
}

type Voice = 'stdout' | 'stderr';

/** Grace period before SIGKILL. */
const END_LIMIT_MS = 10_000;
const FAILURE = /^\(fail\) /;
const RESULT = /^\((pass|fail|skip)\) /;
/** Of the report before a failed test: the excerpt of the source, the error and its places. */
const REASON_LINES = 30;
/** Stands above the tests of a file. */
const HEADING = /^\S+\.test\.tsx?:$/;

function count(summary: string, word: string): number {
  const found = summary.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'));
  return found === null ? 0 : Number(found[1]);
}

/** Each once: they are printed at once and again at the end. */
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

export class Lane {
  /** Of parallel lanes, the one that wrote last. */
  static #writing: Lane | undefined;
  readonly outcome: Promise<Outcome>;
  readonly #options: LaneOptions;
  #report = '';
  /** The file of the present tests. */
  #heading = '';

  constructor(options: LaneOptions) {
    this.#options = options;
    this.outcome = this.#run();
  }

  async #run(): Promise<Outcome> {
    const { name, args, environment, folder, niceness = 0, limitMs } = this.#options;
    const reports = mkdtempSync(join(tmpdir(), 'svc-tests-'));
    const times = join(reports, 'times.xml');
    const report = ['--reporter=junit', `--reporter-outfile=${times}`];
    // `--no-orphans`: however it ends, also by a signal, it ends every process that its tests have started.
    const flags = ['--no-orphans', '--timeout', '60000', ...report];
    const command = [process.execPath, 'test', ...flags, ...args];
    const began = performance.now();
    const child = Bun.spawn(niceness === 0 ? command : ['nice', '-n', String(niceness), ...command], {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, ...environment },
    });
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS).unref();
    }, limitMs);
    const said = Promise.all([this.#read('stderr', child.stderr), this.#read('stdout', child.stdout)]);
    const code = await child.exited;
    clearTimeout(limit);
    // Where it was killed itself, what its tests started may hold its output open.
    const silence = Promise.withResolvers<void>();
    const limitOfSilence = setTimeout(silence.resolve, END_LIMIT_MS);
    await Promise.race([said, silence.promise]);
    clearTimeout(limitOfSilence);
    const failures = failuresOf(this.#report);
    if (late) failures.push({ name: `(fail) ${name}: not done in ${limitMs / 1000} s`, reason: [] });
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

  async #read(voice: Voice, stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let open = '';
    for await (const chunk of stream) {
      const text = open + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      open = text.slice(end);
      if (end > 0) this.#write(voice, text.slice(0, end));
    }
    if (open !== '') this.#write(voice, `${open}\n`);
  }

  /** Whole lines, and above them the name of their file where another lane wrote meanwhile. */
  #write(voice: Voice, text: string): void {
    const isAnother = Lane.#writing !== undefined && Lane.#writing !== this;
    Lane.#writing = this;
    process[voice].write(isAnother && this.#heading !== '' ? `\n${this.#heading}\n${text}` : text);
    if (voice === 'stdout') return;
    this.#report += text;
    this.#heading = text.split('\n').findLast((line) => HEADING.test(line)) ?? this.#heading;
  }
}
