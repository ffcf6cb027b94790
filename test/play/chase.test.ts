/** Watching a recording in progress, limited conversions, and encoders that fail. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordingId } from '../../lib/wire/ids.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { SocketClient } from '../live/socket-client.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { until } from '../until.ts';
import { FFMPEG, madeStream, outputOf, played } from './made-recording.ts';

// Each starts some encoders and decoders, on a machine that may be busy.

const folder = mkdtempSync(join(tmpdir(), 'svc-chase-'));
const encoder = join(folder, 'ffmpeg');
let home: RecordedHome;

/** Conversions run through a script, so that a test can make them fail; other uses run ffmpeg directly. */
function conversionsAre(line: string): void {
  const script = `#!/bin/sh\ncase "$*" in *pipe:0*) ${line} ;; *) exec ${FFMPEG} "$@" ;; esac\n`;
  writeFileSync(encoder, script);
  chmodSync(encoder, 0o755);
}

const SOUND = `exec ${FFMPEG} "$@"`;

beforeAll(async () => {
  conversionsAre(SOUND);
  home = await RecordedHome.start({ FFMPEG_PATH: encoder });
});

afterAll(async () => {
  await home.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  home.clear();
  conversionsAre(SOUND);
  // More than are needed: those of the previous test may end a little later.
  await home.send('PUT', '/api/settings', { conversions: 16 });
});

function get(id: number, query: string, kind = 'chase', signal?: AbortSignal): Promise<Response> {
  return home.get(`/api/recordings/${id}/${kind}?${query}`, signal === undefined ? {} : { signal });
}

function pathOf(id: number): string {
  const row = home.database
    .query<{ path: string }, { id: number }>('SELECT path FROM recording_parts WHERE recording_id = $id')
    .get({ id });
  return row?.path ?? '';
}

/** Whether a conversion starts; it is cancelled at once. */
async function getsSlot(id: number): Promise<boolean> {
  const response = await get(id, '');
  await response.body?.cancel();
  return response.status === 200;
}

async function problem(response: Response): Promise<[number, string, string]> {
  const { code, message } = (await response.json()) as { code: string; message: string };
  return [response.status, code, message];
}

/** Reads until this many bytes arrived. */
async function readSome(
  body: AsyncIterator<Uint8Array>,
  chunks: Uint8Array[],
  octets: number,
): Promise<void> {
  for (let read = 0; read < octets; ) {
    const { done, value } = await body.next();
    if (done === true) throw new Error('it ended');
    chunks.push(value);
    read += value.length;
  }
}

