/**
 * Notices from the rows of recordings to real HTTP targets, with the clock of the test. The receivers check signatures
 * and decrypt pushes with code of their own.
 */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { publicFetch } from '../../lib/host/public-fetch.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../../lib/wire/vocabulary.ts';
import { reservationReasonText } from '../../src/booking/reservation-reason-text.ts';
import type { NewStoredTarget } from '../../src/model/notice.ts';
import { Deliveries } from '../../src/notify/deliveries.ts';
import { noticeText } from '../../src/notify/notice-text.ts';
import { makePushKeys } from '../../src/notify/push.ts';
import { recordingReasonText } from '../../src/record/recording-answers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { NoticeStore } from '../../src/store/notice-store.ts';
import { writeNow } from '../../src/store/transaction.ts';
import { until } from '../until.ts';
import { pushReceiver } from './push-receiver.ts';

/** 2027-01-15 08:00 UTC: 17:00 in Japan. */
const START = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Received {
  path: string;
  headers: Headers;
  body: Uint8Array;
  text: string;
}

let folder: string;
let database: Database;
let store: NoticeStore;
let server: Bun.Server<undefined>;
let deliveries: Deliveries;
let received: Received[];
/** Answers in order; the last one is repeated. */
let answers: (() => Response | Promise<Response>)[];
let now: number;
let ids: number;
const logged: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-notices-'));
  database = openDatabase(join(folder, 'svc.db'));
  store = new NoticeStore(database);
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (1, 'GR', 4, 1, 'T27', '試験テレビ', 1, 1, 0)`,
  );
  [received, answers, now, ids] = [[], [() => new Response(null, { status: 204 })], START, 0];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const text = Buffer.from(body).toString();
      received.push({ path: new URL(request.url).pathname, headers: request.headers, body, text });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return (await answer?.()) ?? new Response();
    },
  });
  deliveries = open();
});

afterEach(async () => {
  await deliveries.close();
  server.stop(true);
  database.close();
  rmSync(folder, { recursive: true });
});

/** As after a start of the service. */
function open(timeoutMs = 20_000): Deliveries {
  return new Deliveries({
    store,
    text: noticeText({ recording: recordingReasonText, reservation: reservationReasonText }),
    actions: ({ subject }) => [{ action: 'watch', label: '見る', path: `watch/${subject}` }],
    send: (url, request, signal) =>
      publicFetch(url, request, {
        signal,
        resolve: async () => ['127.0.0.1'],
        allowsPrivate: true,
        timeoutMs,
        maxBytes: 10_000,
      }),
    pushKeys: () => store.pushKeys(makePushKeys),
    onNew: () => {},
    onResult: () => {},
    write: writeNow,
    newId: () => `msg_${++ids}`,
    pollMs: 1e9,
    log: createLog({ level: 'debug', now: () => wallMs(now), write: (line) => logged.push(line) }),
    now: () => wallMs(now),
  });
}

function target(over: Partial<NewStoredTarget> = {}): number {
  return store.addTarget({
    ...{ kind: 'webhook', format: 'generic', name: '試験', url: `http://hook.example:${server.port}/in` },
    ...{ secret: null, to: null, events: [...NOTICE_EVENTS], quiet: null, digest: false, enabled: true },
    base: 'https://svc.example/tv/',
    ...over,
  });
}

function recording(name = '夜のニュース'): number {
  return Number(
    database
      .query(
        `INSERT INTO recordings (station_id, service_name, state, name, description, start_at, end_at, created_at, updated_at)
         VALUES (1, '試験テレビ', 'recording', $name, '', ${START}, ${START + HOUR}, ${now}, ${now})`,
      )
      .run({ name }).lastInsertRowid,
  );
}

function end(
  id: number,
  state: 'recorded' | 'failed',
  verdict: object | null,
  reason: object | null = null,
): void {
  database
    .query(
      `UPDATE recordings SET state = $state, verdict = $verdict, reason = $reason, updated_at = ${now} WHERE id = $id`,
    )
    .run({ id, state, verdict: JSON.stringify(verdict), reason: JSON.stringify(reason) });
}

