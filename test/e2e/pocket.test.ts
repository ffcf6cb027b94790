/**
 * A phone away from home: the whole service over https with a certificate, and a browser of the size of a phone. A series
 * is saved, watched without a network, and a part of it deleted; a recording that fails is told, and its next airing
 * booked from the notice.
 */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Encodes, Recording } from '../../lib/wire/api.ts';
import type { Notice } from '../../lib/wire/notifications.ts';
import type { ReservationItem } from '../../lib/wire/schedule.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type PushReceiver, pushReceiver } from '../notify/push-receiver.ts';
import { putPrograms } from '../service/guide-rows.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { putRecording } from '../service/recording-rows.ts';
import { tunerOf } from '../tuner.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { builtWeb } from '../web/browser.ts';
import { FULL_CHROMIUM, hasFullChromium } from '../web/offline-home.ts';
import { CutLine } from './cut-line.ts';
import { RecordedAir } from './recorded-air.ts';

const HOST = 'tv.example.net';
const SECONDS = 12;
const MINUTE = 60_000;

interface Received {
  readonly path: string;
  readonly body: Uint8Array;
  readonly at: number;
}

/** A certificate for the host. @returns the hash by which a browser can be told to trust its key */
async function certify(folder: string): Promise<string> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const run = async (command: string[]): Promise<Uint8Array> => {
    const child = Bun.spawn(['openssl', ...command], { stderr: 'ignore' });
    const output = new Uint8Array(await new Response(child.stdout).arrayBuffer());
    expect(await child.exited).toBe(0);
    return output;
  };
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  await run(['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names, ...files]);
  const point = await run(['pkey', '-in', key, '-pubout', '-outform', 'DER']);
  return new Bun.CryptoHasher('sha256').update(point).digest('base64');
}

describe.skipIf(!hasFullChromium || Bun.which('openssl') === null)('a phone', () => {
  const agent = new StandInAgent();
  const line = new CutLine(() => service.service.port);
  const phone: PushReceiver = pushReceiver();
  const received: Received[] = [];
  let folder: string;
  let service: TestService;
  let database: Database;
  let context: BrowserContext;
  let receiver: Bun.Server<undefined>;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-pocket-'));
    agent.tuners = [tunerOf(['GR'], { id: 'a', name: 'a', device: 'a' })];
    agent.start();
    const [webDir, trusted] = await Promise.all([builtWeb(), certify(folder)]);
    service = await startTestService({
      webDir,
      environment: {
        ...{ TUNER_AGENT_URL: agent.url, FFMPEG_PATH: Bun.which('ffmpeg') ?? '', NOTIFY_PRIVATE: '1' },
        ...{ TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem'), ALLOWED_HOSTS: HOST },
      },
    });
    database = openDatabase(join(service.folder, 'svc.db'));
    await line.join();
    origin = `https://${HOST}:${line.port}/`;
    receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const body = new Uint8Array(await request.arrayBuffer());
        received.push({ path: new URL(request.url).pathname, body, at: Date.now() });
        return new Response(null, { status: 201 });
      },
    });
    context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: FULL_CHROMIUM,
      viewport: { width: 390, height: 844 },
      ...{ isMobile: true, hasTouch: true, colorScheme: 'dark' },
      args: [
        ...['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
        ...[
          `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
          `--ignore-certificate-errors-spki-list=${trusted}`,
        ],
      ],
    });
    context.setDefaultTimeout(HANG_LIMIT_MS);
    await context.grantPermissions(['notifications'], { origin });
    await until(async () => (await get<unknown[]>('services')).length > 0);
  });

  afterAll(async () => {
    await context?.close();
    await line.cut();
    database?.close();
    await service?.close();
    await agent.stop();
    await receiver?.stop(true);
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`https://127.0.0.1:${service.service.port}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json', host: HOST },
      tls: { rejectUnauthorized: false },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  async function get<T>(path: string): Promise<T> {
    return (await (await ask('GET', path)).json()) as T;
  }

  /** A series of three, converted. @returns their ids */
  async function series(): Promise<number[]> {
    const air = new RecordedAir({}, 2_200_000);
    const first = Date.UTC(2026, 0, 5, 12);
    const { bytes } = await air.stretch(broadcastMs(first), SECONDS);
    const recordings = join(service.folder, 'recordings');
    const ids = [1, 2, 3].map((number) => {
      const startAt = first + number * 1_440 * MINUTE;
      const id = putRecording(
        database,
        {
          ...{ station: HOME_STATION, serviceName: '試験テレビ', name: `灯台守の日記 第${number}話` },
          ...{ startAt, endAt: startAt + SECONDS * 1000, content: bytes, bytes: bytes.length },
          series: { name: '灯台守の日記', episode: `#${number}` },
        },
        recordings,
      );
      database.run(`UPDATE recordings SET duration_ms = ${SECONDS * 1000} WHERE id = ${id}`);
      return id;
    });
    const [one = 0, ...others] = ids;
    const wish = { codecs: 'h264', quality: 'small', keepTs: true };
    expect((await ask('POST', `recordings/${one}/encode`, wish)).status).toBe(204);
    await until('it is converted', async () => {
      const { recent } = await get<Encodes>('encodes');
      return recent.some(({ recordingId, state }) => recordingId === one && state === 'done');
    });
    const { path } = database
      .query<{ path: string }, []>(
        `SELECT path FROM recording_files WHERE recording_id = ${one} AND source = 'alt'`,
      )
      .get() ?? { path: '' };
    for (const id of others) {
      const copy = join(recordings, `copy ${id}.mkv`);
      await copyFile(path, copy);
      database.run(
        `INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
         SELECT ${id}, source, '${copy}', codec, bytes, duration_ms, created_at FROM recording_files
         WHERE recording_id = ${one} AND source = 'alt'`,
      );
    }
    return ids;
  }

  /** State of each saved recording, from the browser's database itself. */
  const saved = (page: Page): Promise<[number, string][]> =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('svc-offline');
          opening.onsuccess = () => {
            const database = opening.result;
            if (!database.objectStoreNames.contains('videos')) return resolve([]);
            const reading = database.transaction('videos').objectStore('videos').getAll();
            reading.onsuccess = () => {
              database.close();
              resolve(reading.result.map(({ id, state }: { id: number; state: string }) => [id, state]));
            };
          };
        }),
    );

  test('saves a series, watches it without a network, deletes one; back online the service agrees', async () => {
    const [first = 0, second = 0, third = 0] = await series();
    const page = await context.newPage();
    const { key } = (await get<Recording>(`recordings/${first}`)).series ?? { key: '' };
    await page.goto(`${origin}recordings?series=${encodeURIComponent(key)}`);
    expect(await page.evaluate(() => isSecureContext)).toBe(true);
    await page.getByRole('button', { name: '次の3話を自動で保存' }).click();
    await until('all are saved', async () => {
      const rows = await saved(page);
      return rows.length === 3 && rows.every(([, state]) => state === 'ready');
    });

    await line.cut();
    await page.goto(origin);
    await page.getByRole('heading', { name: 'オフライン再生' }).waitFor();
    await page.getByRole('link', { name: /第1話/u }).click();
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      return video !== null && video.videoWidth > 0 && video.currentTime > 3 && !video.paused;
    });
    await page.waitForFunction(() =>
      [...document.querySelectorAll('canvas')].some((canvas) => {
        if (canvas.width === 0) return false;
        const drawn = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
        return drawn?.some((value) => value !== 0);
      }),
    );
    await page.goBack();
    await page.getByText('再生位置をサーバーへ送信').waitFor();
    await page.getByRole('button', { name: /第2話.*この端末から消す/u }).click();
    await page.getByRole('button', { name: '録画も削除する' }).click();
    await page.getByText('をサーバーから削除').waitFor();
    expect((await ask('GET', `recordings/${second}`)).status).toBe(200);

    await line.join();
    await until(
      'the service has deleted it',
      async () => (await ask('GET', `recordings/${second}`)).status === 404,
    );
    await until('it knows the place', async () => {
      const { resumeMs, watchedAt } = await get<Recording>(`recordings/${first}`);
      return resumeMs !== null || watchedAt !== null;
    });
    await page.getByText('をサーバーから削除').waitFor({ state: 'detached' });
    expect((await saved(page)).map(([id]) => id).filter((id) => id !== first)).toEqual([third]);
    await page.close();
  });

  test('is told within 5 s that a recording failed, and books the next airing from the notice', async () => {
    const page = await context.newPage();
    // No push service of a browser maker can be reached from here: the subscription leads to the test's receiver.
    await page.addInitScript(
      (subscription) => {
        Object.assign(PushManager.prototype, {
          getSubscription: async () => null,
          subscribe: async () => ({ toJSON: () => subscription }),
        });
      },
      { endpoint: `http://127.0.0.1:${receiver.port}/push`, keys: phone.keys },
    );
    await page.goto(`${origin}settings?section=notify`);
    await page.getByRole('button', { name: 'この端末に通知' }).click();
    await page.getByText('に通知します').first().waitFor();
    const hook = {
      kind: 'webhook',
      format: 'generic',
      name: '試験',
      url: `http://127.0.0.1:${receiver.port}/hook`,
    };
    expect((await ask('POST', 'notifications', hook)).status).toBe(201);

    // The agent has no tuner to give: what is booked fails, and the next airing is left to the person.
    expect((await ask('PUT', 'settings', { retryDamaged: 'never' })).status).toBe(200);
    const startAt = Date.now() + 2_000;
    const name = '港の朝市 第7回';
    const airing = { station: HOME_STATION, name, description: '同じ回' };
    const [now = 0, later = 0] = putPrograms(database, [
      { ...airing, event: 901, startAt, endAt: startAt + 4_000 },
      { ...airing, event: 902, startAt: startAt + 1_440 * MINUTE, endAt: startAt + 1_470 * MINUTE },
    ]);
    const wish = { programId: now, marginBefore: 0, marginAfter: 0 };
    expect((await ask('POST', 'reservations', wish)).status).toBe(200);
    const failed = await until('the service knows', async () =>
      (await get<Notice[]>('notices')).find(({ event }) => event === 'failed'),
    );
    await until('both are told', () => received.length >= 2);
    for (const { at } of received) expect(at - failed.at).toBeLessThan(5_000);
    const hooked = received.find(({ path }) => path === '/hook');
    expect(JSON.parse(Buffer.from(hooked?.body ?? []).toString())).toMatchObject({
      event: 'failed',
      text: expect.stringContaining(name),
    });

    const pushed = phone.decrypt(received.find(({ path }) => path === '/push')?.body ?? new Uint8Array());
    const cdp = await context.newCDPSession(page);
    const { promise, resolve } = Promise.withResolvers<string>();
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const one of registrations) if (!one.isDeleted) resolve(one.registrationId);
    });
    await cdp.send('ServiceWorker.enable');
    const push = { origin: origin.slice(0, -1), registrationId: await promise, data: pushed };
    const shown = await until('it is shown', async () => {
      // Chromium does not tell whether the worker took it; the same message again replaces the first.
      await cdp.send('ServiceWorker.deliverPushMessage', push);
      return await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        const [first] = await registration.getNotifications();
        return first === undefined
          ? undefined
          : {
              title: first.title,
              body: first.body,
              actions: (first as { actions?: { title: string }[] }).actions?.map(({ title }) => title),
            };
      });
    });
    expect(shown).toEqual({ title: '録画失敗', body: failed.text, actions: ['次の放送を予約'] });

    const [worker] = context.serviceWorkers();
    // As the browser does when the button is pressed; a script may not keep the worker alive.
    await worker?.evaluate(async () => {
      const scope = self as unknown as EventTarget & { registration: ServiceWorkerRegistration };
      const [notification] = await scope.registration.getNotifications();
      if (notification === undefined) throw new Error('no notice');
      const pressed = new Event('notificationclick');
      Object.assign(pressed, { notification, action: 'book_next', waitUntil: () => undefined });
      scope.dispatchEvent(pressed);
    });
    const booked = await until('it is booked', async () =>
      (await get<ReservationItem[]>('reservations')).find(({ programId }) => programId === later),
    );
    expect(booked.state).toBe('scheduled');
    await until('the result is shown', () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        return (await registration.getNotifications()).some(({ body }) => body.includes('を予約しました'));
      }),
    );
    await page.close();
  });
});
