/** Scans with their worker and a misbehaving stub of the agent: every scan ends, with a reason. */
import { afterEach, describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { tunerOf } from '../../test/tuner.ts';
import { until } from '../../test/until.ts';
import { Hub } from '../notify/hub.ts';
import { ChannelSurveys } from '../reception/channel-survey.ts';
import { ReceptionPool } from '../reception/reception-pool.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { startReceptionWorker } from '../workers.ts';
import { ChannelScan, MOST_AT_ONCE, type ScanTiming } from './channel-scan.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const TUNER = tunerOf(['CS']);

const BEFORE: Channel[] = [{ type: 'CS', channel: 'CS24', tsid: 1, networkId: 7, stations: [] }];

interface Rig {
  scans: ChannelScan;
  stream: (signal: AbortSignal) => Response | Promise<Response>;
  tuners: () => Response;
  /** Number of open streams. */
  reading: number;
  puts: number;
  stored: number;
  stop(): Promise<void>;
  /** Scans CS. */
  start(): Promise<void>;
}

const REQUEST = { type: 'CS' as const, channel: 'CS02', priority: 5, use: 'scan CS02' };

/** For channels whose time limit ends the reading, or that end at once. */
const FAST: ScanTiming = { channelMs: 150, lookMs: 5, stuckMs: 400 };
/** For channels of which packets are received before their time is over: eight are read at once. */
const RECEIVED: ScanTiming = { channelMs: 2_000, lookMs: 5, stuckMs: 6_000 };
/** For channels that end by themselves, however slow the machine is. */
const PATIENT: ScanTiming = { channelMs: 60_000, lookMs: 5, stuckMs: 120_000 };

function rig(startWorker: () => Worker = startReceptionWorker, timing = FAST): Rig {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/agent/tuners') return made.tuners();
      if (pathname === '/agent/channels') {
        if (request.method === 'PUT') made.puts += 1;
        return Response.json(BEFORE);
      }
      made.reading += 1;
      request.signal.addEventListener('abort', () => {
        made.reading -= 1;
      });
      return made.stream(request.signal);
    },
  });
  closers.push(() => server.stop(true));
  const agentUrl = `http://127.0.0.1:${server.port}`;
  const pool = new ReceptionPool({ agentUrl, startWorker, log: SILENT_LOG });
  closers.push(() => pool.close());
  const surveys = new ChannelSurveys(pool);
  const made: Rig = {
    scans: new ChannelScan({
      agent: new AgentClient(agentUrl, 2000),
      surveys,
      hub: new Hub(() => {}),
      log: SILENT_LOG,
      now: () => wallMs(5),
      onStored: () => {
        made.stored += 1;
      },
      timing,
    }),
    stream: () => Response.json({ message: '選局できません' }, { status: 500 }),
    tuners: () => Response.json([TUNER, TUNER, TUNER]),
    reading: 0,
    start: async () => {
      // Loading the workers does not count towards a channel's time.
      const { stream } = made;
      made.stream = () => Response.json({ message: '' }, { status: 500 });
      const order = {
        request: REQUEST,
        limitMs: 20_000,
        task: { kind: 'scan' as const, type: 'CS' as const },
      };
      const { signal } = new AbortController();
      await Promise.all([surveys.survey(order, signal), surveys.survey(order, signal)]);
      made.stream = stream;
      made.reading = 0;
      await made.scans.start(['CS']);
    },
    puts: 0,
    stored: 0,
    stop: async () => {
      await server.stop(true);
    },
  };
  closers.push(() => made.scans.close());
  return made;
}

function endless(bytes: Uint8Array): Response {
  return new Response(
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes), cancel: () => {} }),
  );
}

async function ended(home: Rig) {
  await until('the end of the scan', () => home.scans.status().state !== 'running');
  return home.scans.status();
}

describe('a scan whose channels', () => {
  const nulls = new StreamBuilder().nulls(100).bytes();
  const cases: [name: string, stream: Rig['stream'], message: string, readings: number][] = [
    ['never answer', () => new Promise<Response>(() => {}), '電波を受信できませんでした', 12],
    ['say nothing', () => endless(new Uint8Array(0)), '電波を受信できませんでした', 12],
    ['send no tables', () => endless(nulls), '時間内に届きませんでした', 24],
    [
      'send what is no broadcast',
      () => new Response(new Uint8Array(50_000).fill(7)),
      '放送として読めませんでした',
      12,
    ],
    ['break off', () => new Response(nulls), '途中で切れました', 24],
    [
      'refuse without an end',
      () => new Response(new Uint8Array(1e6), { status: 500 }),
      '選局できませんでした',
      12,
    ],
    ['refuse with a reason', () => Response.json({ message: '故障中' }, { status: 500 }), '故障中', 12],
  ];
  for (const [name, stream, message, readings] of cases) {
    test(`${name} ends in time with its reason`, async () => {
      const timing = { 'never answer': FAST, 'say nothing': FAST, 'send no tables': RECEIVED }[name];
      const home = rig(startReceptionWorker, timing ?? PATIENT);
      home.stream = stream;
      home.tuners = () => Response.json(Array(MOST_AT_ONCE + 1).fill(TUNER));
      await home.start();
      const status = await ended(home);
      expect([status.state, status.done, status.total]).toEqual(['failed', readings, readings]);
      for (const failed of status.failed) expect(failed.message).toContain(message);
      expect(status.message).toContain(message);
      if (name === 'send no tables') await until('the tuners are left', () => home.reading === 0);
      expect([home.puts, home.stored]).toEqual([0, 0]);
    });
  }
});

