/** Runs ffmpeg to its end for a short result: with a time limit and bounded output. */
import { setPriority } from 'node:os';
import { childEnvironment } from '../../host/child-environment.ts';
import { drained, tailOf } from './process.ts';
import { withoutRealTimePriority } from './thread-priority.ts';

export interface RunResult {
  /** 128 + signal if it was killed. */
  code: number;
  /** The last 256 K characters. */
  stdout: string;
  /** The last lines. */
  stderr: string;
  elapsedMs: number;
}

const MAX_STDOUT_CHARS = 256 * 1024;

interface RunOptions {
  timeoutMs: number;
  /** Run at the lowest priority. */
  background?: boolean;
  signal?: AbortSignal;
}

/** @throws Error if the executable cannot be started */
export async function run(command: readonly string[], options: RunOptions): Promise<RunResult> {
  const started = performance.now();
  const child = Bun.spawn(withoutRealTimePriority(command), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...childEnvironment(process.env), SVT_LOG: '1' },
  });
  if (options.background === true) giveWay(child.pid);
  const kill = (): void => child.kill('SIGKILL');
  const timer = setTimeout(kill, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  try {
    const stderr = tailOf(child.stderr);
    const stdout = tailOf(child.stdout, MAX_STDOUT_CHARS);
    const code = await child.exited;
    await drained(stdout, stderr);
    return {
      code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      elapsedMs: performance.now() - started,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', kill);
  }
}

/** Gives a process the lowest priority. */
export function giveWay(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It has already ended, or the system does not permit it.
  }
}
