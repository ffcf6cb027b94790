/** The live socket of a running service: handshake, control, captions beside packets, and clients that misbehave. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { CaptionPageSchema } from '../../lib/wire/caption.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { LiveMessageSchema } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { recording } from '../caption/recording.ts';
import { controlFrame, liveTicket, SocketClient } from '../live/socket-client.ts';
import { until } from '../until.ts';
import { HOME_STATION, rawRequest, StandInAgent, startTestService, type TestService } from './harness.ts';

const AT = ticksAt(broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0)));
const station = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .find(({ place }) => place.captions !== null);

const agent = new StandInAgent();
let service: TestService;
/** Number of streams that the agent sends now, and of all requests so far. */
let open = 0;
let asked = 0;
/** Functions that break the streams, like a failure. */
const breaks: (() => void)[] = [];

/** An endless broadcast, faster than real time. */
function broadcast(): Response {
  if (station === undefined) throw new Error('no station with captions');
  const source = recording({ seed: DEFAULT.seed, station, from: AT, seconds: 36_000 });
  open += 1;
  asked += 1;
  let isOpen = true;
  const leave = (): void => {
    if (isOpen) open -= 1;
    isOpen = false;
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      breaks.push(() => {
        if (isOpen) controller.close();
        leave();
      });
    },
    pull: async (controller) => {
      await Bun.sleep(5);
      const { value } = source.next();
      if (isOpen && value !== undefined) controller.enqueue(value);
    },
    cancel: leave,
  });
  return new Response(body, { headers: { 'x-svc-tuner': 'gr-0' } });
}

beforeAll(async () => {
  agent.start();
  agent.stream = (url) =>
    url.searchParams.get('use')?.startsWith('live') === true
      ? broadcast()
      : Response.json({ message: '空きチューナーがありません' }, { status: 409 });
  service = await startTestService({ environment: { TUNER_AGENT_URL: agent.url } });
  await until(
    async () => ((await (await fetch(`${service.url}/api/services`)).json()) as unknown[]).length > 0,
  );
});
afterAll(async () => {
  await service.close();
  await agent.stop();
});

const tune = { type: 'tune', stationId: HOME_STATION, codec: 'raw' } as const;