function add(count: number, event: NoticeEvent = 'reserved'): void {
  database.transaction(() => {
    for (let index = 0; index < count; index++)
      store.add({
        ...{
          key: `${event}${now}:${index}`,
          event,
          kind: 'reservation',
          subject: String(index),
          at: wallMs(now),
        },
        facts: { name: `番組${index}` },
      });
  })();
}

/** Looks for new notices and waits until nothing is being sent. */
async function settle(): Promise<void> {
  deliveries.look();
  await until('deliveries end', () => deliveries.isIdle);
}

const bodies = () => received.map(({ text }) => JSON.parse(text));

describe('what happened', () => {
  test('each recording tells its begin, and exactly one of finished and failed', async () => {
    target();
    const [whole, damaged, lost] = [recording('完全'), recording('欠落'), recording('失敗')];
    for (const id of [whole, damaged, lost])
      database.run(`UPDATE recordings SET began_at = ${now} WHERE id = ${id}`);
    const verdict = { level: 'complete', drops: 0, gaps: [], headMs: 0, tailMs: 0 };
    end(whole, 'recorded', verdict);
    end(damaged, 'recorded', {
      ...verdict,
      level: 'damaged',
      gaps: [{ startMs: 0, endMs: 540_000, cause: 'late' }],
    });
    end(lost, 'failed', null, { code: 'missing', cause: 'no_signal' });
    // Later changes of the row are not another end.
    database.run(`UPDATE recordings SET state = 'available' WHERE id = ${whole}`);
    database.run(`UPDATE recordings SET state = 'failed' WHERE id = ${damaged}`);
    await settle();
    expect(bodies().map(({ event, text }) => [event, text])).toEqual([
      ['started', '「完全」の録画を始めました。'],
      ['started', '「欠落」の録画を始めました。'],
      ['started', '「失敗」の録画を始めました。'],
      ['finished', '「完全」を録画しました。'],
      ['finished', '「欠落」を録画しましたが、約9分は録画されていません。'],
      ['failed', '「失敗」（試験テレビ 1/15(金) 17:00）を録画できませんでした。放送を受信できませんでした。'],
    ]);
    expect(bodies()[5]).toMatchObject({
      url: `https://svc.example/tv/recordings?recording=${lost}`,
      recording: { id: String(lost), name: '失敗', station: '試験テレビ', startAt: START },
    });
  });

  test('a change that is rolled back tells nothing', async () => {
    target();
    const id = recording();
    expect(() =>
      database.transaction(() => {
        end(id, 'failed', null);
        throw new Error('rolled back');
      })(),
    ).toThrow('rolled back');
    await settle();
    expect(received).toEqual([]);
  });

  test('a booking tells a conflict and its miss; damaged stored reasons disturb nothing', async () => {
    target();
    const insert = (state: string, reason: string | null, program: number) =>
      Number(
        database
          .query(
            `INSERT INTO reservations (program_id, station_id, state, reason, priority, name, description, start_at, end_at,
               created_at, updated_at) VALUES ($program, 1, $state, $reason, 2, '映画', '', ${START}, ${START + HOUR}, ${now}, ${now})`,
          )
          .run({ program, state, reason }).lastInsertRowid,
      );
    const broken = insert('scheduled', null, 1);
    database.run(`UPDATE reservations SET state = 'conflict', reason = 'not json' WHERE id = ${broken}`);
    database.run(`UPDATE reservations SET state = 'scheduled', reason = NULL WHERE id = ${broken}`);
    // The same conflict again is not told again.
    database.run(`UPDATE reservations SET state = 'conflict' WHERE id = ${broken}`);
    database.run(
      `UPDATE reservations SET state = 'missed', reason = '{"code":"missed_service_stopped"}' WHERE id = ${broken}`,
    );
    insert('skipped', '{"code":"copy_never"}', 2);
    await settle();
    expect(bodies().map(({ event }) => event)).toEqual(['conflict', 'failed']);
    expect(bodies()[1].text).toContain('サービスが止まっていたため録画できませんでした。');
  });
});

