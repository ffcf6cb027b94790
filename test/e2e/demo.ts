/** Starts the program of `npm run demo` on free ports. @returns the address that it prints for the user */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

/** A free port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export interface Demo {
  url: string;
  /** Everything that the demo and its programs wrote to stderr so far. */
  log(): string;
  /** Sends Ctrl-C to the whole process group, like a terminal. @returns the exit code */
  interrupt(): Promise<number | null>;
}

/**
 * Builds, prepares and starts the demo. The first run on a machine encodes the films of the synthetic
 * broadcast. @param environment of its programs @throws Error with its output if it exits before printing the
 * address
 */
export async function startDemo(environment: Record<string, string> = {}): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const child = spawn('node', [join(ROOT, 'tools', 'run.mjs'), 'demo'], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...environment,
      PORT: String(await freePort()),
      AGENT_PORT: String(await freePort()),
      DATA_DIR: folder,
      LOG_LEVEL: 'info',
      ALLOWED_HOSTS: 'minipc.test',
    },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-100_000);
  });
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  const interrupt = async (): Promise<number | null> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    const code = await ended;
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  const url = await new Promise<string | undefined>((found) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const address = printed.match(/^(http:\/\/localhost:\d+\/)$/m)?.[1];
      if (address !== undefined) found(address);
    });
    void ended.then(() => found(undefined));
  });
  if (url === undefined) {
    await interrupt();
    throw new Error(`the demo ended before it was ready:\n${log}`);
  }
  return { url, log: () => log, interrupt };
}
