import { describe, expect, test } from 'bun:test';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { isRunning, messageOf, sourceCommand, TestAgent } from './fixture.ts';

const T27 = 'type=GR&channel=T27';
const T21 = 'type=GR&channel=T21';

function isConsecutive(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);
}

describe('a stream', () => {
  test('carries the bytes of its channel untouched and names the tuner', async () => {
    await using agent = await TestAgent.start();
    const reader = await agent.open(`${T27}&use=live+GR/T27&priority=9`);
    expect(reader.response.headers.get('content-type')).toBe('video/mp2t');
    await reader.atLeast(200_000);
    const { numbers, names } = reader.packets();
    expect(numbers[0]).toBe(0);
    expect(isConsecutive(numbers)).toBe(true);
    expect([...names]).toEqual(['T27']);
    const tuner = await agent.tuner(reader.tuner);
    expect(tuner).toMatchObject({
      state: 'tuned',
      tuned: { type: 'GR', channel: 'T27' },
      users: [{ use: 'live GR/T27', priority: 9 }],
      descrambled: false,
      error: null,
    });
    expect(tuner.stats?.packets).toBeGreaterThan(1_000);
    expect(tuner.stats).toMatchObject({
      syncErrors: 0,
      continuityErrors: 0,
      transportErrors: 0,
      scrambled: 0,
    });
  });

  test('is shared by the users of one physical channel, which get the same bytes', async () => {
    await using agent = await TestAgent.start();
    const first = await agent.open(`${T27}&use=a`);
    const second = await agent.open(`${T27}&use=b&priority=-3`);
    expect(second.tuner).toBe(first.tuner);
    await second.atLeast(100_000);
    await first.atLeast(100_000);
    expect(agent.starts()).toHaveLength(1);
    const [a, b] = [first.packets().numbers, second.packets().numbers];
    expect(isConsecutive(a) && isConsecutive(b)).toBe(true);
    expect(b[0]).toBeGreaterThan(0);
    expect((await agent.tuner(first.tuner)).users.map((user) => user.use)).toEqual(['a', 'b']);
  });

  test('that starts together with another waits for the same tuning', async () => {
    await using agent = await TestAgent.start();
    const readers = await Promise.all([1, 2, 3].map(() => agent.open(T27)));
    expect(new Set(readers.map((reader) => reader.tuner)).size).toBe(1);
    for (const reader of readers) await reader.atLeast(10_000);
    for (const reader of readers) expect(reader.packets().numbers[0]).toBe(0);
    expect(agent.starts()).toHaveLength(1);
  });

  test('continues when another user of it leaves', async () => {
    await using agent = await TestAgent.start();
    const stays = await agent.open(T27);
    const goes = await agent.open(T27);
    goes.leave();
    await until('one user left', async () => (await agent.tuner(stays.tuner)).users.length === 1);
    await stays.atLeast(500_000);
    expect(isConsecutive(stays.packets().numbers)).toBe(true);
  });
});

test('readers that come and go at any moment do not affect others', async () => {
  await using agent = await TestAgent.start({
    fakeTuners: 'GR:1',
    command: (folder) => sourceCommand(folder, '--rate', '10000000'),
  });
  const steady = await agent.open(`${T27}&use=steady`);
  const visit = async (index: number): Promise<void> => {
    const abort = new AbortController();
    const answer = agent.request(`${T27}&use=visit`, { signal: abort.signal });
    // Some disconnect before the response, some in the middle of a chunk.
    if (index % 3 === 0) await Promise.resolve();
    else await (await answer).body?.getReader().read();
    abort.abort();
    await answer.catch(() => {});
  };
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => visit(index)));
  }
  await until('only the steady user left', async () => (await agent.tuner('gr-0')).users.length === 1);
  await steady.atLeast(500_000);
  expect(isConsecutive(steady.packets().numbers)).toBe(true);
  expect(agent.starts()).toHaveLength(1);
});

describe('after the last reader', () => {
  test('a tuning lingers and is reused without retuning', async () => {
    await using agent = await TestAgent.start({
      command: (folder) => sourceCommand(folder, '--rate', '400000'),
      timing: { lingerMs: 4_000 },
    });
    const first = await agent.open(T27);
    const { tuner } = first;
    first.leave();
    await until('lingering', async () => (await agent.tuner(tuner)).state === 'lingering');
    expect(await agent.tuner(tuner)).toMatchObject({ users: [], tuned: { type: 'GR', channel: 'T27' } });
    const second = await agent.open(T27);
    expect(second.tuner).toBe(tuner);
    // Longer than it would have lingered.
    await second.atLeast(1_800_000);
    expect(agent.starts()).toHaveLength(1);
  });

  test('the process ends when no client returns', async () => {
    await using agent = await TestAgent.start();
    const reader = await agent.open(T27);
    reader.leave();
    await until('idle', async () => (await agent.tuner(reader.tuner)).state === 'idle');
    const [start] = agent.starts();
    await until('no process', () => !isRunning(start?.pid ?? 0));
    expect(await agent.tuner(reader.tuner)).toMatchObject({ tuned: null, stats: null, error: null });
  });

  test('another channel takes a lingering tuner before an idle one', async () => {
    await using agent = await TestAgent.start({ timing: { lingerMs: HANG_LIMIT_MS } });
    const first = await agent.open(T27);
    first.leave();
    await until('lingering', async () => (await agent.tuner(first.tuner)).state === 'lingering');
    const second = await agent.open(T21);
    expect(second.tuner).toBe(first.tuner);
    await second.atLeast(10_000);
    expect([...second.packets().names]).toEqual(['T21']);
  });

  test('a reader that disconnects before the first bytes leaks nothing', async () => {
    await using agent = await TestAgent.start({
      command: (folder) => sourceCommand(folder, '--delay', '600000'),
    });
    const abort = new AbortController();
    const waiting = agent.request(T27, { signal: abort.signal }).catch(() => {});
    await until('tuning', async () => (await agent.tuner('gr-0')).state === 'tuning');
    abort.abort();
    await waiting;
    await until('idle', async () => (await agent.tuner('gr-0')).state === 'idle');
    await until('no process', () => agent.starts().every((start) => !isRunning(start.pid)));
  });
});