describe('delivery', () => {
  test('is repeated with a constant id, also by the next process, until it succeeds', async () => {
    target();
    answers = [
      () => new Response(null, { status: 500 }),
      () => new Response(null, { status: 503 }),
      () => new Response(null, { status: 200 }),
    ];
    end(recording(), 'failed', null);
    await settle();
    await settle();
    expect(received).toHaveLength(1);
    await deliveries.close();
    deliveries = open();
    now += 5_000;
    await settle();
    expect(received).toHaveLength(2);
    now += MINUTE - 1;
    await settle();
    expect(received).toHaveLength(2);
    now += 1;
    await settle();
    expect(received.map(({ headers }) => headers.get('webhook-id'))).toEqual(['msg_1', 'msg_1', 'msg_1']);
    now += 24 * HOUR;
    await settle();
    expect(received).toHaveLength(3);
    expect(store.targets()[0]?.last?.ok).toBe(true);
  });

  test('is given up after six attempts over seven hours, with the reason', async () => {
    target();
    answers = [() => new Response(null, { status: 500 })];
    end(recording(), 'failed', null);
    for (let minute = 0; minute < 10 * 60; minute++) {
      await settle();
      now += MINUTE;
    }
    expect(received).toHaveLength(6);
    expect(store.targets()[0]?.last).toMatchObject({
      ok: false,
      message: '通知先がエラーを返しました（500）。',
    });
  });

  test('of a target that never answers delays no other', async () => {
    await deliveries.close();
    deliveries = open(200);
    target({ name: '黙る' });
    answers = [() => new Promise<Response>(() => {}), () => new Response(null, { status: 204 })];
    end(recording(), 'failed', null);
    deliveries.look();
    await until('the first request hangs', () => received.length === 1);
    const second = target({ name: '答える' });
    add(1, 'failed');
    deliveries.look();
    await until('the other target has it', () => store.target(second)?.last?.ok === true);
    await until('deliveries end', () => deliveries.isIdle);
    expect(store.targets()[0]?.last).toMatchObject({ ok: false });
  });

  test('that is under way when the service ends is ended with it, and made again without having failed', async () => {
    target();
    answers = [() => new Promise<Response>(() => {}), () => new Response(null, { status: 204 })];
    add(1, 'failed');
    deliveries.look();
    await until('the first request hangs', () => received.length === 1);
    await deliveries.close();
    expect([deliveries.isIdle, store.targets()[0]?.last]).toEqual([true, null]);
    deliveries = open();
    await settle();
    expect(received.map(({ headers }) => headers.get('webhook-id'))).toEqual(['msg_1', 'msg_1']);
    expect(store.targets()[0]?.last?.ok).toBe(true);
  });

  test('goes on after a clock that was a year ahead, or a year behind, is set right', async () => {
    target();
    const right = now;
    for (const wrong of [right + 365 * 24 * HOUR, right - 365 * 24 * HOUR]) {
      received = [];
      answers = [() => new Response(null, { status: 500 }), () => new Response(null, { status: 204 })];
      now = wrong;
      add(1, 'failed');
      await settle();
      expect(received).toHaveLength(1);
      now = right;
      await settle();
      expect(received).toHaveLength(2);
      expect(received[1]?.headers.get('webhook-id')).toBe(received[0]?.headers.get('webhook-id') ?? '');
    }
  });

  test('answers decide: gone, refused, moved, too long, too many', async () => {
    const cases: [number, Record<string, string>, boolean, number][] = [
      // Status, headers, whether it is a push target, seconds to the next attempt (0: none).
      [410, {}, true, 0],
      [404, {}, true, 0],
      [413, {}, true, 0],
      [401, {}, false, 0],
      [302, { location: 'http://192.168.0.1/' }, false, 0],
      [429, { 'retry-after': '600' }, false, 600],
      [429, {}, false, 5],
    ];
    for (const [index, [status, headers, isPush, seconds]] of cases.entries()) {
      const id = target(isPush ? pushTarget().target : {});
      answers = [() => new Response(null, { status, headers }), () => new Response(null, { status: 204 })];
      received = [];
      now += HOUR;
      add(1, 'failed');
      await settle();
      expect([index, received.length]).toEqual([index, 1]);
      if (seconds > 0) {
        now += seconds * 1000 - 1;
        await settle();
        expect(received).toHaveLength(1);
        now += 1;
        await settle();
      }
      expect([index, received.length]).toEqual([index, seconds > 0 ? 2 : 1]);
      const isGone = status === 410 || status === 404;
      expect([index, store.target(id) === undefined]).toEqual([index, isGone]);
      store.removeTarget(id);
    }
  });

  test('10,000 events in a minute become a few bounded messages', async () => {
    target({ format: 'slack' });
    const script = target();
    add(10_000);
    await settle();
    expect(received.length).toBeLessThanOrEqual(2);
    for (const { body } of received) expect(body.length).toBeLessThan(10_000);
    expect(received.some(({ text }) => text.includes('番組9999') && text.includes('ほか481件'))).toBe(true);
    expect(store.waiting(script)).toBe(0);
    expect(store.latest(100_000).length).toBeLessThanOrEqual(2_000);
  });

  test('quiet hours hold everything back, over midnight; the rest is collected until the morning', async () => {
    // 22:00 to 7:00.
    target({ format: 'slack', quiet: { from: 22 * 60, to: 7 * 60 }, digest: true });
    add(3, 'finished');
    end(recording(), 'failed', null);
    await settle();
    expect(received).toHaveLength(1);
    expect(received[0]?.text).toContain('録画失敗');
    // 23:00.
    now += 6 * HOUR;
    add(1, 'failed');
    await settle();
    expect(received).toHaveLength(1);
    // 7:00.
    now += 8 * HOUR;
    await settle();
    expect(received).toHaveLength(2);
    // 8:00.
    now += HOUR;
    await settle();
    expect(received).toHaveLength(3);
    expect(JSON.parse(received[2]?.text ?? '').text).toContain('お知らせ 3件');
  });

  test('a reminder comes at once, also at night and where the rest is collected, but not after its programme', async () => {
    const everything = { format: 'slack', digest: true, quiet: { from: 0, to: 1439 } } as const;
    const id = target(everything);
    const remind = (key: string) =>
      store.add({
        ...{ key, event: 'reminder', kind: 'program', subject: '5', at: wallMs(now) },
        facts: { name: '映画', startAt: now + 10 * MINUTE, endAt: now + HOUR },
      });
    remind('a');
    await settle();
    expect(JSON.parse(received[0]?.text ?? '').text).toContain(
      '「映画」（1/15(金) 17:10）が10分後に始まります。',
    );
    answers = [() => new Response(null, { status: 500 })];
    remind('b');
    await settle();
    expect([received.length, store.waiting(id)]).toEqual([2, 1]);
    now += 2 * HOUR;
    await settle();
    expect([received.length, store.waiting(id)]).toEqual([2, 0]);
  });

  test('what was not chosen does not arrive, nor does anything for a disabled target', async () => {
    target({ events: ['failed'] });
    target({ enabled: false });
    add(2, 'finished');
    await settle();
    expect(received).toEqual([]);
  });
});

