/** Details of the Mirakurun-compatible interface that single clients depend on, over real sockets. */
import { describe, expect, test } from 'bun:test';
import { request } from 'node:http';
import { MachineLateness } from '../machine-lateness.ts';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { collectPids } from './packets.ts';

const LONG = process.env.SVC_LONG === '1';
/** Jellyfin gives up then. */
const FIRST_BYTES_MS = 3_000;
/** The runtime's longest idle time, after which a server that did not switch it off ends a connection. */
const IDLE_MS = 256_000;
const home = compatHome();

interface Service {
  id: number;
  hasLogoData: boolean;
  channel: { type: string; channel: string };
}

interface Program {
  id: number;
  startAt: number;
  networkId: number;
}

const services = async (): Promise<Service[]> => (await home.json('/api/services')) as Service[];

async function terrestrial(): Promise<Service> {
  const found = (await services()).find(({ channel }) => channel.type === 'GR');
  if (found === undefined) throw new Error('no terrestrial station');
  return found;
}

async function read(response: Response, bytes: number): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; size < bytes; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    parts.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(parts);
}

const released = () => until('the tuner is released', async () => (await home.uses()).length === 0);

describe('streams', () => {
  test('the first bytes are there within 3 s, from each kind of request', async () => {
    using lateness = await MachineLateness.start();
    const { id, channel } = await terrestrial();
    for (const path of [`/api/services/${id}/stream`, `/api/channels/GR/${channel.channel}/stream`]) {
      const begun = performance.now();
      const bytes = await read(await home.get(path), 1);
      const elapsed = performance.now() - begun;
      expect(bytes.length).toBeGreaterThan(0);
      if (!lateness.isTooSlow()) expect(elapsed).toBeLessThan(lateness.widened(FIRST_BYTES_MS));
      await released();
    }
  });

  test('a station has the tables that drop checkers need', async () => {
    const { id } = await terrestrial();
    const { pids, programs } = collectPids(
      await read(await home.get(`/api/services/${id}/stream`), 1_500_000),
    );
    expect(programs).toHaveLength(1);
    // PAT, NIT, SDT, EIT, TOT.
    for (const pid of [0x00, 0x10, 0x11, 0x12, 0x14]) expect([pid, pids.has(pid)]).toEqual([pid, true]);
    await released();
  });

  test('decode=0 is shown, and changes nothing of the packets', async () => {
    const { id } = await terrestrial();
    const response = await home.get(`/api/services/${id}/stream?decode=0`);
    const tuners = (await home.json('/api/tuners')) as {
      users: { url?: string; disableDecoder?: boolean }[];
    }[];
    const user = tuners.flatMap(({ users }) => users).find(({ url }) => url?.endsWith('decode=0'));
    expect(user?.disableDecoder).toBe(true);
    const bytes = await read(response, 300_000);
    // No packet is scrambled.
    for (let at = 0; at + 188 <= bytes.length; at += 188) expect((bytes[at + 3] ?? 0) >> 6).toBe(0);
    await released();
  });

  test.skipIf(!LONG)(
    'a stream of a programme waits for hours, here for longer than idle connections last',
    async () => {
      const programs = (await home.json('/api/programs')) as Program[];
      const later = programs.find(({ startAt }) => startAt > Date.now() + IDLE_MS + 60_000);
      let state = 'waits';
      const asked = request({
        host: '127.0.0.1',
        port: home.port,
        path: `/api/programs/${later?.id}/stream`,
      });
      asked.once('response', () => {
        state = 'answered';
      });
      asked.once('error', (error) => {
        state = String(error);
      });
      asked.end();
      const begun = Date.now();
      await until('the time has passed', () => state !== 'waits' || Date.now() - begun > IDLE_MS + 10_000);
      expect(state).toBe('waits');
      asked.destroy();
    },
  );
});

describe('documents', () => {
  test('HEAD of a logo is answered like GET', async () => {
    for (const { id, hasLogoData } of await services()) {
      const head = await home.get(`/api/services/${id}/logo`, { method: 'HEAD' });
      const got = await home.get(`/api/services/${id}/logo`);
      const { byteLength } = await got.arrayBuffer();
      const wanted = [hasLogoData ? 200 : 503, String(byteLength)];
      expect([head.status, head.headers.get('content-length')]).toEqual(wanted);
    }
    expect(await home.uses()).toEqual([]);
  });

  test('lists have their length, plain and compressed, and are the same', async () => {
    for (const path of ['/api/programs', '/api/services', '/api/channels', '/api/docs']) {
      const bodies: unknown[] = [];
      for (const encoding of ['identity', 'gzip']) {
        const response = await fetch(`http://127.0.0.1:${home.port}${path}`, {
          headers: { 'accept-encoding': encoding },
          decompress: false,
        });
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect([path, encoding, response.headers.get('content-length')]).toEqual([
          ...[path, encoding, String(bytes.length)],
        ]);
        const isPacked = response.headers.get('content-encoding') === 'gzip';
        bodies.push(JSON.parse(new TextDecoder().decode(isPacked ? Bun.gunzipSync(bytes) : bytes)));
      }
      // The guide is still being read, and programmes may change between two requests.
      if (path !== '/api/programs') expect(bodies[1]).toEqual(bodies[0]);
      else expect((bodies[1] as unknown[]).length).toBeGreaterThanOrEqual((bodies[0] as unknown[]).length);
    }
  });

  test('the programmes of a network are those that a remote Mirakurun asks for', async () => {
    const programs = (await home.json('/api/programs')) as Program[];
    const [{ networkId } = { networkId: 0 }] = programs;
    const own = (await home.json(`/api/programs?networkId=${networkId}`)) as Program[];
    expect(own.length).toBeGreaterThan(0);
    expect(own.every((program) => program.networkId === networkId)).toBe(true);
  });
});
