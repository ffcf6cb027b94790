/**
 * Recordings as streams over HTTP: accuracy of a seek, gaps and joins, changes of layout, and unplayable
 * recordings.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdtsFrames } from '../../src/media/adts-frames.ts';
import { joinDualMono } from '../../synth/media/adts-frame.ts';
import { sound, tone } from '../live/media.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { RecordedHome, START } from '../service/recorded-home.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../stream-builder.ts';
import { madeStream, output, type Played, played } from './made-recording.ts';

// Each starts some encoders and decoders, on a machine that may be busy.

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start({ FFMPEG_PATH: FFMPEG_WITHOUT_AV1 });
});

afterAll(() => home.close());

beforeEach(() => home.clear());

const FRAME = 1001 / 30_000;

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function get(id: number, query: string, kind = 'stream'): Promise<Response> {
  return home.get(`/api/recordings/${id}/${kind}?${query}`);
}

async function watched(id: number, query: string, kind = 'stream'): Promise<Played & { response: Response }> {
  const response = await get(id, query, kind);
  expect([query, response.status]).toEqual([query, 200]);
  return { ...(await played(await response.bytes())), response };
}

/** Stores that writing was interrupted at a byte. */
function seam(id: number, position: number): void {
  home.database
    .query(
      `INSERT INTO recording_seams SELECT recording_id, path, $position, 'resumed', $at
       FROM recording_parts WHERE recording_id = $id`,
    )
    .run({ id, position, at: START });
}

test('a seek lands at the reported position, with picture and sound in sync', async () => {
  const id = home.put({ content: await madeStream({ seconds: 5, flashAt: 4, clock: 1_000 }) });
  const { response, video, audio, flashes, beeps } = await watched(id, 'codec=h264&from=3.2');
  expect(response.headers.get('content-type')).toBe('video/mp4');
  expect(response.headers.get('x-svc-mime')).toContain('avc1.');
  const start = Number(response.headers.get('x-svc-start'));
  expect(response.headers.get('x-svc-offset')).toBe('0.000000');
  // At the key frame at least a second earlier; there is one every half second.
  expect(start).toBeGreaterThan(1.6);
  expect(start).toBeLessThanOrEqual(2.2);
  expect(video?.[0]).toBeCloseTo(start, 3);
  expect(Math.abs((audio?.[0] ?? 0) - start)).toBeLessThan(0.1);
  expect(video?.[1]).toBeCloseTo(5 - FRAME, 1);
  expect(flashes).toHaveLength(1);
  expect(Math.abs((flashes[0] ?? 0) - 4)).toBeLessThan(1.5 * FRAME);
  expect(beeps).toHaveLength(1);
  expect(Math.abs((beeps[0] ?? 0) - (flashes[0] ?? 0))).toBeLessThan(0.06);
});

test('wrapping time stamps and a gap give one timeline on which picture and sound stay in sync', async () => {
  const wrap = 2 ** 33 / 90_000;
  const first = await madeStream({ seconds: 3, flashAt: 2, clock: wrap - 1 });
  const second = await madeStream({ seconds: 3, flashAt: 1, clock: 5_000 });
  const id = home.put({ content: joined(first, second) });
  seam(id, first.length);
  const description = (await (await get(id, '', 'playback')).json()) as { duration: number; joins: number[] };
  const [join = 0] = description.joins;
  expect(join).toBeCloseTo(3, 0);
  const { video, flashes, beeps, longestPicture } = await watched(id, 'codec=h264');
  expect(video?.[0]).toBeCloseTo(0, 2);
  expect(video?.[1]).toBeCloseTo(description.duration - FRAME, 1);
  expect(flashes).toHaveLength(2);
  expect(Math.abs((flashes[1] ?? 0) - (join + 1))).toBeLessThan(2 * FRAME);
  for (const [index, beep] of beeps.entries())
    expect(Math.abs(beep - (flashes[index] ?? 0))).toBeLessThan(0.08);
  expect(beeps).toHaveLength(2);
  expect(longestPicture).toBeLessThan(0.2);
  // Starts after the gap.
  const late = await watched(id, `codec=h264&from=${join + 1.6}`);
  expect(Math.abs((late.flashes[0] ?? 0) - (flashes[1] ?? 0))).toBeLessThan(FRAME);
});

