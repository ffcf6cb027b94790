import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentTiming } from '../../agent/agent.ts';
import { until } from '../until.ts';
import { isRunning, messageOf, sourceCommand, TestAgent } from './fixture.ts';
import { numberedPackets } from './packets.ts';

const T27 = 'type=GR&channel=T27';

/** For readers that check the last data before an abort: they share a processor with the agent, and with other tests. */
const UNHURRIED = { flushMs: 2_000 };

/** One GR tuner whose command misbehaves as specified by the arguments. */
function misbehaving(extra: string[], timing: Partial<AgentTiming> = {}): Promise<TestAgent> {
  return TestAgent.start({
    fakeTuners: 'GR:1',
    timing,
    command: (folder) => sourceCommand(folder, ...extra),
  });
}

describe('before the first byte a failure is 500 with a reason', () => {
  const FAILED = ['--packets', '0', '--exit', '7', '--stderr', 'no-lock'];
  const ROWS: [string, (folder: string) => string, string, Partial<AgentTiming>][] = [
    ['a command that ends at once', (folder) => sourceCommand(folder, ...FAILED), 'no-lock', {}],
    [
      'a command that says nothing',
      (folder) => sourceCommand(folder, '--delay', '600000'),
      ...(['信号が届きません', { syncMs: 800 }] as const),
    ],
    // A shell starts much faster than the limit, also on a busy machine.
    [
      'output that is no transport stream',
      (folder) => `sh -c 'echo start garbage $$ >> ${folder}/starts; exec yes garbage'`,
      ...(['TS', { syncMs: 2_500 }] as const),
    ],
  ];
  for (const [name, command, reason, timing] of ROWS) {
    test(name, async () => {
      await using agent = await TestAgent.start({ fakeTuners: 'GR:1', timing, command });
      const answer = await agent.request(T27);
      expect(answer.status).toBe(500);
      expect(await messageOf(answer)).toContain(reason);
      await until('the process has gone', () => agent.starts().every((start) => !isRunning(start.pid)));
      expect(await agent.tuner('gr-0')).toMatchObject({ state: 'idle', tuned: null, users: [] });
      expect((await agent.tuner('gr-0')).error).toContain(reason);
      expect(agent.log.filter((line) => line.startsWith('WARN'))).toHaveLength(1);
    });
  }

  test('a command that does not exist', async () => {
    await using agent = await TestAgent.start({ command: () => '/no/such/command {channel}' });
    const answer = await agent.request(T27);
    expect(answer.status).toBe(500);
    expect(await messageOf(answer)).toContain('/no/such/command');
    // Not a fault of the channel: the tuner is unusable.
    expect((await agent.tuners())[0]).toMatchObject({ state: 'error' });
  });

  test('a command that closes its output and keeps running', async () => {
    await using agent = await TestAgent.start({
      command: (folder) => `sh -c 'echo $$ > ${folder}/pid; exec >&-; exec sleep 60'`,
    });
    const answer = await agent.request(T27);
    expect(answer.status).toBe(500);
    expect(await messageOf(answer)).toContain('出力を閉じました');
    const pid = Number(readFileSync(join(agent.folder, 'pid'), 'utf8'));
    await until('the process has gone', () => !isRunning(pid));
  });

  test('every waiting user receives the error', async () => {
    await using agent = await misbehaving(['--packets', '0', '--delay', '500']);
    const answers = await Promise.all([1, 2, 3].map(() => agent.request(T27)));
    expect(answers.map((answer) => answer.status)).toEqual([500, 500, 500]);
    expect(agent.starts()).toHaveLength(1);
  });
});

