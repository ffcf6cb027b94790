/** The agent as a separate process: environment, command line, signals. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SVC_AGENT } from '../built-programs.ts';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { isRunning, sourceCommand } from './fixture.ts';
import { numberedPackets } from './packets.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-agent-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npm test -- --long`: hundreds of repetitions. */
const LONG = process.env.SVC_LONG === '1';
const SOAK_LIMIT_MS = 600_000;

interface AgentProcess extends AsyncDisposable {
  readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly log: () => string;
  /** Its port, once it listens. */
  port(): Promise<number>;
}

function run(environment: Record<string, string>, ...arguments_: string[]): AgentProcess {
  const child = Bun.spawn([...SVC_AGENT, ...arguments_], {
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
      // SIGTERM first, so that it ends its commands: one that never writes would outlive a killed agent.
      child.kill('SIGTERM');
      await Promise.race([child.exited, Bun.sleep(HANG_LIMIT_MS)]);
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

  test('check prints the next steps for a machine without a card, and exits with 1', async () => {
    await using agent = run({ PCSCLITE_CSOCK_NAME: join(folder, 'no-daemon') }, 'check');
    const text = await new Response(agent.child.stdout).text();
    expect(text).toMatch(/^問題 {2}カード: カードを読むためのソフトウェア/m);
    expect(text).toMatch(/^注意 {2}チャンネル: まだ局がありません。/m);
    expect(await agent.child.exited).toBe(1);
  });

  test('import-mirakurun stores the tables where the agent reads them', async () => {
    const mirakurun = join(folder, 'mirakurun');
    mkdirSync(mirakurun);
    writeFileSync(
      join(mirakurun, 'tuners.yml'),
      '- {name: T1, types: [GR], command: "recpt1 --device /dev/px4video2 <channel>"}',
    );
    const files = {
      TUNERS_FILE: join(mirakurun, 'tuners.json'),
      CHANNELS_FILE: join(mirakurun, 'channels.json'),
    };
    await using agent = run(files, 'import-mirakurun', mirakurun);
    expect(await agent.child.exited).toBe(0);
    expect(JSON.parse(readFileSync(files.TUNERS_FILE, 'utf8'))).toMatchObject([{ device: '/dev/px4video2' }]);
    await using again = run(files, 'import-mirakurun', mirakurun);
    expect(await new Response(again.child.stdout).text()).toContain('--replace');
    expect(await again.child.exited).toBe(1);
    await using wrong = run(files, 'import-mirakurun', '--force', mirakurun);
    expect(await wrong.child.exited).toBe(2);
  });

  test('reports that its port is in use', async () => {
    await using first = run({});
    const port = String(await first.port());
    await using second = run({ AGENT_PORT: port });
    expect(await second.child.exited).toBe(1);
    await until('the message', () => second.log().includes('AGENT_PORT'));
    expect(second.log()).toContain(port);
  });

  test('reports a host address that does not belong to this machine', async () => {
    await using agent = run({ AGENT_HOST: '192.0.2.1' });
    expect(await agent.child.exited).toBe(1);
    await until('the message', () => agent.log().includes('AGENT_HOST 192.0.2.1'));
  });

  test('keeps running when its log is no longer read', async () => {
    const child = Bun.spawn([...SVC_AGENT], {
      env: {
        ...process.env,
        AGENT_PORT: '0',
        TUNERS_FILE: join(folder, 'tuners.json'),
        CHANNELS_FILE: join(folder, 'channels.json'),
        FAKE_TUNE: sourceCommand(folder),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    using _killed = { [Symbol.dispose]: () => child.kill('SIGKILL') };
    const log = child.stderr.getReader();
    const first = new TextDecoder().decode((await log.read()).value);
    await log.cancel();
    const url = `http://127.0.0.1:${/ port=(\d+)/.exec(first)?.[1]}/agent/stream?type=GR&channel=`;
    // Every tuning writes a line to the log.
    for (const channel of ['T21', 'T22', 'T23']) {
      const abort = new AbortController();
      const response = await fetch(`${url}${channel}`, { signal: abort.signal });
      expect([channel, response.status]).toEqual([channel, 200]);
      abort.abort();
    }
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
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

test('after a second signal it still waits for a command that ignores signals', async () => {
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

test(
  'after a kill during a save, the file is the old or the new one',
  async () => {
    const seed = fuzzSeed();
    console.log(`seed ${seed}`);
    const random = new Random(seed);
    const tables = [1, 2].map((networkId) =>
      Array.from({ length: 50 }, (_, index) => ({
        type: 'GR',
        channel: `T${13 + index}`,
        tsid: null,
        networkId,
        stations: [],
      })),
    );
    const temporaries = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.tmp'));
    let leftovers = 0;
    for (let round = 0; round < (LONG ? 200 : 2); round += 1) {
      const left = temporaries();
      await using agent = run({});
      const url = `http://127.0.0.1:${await agent.port()}/agent/channels`;
      // Files that an earlier process was writing when it was killed are read without an error, and temporary
      // files are removed.
      expect((await fetch(url)).status).toBe(200);
      leftovers += left.length;
      expect(temporaries()).toEqual([]);
      const put = (turn: number): Promise<unknown> =>
        fetch(url, { method: 'PUT', body: JSON.stringify(tables[turn % 2]) });
      await put(0);
      const writing = (async () => {
        for (let turn = 1; ; turn += 1) await put(turn);
      })().catch(() => {});
      await Bun.sleep(random.below(40));
      agent.child.kill('SIGKILL');
      await agent.child.exited;
      await writing;
      const stored: unknown = JSON.parse(readFileSync(join(folder, 'channels.json'), 'utf8'));
      expect(tables.some((table) => Bun.deepEquals(table, stored))).toBe(true);
    }
    console.log(`leftovers found and removed: ${leftovers}`);
  },
  SOAK_LIMIT_MS,
);

test.if(LONG)(
  'five hundred tunings leak no memory, processes or descriptors',
  async () => {
    writeFileSync(join(folder, 'packets'), numberedPackets(0, 16, 'x'));
    await using agent = run({
      FAKE_TUNERS: 'GR:1',
      FAKE_TUNE: `sh -c 'while :; do cat ${folder}/packets; sleep 0.02; done' {channel}`,
    });
    const url = `http://127.0.0.1:${await agent.port()}/agent/stream?type=GR&channel=`;
    const { pid } = agent.child;
    const state = (): { descriptors: number; children: number; megabytes: number } => ({
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').length,
      megabytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    });
    // The other channel takes over the lingering tuning: every cycle ends a process and starts one.
    const cycles = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const abort = new AbortController();
        const response = await fetch(`${url}T${21 + (index % 2)}`, { signal: abort.signal });
        await response.body?.getReader().read();
        abort.abort();
      }
    };
    await cycles(100);
    const before = state();
    await cycles(500);
    console.log('before', before, 'after', state());
    await until('descriptors and processes as before', () => {
      const { descriptors, children } = state();
      return descriptors <= before.descriptors + 3 && children <= before.children + 1;
    });
    // A leak of one 16 KB chunk per tuning would be 8 MB; garbage collection alone varies by about as much.
    expect(state().megabytes).toBeLessThan(before.megabytes + 16);
  },
  SOAK_LIMIT_MS,
);