test('a change of picture size, channels and PIDs does not end the stream', async () => {
  const first = await madeStream({ seconds: 2, flashAt: 1, clock: 100 });
  const second = await madeStream({
    ...{ seconds: 2, flashAt: 1, clock: 102 },
    ...{ size: '240x180', aspect: '4:3', channels: 6, firstPid: 512 },
  });
  const id = home.put({ content: joined(first, second) });
  const { video, flashes, beeps, size } = await watched(id, 'codec=h264');
  expect(size).toBe('320x180');
  expect(video?.[1]).toBeGreaterThan(3.8);
  expect(flashes).toHaveLength(2);
  expect(beeps).toHaveLength(2);
  expect(Math.abs((beeps[1] ?? 0) - (flashes[1] ?? 0))).toBeLessThan(0.08);
});

test('the original stream begins with its tables, and has the time stamp of second 0', async () => {
  const first = await madeStream({ seconds: 3, flashAt: 2, clock: 50 });
  const second = await madeStream({ seconds: 2, flashAt: 1, clock: 9_000 });
  const id = home.put({ content: joined(first, second) });
  seam(id, first.length);
  const response = await get(id, 'codec=mpeg2&from=2');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
  const origin = Number(response.headers.get('x-svc-origin')) / 90_000;
  const bytes = await response.bytes();
  expect([bytes.length % 188, bytes[0], bytes[1], bytes[2]]).toEqual([0, 0x47, 0x40, 0]);
  const { video, flashes } = await played(bytes);
  // Pictures that are shown before the key frame may follow it in the stream.
  const ahead = Number(response.headers.get('x-svc-start')) - ((video?.[0] ?? 0) - origin);
  expect(ahead).toBeGreaterThan(-0.01);
  expect(ahead).toBeLessThan(3 * FRAME);
  expect(flashes).toHaveLength(2);
  expect(Math.abs((flashes[0] ?? 0) - origin - 2)).toBeLessThan(0.1);
  // The second part continues the timeline of the first.
  expect(Math.abs((flashes[1] ?? 0) - origin - 4)).toBeLessThan(0.15);
});

test('a recording without sound can be played', async () => {
  const silent = home.put({
    content: await madeStream({ seconds: 2, flashAt: 1, clock: 10, only: 'video' }),
  });
  expect(await watched(silent, 'codec=h264')).toMatchObject({ audio: undefined });
});

test('a recording without picture can be played', async () => {
  const radio = home.put({ content: await madeStream({ seconds: 2, flashAt: 1, clock: 10, only: 'audio' }) });
  const heard = await watched(radio, 'codec=h264');
  expect(heard.video).toBeUndefined();
  expect(heard.beeps[0]).toBeCloseTo(1, 1);
  expect(heard.response.headers.get('content-type')).toBe('audio/mp4');
});

test('an announced picture that is never sent is ignored, and a scrambled one is reported as such', async () => {
  const both = await madeStream({ seconds: 2, flashAt: 1, clock: 10 });
  const packets = Array.from({ length: both.length / 188 }, (_, index) =>
    both.slice(index * 188, index * 188 + 188),
  );
  const pidOf = (packet: Uint8Array): number => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);
  const id = home.put({ content: joined(...packets.filter((packet) => pidOf(packet) !== 256)) });
  expect(await (await get(id, '', 'playback')).json()).toMatchObject({ hasVideo: false });
  const heard = await watched(id, 'codec=h264');
  expect([heard.video, heard.response.headers.get('content-type')]).toEqual([undefined, 'audio/mp4']);
  expect(heard.beeps[0]).toBeCloseTo(1, 1);
  for (const packet of packets) if (pidOf(packet) >> 1 === 128) packet[3] = (packet[3] ?? 0) | 0x80;
  const scrambled = await get(home.put({ content: joined(...packets) }), 'codec=h264');
  expect(scrambled.status).toBe(404);
  expect(((await scrambled.json()) as { message: string }).message).toContain('スクランブル');
});

