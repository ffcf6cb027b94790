/** The agent as a process of its own: environment, command line, signals. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, sourceCommand, until } from './fixture.ts';

const MAIN = join(import.meta.dir, '..', '..', 'agent', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-agent-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface AgentProcess extends AsyncDisposable {
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly log: () => string;
  /** Its port, once it listens. */
  port(): Promise<number>;
}

function run(environment: Record<string, string>, ...arguments_: string[]): AgentProcess {
  const child = Bun.spawn([process.execPath, MAIN, ...arguments_], {
    env: {
      ...process.env,
      AGENT_PORT: '0',
      TUNERS_FILE: join(folder, 'tuners.json'),
      CHANNELS_FILE: join(folder, 'channels.json'),
      ...environment,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let log = '';
  void (async () => {
    for await (const part of child.stderr) log += new TextDecoder().decode(part);
  })();
  return {
    child,
    log: () => log,
    async port() {
      await until('the agent listens', () => / port=\d+/.test(log) || child.exitCode !== null);
      return Number(/ port=(\d+)/.exec(log)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

describe('svc-agent', () => {
  test('--version and --help answer and end', async () => {
    await using version = run({}, '--version');
    expect(await new Response(version.child.stdout).text()).toMatch(/^svc-agent \d+\.\d+\.\d+/);
    expect(await version.child.exited).toBe(0);
    await using help = run({}, '--help');
    expect(await new Response(help.child.stdout).text()).toContain('FAKE_TUNE');
    expect(await help.child.exited).toBe(0);
  });

  test('names every bad variable at once', async () => {
    await using agent = run({
      AGENT_PORT: '99999',
      AGENT_NETWORKS: 'home',
      FAKE_TUNE: "bun 'x",
      FAKE_TUNERS: 'GR',
      LOG_LEVEL: 'loud',
    });
    expect(await agent.child.exited).toBe(1);
    for (const name of ['AGENT_PORT', 'AGENT_NETWORKS', 'FAKE_TUNE', 'FAKE_TUNERS', 'LOG_LEVEL']) {
      expect(agent.log()).toContain(`${name}:`);
    }
  });

  test('refuses an unknown argument', async () => {
    await using agent = run({}, '--port');
    expect(await agent.child.exited).toBe(1);
    expect(agent.log()).toContain('--port');
  });

  test('says that its port is taken', async () => {
    await using first = run({});
    const port = String(await first.port());
    await using second = run({ AGENT_PORT: port });
    expect(await second.child.exited).toBe(1);
    await until('the message', () => second.log().includes('AGENT_PORT'));
    expect(second.log()).toContain(port);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`ends its streams and commands on ${signal}, with success`, async () => {
      rmSync(join(folder, 'starts'), { force: true });
      await using agent = run({ FAKE_TUNE: sourceCommand(folder) });
      const url = `http://127.0.0.1:${await agent.port()}/agent/stream?type=GR&channel=T27`;
      const reader = (await fetch(url)).body?.getReader();
      await reader?.read();
      const pid = Number(readFileSync(join(folder, 'starts'), 'utf8').trim().split(' ')[2]);
      expect(isRunning(pid)).toBe(true);
      agent.child.kill(signal);
      const drain = async (): Promise<void> => {
        while ((await reader?.read())?.done === false);
      };
      await expect(drain()).rejects.toThrow();
      expect(await agent.child.exited).toBe(0);
      expect(isRunning(pid)).toBe(false);
    });
  }
});

test('a second signal does not make it leave a stubborn command behind', async () => {
  rmSync(join(folder, 'starts'), { force: true });
  await using agent = run({ FAKE_TUNE: sourceCommand(folder, '--deaf') });
  const url = `http://127.0.0.1:${await agent.port()}/agent/stream?type=GR&channel=T27`;
  await (await fetch(url)).body?.getReader().read();
  const pid = Number(readFileSync(join(folder, 'starts'), 'utf8').trim().split(' ')[2]);
  agent.child.kill('SIGINT');
  await until('the agent ends', () => agent.log().includes('stopping'));
  agent.child.kill('SIGINT');
  agent.child.kill('SIGTERM');
  expect(await agent.child.exited).toBe(0);
  expect(isRunning(pid)).toBe(false);
});

test('killed while it saves, the file is the old or the new one', async () => {
  await using agent = run({});
  const port = await agent.port();
  const tables = [1, 2].map((networkId) =>
    Array.from({ length: 50 }, (_, index) => ({
      type: 'GR',
      channel: `T${13 + index}`,
      tsid: null,
      networkId,
      stations: [],
    })),
  );
  const put = (turn: number): Promise<unknown> =>
    fetch(`http://127.0.0.1:${port}/agent/channels`, {
      method: 'PUT',
      body: JSON.stringify(tables[turn % 2]),
    });
  await put(0);
  const writing = (async () => {
    for (let turn = 1; ; turn += 1) await put(turn);
  })().catch(() => {});
  await Bun.sleep(20 + (process.pid % 30));
  agent.child.kill('SIGKILL');
  await agent.child.exited;
  await writing;
  const stored: unknown = JSON.parse(readFileSync(join(folder, 'channels.json'), 'utf8'));
  expect(tables.some((table) => Bun.deepEquals(table, stored))).toBe(true);
});