async function handshake(address: string, headers: Record<string, string> = {}): Promise<string> {
  const lines = [`GET ${address} HTTP/1.1`, `host: 127.0.0.1:${service.service.port}`];
  lines.push('upgrade: websocket', 'connection: Upgrade', 'sec-websocket-version: 13');
  lines.push('sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const answer = await rawRequest(service.service.port, `${lines.join('\r\n')}\r\n\r\n`);
  return answer.slice(0, answer.indexOf('\r\n'));
}

describe('the handshake', () => {
  test('takes a ticket once; a native client sends no Origin, a page of another site is refused', async () => {
    const ticket = await liveTicket(service.url);
    const address = `/api/live/socket?ticket=${ticket}`;
    expect(await handshake(address, { origin: 'http://elsewhere.example' })).toContain('403');
    expect(await handshake('/api/live/socket')).toContain('403');
    expect(await handshake('/api/live/socket?ticket=unknown')).toContain('403');
    expect(await handshake(address)).toContain('101');
    expect(await handshake(address)).toContain('403');
    const own = { origin: `http://127.0.0.1:${service.service.port}` };
    expect(await handshake(`/api/live/socket?ticket=${await liveTicket(service.url)}`, own)).toContain('101');
  });

  test('without an upgrade returns an error with the next step', async () => {
    const response = await fetch(`${service.url}/api/live/socket?ticket=x`);
    expect(response.status).toBe(426);
    expect(await response.json()).toMatchObject({ code: 'bad_request' });
  });
});

describe('a station over the socket', () => {
  test('sends packets, captions and notices, also to a client that joins later, and releases the tuner at the end', async () => {
    const first = await SocketClient.open(service.url);
    first.send({ ...tune, language: 2 });
    const tuned = await first.message('tuned');
    expect(tuned).toMatchObject({ codec: 'raw', mime: 'video/mp2t', stationId: HOME_STATION });
    expect(tuned.audios.map(({ id }) => id)).toContain(tuned.audio);
    expect((await first.frame(LIVE_CHANNEL.packets)).payload[0]).toBe(0x47);
    const page = await first.frame(LIVE_CHANNEL.caption, 2);
    expect(Value.Check(CaptionPageSchema, JSON.parse(new TextDecoder().decode(page.payload)))).toBe(true);
    expect(page.time).toBeGreaterThan(0);

    const second = await SocketClient.open(service.url);
    second.send(tune);
    await second.message('captions');
    await second.frame(LIVE_CHANNEL.caption);
    expect(open).toBe(1);
    for (const { messages } of [first, second]) {
      for (const message of messages) expect(Value.Check(LiveMessageSchema, message)).toBe(true);
    }
    first.send({ type: 'stop' });
    expect(await first.closed()).toBe(1000);
    const before = second.frames.length;
    await until(() => second.frames.length > before + 5);
    await second.leave();
    await until(() => open === 0);
  });

  test('ends with the reason when the tuner is lost', async () => {
    const client = await SocketClient.open(service.url);
    client.send(tune);
    await client.frame(LIVE_CHANNEL.packets);
    for (const end of breaks.splice(0)) end();
    expect(await client.message('lost')).toMatchObject({ recordingId: null });
    expect(await client.closed()).toBe(1000);
  });

  test('is refused with the cause, and the connection stays', async () => {
    const client = await SocketClient.open(service.url);
    client.send({ ...tune, stationId: 1 as StationId });
    expect(await client.message('error')).toMatchObject({ code: 'not_found' });
    client.send({ ...tune, codec: 'h264' });
    expect(await client.message('error', 2)).toMatchObject({ code: 'ffmpeg_unavailable' });
    client.send({ type: 'chase', recordingId: recordingId(99), from: 0, codec: 'raw' });
    expect(await client.message('error', 3)).toMatchObject({ code: 'not_found' });
    client.send(tune);
    await client.frame(LIVE_CHANNEL.packets);
    await client.leave();
  });
});

describe('clients that misbehave', () => {
  test('receive an error for invalid messages, and are disconnected if they send nothing else', async () => {
    const client = await SocketClient.open(service.url);
    client.socket.send('{"type":');
    client.socket.send(controlFrame({ type: 'dance' }));
    client.socket.send(controlFrame({ type: 'language', language: 9 }));
    client.socket.send(new Uint8Array(3));
    expect(await client.message('error', 4)).toMatchObject({ code: 'bad_message' });
    client.send({ type: 'data', on: true });
    client.send(tune);
    await client.message('tuned');
    for (let index = 0; index < 64; index += 1) client.socket.send('nonsense');
    expect(await client.closed()).toBe(1008);
    const loud = await SocketClient.open(service.url);
    loud.socket.send(new Uint8Array(1024 * 1024).fill(0x40));
    expect([1006, 1009]).toContain(await loud.closed());
    await until(() => open === 0);
  });

  test('change stations 50 times a second and get the last one, with few tunings', async () => {
    const client = await SocketClient.open(service.url);
    asked = 0;
    for (let index = 0; index < 50; index += 1) {
      client.send({ ...tune, stationId: (index % 2 === 0 ? 1 : HOME_STATION) as StationId });
      await Bun.sleep(10);
    }
    await client.frame(LIVE_CHANNEL.packets);
    expect(client.all('tuned').at(-1)?.stationId).toBe(HOME_STATION);
    expect(asked).toBeLessThan(12);
    await client.leave();
    await until(() => open === 0);
  });

  test('connect and disconnect in large numbers without leaks', async () => {
    for (let round = 0; round < 4; round += 1) {
      const clients = await Promise.all(Array.from({ length: 8 }, () => SocketClient.open(service.url)));
      for (const client of clients) client.send(tune);
      // Some before they are served, some after.
      await clients[0]?.message('tuned');
      await Promise.all(clients.map((client) => client.leave()));
    }
    await until(() => open === 0);
    const last = await SocketClient.open(service.url);
    last.send(tune);
    await last.frame(LIVE_CHANNEL.packets);
    await last.leave();
  });
});