/** 3 s of a tone in mono, as ADTS frames. */
async function monoFrames(hertz: number): Promise<Uint8Array[]> {
  const source = `sine=frequency=${hertz}:sample_rate=48000:duration=3`;
  // Frames without the fill element that names the encoder, and as an MPEG-2 encoder makes them.
  const tools = ['-profile:a', 'aac_low', '-aac_tns', '0', '-aac_pns', '0', '-flags:a', '+bitexact'];
  const codec = ['-c:a', 'aac', ...tools, '-b:a', '64k'];
  const bytes = await output('-f', 'lavfi', '-i', source, ...codec, '-f', 'adts', 'pipe:1');
  return new AdtsFrames().feed(bytes);
}

test('the requested channel of dual mono is played', async () => {
  const [main, sub] = await Promise.all([monoFrames(800), monoFrames(1_600)]);
  const builder = new StreamBuilder();
  for (const [index, frame] of main.entries()) {
    const other = sub[index];
    if (other === undefined) break;
    if (index % 4 === 0) {
      builder.sections(0, patSection(1, [[1024, 0x1f0]]));
      builder.sections(0x1f0, pmtSection(1024, { pcrPid: 0x1fff, streams: [{ type: 0x0f, pid: 0x110 }] }));
    }
    const pts = 900_000 + index * 1_920;
    builder.pes(0x110, pesPacket({ streamId: 0xc0, pts, data: joinDualMono(frame, other, false) }));
  }
  const audios = [{ componentTag: 16, componentType: 2, main: true, languages: ['jpn', 'eng'], text: '' }];
  const id = home.put({ content: builder.take(), audios });
  for (const [side, wanted, unwanted] of [
    ['0:main', 800, 1_600],
    ['0:sub', 1_600, 800],
  ] as const) {
    const { left, right } = await sound(await (await get(id, `codec=h264&audio=${side}`)).bytes());
    for (const ear of [left, right]) expect(tone(ear, wanted)).toBeGreaterThan(20 * tone(ear, unwanted));
  }
});

test('a recording in two files is played across the join', async () => {
  const content = await madeStream({ seconds: 3, flashAt: 1, clock: 100 });
  const second = join(home.folder, 'second.ts');
  writeFileSync(second, await madeStream({ seconds: 3, flashAt: 1, clock: 9_000 }));
  // Both rows at once: the service may already read the files of a recording that has only one.
  const id = home.put({ content });
  home.database
    .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES ($id, 2, $path, $bytes)')
    .run({ id, path: second, bytes: Bun.file(second).size });
  const { video, flashes, beeps } = await watched(id, 'codec=h264');
  expect(video?.[1]).toBeGreaterThan(5.8);
  expect(flashes).toHaveLength(2);
  expect(beeps).toHaveLength(2);
  expect(Math.abs((flashes[1] ?? 0) - 4)).toBeLessThan(0.2);
  for (const [index, beep] of beeps.entries())
    expect(Math.abs(beep - (flashes[index] ?? 0))).toBeLessThan(0.08);
});

test('a recording in H.264 can be played', async () => {
  const avc = home.put({
    content: await madeStream({ seconds: 2, flashAt: 1, clock: 10, codec: 'libx264' }),
  });
  expect((await watched(avc, 'codec=h264')).flashes[0]).toBeCloseTo(1, 1);
});

test('a stream from the end is empty, and an invalid position is refused', async () => {
  const id = home.put({ content: await madeStream({ seconds: 2, flashAt: 1, clock: 10 }) });
  const { video } = await watched(id, 'codec=h264&from=1e9');
  expect(video?.[1]).toBeGreaterThan(1.8);
  // Otherwise too little of the sound would be left for a decoder.
  for (const from of ['1.95', '1e9']) {
    const chased = await watched(id, `codec=h264&from=${from}`, 'chase');
    expect(chased.video?.[1]).toBeGreaterThan(0.5);
  }
  for (const from of ['-1', 'NaN', 'Infinity', '', 'x', '1,5', '0x10', '--', '1e999']) {
    const response = await get(id, `codec=h264&from=${from}`);
    const body = (await response.json()) as { code: string; path: string };
    expect([from, response.status, body.code, body.path]).toEqual([from, 400, 'bad_request', 'from']);
  }
  expect((await get(id, 'from=0')).status).toBe(400);
  expect((await get(id, 'codec=vp9')).status).toBe(400);
  expect((await get(999_999, 'codec=h264')).status).toBe(404);
  const head = await home.get(`/api/recordings/${id}/stream?codec=h264`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, null]);
});