describe('after bytes were sent a failure aborts every user', () => {
  const ROWS: [string, string[], string][] = [
    ['the command ends with success', ['--packets', '3000'], '終了コード 0'],
    ['the command fails', ['--packets', '3000', '--exit', '1'], '終了コード 1'],
    // All at once, since a source that is paced may be late by more than the limit.
    ['no packets come any more', ['--silent-after', '3000', '--rate', '100000000'], '届きません'],
  ];
  for (const [name, extra, reason] of ROWS) {
    test(name, async () => {
      const stall = extra[0] === '--silent-after' ? { stallMs: 1_500 } : {};
      await using agent = await misbehaving(extra, { ...UNHURRIED, ...stall });
      const readers = await Promise.all([agent.open(T27), agent.open(T27)]);
      for (const reader of readers) expect(await reader.ended()).toBe('aborted');
      // Data received before the end was delivered.
      for (const reader of readers) expect(reader.packets().numbers.at(-1)).toBe(2_999);
      expect((await agent.tuner('gr-0')).error).toContain(reason);
      await until('the process has gone', () => agent.starts().every((start) => !isRunning(start.pid)));
      expect(agent.log.filter((line) => line.startsWith('WARN'))).toHaveLength(1);
    });
  }

  test('the process is killed', async () => {
    await using agent = await misbehaving([]);
    const reader = await agent.open(T27);
    process.kill(agent.starts()[0]?.pid ?? 0, 'SIGKILL');
    expect(await reader.ended()).toBe('aborted');
    expect((await agent.tuner('gr-0')).error).toContain('SIGKILL');
  });

  test('the process is stopped', async () => {
    await using agent = await misbehaving([], { stallMs: 400 });
    const reader = await agent.open(T27);
    const pid = agent.starts()[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    expect(await reader.ended()).toBe('aborted');
    await until('the process has gone', () => !isRunning(pid));
  });

  test('the tuner is usable again and its error is gone', async () => {
    await using agent = await misbehaving(['--packets', '3000']);
    const first = await agent.open(T27);
    await first.ended();
    expect((await agent.tuner('gr-0')).error).toContain('終了コード 0');
    const second = await agent.open(T27);
    await second.atLeast(1_000);
    expect(await agent.tuner('gr-0')).toMatchObject({ state: 'tuned', error: null });
  });
});

test('a command that ignores SIGTERM is killed before the tuner is tuned again', async () => {
  await using agent = await misbehaving(['--deaf']);
  const loser = await agent.open(`${T27}&priority=1`);
  const winner = await agent.open('type=GR&channel=T21&priority=2');
  expect(await loser.ended()).toBe('aborted');
  await winner.atLeast(10_000);
  const [first, second] = agent.starts();
  expect(isRunning(first?.pid ?? 0)).toBe(false);
  expect(isRunning(second?.pid ?? 0)).toBe(true);
});

test('an agent that ends while it tunes is away, and not without a signal', async () => {
  const agent = await misbehaving(['--packets', '0', '--delay', '600000']);
  const waiting = agent.request(T27);
  await until('tuning', async () => (await agent.tuner('gr-0')).state === 'tuning');
  await agent.agent.close();
  const answer = await waiting;
  expect([answer.status, await messageOf(answer)]).toEqual([503, 'チューナーエージェントが終了します']);
});

test('a tuner that is removed from the configuration is freed before the agent ends', async () => {
  await using agent = await misbehaving(['--deaf']);
  const reader = await agent.open(T27);
  const pid = agent.starts()[0]?.pid ?? 0;
  await agent.put('/agent/tuners', []);
  expect(await reader.ended()).toBe('aborted');
  await agent.agent.close();
  expect(isRunning(pid)).toBe(false);
});

test('child processes of a command end with it', async () => {
  await using agent = await TestAgent.start({
    command: (folder) => `sh -c '${sourceCommand(folder)} & ${sourceCommand(folder)} > /dev/null; wait'`,
  });
  const reader = await agent.open(T27);
  await until('two processes', () => agent.starts().length === 2);
  reader.leave();
  await until('no process', () => agent.starts().every((start) => !isRunning(start.pid)));
});

test('endless noise on standard error has no effect and is read slowly', async () => {
  await using agent = await TestAgent.start({
    command: (folder) => `sh -c 'yes noise >&2 & echo $! > ${folder}/noise; exec ${sourceCommand(folder)}'`,
    timing: { lingerMs: 20 },
  });
  const reader = await agent.open(T27);
  await reader.atLeast(3_000_000);
  const noise = readFileSync(join(agent.folder, 'noise'), 'utf8').trim();
  const written = /wchar: (\d+)/.exec(readFileSync(`/proc/${noise}/io`, 'utf8'))?.[1];
  // At full speed it would be gigabytes.
  expect(Number(written)).toBeLessThan(100_000_000);
  reader.leave();
  await until('idle', async () => (await agent.tuner(reader.tuner)).state === 'idle');
});

test('a burst of 500 Mbit/s is delivered to a reader that reads', async () => {
  await using agent = await TestAgent.start({
    command: (folder) => sourceCommand(folder, '--rate', '62500000', '--packets', '300000'),
    timing: UNHURRIED,
  });
  const reader = await agent.open(T27);
  await reader.ended();
  expect(reader.packets().numbers).toHaveLength(300_000);
});

test('many tunings one after another leave no process and no descriptor', async () => {
  await using agent = await TestAgent.start({
    fakeTuners: 'GR:1',
    command: (folder) => `sh -c 'while :; do cat ${folder}/packets; sleep 0.02; done'`,
    timing: { lingerMs: 1 },
  });
  writeFileSync(join(agent.folder, 'packets'), numberedPackets(0, 16, 'T27'));
  const cycle = async (): Promise<void> => {
    const reader = await agent.open(T27);
    reader.leave();
    await until('idle', async () => (await agent.tuner('gr-0')).state === 'idle');
  };
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  for (let index = 0; index < 5; index += 1) await cycle();
  const before = descriptors();
  for (let index = 0; index < 30; index += 1) await cycle();
  // Connections of this test's own client may be opened and closed.
  await until('descriptors as before', () => descriptors() <= before + 3);
});