test('a reading whose worker dies is told as that, before and after its first packets', async () => {
  for (const sent of [undefined, new StreamBuilder().nulls(100).bytes()]) {
    const workers: Worker[] = [];
    const asked = Promise.withResolvers<void>();
    const server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1', idleTimeout: 0, development: false },
      fetch: () => {
        asked.resolve();
        return sent === undefined ? new Promise<Response>(() => {}) : endless(sent);
      },
    });
    closers.push(() => server.stop(true));
    const startWorker = (): Worker => {
      workers.push(startReceptionWorker());
      return workers.at(-1) as Worker;
    };
    const pool = new ReceptionPool({ agentUrl: server.url.origin, startWorker, log: SILENT_LOG });
    closers.push(() => pool.close());
    const opened = Promise.withResolvers<void>();
    const surveys = new ChannelSurveys({
      open: async (options) => {
        const stream = await pool.open(options);
        opened.resolve();
        return stream;
      },
    });
    const task = { kind: 'scan' as const, type: 'CS' as const };
    const survey = surveys.survey({ request: REQUEST, limitMs: 60_000, task }, new AbortController().signal);
    await (sent === undefined ? asked : opened).promise;
    workers[0]?.terminate();
    expect((await survey).outcome).toBe('crashed');
  }
});

describe('a scan', () => {
  test('without a free tuner gives up, as does one that is always refused', async () => {
    const busy = rig();
    const users = [{ use: 'rec 1', priority: 10, lagBytes: 0 }];
    busy.tuners = () => Response.json([{ ...TUNER, users }]);
    await busy.start();
    const refused = rig();
    refused.stream = () => Response.json({ message: '' }, { status: 409 });
    await refused.start();
    for (const home of [busy, refused]) {
      const status = await ended(home);
      expect([status.state, status.failed.length]).toEqual(['failed', 12]);
      expect(status.message).toContain('空いているチューナーがありません');
    }
  });

  test('reads a channel again whose tuner went to another use meanwhile', async () => {
    const home = rig(startReceptionWorker, PATIENT);
    let taken = 3;
    home.stream = () => {
      taken -= 1;
      const code = taken >= 0 ? 'tuner_taken' : 'no_signal';
      return Response.json({ message: code, code }, { status: 500 });
    };
    await home.start();
    const status = await ended(home);
    expect([status.done, status.failed.map(({ message }) => message)]).toEqual([
      12,
      Array.from({ length: 12 }, () => 'no_signal'),
    ]);
  });

  test('continues after a short outage of the agent, and fails after a long one', async () => {
    const home = rig();
    let asked = 0;
    home.tuners = () => {
      asked += 1;
      return asked === 3 ? new Response('', { status: 503 }) : Response.json([TUNER]);
    };
    await home.start();
    expect((await ended(home)).done).toBe(12);

    home.stream = () => endless(nullsOnly());
    home.tuners = () => Response.json([TUNER]);
    await home.start();
    await until('a reading', () => home.reading > 0);
    await home.stop();
    const status = await ended(home);
    expect(status.state).toBe('failed');
    expect(status.message).toContain('チューナーエージェント');
  });

  test('is refused while one is running, and can be aborted at any moment', async () => {
    const home = rig(startReceptionWorker, PATIENT);
    home.stream = () => endless(nullsOnly());
    await Promise.all([home.scans.start(['CS']), home.scans.start(['CS']).catch(() => {})]);
    expect(home.scans.start(['CS'])).rejects.toMatchObject({ code: 'conflict' });
    await until('a reading', () => home.reading > 0);
    await home.scans.abort();
    expect(home.scans.status()).toMatchObject({ state: 'aborted', current: [], message: null });
    await until('the tuners are left', () => home.reading === 0);
    await home.start();
    await home.scans.abort();
    expect([home.scans.status().state, home.puts]).toEqual(['aborted', 0]);
  });

  test('survives a worker that dies', async () => {
    const workers: Worker[] = [];
    const home = rig(() => {
      const worker = startReceptionWorker();
      workers.push(worker);
      return worker;
    });
    home.stream = () => endless(nullsOnly());
    // While the scan asks for the tuners of its next channels, however fast it is.
    let isKilled = false;
    home.tuners = () => {
      if (!isKilled && home.scans.status().done > 0) workers[0]?.terminate();
      isKilled ||= home.scans.status().done > 0;
      return Response.json([TUNER, TUNER, TUNER]);
    };
    await home.start();
    const status = await ended(home);
    expect([status.state, status.done >= 12, workers.length >= 2]).toEqual(['failed', true, true]);
  });
});

function nullsOnly(): Uint8Array {
  return new StreamBuilder().nulls(100).bytes();
}
