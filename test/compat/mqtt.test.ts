/** Home Assistant's view by a real broker: Debian's mosquitto, read by its own client. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttState } from '../../lib/wire/mqtt.ts';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';

/** Debian's package has it in /usr/sbin, which is not in every PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const mosquitto = Bun.which('mosquitto', { PATH });
const hasBroker = mosquitto !== null && Bun.which('mosquitto_sub') !== null;
if (!hasBroker) console.info('skipped: mosquitto or mosquitto-clients is missing');

const folder = mkdtempSync(join(tmpdir(), 'svc-mqtt-'));
const home = hasBroker ? compatHome() : undefined;
const children: { kill(): void; exited: Promise<unknown> }[] = [];
const PASSWORD = 'とても秘密の言葉-4711';

afterAll(async () => {
  for (const child of children) child.kill();
  await Promise.all(children.map((child) => child.exited));
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe', env: { ...process.env, PATH } });
  return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
}

/** @param tls with a certificate that nobody has signed */
async function startBroker(port: number, tls = false) {
  const users = join(folder, 'users');
  writeFileSync(users, '');
  await run(['mosquitto_passwd', '-b', users, 'tv', PASSWORD]);
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const subject = ['-subj', '/CN=localhost', '-keyout', key, '-out', certificate];
  if (tls) await run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]);
  const file = join(folder, `${port}.conf`);
  const secured = tls ? `certfile ${certificate}\nkeyfile ${key}\n` : '';
  // Started by root, the broker gives up its rights, and could not read these files.
  const own = process.getuid?.() === 0 ? 'user root\n' : '';
  writeFileSync(
    file,
    `${own}listener ${port} 127.0.0.1\nallow_anonymous false\npassword_file ${users}\n${secured}`,
  );
  const child = Bun.spawn([mosquitto ?? '', '-c', file], { stdout: 'ignore', stderr: 'ignore' });
  children.push(child);
  await until('the broker listens', async () =>
    Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    ),
  );
  return child;
}

/** Messages of a topic filter that arrive, as [topic, text]. */
function subscribe(port: number, filter: string): Map<string, string> {
  const heard = new Map<string, string>();
  const words = ['-h', '127.0.0.1', '-p', String(port), '-u', 'tv', '-P', PASSWORD, '-t', filter, '-v'];
  const child = Bun.spawn(['mosquitto_sub', ...words], { stdout: 'pipe', stderr: 'ignore' });
  children.push(child);
  void (async () => {
    let rest = '';
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const space = line.indexOf(' ');
        heard.set(line.slice(0, space), line.slice(space + 1));
      }
    }
  })();
  return heard;
}