describe('formats', () => {
  test('generic is signed in the Standard Webhooks way', async () => {
    target({ secret: `whsec_${Buffer.from('a secret of a script').toString('base64')}` });
    add(1, 'failed');
    await settle();
    const [{ headers, text } = { headers: new Headers(), text: '' }] = received;
    const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${text}`;
    const expected = createHmac('sha256', 'a secret of a script').update(signed).digest('base64');
    expect(headers.get('webhook-signature')).toBe(`v1,${expected}`);
    expect(Number(headers.get('webhook-timestamp'))).toBe(START / 1000);
  });

  test('each service gets what it reads', async () => {
    const url = `http://hook.example:${server.port}`;
    target({ format: 'discord', url: `${url}/api/webhooks/1/secret` });
    target({ format: 'slack', url: `${url}/services/T/B/x` });
    target({ format: 'ntfy', url: `${url}/my-topic`, secret: 'tk_1' });
    target({ format: 'gotify', url, secret: 'key' });
    target({ format: 'line', url: `${url}/v2/bot/message/push`, secret: 'line', to: 'U1' });
    target({ format: 'telegram', url, secret: '12:ab', to: '-100' });
    store.add({
      ...{ key: 'k', event: 'failed', kind: 'recording', subject: '7', at: wallMs(now) },
      facts: { name: '<猫> & @everyone', recordingReason: { code: 'missing', cause: 'no_signal' } },
    });
    await settle();
    const byPath = new Map(received.map((one) => [one.path, { ...one, json: JSON.parse(one.text) }]));
    expect([...byPath.keys()].sort()).toEqual([
      '/',
      '/api/webhooks/1/secret',
      '/bot12:ab/sendMessage',
      '/message',
      '/services/T/B/x',
      '/v2/bot/message/push',
    ]);
    const link = 'https://svc.example/tv/recordings?recording=7';
    expect(byPath.get('/api/webhooks/1/secret')?.json).toMatchObject({
      embeds: [{ title: '録画失敗', url: link, timestamp: new Date(START).toISOString() }],
      allowed_mentions: { parse: [] },
    });
    expect(byPath.get('/services/T/B/x')?.json.text).toContain('&lt;猫&gt; &amp; @everyone');
    expect(byPath.get('/')?.json).toMatchObject({
      topic: 'my-topic',
      title: '録画失敗',
      click: link,
      priority: 4,
    });
    expect(byPath.get('/')?.headers.get('authorization')).toBe('Bearer tk_1');
    expect(byPath.get('/message')?.headers.get('x-gotify-key')).toBe('key');
    expect(byPath.get('/v2/bot/message/push')?.json).toMatchObject({
      to: 'U1',
      messages: [{ type: 'text' }],
    });
    expect(byPath.get('/v2/bot/message/push')?.headers.get('authorization')).toBe('Bearer line');
    expect(byPath.get('/bot12:ab/sendMessage')?.json).toMatchObject({ chat_id: '-100' });
    expect(logged.join()).not.toContain('secret');
  });

  test('a push is signed and encrypted for its browser', async () => {
    const browser = pushTarget();
    target(browser.target);
    end(recording('録り逃した'.repeat(400)), 'failed', null);
    await settle();
    const [push] = received;
    if (push === undefined) throw new Error('no push');
    expect(push.body.length).toBeLessThanOrEqual(4096);
    expect(Number(push.headers.get('ttl'))).toBeGreaterThan(3600);
    expect(push.headers.get('urgency')).toBe('high');
    const message = JSON.parse(browser.decrypt(push.body));
    expect(message).toMatchObject({ title: '録画失敗', path: 'recordings?recording=1', tag: 'msg_1' });
    expect(message).toMatchObject({
      notice: 1,
      actions: [{ action: 'watch', label: '見る', path: 'watch/1' }],
    });
    expect(message.body).toStartWith('「録り逃した');
    expect(signerOf(push.headers.get('authorization') ?? '')).toEqual({
      key: store.pushKeys(makePushKeys).publicKey,
      aud: `http://push.example:${server.port}`,
      sub: 'https://svc.example/tv/',
    });
  });
});

/** A push target whose browser is this test. */
function pushTarget() {
  const { keys, decrypt } = pushReceiver();
  const target: Partial<NewStoredTarget> = {
    ...{ kind: 'push', format: null, url: `http://push.example:${server.port}/send/1` },
    secret: JSON.stringify(keys),
  };
  return { target, decrypt };
}

/** Verifies the signature of RFC 8292. */
function signerOf(header: string): { key: string; aud: string; sub: string } {
  const [, token = '', key = ''] = /^vapid t=(\S+), ?k=(\S+)$/.exec(header) ?? [];
  const [head = '', payload = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
  };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned).toBe(true);
  const { aud, sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return { key, aud, sub };
}