test('chase follows what is written and ends with the recording', async () => {
  const whole = await madeStream({ seconds: 10, flashAt: 9, clock: 700 });
  const half = Math.floor(whole.length / 188 / 2) * 188;
  const id = home.put({ content: whole.subarray(0, half), state: 'recording' });
  const response = await get(id, 'codec=raw&from=1e9');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
  const start = Number(response.headers.get('x-svc-start'));
  const recorded = Number(response.headers.get('x-svc-recorded'));
  expect(recorded).toBeGreaterThan(3);
  expect(start).toBeLessThanOrEqual(Math.max(0, recorded - 5));
  const body = (response.body as ReadableStream<Uint8Array>)[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  await readSome(body, chunks, half / 2);
  appendFileSync(pathOf(id), whole.subarray(half));
  home.database.run("UPDATE recordings SET state = 'recorded'");
  for (let next = await body.next(); next.done !== true; next = await body.next()) chunks.push(next.value);
  const bytes = new Uint8Array(Buffer.concat(chunks));
  expect(Buffer.compare(bytes.subarray(-188 * 50), whole.subarray(-188 * 50))).toBe(0);
});

test('a chase over the live socket has its position on the scale, and occupies a slot only while it is watched', async () => {
  await home.send('PUT', '/api/settings', { conversions: 1 });
  const id = home.put({
    content: await madeStream({ seconds: 9, flashAt: 6, clock: 700 }),
    state: 'recording',
  });
  const client = await SocketClient.open(home.service.url);
  client.send({ type: 'chase', recordingId: recordingId(id), from: 3.1, codec: 'h264' });
  const { from = 0, mime } = await client.message('tuned');
  expect(mime).toContain('avc1');
  expect(from).toBeGreaterThan(2.4);
  expect(from).toBeLessThanOrEqual(3.1);
  await client.frame(LIVE_CHANNEL.init);
  expect((await client.frame(LIVE_CHANNEL.fragment)).time).toBeLessThan(90_000);
  const other = await SocketClient.open(home.service.url);
  other.send({ type: 'chase', recordingId: recordingId(id), from: 0, codec: 'h264' });
  expect(await other.message('error')).toMatchObject({ code: 'busy' });
  await client.leave();
  await until('the slot is free', () => getsSlot(id));
  await other.leave();
});

test('a converted chase begins near 0 and reports its position', async () => {
  const content = await madeStream({ seconds: 9, flashAt: 6, clock: 700 });
  const id = home.put({ content, state: 'recording' });
  const response = await get(id, 'from=3.1');
  const offset = Number(response.headers.get('x-svc-offset'));
  expect(offset).toBeGreaterThan(2.4);
  expect(offset).toBeLessThanOrEqual(3.1);
  const body = response.bytes();
  home.database.run("UPDATE recordings SET state = 'recorded'");
  const { video, flashes, beeps } = await played(await body);
  expect(video?.[0]).toBeCloseTo(0, 2);
  expect(Math.abs((flashes[0] ?? 0) + offset - 6)).toBeLessThan(0.05);
  expect(Math.abs((beeps[0] ?? 0) - (flashes[0] ?? 0))).toBeLessThan(0.08);
});

test('a change of codec ends the stream, and the next request begins after it', async () => {
  const before = await madeStream({ seconds: 3, flashAt: 1, clock: 100 });
  const after = await madeStream({ seconds: 3, flashAt: 2, clock: 103, codec: 'libx264' });
  const id = home.put({ content: new Uint8Array(Buffer.concat([before, after])), state: 'recording' });
  const first = await played(await (await get(id, 'from=0')).bytes());
  const end = first.video?.[1] ?? 0;
  expect(end).toBeGreaterThan(2.5);
  expect(end).toBeLessThan(3.01);
  // Closer to the writing position than chase would begin, and one picture before the change.
  const next = await get(id, `from=${end - 0.03}`);
  const offset = Number(next.headers.get('x-svc-offset'));
  expect(offset).toBeGreaterThan(end);
  expect(offset).toBeLessThan(3.6);
  const rest = next.bytes();
  home.database.run("UPDATE recordings SET state = 'recorded'");
  const { video, flashes } = await played(await rest);
  expect((video?.[1] ?? 0) + offset).toBeGreaterThan(5.8);
  expect(Math.abs((flashes[0] ?? 0) + offset - 5)).toBeLessThan(0.1);
  // The same for finished recordings, whose streams otherwise begin a second early.
  const finished = await get(id, `codec=h264&from=${end}`, 'stream');
  expect(Number(finished.headers.get('x-svc-start'))).toBeCloseTo(offset, 3);
  await finished.body?.cancel();
});

/** The same stream with its audio twice. */
function withSecondAudio(stream: Uint8Array): Promise<Uint8Array> {
  const maps = ['-map', '0:v', '-map', '0:a', '-map', '0:a', '-c', 'copy'];
  const times = ['-copyts', '-muxdelay', '0', '-muxpreload', '0', '-mpegts_start_pid', '256'];
  return outputOf(stream, '-f', 'mpegts', '-i', '-', ...maps, ...times, '-f', 'mpegts', 'pipe:1');
}

test('an audio stream that ends closes the stream, and requests up to 15 s later begin at the change', async () => {
  const before = await withSecondAudio(await madeStream({ seconds: 3, flashAt: 1, clock: 100 }));
  const after = await madeStream({ seconds: 20, flashAt: 2, clock: 103 });
  const id = home.put({ content: new Uint8Array(Buffer.concat([before, after])), state: 'recording' });
  const first = await played(await (await get(id, 'from=0&audio=1:both')).bytes());
  const end = first.video?.[1] ?? 0;
  expect(end).toBeGreaterThan(2.5);
  expect(end).toBeLessThan(3.1);
  const places: number[] = [];
  for (const from of [end - 0.03, end + 14, end + 17]) {
    const next = await get(id, `from=${from}`);
    places.push(Number(next.headers.get('x-svc-offset')));
    await next.body?.cancel();
  }
  const [atEnd = 0, within, beyond] = places;
  expect(atEnd).toBeGreaterThan(end);
  expect(atEnd).toBeLessThan(end + 0.6);
  expect(within).toBe(atEnd);
  // Not nearer to the writing position than 5 s.
  expect(beyond).toBeGreaterThan(16);
});

test('a chase of a recording that has just begun waits for its first pictures, also over the live socket', async () => {
  const whole = await madeStream({ seconds: 9, flashAt: 6, clock: 700 });
  const id = home.put({ content: new Uint8Array(0), state: 'recording' });
  home.database.run('UPDATE recordings SET began_at = NULL');
  const client = await SocketClient.open(home.service.url);
  client.send({ type: 'chase', recordingId: recordingId(id), from: 1e9, codec: 'raw' });
  const asked = get(id, 'codec=raw&from=1e9');
  // The requests are being handled by now.
  expect((await home.get(`/api/recordings/${id}/status`)).status).toBe(200);
  appendFileSync(pathOf(id), whole);
  const response = await asked;
  expect(response.status).toBe(200);
  await response.body?.cancel();
  expect(await client.message('tuned')).toMatchObject({ codec: 'raw', recordingId: id });
  await client.leave();
});

test('beyond the written part there is nothing to chase', async () => {
  expect(await problem(await get(home.put({ content: null, state: 'recording' }), ''))).toEqual([
    404,
    'not_found',
    'まだ何も録画されていません。',
  ]);
  // Finished, and only its encoded file was kept.
  expect(await problem(await get(home.put({ content: null }), ''))).toEqual([
    404,
    'not_found',
    'この録画の放送ストリームはありません。',
  ]);
  const empty = home.put({ content: new Uint8Array(0), state: 'recording' });
  expect(await problem(await get(empty, ''))).toEqual([404, 'not_found', 'この録画のファイルは空です。']);
  expect((await get(999_999, '')).status).toBe(404);
  expect((await get(empty, 'codec=mpeg2')).status).toBe(400);
  expect((await get(empty, 'from=-3')).status).toBe(400);
});

test('conversions beyond the slots are refused, and a client that disconnects frees its slot', async () => {
  const id = home.put({
    content: await madeStream({ seconds: 9, flashAt: 6, clock: 700 }),
    state: 'recording',
  });
  await home.send('PUT', '/api/settings', { conversions: 1 });
  const leaving = new AbortController();
  // Conversions of the previous test release their slots within moments.
  const first = await until('a slot is free', async () => {
    const response = await get(id, '', 'chase', leaving.signal);
    return response.status === 200 ? response : undefined;
  });
  expect(first.status).toBe(200);
  expect(await problem(await get(id, ''))).toEqual([503, 'busy', 'サーバが混んでいます']);
  // The original packets need no slot.
  const raw = await get(id, 'codec=raw');
  expect(raw.status).toBe(200);
  await raw.body?.cancel();
  leaving.abort();
  await until('the slot is free again', async () => ((await getsSlot(id)) ? true : undefined));
});

test('clients that leave at any moment while they get a slot leave all slots free', async () => {
  const id = home.put({
    content: await madeStream({ seconds: 9, flashAt: 6, clock: 700 }),
    state: 'recording',
  });
  await home.send('PUT', '/api/settings', { conversions: 2 });
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const leaving = new AbortController();
      const asked = get(id, '', index % 2 === 0 ? 'chase' : 'captions', leaving.signal).catch(
        () => undefined,
      );
      // From at once to after the encoder has started.
      setTimeout(() => leaving.abort(), index * 10);
      await (await asked)?.body?.cancel().catch(() => {});
    }),
  );
  const both = new AbortController();
  await until('two slots are free', async () => {
    const responses = await Promise.all([
      get(id, '', 'chase', both.signal),
      get(id, 'from=3', 'chase', both.signal),
    ]);
    if (responses.every(({ status }) => status === 200)) return true;
    await Promise.all(responses.map(({ body }) => body?.cancel()));
    return false;
  });
  expect(await problem(await get(id, ''))).toEqual([503, 'busy', 'サーバが混んでいます']);
  both.abort();
});

test('an encoder that fails before its first picture is reported, one that is killed later aborts the stream', async () => {
  const id = home.put({ content: await madeStream({ seconds: 9, flashAt: 6, clock: 700 }) });
  conversionsAre('echo broken >&2; exit 1');
  expect(await problem(await get(id, 'codec=h264', 'stream'))).toEqual([
    500,
    'internal',
    '映像の変換を始められませんでした',
  ]);
  // Part of a real conversion, then the encoder is killed.
  conversionsAre(`${FFMPEG} "$@" | head -c 60000; kill -9 $$`);
  const response = await get(id, 'codec=h264', 'stream');
  expect(response.status).toBe(200);
  await expect(response.bytes()).rejects.toThrow();
  conversionsAre(SOUND);
  const whole = await get(id, 'codec=h264&from=8', 'stream');
  expect((await played(await whole.bytes())).video?.[1]).toBeGreaterThan(8.8);
  rmSync(encoder);
  expect((await problem(await get(id, 'codec=h264', 'stream'))).slice(0, 2)).toEqual([
    503,
    'ffmpeg_unavailable',
  ]);
});
