/** Runs a program of the project as a separate process: start, wait for its `listening` line, end. */
import { join } from 'node:path';
import { shapedSecret } from './access/secret-watch.ts';
import { HANG_LIMIT_MS } from './until.ts';

/**
 * Environment of a service whose test converts and shows nothing: probing encoders and making thumbnails costs
 * more processor time than its start.
 */
export const WITHOUT_FFMPEG = { FFMPEG_PATH: '/nonexistent/ffmpeg' };
/** The real ffmpeg for tests that need no AV1 encoder, whose speed each service would measure. */
export const FFMPEG_WITHOUT_AV1 = join(import.meta.dir, 'ffmpeg-without-av1.sh');

/** Bytes of output that are kept for the message of a failure. */
const LOG_BYTES = 200_000;

export interface Program {
  readonly pid: number;
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Its log so far, at most the last 200 KB. */
  log(): string;
  /** Its exit code; null while it is running. */
  exitCode(): number | null;
  /** Resolves when it has exited. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Terminates it by a signal, and kills it after a timeout. @throws Error if its log contains a secret */
  end(): Promise<void>;
}

/**
 * @param signal kills it while it starts @throws Error with its output if it does not listen in time; the
 * signal's reason
 */
export async function startProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Program> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listening = Promise.withResolvers<number>();
  const decoder = new TextDecoder();
  let log = '';
  void (async () => {
    for await (const part of child.stderr) {
      log = (log + decoder.decode(part, { stream: true })).slice(-LOG_BYTES);
      const [, port] = /listening.* port=(\d+)/.exec(log) ?? [];
      if (port !== undefined) listening.resolve(Number(port));
    }
    listening.reject(new Error(`${command.at(-1)} ended: ${log}`));
  })();
  const late = setTimeout(
    () => listening.reject(new Error(`${command.at(-1)} does not start: ${log}`)),
    HANG_LIMIT_MS,
  );
  const kill = async (by: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(by);
    await child.exited;
  };
  const abort = (): void => listening.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  let port: number;
  try {
    port = await listening.promise;
  } catch (error) {
    await kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', abort);
  }
  return {
    pid: child.pid,
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    exitCode: () => child.exitCode,
    kill,
    end: async () => {
      const forced = setTimeout(() => child.kill('SIGKILL'), HANG_LIMIT_MS);
      await kill('SIGTERM');
      clearTimeout(forced);
      const secret = shapedSecret(log);
      if (secret !== undefined) throw new Error(`a secret is in the log: ${secret}`);
    },
  };
}
