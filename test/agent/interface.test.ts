import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAs } from '../../agent/config/validate.ts';
import { Networks } from '../../lib/host/networks.ts';
import { type Channel, TunersSchema } from '../../lib/wire/agent.ts';
import { until } from '../until.ts';
import { messageOf, TestAgent } from './fixture.ts';

const T27 = 'type=GR&channel=T27';
const CHANNEL: Channel = {
  type: 'BS',
  channel: 'BS01_0',
  tsid: 0x4010,
  networkId: 4,
  stations: [{ serviceId: 151, name: '架空テレビ', serviceType: 1, remoteControlKey: 5 }],
};
const TUNER = { driver: 'fake', device: '', types: ['GR'] };

describe('malformed requests get a clear answer', () => {
  const json = { 'content-type': 'application/json' };
  const ROWS: [string, string, RequestInit, number, string][] = [
    ['no parameters', '/agent/stream', {}, 400, 'type'],
    ['an unknown type', '/agent/stream?type=SKY&channel=T27', {}, 400, 'type'],
    ['no channel', '/agent/stream?type=GR', {}, 400, 'channel'],
    ['a channel of another type', '/agent/stream?type=BS&channel=T27', {}, 400, 'channel'],
    ['a channel out of range', '/agent/stream?type=GR&channel=T63', {}, 400, 'channel'],
    ['a priority that is no number', `/agent/stream?${T27}&priority=high`, {}, 400, 'priority'],
    ['a priority that is no integer', `/agent/stream?${T27}&priority=1.5`, {}, 400, 'priority'],
    ['a priority without end', `/agent/stream?${T27}&priority=${'9'.repeat(400)}`, {}, 400, 'priority'],
    ['a priority with a sign', `/agent/stream?${T27}&priority=%2B9`, {}, 400, 'priority'],
    ['a priority with an exponent', `/agent/stream?${T27}&priority=1e3`, {}, 400, 'priority'],
    ['a priority that is empty', `/agent/stream?${T27}&priority=`, {}, 400, 'priority'],
    ['a use with a line end', `/agent/stream?${T27}&use=a%0d%0ab`, {}, 400, 'use'],
    ['a use with an escape', `/agent/stream?${T27}&use=%1b[31m`, {}, 400, 'use'],
    ['a channel with a line end', `/agent/stream?type=GR&channel=T27%0a`, {}, 400, 'channel'],
    ['a use without end', `/agent/stream?${T27}&use=${'x'.repeat(300)}`, {}, 400, 'use'],
    ['too many after', `/agent/stream?${T27}${'&after=x'.repeat(100)}`, {}, 400, 'after'],
    ['an unknown path', '/agent/nothing', {}, 404, 'パス'],
    ['the root', '/', {}, 404, 'パス'],
    ['keys on the normal port', '/agent/card/ecm', { method: 'POST', body: 'x' }, 404, 'パス'],
    ['a wrong method', '/agent/stream', { method: 'POST' }, 405, 'POST'],
    ['another wrong method', '/agent/tuners', { method: 'DELETE' }, 405, 'DELETE'],
    ['an empty body', '/agent/tuners', { method: 'PUT', headers: json }, 400, '1 行 1 文字目'],
    ['a cut body', '/agent/tuners', { method: 'PUT', body: '[{"driver":' }, 400, '1 行 12 文字目'],
    ['a body that is no list', '/agent/tuners', { method: 'PUT', body: '{}' }, 400, '配列'],
    [
      'a body that is not UTF-8',
      '/agent/channels',
      { method: 'PUT', body: Uint8Array.of(0xff) },
      400,
      'UTF-8',
    ],
    ['a bad field', '/agent/tuners', { method: 'PUT', body: '[{"driver":"fake"}]' }, 400, '[0].device'],
    [
      'an id that does not fit a header',
      '/agent/tuners',
      { method: 'PUT', body: JSON.stringify([{ ...TUNER, id: '居間' }]) },
      400,
      '[0].id',
    ],
    [
      'an invalid channel name',
      '/agent/channels',
      { method: 'PUT', body: JSON.stringify([{ ...CHANNEL, channel: 'BS02_0' }]) },
      400,
      '[0].channel',
    ],
    [
      'a channel twice',
      '/agent/channels',
      { method: 'PUT', body: JSON.stringify([CHANNEL, CHANNEL]) },
      400,
      '[1].channel',
    ],
    [
      'a body too large',
      '/agent/channels',
      { method: 'PUT', body: ' '.repeat(1024 * 1024 + 1) },
      413,
      '1 MB',
    ],
  ];

  test('and change nothing', async () => {
    await using agent = await TestAgent.start();
    const before = await agent.tuners();
    for (const [name, path, init, status, message] of ROWS) {
      const answer = await agent.fetch(path, init);
      expect([name, answer.status]).toEqual([name, status]);
      expect(await messageOf(answer)).toContain(message);
    }
    expect(await agent.tuners()).toEqual(before);
    expect(existsSync(join(agent.folder, 'tuners.json'))).toBe(false);
    expect(existsSync(join(agent.folder, 'channels.json'))).toBe(false);
    expect(agent.starts()).toEqual([]);
  });

  test('a body without a length is bounded too', async () => {
    await using agent = await TestAgent.start();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 40) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const answer = await agent.fetch('/agent/channels', { method: 'PUT', body });
    expect(answer.status).toBe(413);
  });

  test('HEAD and OPTIONS tune nothing', async () => {
    await using agent = await TestAgent.start();
    const head = await agent.request(T27, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    expect((await agent.request('type=GR&channel=x', { method: 'HEAD' })).status).toBe(400);
    expect((await agent.fetch('/agent/events', { method: 'HEAD' })).status).toBe(200);
    const options = await agent.fetch('/agent/tuners', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, PUT, HEAD, OPTIONS']);
    expect(agent.starts()).toEqual([]);
  });
});

describe('access', () => {
  test('is given to AGENT_NETWORKS by the socket address alone', async () => {
    await using agent = await TestAgent.start({ networks: Networks.parse('10.0.0.0/8') });
    for (const path of ['/agent/tuners', '/agent/nothing', `/agent/stream?${T27}`]) {
      const answer = await agent.fetch(path, { headers: { 'x-forwarded-for': '10.1.2.3' } });
      expect(answer.status).toBe(403);
      expect(await messageOf(answer)).toContain('AGENT_NETWORKS');
    }
  });

  test('is not lost by a forwarding header', async () => {
    await using agent = await TestAgent.start();
    const answer = await agent.fetch('/agent/tuners', { headers: { 'x-forwarded-for': '203.0.113.1' } });
    expect(answer.status).toBe(200);
  });

  test('is refused to pages of other origins in a browser', async () => {
    await using agent = await TestAgent.start();
    const refused: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.example' },
      { host: 'evil.example', origin: 'http://evil.example' },
    ];
    for (const headers of refused) {
      const answer = await agent.request(T27, { headers });
      expect([headers, answer.status]).toEqual([headers, headers.host === undefined ? 403 : 421]);
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    expect(agent.starts()).toEqual([]);
  });

  test('IPv4 peers of an IPv6 socket count as IPv4', async () => {
    await using agent = await TestAgent.start({ host: '::' });
    const answer = await fetch(`http://127.0.0.1:${agent.agent.port}/agent/tuners`);
    expect(answer.status).toBe(200);
  });
});

describe('the tuner list', () => {
  test('is in rank order, disabled ones last, and fits the schema', async () => {
    await using agent = await TestAgent.start();
    const answer = await agent.put('/agent/tuners', [
      { ...TUNER, id: 'off', disabled: true },
      { ...TUNER, id: 'all', types: ['GR', 'BS', 'CS'] },
      { ...TUNER, id: 'sat', types: ['BS', 'CS'], name: '衛星', lnb: true },
      { ...TUNER, id: 'gr' },
    ]);
    expect(answer.status).toBe(200);
    const tuners = await agent.tuners();
    expect(await answer.json()).toEqual(tuners);
    expect(parseAs(TunersSchema, tuners)).toEqual(tuners);
    expect(tuners.map((tuner) => [tuner.id, tuner.rank])).toEqual([
      ['gr', 0],
      ['sat', 1],
      ['all', 2],
      ['off', null],
    ]);
    expect(tuners[1]).toMatchObject({ name: '衛星', lnb: true, state: 'idle', users: [], signal: null });
  });

  test('drops a command and stores the rest', async () => {
    await using agent = await TestAgent.start();
    await agent.put('/agent/tuners', [{ ...TUNER, id: 'a', command: 'rm -rf /' }]);
    const stored = readFileSync(join(agent.folder, 'tuners.json'), 'utf8');
    expect(stored).not.toContain('command');
    expect(JSON.parse(stored)).toEqual([{ ...TUNER, id: 'a', name: 'a', disabled: false, lnb: false }]);
  });

  test('keeps tunings of unchanged definitions and aborts the others', async () => {
    await using agent = await TestAgent.start({ fakeTuners: 'GR:2' });
    const kept = await agent.open(`${T27}&use=kept`);
    const lost = await agent.open('type=GR&channel=T21&use=lost');
    const [first, second] = await agent.tuners();
    const define = (more: object): object => ({ ...TUNER, ...more });
    const answer = await agent.put('/agent/tuners', [
      define({ id: 'new', types: ['GR'] }),
      define({ id: first?.id, name: '新しい名前' }),
      define({ id: second?.id, types: ['GR', 'BS'] }),
    ]);
    expect(answer.status).toBe(200);
    expect(await lost.ended()).toBe('aborted');
    await kept.atLeast(100_000);
    expect(await agent.tuner(kept.tuner)).toMatchObject({ name: '新しい名前', users: [{ use: 'kept' }] });
    expect((await agent.tuner(lost.tuner)).tuned).toBeNull();
  });

  test('refuses a fake tuner when no command is configured', async () => {
    await using agent = await TestAgent.start({ command: null });
    expect(await agent.tuners()).toEqual([]);
    const answer = await agent.put('/agent/tuners', [TUNER]);
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toContain('[0].driver');
  });

  test('shows a device without its driver, and does not choose it', async () => {
    await using agent = await TestAgent.start();
    await agent.put('/agent/tuners', [
      { driver: 'dvb', device: '/dev/dvb/adapter0/frontend0', types: ['GR'] },
    ]);
    expect(await agent.tuners()).toMatchObject([{ id: 'dvb0', rank: null, state: 'error' }]);
    expect((await agent.request(T27)).status).toBe(409);
  });
});

describe('the channel table', () => {
  test('is stored, given back and announced', async () => {
    await using agent = await TestAgent.start();
    const standard = (await (await agent.fetch('/agent/channels')).json()) as Channel[];
    expect(new Set(standard.map((entry) => entry.type))).toEqual(new Set(['BS', 'CS']));
    expect(existsSync(join(agent.folder, 'channels.json'))).toBe(false);
    const events = await agent.fetch('/agent/events');
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const answer = await agent.put('/agent/channels', [{ ...CHANNEL, extra: 1 }]);
    expect([answer.status, await answer.json()]).toEqual([200, [CHANNEL]]);
    expect(await (await agent.fetch('/agent/channels')).json()).toEqual([CHANNEL]);
    expect(JSON.parse(readFileSync(join(agent.folder, 'channels.json'), 'utf8'))).toEqual([CHANNEL]);
    let text = '';
    for await (const part of events.body ?? []) {
      text += new TextDecoder().decode(part);
      if (text.includes('channels')) break;
    }
    expect(text).toContain('event: channels\ndata: 1\n\n');
  });

  test('passes the transport stream id, or 0, to the tuning command', async () => {
    await using agent = await TestAgent.start({
      command: (folder) => `sh -c 'echo $0 >> ${folder}/ids' {type}-{channel}-{tsid}`,
    });
    const stored: Channel = { ...CHANNEL, type: 'CS', channel: 'CS04', tsid: 0x7041 };
    await agent.put('/agent/channels', [{ ...CHANNEL, tsid: 0x4011 }, stored]);
    await agent.request('type=BS&channel=BS01_0');
    await agent.request('type=BS&channel=BS07_0');
    // The standard id, unless the table has another.
    await agent.request('type=CS&channel=CS02');
    await agent.request('type=CS&channel=CS04');
    expect(readFileSync(join(agent.folder, 'ids'), 'utf8')).toBe(
      'BS-BS01_0-16401\nBS-BS07_0-0\nCS-CS02-24608\nCS-CS04-28737\n',
    );
  });

  test('is replaced without touching a running stream', async () => {
    await using agent = await TestAgent.start();
    const reader = await agent.open(T27);
    await agent.put('/agent/channels', []);
    await reader.atLeast(100_000);
    expect(reader.ending).toBeUndefined();
  });
});

describe('a file that cannot be written', () => {
  test('is reported with path and reason, logged once, and changes nothing', async () => {
    await using first = await TestAgent.start();
    const tunersFile = join(first.folder, 'taken', 'tuners.json');
    const channelsFile = join(first.folder, 'folder');
    mkdirSync(channelsFile);
    writeFileSync(join(first.folder, 'taken'), '');
    await using agent = await TestAgent.start({ tunersFile, channelsFile });
    agent.log.length = 0;
    const before = await agent.tuners();
    const answers = [await agent.put('/agent/tuners', [TUNER]), await agent.put('/agent/channels', [])];
    for (const [index, path] of [tunersFile, channelsFile].entries()) {
      expect(answers[index]?.status).toBe(500);
      expect(await messageOf(answers[index] ?? new Response())).toContain(path);
      expect(agent.log.filter((line) => line.startsWith('ERROR') && line.includes(path))).toHaveLength(1);
    }
    expect(await agent.tuners()).toEqual(before);
  });
});

describe('a broken file', () => {
  test('is reported with path and place, left untouched, and replaced by a new list', async () => {
    const broken = '[\n  {"driver": fake}\n]';
    await using first = await TestAgent.start();
    const tunersFile = join(first.folder, 'broken.json');
    writeFileSync(tunersFile, broken);
    await using agent = await TestAgent.start({ tunersFile });
    expect(agent.log.filter((line) => line.startsWith('ERROR'))).toHaveLength(1);
    for (const path of ['/agent/tuners', `/agent/stream?${T27}`]) {
      const answer = await agent.fetch(path);
      expect(answer.status).toBe(500);
      expect(await messageOf(answer)).toContain(`${tunersFile}: 2 行 14 文字目`);
    }
    expect(readFileSync(tunersFile, 'utf8')).toBe(broken);
    expect((await agent.put('/agent/tuners', [TUNER])).status).toBe(200);
    expect(await agent.tuners()).toHaveLength(1);
    expect(readFileSync(`${tunersFile}.broken`, 'utf8')).toBe(broken);
  });

  test('of channels does not keep a stream from running', async () => {
    await using first = await TestAgent.start();
    const channelsFile = join(first.folder, 'broken.json');
    writeFileSync(channelsFile, '[{"type":"GR"}]');
    await using agent = await TestAgent.start({ channelsFile });
    const answer = await agent.fetch('/agent/channels');
    expect(answer.status).toBe(500);
    expect(await messageOf(answer)).toContain(`${channelsFile}: [0].channel`);
    await (await agent.open(T27)).atLeast(1_000);
  });

  test('a tuners file wins over FAKE_TUNERS', async () => {
    await using first = await TestAgent.start();
    const tunersFile = join(first.folder, 'own.json');
    writeFileSync(tunersFile, JSON.stringify([{ ...TUNER, id: 'mine', command: 'x' }]));
    await using agent = await TestAgent.start({ tunersFile });
    expect((await agent.tuners()).map((tuner) => tuner.id)).toEqual(['mine']);
  });
});

test('changes of tuners are announced', async () => {
  await using agent = await TestAgent.start();
  const events = await agent.fetch('/agent/events');
  let text = '';
  void (async () => {
    for await (const part of events.body ?? []) text += new TextDecoder().decode(part);
  })().catch(() => {});
  const count = (): number => text.split('event: tuners\ndata: 1\n\n').length - 1;
  const reader = await agent.open(T27);
  await until('an event for the tuning', () => count() >= 1);
  const before = count();
  reader.leave();
  await until('an event for the leaving', () => count() > before);
  expect(text).not.toContain('channels');
});
