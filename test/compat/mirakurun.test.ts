/** The Mirakurun-compatible interface over real sockets: what its clients rely on, each from their sources. */
import { describe, expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startTestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { collectPids } from './packets.ts';

const home = compatHome();

interface Service {
  id: number;
  serviceId: number;
  networkId: number;
  name: string;
  type: number;
  hasLogoData: boolean;
  channel: { type: string; channel: string };
}

interface Program {
  id: number;
  eventId: number;
  startAt: number;
  duration: number;
  name?: string;
  genres?: unknown[];
  audios: { langs: string[] }[];
  relatedItems?: { type: string; serviceId: number; eventId: number }[];
}

const services = async (): Promise<Service[]> => (await home.json('/api/services')) as Service[];

/** A station of the terrestrial channel with two stations. */
async function station(): Promise<Service> {
  const found = (await services()).find(({ channel }) => channel.type === 'GR');
  if (found === undefined) throw new Error('no terrestrial station');
  return found;
}

/** Sends bytes and collects the response in its pieces, until `enough` or the end. */
function raw(text: string, enough: (pieces: readonly Buffer[]) => boolean): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(home.port, '127.0.0.1', () => socket.write(text));
    const end = (): void => {
      socket.destroy();
      resolve(pieces);
    };
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (enough(pieces)) end();
    });
    socket.on('close', end);
    socket.on('error', reject);
  });
}

const length = (pieces: readonly Buffer[]): number => pieces.reduce((sum, one) => sum + one.length, 0);

/** Reads at least so many bytes of a response and leaves it. */
async function some(response: Response, bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader !== undefined && size < bytes) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(parts);
}

describe('lists', () => {
  test('stations have what clients read, GR before BS before CS, with names of channels as Mirakurun has them', async () => {
    const all = await services();
    const order = all.map(({ channel }) => channel.type);
    expect(order).toEqual([...order].sort((a, b) => 'GR BS CS'.indexOf(a) - 'GR BS CS'.indexOf(b)));
    for (const one of all) {
      expect(one).toMatchObject({ channel: { type: expect.any(String), channel: expect.any(String) } });
      expect(one.id).toBe(one.networkId * 100_000 + one.serviceId);
      if (one.channel.type === 'GR') expect(one.channel.channel).toMatch(/^\d+$/);
    }
  });

  test('queries select, and a channel is found under both names', async () => {
    const { id, serviceId, channel } = await station();
    const found = (await home.json(`/api/services?serviceId=${serviceId}&channel.type=GR`)) as Service[];
    expect(found.map((one) => one.id)).toEqual([id]);
    expect(await home.json('/api/services?serviceId=1')).toEqual([]);
    for (const name of [channel.channel, `T${channel.channel}`]) {
      const answer = (await home.json(`/api/channels/GR/${name}`)) as { services: Service[] };
      expect(answer.services.map((one) => one.id)).toContain(id);
      expect(await home.json(`/api/channels/GR/${name}/services/${serviceId}`)).toMatchObject({ id });
      expect(await home.json(`/api/channels/GR/${name}/services/${id}`)).toMatchObject({ id });
    }
    const types = (await home.json('/api/channels')) as { type: string }[];
    expect(types.length).toBeGreaterThan(1);
    expect(await home.json(`/api/channels/GR?channel=${channel.channel}`)).toHaveLength(1);
  });

  test('programmes have numbers as ids and never an empty list', async () => {
    const programs = (await home.json('/api/programs')) as Program[];
    for (const program of programs) {
      expect(Number.isSafeInteger(program.id)).toBe(true);
      expect(program.genres?.length).not.toBe(0);
      expect(program.audios[0]?.langs[0]).toBeString();
      expect(program.relatedItems?.length).not.toBe(0);
    }
    const [first] = programs;
    // The guide is still being read: texts of a programme may have arrived meanwhile.
    expect(await home.json(`/api/programs/${first?.id}`)).toMatchObject({ id: first?.id });
    const { networkId, serviceId } = await station();
    const own = (await home.json(`/api/programs?networkId=${networkId}&serviceId=${serviceId}`)) as Program[];
    expect(own.length).toBeGreaterThan(0);
    expect(own.length).toBeLessThan(((await home.json('/api/programs')) as Program[]).length);
    const { eventId } = own[0] ?? { eventId: -1 };
    const found = (await home.json(`/api/programs?eventId=${eventId}&serviceId=${serviceId}`)) as Program[];
    expect(found.map(({ id }) => id)).toEqual([own[0]?.id ?? -1]);
  });

  test('JSON has a length and a server with a version, and is compressed for those who accept it', async () => {
    const [head = ''] = (await raw('GET /api/services HTTP/1.0\r\n\r\n', () => false))
      .join('')
      .split('\r\n\r\n');
    expect(head).toMatch(/^content-length: \d+$/im);
    expect(head).toMatch(/^server: svc\/\d+\.\d+\.\d+ /im);
    expect(head).not.toMatch(/transfer-encoding/i);
    const packed = await home.get('/api/programs', { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toBeArray();
  });

  test('errors are JSON, also for what this interface leaves out', async () => {
    for (const path of [
      '/api/services/1',
      '/api/programs/1',
      '/api/config/server',
      '/api/log',
      '/x',
      '/api/tuners/99',
    ]) {
      const response = await home.get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ code: 404, reason: 'Not Found', errors: [] });
    }
    expect((await home.get('/api/tuners/0/retune/GR/27')).status).toBe(404);
    for (const { id, hasLogoData } of await services()) {
      const logo = await home.get(`/api/services/${id}/logo`);
      expect(logo.status).toBe(hasLogoData ? 200 : 503);
      if (hasLogoData) expect(logo.headers.get('content-type')).toBe('image/png');
      else expect(await logo.json()).toMatchObject({ reason: 'Logo Data Unavailable' });
    }
  });

  test('pages of other sites and unknown hosts are refused', async () => {
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await home.get('/api/status', { headers })).status;
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ referer: 'http://evil.example/page' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ host: 'rebound.example' })).toBe(421);
    expect(await status({ referer: `http://127.0.0.1:${home.port}/` })).toBe(200);
    expect(await status({})).toBe(200);
  });

  test('a path with repeated slashes is the same path', async () => {
    expect((await home.get('//api//status')).status).toBe(200);
  });
});

