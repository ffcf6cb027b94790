/** From a scrambled stream through the real card daemon to clear bytes, with the agent as its own process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Card, Tuner } from '../../lib/wire/agent.ts';
import { Encoders } from '../../src/ffmpeg/encoders.ts';
import { LiveService } from '../../src/live/live-service.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { SVC_AGENT } from '../built-programs.ts';
import { SessionFixture } from '../record/session-fixture.ts';
import { ecmMessage, type ScrambledStream, scrambledStream } from '../scrambled-stream.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { CardRig, cardRigMissing } from './card-rig.ts';

const STATION: StationRecord = {
  ...{ id: stationId(networkId(32608), serviceId(101)), type: 'GR', channel: 'T27', name: '試験テレビ' },
  ...{ networkId: networkId(32608), serviceId: serviceId(101), transportStreamId: null },
  ...{ serviceType: 1, remoteControlKey: 1 },
};

/** SVC_AGENT: a compiled agent to test instead of the bundle. */
const AGENT = process.env.SVC_AGENT === undefined ? [...SVC_AGENT] : [process.env.SVC_AGENT];
const STREAM = join(import.meta.dir, 'paced-file.ts');
const LISTENING = /listening host=\S+ port=(\d+)/;
const missing = cardRigMissing();
if (missing !== undefined) console.warn(`card tests are skipped: ${missing}`);

const SCRAMBLED: ScrambledStream = scrambledStream({
  programs: [
    { number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 },
    { number: 102, pmtPid: 0x1f1, ecmPid: 0x301, streams: [0x120], seed: 2 },
    { number: 103, pmtPid: 0x1f2, ecmPid: null, streams: [0x130], seed: 3 },
  ],
  periods: 8,
  rounds: 600,
});

class CardAgent {
  readonly #child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-card-agent-'));
  log = '';
  url = '';

  /**
   * @param silenceMs time for which the stream stays open without packets, so that packets waiting for keys
   * are emitted
   */
  constructor(
    socket: string,
    milliseconds: number,
    environment: Record<string, string> = {},
    silenceMs = 4_000,
  ) {
    const file = join(this.folder, 'scrambled.ts');
    writeFileSync(file, SCRAMBLED.scrambled);
    this.#child = Bun.spawn(AGENT, {
      env: {
        PATH: process.env.PATH,
        PCSCLITE_CSOCK_NAME: socket,
        AGENT_PORT: '0',
        TUNERS_FILE: join(this.folder, 'tuners.json'),
        CHANNELS_FILE: join(this.folder, 'channels.json'),
        FAKE_TUNE: `${process.execPath} ${STREAM} ${file} ${milliseconds} ${silenceMs}`,
        FAKE_TUNERS: 'GR:2',
        ...environment,
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    void this.#readLog();
  }

  async ready(): Promise<this> {
    await until('the agent listens', () => LISTENING.test(this.log));
    this.url = `http://127.0.0.1:${LISTENING.exec(this.log)?.[1]}`;
    return this;
  }

  async card(): Promise<Card> {
    return (await (await fetch(`${this.url}/agent/card`)).json()) as Card;
  }

  async tuner(): Promise<Tuner> {
    const tuners = (await (await fetch(`${this.url}/agent/tuners`)).json()) as Tuner[];
    return tuners.find(({ tuned }) => tuned !== null) ?? (tuners[0] as Tuner);
  }

  /** Reads a stream up to its end or that of the file. */
  async receive(channel = 'T27'): Promise<Uint8Array> {
    const response = await fetch(`${this.url}/agent/stream?type=GR&channel=${channel}&use=test`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const part of response.body ?? []) {
        parts.push(part);
        bytes += part.length;
        // The framer holds back less than 1,000 bytes until more arrive.
        if (bytes > SCRAMBLED.clear.length - 1_000) break;
      }
    } catch {
      // The exit of the command counts as a failure of the tuning and aborts the stream.
    }
    return new Uint8Array(Buffer.concat(parts));
  }

