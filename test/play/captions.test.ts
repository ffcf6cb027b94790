/** Captions of recordings over HTTP: as a file, and as a frame stream. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { broadcastMs, type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import { type CaptionsFile, CaptionsFileSchema } from '../../lib/wire/caption.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { captionsFrom } from '../../src/media/captions.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer } from '../../src/media/recording-index.ts';
import { CaptionFiles } from '../../src/play/caption-files.ts';
import { CaptionStreams } from '../../src/play/caption-streams.ts';
import type { OpenRecording } from '../../src/play/open-recordings.ts';
import { RecordingCache } from '../../src/play/recording-cache.ts';
import type { BackgroundContract } from '../../src/play/side-file-messages.ts';
import type { ListedRecording } from '../../src/store/recording-list-store.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { startBackgroundWorker } from '../built-programs.ts';
import { extractCaptions } from '../caption/extract-captions.ts';
import { captionFrames, type ReadFrame } from '../caption/frames.ts';
import { recording } from '../caption/recording.ts';
import { SocketClient } from '../live/socket-client.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { nullPackets } from '../service/recording-rows.ts';
import { madeStream } from './made-recording.ts';

const SECOND = 90_000;
const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const SECONDS = 90;
const from = ticksAt(AT);
const station = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .find(({ place }) => place.captions?.plan.languages.length === 2);

let home: RecordedHome;
let whole: Uint8Array;
let wanted: CaptionsFile;

beforeAll(async () => {
  if (station === undefined) throw new Error('no station with two languages');
  const options = { seed: DEFAULT.seed, station, from, seconds: SECONDS, pictures: true };
  whole = Buffer.concat([...recording(options)]);
  async function* once(): AsyncGenerator<Uint8Array> {
    yield whole;
  }
  const scale = (at: Pts90k): number => (unwrapPts(at, from) - from) / SECOND;
  const found = await extractCaptions(once(), { scale });
  if (found === null) throw new Error('no captions');
  wanted = found;
  home = await RecordedHome.start();
});

afterAll(() => home.close());

const captions = (id: number, init: RequestInit = {}) =>
  home.get(`/api/recordings/${id}/captions.json`, init);

function pathOf(id: number): string {
  const row = home.database
    .query<{ path: string }, { id: number }>('SELECT path FROM recording_parts WHERE recording_id = $id')
    .get({ id });
  return row?.path ?? '';
}

async function opened(path: string): Promise<OpenRecording> {
  const bytes = await RecordingBytes.open(() => [path]);
  const input = { source: bytes, breaks: [], beganAt: undefined, serviceId: undefined };
  const index = await new RecordingIndexer().index(input);
  return { bytes, index, breakCount: () => 0, renew: async () => index, close: () => void bytes.close() };
}

function expectSame(file: CaptionsFile, other: CaptionsFile): void {
  expect(file.pages.map(({ page }) => page)).toEqual(other.pages.map(({ page }) => page));
  for (const [index, { at }] of file.pages.entries()) expect(at).toBeCloseTo(other.pages[index]?.at ?? -1, 3);
  expect(file.others?.map(({ code, pages }) => [code, pages.length])).toEqual(
    other.others?.map(({ code, pages }) => [code, pages.length]),
  );
}

describe('captions file', () => {
  test('has every page at its time on the playback scale, and is read once', async () => {
    const id = home.put({ content: whole }, 0);
    const first = await captions(id);
    expect(first.status).toBe(200);
    const file = (await first.json()) as CaptionsFile;
    expect([...Value.Errors(CaptionsFileSchema, file)]).toEqual([]);
    expect(wanted.pages.length).toBeGreaterThan(5);
    expectSame(file, wanted);
    rmSync(pathOf(id));
    const again = await captions(id);
    expect([again.status, await again.json()]).toEqual([200, file]);
    const etag = again.headers.get('etag') ?? '';
    expect((await captions(id, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('is available at once when it was read in advance', async () => {
    const folder = join(home.folder, 'read-ahead');
    const path = pathOf(home.put({ content: whole }, 10));
    const link = new WorkerLink<BackgroundContract>({
      ...{ name: 'background worker', startWorker: startBackgroundWorker, log: SILENT_LOG },
    });
    const files = new CaptionFiles({
      ...{ cache: new RecordingCache({ folder }), open: { open: () => opened(path) } },
      ...{ link, log: SILENT_LOG },
    });
    const recording = { id: 10, state: 'recorded' } as ListedRecording;
    await files.prepare(recording);
    rmSync(path);
    expectSame(JSON.parse((await files.json(recording)) ?? '') as CaptionsFile, wanted);
    await link.close();
  });

  test('of a recording in progress contains what was written, and more on the next request', async () => {
    const half = Math.floor(whole.length / 2 / 188) * 188;
    const id = home.put({ content: whole.subarray(0, half), state: 'recording' }, 1);
    const before = (await (await captions(id)).json()) as CaptionsFile;
    expect(before.pages.length).toBeGreaterThan(1);
    expect(before.pages.length).toBeLessThan(wanted.pages.length);
    appendFileSync(pathOf(id), whole.subarray(half));
    const from = before.pages.at(-2)?.at ?? 0;
    const expectNewer = async (): Promise<void> => {
      const answer = await home.get(`/api/recordings/${id}/captions.json?from=${from + 0.01}`);
      const newer = (await answer.json()) as CaptionsFile;
      // The page shown at that moment is the first.
      expect(newer.pages[0]?.at).toBe(from);
      expectSame(newer, captionsFrom(wanted, from + 0.01));
      expect(newer.others?.[0]?.pages.length).toBeLessThan(wanted.others?.[0]?.pages.length ?? 0);
    };
    await expectNewer();
    expectSame((await (await captions(id)).json()) as CaptionsFile, wanted);
    home.database.run("UPDATE recordings SET state = 'recorded' WHERE id = ?", [id]);
    await expectNewer();
    for (const wrong of ['-1', 'NaN', '']) {
      const refused = await home.get(`/api/recordings/${id}/captions.json?from=${wrong}`);
      expect([wrong, refused.status]).toEqual([wrong, 400]);
    }
  });

  test('does not exist without captions, without an original stream, or for an unknown recording', async () => {
    const silent = [...whole];
    // Changes the stream types of captions in the PMT to others.
    const plain = Uint8Array.from(silent);
    for (let at = 0; at < plain.length; at += 188) {
      const pid = (((plain[at + 1] ?? 0) & 0x1f) << 8) | (plain[at + 2] ?? 0);
      if (pid === 0x130 || pid === 0x138) plain.set([0x1f, 0xff], at + 1);
    }
    const id = home.put({ content: plain }, 2);
    for (let time = 0; time < 2; time += 1) expect((await captions(id)).status).toBe(404);
    expect((await captions(home.put({ content: null }, 3))).status).toBe(404);
    expect((await captions(77_777)).status).toBe(404);
  });

  test('a caption shown at a join ends there', async () => {
    const shown = wanted.pages.findIndex(
      ({ page, at }, index) =>
        page.runs.length > 0 && page.duration === null && (wanted.pages[index + 1]?.at ?? 0) > at + 2,
    );
    const seconds = Math.ceil((wanted.pages[shown]?.at ?? 0) + 0.5);
    const filler = nullPackets(80);
    const broadcast = { seed: DEFAULT.seed, station: station as never, pictures: true, filler };
    // The second file was recorded an hour later.
    const parts = [
      ...recording({ ...broadcast, from, seconds }),
      ...recording({ ...broadcast, from: from + 3_600 * SECOND, seconds: 20 }),
    ];
    const id = home.put({ content: Buffer.concat(parts) }, 4);
    const file = (await (await captions(id)).json()) as CaptionsFile;
    expect(file.pages.map(({ at }) => at)).toEqual(file.pages.map(({ at }) => at).sort((a, b) => a - b));
    const joined = file.pages.findLast(({ at }) => at <= seconds + 0.2);
    expect(shown).toBeGreaterThanOrEqual(0);
    expect(joined?.page.runs).toEqual([]);
    expect(Math.abs((joined?.at ?? 0) - seconds)).toBeLessThan(0.5);
  });
});

async function readAll(body: ReadableStream<Uint8Array> | null): Promise<ReadFrame[]> {
  const frames: ReadFrame[] = [];
  if (body !== null) for await (const frame of captionFrames(body)) frames.push(frame);
  return frames;
}

describe('caption stream', () => {
  const stream = async (id: number, query = '') => home.get(`/api/recordings/${id}/captions?${query}`);

  test("sends captions up to the end, with the broadcast's time stamps, and closes", async () => {
    const id = home.put({ content: whole }, 5);
    const response = await stream(id, 'from=1e9&language=2');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/octet-stream',
    ]);
    expect(response.headers.get('x-svc-origin')).toBe(String(from % 2 ** 33));
    const [first] = await readAll(response.body);
    expect(first).toMatchObject({ kind: LIVE_CHANNEL.control, payload: { type: 'captions' } });
  });

  test('is refused without a time, a language or a stream', async () => {
    const id = home.put({ content: whole }, 6);
    for (const query of ['from=-1', 'from=NaN', 'from=', 'from=x', 'language=0', 'language=9']) {
      expect([query, (await stream(id, query)).status]).toEqual([query, 400]);
    }
    expect((await stream(home.put({ content: null }, 7))).status).toBe(404);
    expect((await stream(77_777)).status).toBe(404);
  });

  async function streams(state: { value: string; now: number }, content: string) {
    return new CaptionStreams({
      open: { open: () => opened(content) },
      list: { find: () => ({ state: state.value }) as ListedRecording },
      log: SILENT_LOG,
      elapsed: () => monotonicMs(state.now),
      sleep: async (ms) => {
        state.now += ms;
        await Bun.sleep(0);
      },
    });
  }

  test("is limited to twice the broadcast's pace after the start", async () => {
    const state = { value: 'recorded', now: 0 };
    const reading = await streams(state, pathOf(home.put({ content: whole }, 8)));
    const signal = new AbortController().signal;
    const request = { from: 40, language: 1 };
    const { body } = await reading.open({ id: 1 } as ListedRecording, request, signal);
    const frames = await readAll(body);
    const pages = frames.filter(({ kind }) => kind === LIVE_CHANNEL.caption);
    const times = pages.map(({ time }) => (unwrapPts(time as Pts90k, from) - from) / SECOND);
    expect(Math.min(...times)).toBeGreaterThan(27);
    const expected = wanted.pages.filter(({ at }) => at > 31).map(({ page }) => page);
    expect(pages.slice(-expected.length).map(({ payload }) => payload)).toEqual(expected as never);
    // Of the last 50 s the first two may arrive at once; blocks are read a few seconds at a time.
    const least = ((SECONDS - request.from - 2) / 2) * 1000;
    expect(state.now).toBeGreaterThan(least / 3);
    expect(state.now).toBeLessThan(least + 2_000);
    await reading.close();
  });

  test('of four on one recording the first is closed; one in progress is followed to its end', async () => {
    const state = { value: 'recording', now: 0 };
    const half = Math.floor(whole.length / 2 / 188) * 188;
    const path = pathOf(home.put({ content: whole.subarray(0, half) }, 9));
    const reading = await streams(state, path);
    const signal = new AbortController().signal;
    const request = { from: SECONDS / 2, language: 1 };
    const bodies: ReadableStream<Uint8Array>[] = [];
    for (let time = 0; time < 4; time += 1) {
      bodies.push((await reading.open({ id: 1 } as ListedRecording, request, signal)).body);
    }
    const [first, ...others] = bodies;
    if (first !== undefined) await readAll(first);
    appendFileSync(path, whole.subarray(half));
    const followed = others.map(readAll);
    state.value = 'recorded';
    const last = wanted.pages.at(-1)?.page;
    for (const frames of await Promise.all(followed)) {
      expect(frames.findLast(({ kind }) => kind === LIVE_CHANNEL.caption)?.payload).toEqual(last as never);
    }
    await reading.close();
  });
});

test('HEAD of a caption stream says the same, and closes none of those that run', async () => {
  const last = wanted.pages.at(-1);
  const at = last?.at ?? 0;
  const split = Math.floor((whole.length * (at - 3)) / SECONDS / 188) * 188;
  const id = home.put({ content: whole.subarray(0, split), state: 'recording' });
  const address = `/api/recordings/${id}/captions?from=${Math.floor(at)}`;
  const streams = await Promise.all([1, 2, 3].map(() => home.get(address)));
  const head = await home.get(address, { method: 'HEAD' });
  const facts = ({ status, headers }: Response) => [
    status,
    headers.get('content-type'),
    headers.get('x-svc-origin'),
  ];
  expect(facts(head)).toEqual(facts(streams[0] as Response));
  appendFileSync(pathOf(id), whole.subarray(split));
  home.database.run("UPDATE recordings SET state = 'recorded'");
  for (const frames of await Promise.all(streams.map(({ body }) => readAll(body))))
    expect(frames.findLast(({ kind }) => kind === LIVE_CHANNEL.caption)?.payload).toEqual(
      last?.page as never,
    );
});

test('come over the live socket with a recording that is watched there, on the scale of the file', async () => {
  const id = home.put({ content: Buffer.from(whole), state: 'recording' });
  const client = await SocketClient.open(home.service.url);
  client.send({ type: 'chase', recordingId: recordingId(id), from: 65, codec: 'raw' });
  const tuned = await client.message('tuned');
  expect(tuned).toMatchObject({ codec: 'raw', recordingId: id, mime: 'video/mp2t' });
  expect(tuned.from).toBeLessThanOrEqual(65);
  const origin = tuned.origin ?? 0;
  await client.frame(LIVE_CHANNEL.packets);
  await client.frame(LIVE_CHANNEL.caption, 3);
  const ats = wanted.pages.map(({ at }) => at);
  for (const { time } of client.on(LIVE_CHANNEL.caption).slice(1)) {
    const second = (unwrapPts(time, origin) - origin) / SECOND;
    // Within 1 ms of those of the file.
    expect(Math.min(...ats.map((at) => Math.abs(at - second)))).toBeLessThan(0.002);
  }
  home.database.run("UPDATE recordings SET state = 'recorded'");
  await client.message('restart');
  expect(await client.closed()).toBe(1000);
});

test('the headers of a caption stream come at once, also if no caption is sent', async () => {
  const content = await madeStream({ seconds: 4, flashAt: 1, clock: 30 });
  const id = home.put({ content, state: 'recording' });
  const leaving = new AbortController();
  // Before the first keep-alive after 20 s.
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(15_000)]);
  const response = await home.get(`/api/recordings/${id}/captions`, { signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  leaving.abort();
});