describe('streams', () => {
  test('a station is narrowed, and its tuning ends with the connection', async () => {
    const { id, serviceId } = await station();
    const response = await home.get(`/api/services/${id}/stream`, {
      headers: { 'x-mirakurun-priority': '1' },
    });
    expect(response.headers.get('content-type')).toBe('video/MP2T');
    expect(response.headers.get('x-mirakurun-tuner-user-id')).toMatch(/^127\.0\.0\.1:\d+$|^::ffff:127/);
    const tuners = (await home.json('/api/tuners')) as {
      users: { id: string; priority: number }[];
      isUsing: boolean;
    }[];
    const users = tuners.flatMap((tuner) => tuner.users);
    expect(
      users.find((user) => user.id === response.headers.get('x-mirakurun-tuner-user-id'))?.priority,
    ).toBe(7);
    const bytes = await some(response, 400_000);
    const { programs, pids } = collectPids(bytes);
    expect(programs).toEqual([serviceId]);
    for (const pid of [0x00, 0x11, 0x12]) expect(pids).toContain(pid);
    await until('the tuner is released', async () => (await home.uses()).length === 0);
  });

  test('a whole channel has all its stations', async () => {
    const { channel } = await station();
    const bytes = await some(await home.get(`/api/channels/GR/${channel.channel}/stream`), 600_000);
    expect(collectPids(bytes).programs.length).toBeGreaterThan(1);
    await until('the tuner is released', async () => (await home.uses()).length === 0);
  });

  test('HTTP/1.0 without Host gets plain packets', async () => {
    const { channel, serviceId } = await station();
    const path = `/api/channels/GR/${channel.channel}/services/${serviceId}/stream?decode=1`;
    const request = `GET ${path} HTTP/1.0\r\nX-Mirakurun-Priority: 0\r\n\r\n`;
    const all = Buffer.concat(await raw(request, (pieces) => length(pieces) > 200_000));
    const body = all.subarray(all.indexOf('\r\n\r\n') + 4);
    for (let at = 0; at + 188 <= body.length; at += 188) expect(body[at]).toBe(0x47);
  });

  test('HEAD answers at once without tuning and without a length', async () => {
    const { id, channel } = await station();
    const [program] = (await home.json('/api/programs')) as Program[];
    for (const path of [`services/${id}`, `channels/GR/${channel.channel}`, `programs/${program?.id}`]) {
      const response = await home.get(`/api/${path}/stream`, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('video/MP2T');
      expect(response.headers.get('content-length')).toBeNull();
    }
    expect(await home.uses()).toEqual([]);
  });

  test('the head of a stream arrives with its first packets', async () => {
    const { id } = await station();
    const request = `GET /api/services/${id}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const [first = Buffer.alloc(0)] = await raw(request, (pieces) => pieces.length > 0);
    expect(first.includes('\r\n\r\n')).toBe(true);
    expect(first.length - first.indexOf('\r\n\r\n')).toBeGreaterThan(188);
  });

  test('the programme on the air is sent, and one that comes later waits without a head', async () => {
    const { networkId, serviceId } = await station();
    const query = `/api/programs?networkId=${networkId}&serviceId=${serviceId}`;
    const programs = (await home.json(query)) as Program[];
    const now = Date.now();
    const present = programs.find((one) => one.startAt <= now && now < one.startAt + one.duration);
    const bytes = await some(await home.get(`/api/programs/${present?.id}/stream?decode=1`), 200_000);
    expect(collectPids(bytes).programs).toEqual([serviceId]);
    const later = programs.find((one) => one.startAt > now + 60_000);
    const request = `GET /api/programs/${later?.id}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const abort = new AbortController();
    const waiting = raw(request, () => true);
    const first = await Promise.race([waiting.then(() => 'head'), Bun.sleep(500).then(() => 'waits')]);
    abort.abort();
    expect(first).toBe('waits');
  });

  test('a request waits for a tuner that is given up, and a higher priority takes one', async () => {
    const satellites = (await services()).filter(({ channel }) => channel.type !== 'GR');
    const [one] = satellites;
    const other = satellites.find(({ channel }) => channel.channel !== one?.channel.channel);
    const stream = (of: Service | undefined, priority: string) =>
      home.get(`/api/services/${of?.id}/stream`, { headers: { 'x-mirakurun-priority': priority } });
    const held = await stream(one, '0');
    const waiting = stream(other, '0');
    expect(await Promise.race([waiting.then(() => 'tuned'), Bun.sleep(400).then(() => 'waits')])).toBe(
      'waits',
    );
    await held.body?.cancel();
    const lower = await waiting;
    expect(lower.status).toBe(200);
    const higher = await stream(one, '2');
    expect(higher.status).toBe(200);
    // What lost its tuner breaks off: it must not look complete.
    const toItsEnd = async (): Promise<string> => {
      const reader = lower.body?.getReader();
      for (;;) if ((await reader?.read())?.done !== false) return 'clean';
    };
    expect(await toItsEnd().catch(() => 'broken')).toBe('broken');
    await higher.body?.cancel();
  });

  test('DELETE of a tuner process ends the clients of this interface on it', async () => {
    const response = await home.get(`/api/services/${(await station()).id}/stream`);
    const tuners = (await home.json('/api/tuners')) as { index: number; users: unknown[]; pid: number }[];
    const index = tuners.find(({ users }) => users.length > 0)?.index;
    expect(await home.json(`/api/tuners/${index}/process`)).toEqual({ pid: 0 });
    const ended = await home.get(`/api/tuners/${index}/process`, { method: 'DELETE' });
    expect(await ended.json()).toEqual({ pid: null });
    await until('the stream ended', async () => (await home.uses()).length === 0);
    await response.body?.cancel();
  });
});

describe('events', () => {
  test('the head is a chunk of its own', async () => {
    const request = 'GET /api/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const text = (await raw(request, (pieces) => pieces.join('').includes('[\n'))).join('');
    expect(text).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('2\r\n[\n\r\n');
    expect(await home.json('/api/events')).toBeArray();
  });

  test('a change of a tuner arrives with the delimiter that parsers wait for', async () => {
    const response = await home.get('/api/events/stream?resource=tuner');
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await reader?.read())?.value)).toBe('[\n');
    const stream = await home.get(`/api/services/${(await station()).id}/stream`);
    const event = decoder.decode((await reader?.read())?.value);
    expect(event).toEndWith('}\n,\n');
    const first = JSON.parse(event.split('\n,\n')[0] ?? '');
    expect(first).toMatchObject({ resource: 'tuner', type: 'update', data: { index: expect.any(Number) } });
    expect(Object.keys(first)).toEqual(['resource', 'type', 'data', 'time']);
    await stream.body?.cancel();
    await reader?.cancel();
  });
});

test('a Unix socket serves the same, to every program of the machine', async () => {
  const response = await fetch('http://localhost/api/version', { unix: home.socket });
  expect(await response.json()).toEqual({ current: expect.any(String), latest: expect.any(String) });
  expect(statSync(home.socket).mode & 0o777).toBe(0o666);
});

test('a file that is no socket is not replaced by one', async () => {
  const file = join(home.folder, 'precious');
  writeFileSync(file, 'mine');
  const started = startTestService({ environment: { MIRAKURUN_SOCKET: file } });
  expect(
    await started.then(
      () => 'started',
      () => 'refused',
    ),
  ).toBe('refused');
  expect(readFileSync(file, 'utf8')).toBe('mine');
});