  async close(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#child.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #readLog(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of this.#child.stderr) this.log += decoder.decode(part, { stream: true });
  }
}

/** A free port; everything else here uses ports chosen by the kernel. */
async function freePort(): Promise<number> {
  const listener = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data: () => {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

const HEX_KEYS = ['systemKey', 'initialValue'] as const;

describe.skipIf(missing !== undefined)('a card with the real daemon', () => {
  let rig: CardRig;

  beforeAll(async () => {
    rig = await CardRig.start();
    await rig.send('insert');
  });

  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
  });

  test('two scrambled programmes and a free one are identical to the original before scrambling', async () => {
    const agent = await new CardAgent(rig.socket, 1_500).ready();
    try {
      await until('the inserted card is ready', async () => (await agent.card()).state === 'ready');
      const card = await agent.card();
      expect(card).toMatchObject({ caSystemId: 5, failure: null });
      expect(card.reader).toContain('Virtual PCD');
      const received = await agent.receive();
      expect(received.length).toBeGreaterThan(SCRAMBLED.clear.length - 2_000);
      expect(Buffer.compare(received, SCRAMBLED.clear.subarray(0, received.length))).toBe(0);
      const { ecm } = await agent.card();
      expect(ecm.failed).toBe(0);
      expect(ecm.requests).toBeGreaterThanOrEqual(16);
    } finally {
      await agent.close();
    }
  });

  test('svc-agent check reports no fault, with a running agent and without', async () => {
    const agent = await new CardAgent(rig.socket, 1_000).ready();
    const environment = {
      ...{ PATH: process.env.PATH, PCSCLITE_CSOCK_NAME: rig.socket, FAKE_TUNE: 'true', FAKE_TUNERS: 'GR:2' },
      TUNERS_FILE: join(agent.folder, 'none.json'),
      CHANNELS_FILE: join(agent.folder, 'none.json'),
    };
    const check = async (port: string) => {
      const child = Bun.spawn([...AGENT, 'check'], {
        env: { ...environment, AGENT_PORT: port },
        stdout: 'pipe',
      });
      const text = await new Response(child.stdout).text();
      return { code: await child.exited, text };
    };
    try {
      await until('the inserted card is ready', async () => (await agent.card()).state === 'ready');
      const running = await check(new URL(agent.url).port);
      expect(running.text).toContain(`svc-agent: ${agent.url} で動いています`);
      expect(running.text).toMatch(/^OK {4}カード: 読み取れます（Virtual PCD/m);
      expect(running.code).toBe(0);
    } finally {
      await agent.close();
    }
    const alone = await check(String(await freePort()));
    expect(alone.text).toContain('注意  svc-agent:');
    expect(alone.text).toMatch(/^OK {4}カード: 読み取れます（Virtual PCD/m);
    expect(alone.text).not.toContain('問題');
    expect(alone.code).toBe(0);
  });

  test('a card that is removed and inserted again: the stream recovers, and the cause is reported', async () => {
    // On a busy machine the daemon takes seconds to notice each change; packets have to be sent for long
    // enough.
    const agent = await new CardAgent(rig.socket, 12_000).ready();
    try {
      const receiving = agent.receive();
      await until('the stream is descrambled', async () => (await agent.tuner()).descrambled);
      await rig.send('remove');
      await until('the missing card is reported', async () => {
        const { descrambling } = await agent.tuner();
        return descrambling?.state === 'scrambled' && descrambling.failure === 'no_card';
      });
      await rig.send('insert');
      await until('it is descrambled again', async () => (await agent.tuner()).descrambled);
      const received = await receiving;
      const tail = 188 * 500;
      const from = Math.floor((received.length - tail) / 188) * 188;
      expect(Buffer.compare(received.subarray(from), SCRAMBLED.clear.subarray(from, received.length))).toBe(
        0,
      );
    } finally {
      await agent.close();
    }
  });

  test('a card that needs a second for an ECM causes no loss', async () => {
    await rig.send('delay 1000');
    // Most keys come after the end of the file.
    const agent = await new CardAgent(rig.socket, 4_000, {}, 0).ready();
    try {
      const receiving = agent.receive();
      const received = await receiving;
      expect(Buffer.compare(received, SCRAMBLED.clear.subarray(0, received.length))).toBe(0);
      expect(received.length).toBeGreaterThan(SCRAMBLED.periodStarts[1] ?? 0);
    } finally {
      await rig.send('delay 0');
      await agent.close();
    }
  });

  test.each([
    ['foreign', 'unsuitable_card'],
    ['garbage', 'unsuitable_card'],
  ])('a %s card is reported as %s, and everything passes scrambled', async (kind, failure) => {
    await rig.send(`kind ${kind}`);
    const agent = await new CardAgent(rig.socket, 1_000).ready();
    try {
      await until(failure, async () => (await agent.card()).failure === failure);
      expect((await agent.card()).state).toBe('error');
      const received = await agent.receive();
      expect(Buffer.compare(received, SCRAMBLED.scrambled.subarray(0, received.length))).toBe(0);
    } finally {
      await rig.send('kind good');
      await agent.close();
    }
  });

  test('of two readers the one with a suitable card is used', async () => {
    await rig.send('kind foreign');
    const agent = await new CardAgent(rig.socket, 1_000).ready();
    try {
      await until(
        'the foreign card is refused',
        async () => (await agent.card()).failure === 'unsuitable_card',
      );
      await rig.send('second insert');
      await until('the suitable card is ready', async () => (await agent.card()).state === 'ready');
      expect((await agent.card()).reader).toContain('Virtual PCD 00 01');
    } finally {
      await agent.close();
      await rig.send('second remove');
      await rig.send('kind good');
    }
  });

  test("viewers and recordings receive the card's fault, for the programmes that it affects", async () => {
    await rig.send('remove');
    const agent = await new CardAgent(rig.socket, 60_000).ready();
    const fixture = new SessionFixture(join(agent.folder, 'svc'), agent.url);
    const live = new LiveService({
      pool: fixture.pool,
      stations: { find: (id) => (id === STATION.id ? STATION : undefined), audios: () => [] },
      encoders: new Encoders({
        path: undefined,
        searchPath: process.env.PATH ?? '',
        log: SILENT_LOG,
        now: () => wallMs(Date.now()),
      }),
      keyFailure: fixture.keyFailure,
      log: SILENT_LOG,
    });
    const verdictOf = async (serviceNumber: number, endsOnceReported: RegExp | undefined) => {
      const startAt = Date.now();
      const station = { ...STATION, serviceId: serviceId(serviceNumber) };
      const session = fixture.record({ station, endAt: startAt + 60_000 });
      await until('it is received', () => session.state.bytes > 0);
      if (endsOnceReported !== undefined)
        await until('the recording reports it', () => endsOnceReported.test(session.state.cause ?? ''));
      // A shorter interruption does not count as a gap.
      const { bytes } = session.state;
      await until('it continues for over a second', () => session.state.bytes > bytes + 15_000);
      const cause = session.state.cause;
      void session.stop();
      const programme = { startAt, endAt: Date.now() };
      const { verdict } = await fixture.conclude(session, programme);
      return { cause, causes: new Set(verdict.gaps.map((gap) => gap.cause)) };
    };
    const reported = (failure: string) =>
      until(`the agent reports ${failure} of both scrambled programmes`, async () => {
        const { failure: code, programs } = (await agent.tuner()).descrambling ?? {};
        return programs === undefined
          ? code === failure
          : programs.filter((one) => one.failure === failure).length === 2;
      });
    // The tuning stays while no recording uses it.
    const kept = agent.receive();
    try {
      await reported('no_card');
      const [refusal, recorded] = await Promise.all([
        live
          .open(
            { stationId: STATION.id, codec: 'h264', audio: undefined },
            AbortSignal.timeout(HANG_LIMIT_MS),
          )
          .then(
            () => 'opened',
            (error: unknown) => error,
          ),
        verdictOf(101, /^card_missing$/),
      ]);
      expect(refusal).toMatchObject({
        code: 'card_unavailable',
        message: expect.stringContaining('カードが入っていません'),
      });
      expect(recorded.causes).toContain('card_missing');
      await rig.send('kind refusing');
      await rig.send('insert');
      await reported('not_subscribed');
      const unsubscribed = await verdictOf(101, /^not_subscribed$/);
      expect(unsubscribed.causes).toContain('not_subscribed');
      // The card does not matter for a free programme of the same stream.
      expect((await verdictOf(103, undefined)).cause).toBeNull();
    } finally {
      await live.close();
      await fixture.close();
      await agent.close();
      await kept;
      await rig.send('kind good');
    }
  });

  test('a killed daemon is reported; the agent uses the next one', async () => {
    const agent = await new CardAgent(rig.socket, 1_000).ready();
    try {
      await until('the card is ready', async () => (await agent.card()).state === 'ready');
      await rig.send('pcscd stop');
      await agent.receive();
      expect(await agent.card()).toMatchObject({ state: 'error', failure: 'no_daemon' });
      await rig.send('pcscd start');
      await rig.send('insert');
      await until('the card is ready again', async () => (await agent.card()).state === 'ready');
      const received = await agent.receive('T26');
      const from = SCRAMBLED.periodStarts[4] ?? 0;
      expect(Buffer.compare(received.subarray(from), SCRAMBLED.clear.subarray(from, received.length))).toBe(
        0,
      );
    } finally {
      await agent.close();
    }
  });

  test('another agent descrambles with the shared card, and a whole file is decoded by request', async () => {
    const port = await freePort();
    const owner = await new CardAgent(rig.socket, 1_000, { CARD_SHARE_PORT: String(port) }).ready();
    const other = await new CardAgent('/nonexistent', 1_500, {
      CARD_URL: `http://127.0.0.1:${port}`,
    }).ready();
    try {
      const received = await other.receive();
      expect(received.length).toBeGreaterThan(SCRAMBLED.clear.length - 2_000);
      expect(Buffer.compare(received, SCRAMBLED.clear.subarray(0, received.length))).toBe(0);
      expect(await other.card()).toMatchObject({ state: 'shared', upstream: { state: 'shared' } });
      expect((await owner.card()).share).toMatchObject({ port, peers: ['127.0.0.1'], refused: [] });
      // An invalid message of a peer, which the card rejects, must not affect the keys of other clients.
      const ask = async (message: Uint8Array<ArrayBuffer>): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}/agent/card/ecm`, { method: 'POST', body: message })).status;
      for (let period = 1; period <= 5; period += 1) {
        expect(await ask(new Uint8Array(30).fill(0xee))).toBe(503);
        expect(await ask(Uint8Array.from(ecmMessage(9, period)))).toBe(200);
      }
      expect((await owner.card()).state).toBe('ready');
      expect((await fetch(`${owner.url}/agent/card/init`)).status).toBe(404);
      const decoded = await Promise.all(
        [owner, other].map(async ({ url }) => {
          const answer = await fetch(`${url}/agent/decode`, { method: 'POST', body: SCRAMBLED.scrambled });
          return answer.bytes();
        }),
      );
      for (const bytes of decoded) expect(Buffer.compare(bytes, SCRAMBLED.clear)).toBe(0);
    } finally {
      await other.close();
      await owner.close();
    }
  });

  test('no key is in the log or in a response', async () => {
    const agent = await new CardAgent(rig.socket, 1_000).ready();
    try {
      await agent.receive();
      const output = `${agent.log}${JSON.stringify(await agent.card())}`.toLowerCase();
      const { TEST_SYSTEM, testKey } = await import('../scrambled-stream.ts');
      for (const name of HEX_KEYS) expect(output).not.toContain(TEST_SYSTEM[name].toHex());
      expect(output).not.toContain(testKey(1, 1).toHex());
    } finally {
      await agent.close();
    }
  });
});
