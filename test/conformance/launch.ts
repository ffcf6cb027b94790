/** Starts an agent as a separate process, in a folder of its own, on a free port. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANG_LIMIT_MS, until } from '../until.ts';
import type { LaunchedAgent, LaunchOptions } from './rule.ts';

/** The FAKE_TUNE that the rules expect. */
export const OWN_FAKE_TUNE = `${process.execPath} ${join(import.meta.dir, 'source.ts')} {type} {channel} {tsid}`;

export interface Launched extends LaunchedAgent {
  end(): Promise<void>;
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

/** @throws Error with the agent's output if it does not answer */
export async function launchAgent(
  command: readonly string[],
  fakeTune: string,
  { environment = {}, files = {} }: LaunchOptions = {},
): Promise<Launched> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const port = freePort();
  const child = Bun.spawn([...command], {
    env: {
      ...process.env,
      AGENT_HOST: '127.0.0.1',
      AGENT_PORT: String(port),
      TUNERS_FILE: join(folder, 'tuners.json'),
      CHANNELS_FILE: join(folder, 'channels.json'),
      FAKE_TUNE: fakeTune,
      LOG_LEVEL: 'info',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  void (async () => {
    for await (const part of child.stderr) log += new TextDecoder().decode(part);
  })();
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await Promise.race([child.exited, Bun.sleep(HANG_LIMIT_MS)]);
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const answers = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the agent ended: ${log}`);
    return await fetch(`${url}/agent/tuners`).then(
      () => true,
      () => false,
    );
  };
  try {
    await until('the agent answers', answers);
  } catch (error) {
    await end();
    throw error;
  }
  return { url, folder, pid: child.pid, log: () => log, end };
}