const api = (init: RequestInit = {}): Promise<Response> => fetch(`${home?.service.url}/api/mqtt`, init);
const state = async (): Promise<MqttState> => (await (await api()).json()) as MqttState;
const put = (body: object): Promise<Response> =>
  api({ method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const ending = (heard: ReadonlyMap<string, string>, end: string): string | undefined =>
  [...heard].find(([topic]) => topic.endsWith(end))?.[1];

test.skipIf(!hasBroker)(
  'entities, states and availability are at the broker, also after its restart',
  async () => {
    const port = await freePort();
    const broker = {
      enabled: true,
      host: '127.0.0.1',
      port,
      tls: false,
      user: 'tv',
      prefix: 'homeassistant',
    };
    const none = await state();
    expect(none).toMatchObject({
      enabled: false,
      port: 1883,
      hasPassword: false,
      isConnected: false,
      last: null,
    });
    // Nothing listens yet.
    const answer = await put({ ...broker, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(PASSWORD);
    await until('the attempt failed', async () => (await state()).last?.ok === false);
    const first = await startBroker(port);
    await until('it is connected', async () => (await state()).isConnected);
    expect(await state()).toMatchObject({ hasPassword: true, last: { ok: true, message: '接続しています' } });
    expect(JSON.stringify(await state())).not.toContain(PASSWORD);

    const heard = subscribe(port, '#');
    await until('the state is heard', () => ending(heard, '/state') !== undefined);
    const configs = [...heard].filter(([topic]) => topic.endsWith('/config'));
    expect(configs.map(([topic]) => topic.split('/')[1]).sort()).toEqual([
      ...['binary_sensor', 'binary_sensor', 'event'],
      ...new Array<string>(5).fill('sensor'),
    ]);
    const ids = new Set<string>();
    for (const [topic, text] of configs) {
      const config = JSON.parse(text);
      expect(topic).toMatch(/^homeassistant\/\w+\/svc_1[0-9a-f]{7}\/\w+\/config$/);
      expect(heard.get(config.availability_topic)).toBe('online');
      if (!topic.includes('/event/')) {
        const { [/value_json\.(\w+)/.exec(config.value_template)?.[1] ?? '']: shown } = JSON.parse(
          heard.get(config.state_topic) ?? '{}',
        );
        expect(shown).not.toBeUndefined();
      }
      ids.add(config.unique_id);
    }
    expect(ids.size).toBe(8);
    expect(JSON.parse(ending(heard, '/state') ?? '')).toMatchObject({
      ...{ recording: 'OFF', tuners_free: expect.any(Number), free_bytes: expect.any(Number) },
    });

    // Guide collection comes after viewers: three channels are all tuners.
    const channels = ['GR/27', 'GR/26', 'BS/BS01_0'];
    const streams = await Promise.all(channels.map((one) => home?.get(`/api/channels/${one}/stream`)));
    await until('the tuners are heard', () => JSON.parse(ending(heard, '/state') ?? '{}').tuners_free === 0);
    await Promise.all(streams.map((stream) => stream?.body?.cancel()));

    first.kill();
    await first.exited;
    await until('the loss is known', async () => (await state()).last?.ok === false);
    await startBroker(port);
    await until('it is connected again', async () => (await state()).isConnected);
    const again = subscribe(port, '#');
    await until('the entities are there again', () => ending(again, '/state') !== undefined);

    // Off: Home Assistant forgets the device.
    expect((await put({ ...broker, enabled: false })).status).toBe(200);
    await until('it is offline', () => ending(again, '/availability') === 'offline');
    const later = subscribe(port, 'homeassistant/#');
    const probe = subscribe(port, 'svc/+/availability');
    await until('a later subscriber is served', () => ending(probe, '/availability') === 'offline');
    expect(later.size).toBe(0);
  },
);

test.skipIf(!hasBroker)(
  'wrong passwords, unknown certificates and other servers are told apart',
  async () => {
    const [plain, secured] = [await freePort(), await freePort()];
    await startBroker(plain);
    await startBroker(secured, true);
    const { host, port: own } = new URL(home?.service.url ?? 'http://x');
    expect(host).not.toBe('');
    const broker = { enabled: true, host: '127.0.0.1', tls: false, user: 'tv', prefix: 'homeassistant' };
    const message = async (change: object): Promise<string> => {
      expect((await put({ ...broker, password: PASSWORD, ...change })).status).toBe(200);
      await until('there is a result', async () => (await state()).last !== null);
      return (await state()).last?.message ?? '';
    };
    expect(await message({ port: plain, password: 'wrong' })).toContain('パスワード');
    expect(await message({ port: secured, tls: true, host: 'localhost' })).toContain('証明書');
    expect(await message({ port: Number(own) })).toMatch(
      /切れました|MQTT ブローカーではない|応答がありません/,
    );
    expect(await message({ port: plain })).toBe('接続しています');
    // The password does not go to another host.
    expect((await put({ ...broker, port: plain, host: 'localhost' })).status).toBe(200);
    expect((await state()).hasPassword).toBe(false);
    expect((await put({ ...broker, port: plain, host: '' })).status).toBe(400);
    expect((await put({ ...broker, port: 0 })).status).toBe(400);
    expect((await put({ ...broker, enabled: false, port: plain })).status).toBe(200);
    expect(home?.service.lines.join('\n')).not.toContain(PASSWORD);
  },
);