describe('priorities', () => {
  test('a higher one takes the tuner; the loser is aborted, not ended', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
    const loser = await agent.open(`${T27}&use=epg&priority=3`);
    await loser.atLeast(10_000);
    const winner = await agent.open(`${T21}&use=rec+1&priority=10`);
    expect(await loser.ended()).toBe('aborted');
    await winner.atLeast(10_000);
    expect([...winner.packets().names]).toEqual(['T21']);
    expect((await agent.tuner(winner.tuner)).users.map((user) => user.use)).toEqual(['rec 1']);
    expect(agent.starts().map((start) => start.name)).toEqual(['T27', 'T21']);
  });

  test('an equal one gets 409 and affects no other', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
    const holder = await agent.open(`${T27}&priority=9`);
    const refused = await agent.request(`${T21}&priority=9`);
    expect(refused.status).toBe(409);
    expect(await messageOf(refused)).toContain('チューナー');
    await holder.atLeast(100_000);
    expect(holder.ending).toBeUndefined();
  });

  test('a type that no tuner takes is 409', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
    expect((await agent.request('type=BS&channel=BS01_0')).status).toBe(409);
  });

  test('a user that waits for its first bytes and loses the tuner gets 500', async () => {
    await using agent = await TestAgent.start({
      fakeTuners: 'GR:1',
      // T27 never sends a byte.
      command: (folder) =>
        `sh -c '[ $0 = T27 ] && exec sleep 60; exec ${sourceCommand(folder).replaceAll('{channel}', 'T21')}' {channel}`,
    });
    const loser = agent.request(`${T27}&priority=1`);
    await until('tuning', async () => (await agent.tuner('gr-0')).state === 'tuning');
    const winner = await agent.open(`${T21}&priority=2`);
    const answer = await loser;
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      code: 'tuner_taken',
      message: expect.stringContaining('優先度'),
    });
    await winner.atLeast(1_000);
  });
});

describe('a handover', () => {
  test('ends the named user normally and retunes its tuner', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
    const before = await agent.open(`${T27}&use=rec+1&priority=10`);
    await before.atLeast(10_000);
    const next = await agent.open(`${T21}&use=rec+2&priority=10&after=rec+1`);
    expect(await before.ended()).toBe('clean');
    await next.atLeast(10_000);
    expect(next.tuner).toBe(before.tuner);
    expect([...next.packets().names]).toEqual(['T21']);
  });

  test('on the same channel retunes nothing and loses no packet', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
    const before = await agent.open(`${T27}&use=rec+1&priority=10`);
    await before.atLeast(10_000);
    const next = await agent.open(`${T27}&use=rec+2&priority=11&after=rec+1`);
    expect(await before.ended()).toBe('clean');
    await next.atLeast(10_000);
    expect(agent.starts()).toHaveLength(1);
    const [old, fresh] = [before.packets().numbers, next.packets().numbers];
    expect(fresh[0]).toBeLessThanOrEqual((old.at(-1) ?? 0) + 1);
  });

  test('that cannot be tuned gives the new user 500', async () => {
    await using agent = await TestAgent.start({
      fakeTuners: 'GR:1',
      // T27 works; on any other channel the command ends at once.
      command: (folder) =>
        `sh -c '[ $0 = T27 ] && exec ${sourceCommand(folder).replaceAll('{channel}', 'T27')}; exit 3' {channel}`,
    });
    const before = await agent.open(`${T27}&use=rec+1&priority=10`);
    const refused = await agent.request(`${T21}&use=rec+2&priority=10&after=rec+1`);
    expect(refused.status).toBe(500);
    expect(await messageOf(refused)).toContain('終了コード 3');
    expect(await before.ended()).toBe('clean');
  });
});

describe('a reader that lags', () => {
  test('past the bound is disconnected, without affecting others', async () => {
    await using agent = await TestAgent.start({
      // Three quarters of a second of data, in which the lag grows measurably.
      lagLimitBytes: 16_000_000,
      command: (folder) => sourceCommand(folder, '--rate', '20000000'),
    });
    const good = await agent.open(T27);
    // A socket that is never read.
    const cut = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: agent.agent.port,
      socket: { data: () => {}, close: () => cut.resolve(), error: () => cut.resolve() },
    });
    socket.write(`GET /agent/stream?${T27}&use=slow HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until('two users', async () => (await agent.tuner(good.tuner)).users.length === 2);
    socket.pause();
    await until('the lag is reported', async () =>
      (await agent.tuner(good.tuner)).users.some((user) => user.use === 'slow' && user.lagBytes > 500_000),
    );
    await until('one user', async () => (await agent.tuner(good.tuner)).users.length === 1);
    expect((await agent.tuner(good.tuner)).users[0]?.use).toBe('anonymous');
    await good.atLeast(1_000_000);
    expect(isConsecutive(good.packets().numbers)).toBe(true);
    expect(agent.log.filter((line) => line.includes('user disconnected'))).toHaveLength(1);
    socket.resume();
    await cut.promise;
  });
});
