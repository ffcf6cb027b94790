/** Recordings that are damaged, truncated, wrongly described or change their format, as streams over HTTP. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../synth/random.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { patSection, pmtSection, StreamBuilder } from '../stream-builder.ts';
import { scenarioFile } from '../synth/scenario-file.ts';
import { tune } from '../synth/tuning.ts';
import { FFMPEG, LOWER_RIGHT, madeStream, type Played, played } from './made-recording.ts';

const PACKET = 188;
const VIDEO = 0x100;
const SOUND = 0x101;
/** The service id that ffmpeg's multiplexer uses. */
const SERVICE = 1;
const PMT = 0x1000;
const FRAME = 1001 / 30_000;

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start({ FFMPEG_PATH: FFMPEG_WITHOUT_AV1 });
});

afterAll(() => home.close());

const digest = (content: Uint8Array): string => new Bun.CryptoHasher('sha256').update(content).digest('hex');
/** Hashes of the files that this test made and did not remove itself. */
let originals: string[] = [];

beforeEach(() => {
  home.clear();
  removeOriginals();
});

afterEach(() => {
  const files = existsSync(home.folder)
    ? readdirSync(home.folder).filter((name) => name.endsWith('.ts'))
    : [];
  const left = files.map((name) => digest(readFileSync(join(home.folder, name))));
  // Whatever was wrong or requested: the files are unchanged.
  expect(left.sort()).toEqual(originals.sort());
});

function put(content: Uint8Array, index?: number): number {
  originals.push(digest(content));
  return home.put({ content }, index);
}

function removeOriginals(): void {
  const names = existsSync(home.folder) ? readdirSync(home.folder) : [];
  for (const name of names) rmSync(join(home.folder, name), { recursive: true });
  originals = [];
}

function packetsOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.floor(bytes.length / PACKET) }, (_, index) =>
    bytes.slice(index * PACKET, (index + 1) * PACKET),
  );
}

const joined = (packets: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(packets));
const pidOf = (packet: Uint8Array): number => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);

const get = (id: number, path: string): Promise<Response> => home.get(`/api/recordings/${id}/${path}`);

async function watched(content: Uint8Array, query = 'codec=h264', cell?: number): Promise<Played> {
  const response = await get(put(content), `stream?${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  return played(await response.bytes(), cell);
}

function expectTogether({ flashes, beeps }: Played, places: readonly number[], slack = 2 * FRAME): void {
  expect(flashes).toHaveLength(places.length);
  expect(beeps).toHaveLength(places.length);
  for (const [index, place] of places.entries()) {
    expect(Math.abs((flashes[index] ?? 0) - place)).toBeLessThan(slack);
    expect(Math.abs((beeps[index] ?? 0) - (flashes[index] ?? 0))).toBeLessThan(0.08);
  }
}

/** Sections of an incorrect PMT, as packets of its PID. */
function tables(streams: readonly { type: number; pid: number }[], spoiled = false): Uint8Array {
  const builder = new StreamBuilder().sections(0, patSection(1, [[SERVICE, PMT]]));
  const section = pmtSection(SERVICE, { pcrPid: VIDEO, streams: [...streams] }, { version: 7 });
  if (spoiled) section[section.length - 1] = (section.at(-1) ?? 0) ^ 0xff;
  return builder.sections(PMT, section).take();
}

test('temporarily wrong tables: the playable parts and the rest of the recording are played', async () => {
  const packets = packetsOf(await madeStream({ seconds: 4, flashAt: 3, clock: 20 }));
  const third = Math.floor(packets.length / 3);
  for (const wrong of [
    // An invalid CRC, a wrong stream type, PIDs without packets.
    tables([{ type: 0x1b, pid: SOUND }], true),
    tables([{ type: 0x02, pid: 0x1234 }]),
  ]) {
    const content = joined([...packets.slice(0, third), wrong, ...packets.slice(third)]);
    expectTogether(await watched(content, 'codec=h264&from=2.6'), [3]);
  }
  // Only wrong tables.
  const bare = packets.filter((packet) => pidOf(packet) !== PMT && pidOf(packet) !== 0);
  const described = await get(put(joined(bare)), 'playback');
  expect(described.status).toBe(404);
  expect(((await described.json()) as { message: string }).message).toBe(
    'この録画には再生できる映像や音声がありません。',
  );
});

test('after a section that stayed scrambled, picture and sound are in sync again', async () => {
  const packets = packetsOf(await madeStream({ seconds: 5, flashAt: 4, clock: 20 }));
  const [from, to] = [Math.floor(packets.length * 0.3), Math.floor(packets.length * 0.5)];
  for (const packet of packets.slice(from, to)) {
    if (pidOf(packet) === VIDEO || pidOf(packet) === SOUND) packet[3] = (packet[3] ?? 0) | 0x80;
  }
  const seen = await watched(joined(packets));
  expectTogether(seen, [4]);
  expect(seen.video?.[1]).toBeCloseTo(5 - FRAME, 1);
});

test('sound that begins late is silent before, and in sync', async () => {
  const packets = packetsOf(await madeStream({ seconds: 5, flashAt: 4, clock: 20 }));
  const half = packets.length / 2;
  const late = packets.filter((packet, index) => pidOf(packet) !== SOUND || index > half);
  const seen = await watched(joined(late));

  expectTogether(seen, [4]);
  expect(seen.video?.[0]).toBeCloseTo(0, 1);
});

test('a recording truncated at any byte plays up to there', async () => {
  const whole = await madeStream({ seconds: 4, flashAt: 1, clock: 20 });
  const random = new Random(14);
  for (let cut = 0; cut < 30; cut += 1) {
    const length = Math.floor(random.next() * whole.length);
    const id = put(whole.subarray(0, length), cut);
    const description = await get(id, 'playback');
    const raw = await get(id, 'stream?codec=mpeg2');
    const [octets, file] = [await raw.bytes(), await (await get(id, 'file?source=ts')).bytes()];
    expect([cut, file.length]).toEqual([cut, length]);
    expect([cut, raw.status]).toEqual([cut, description.status]);
    if (raw.status === 200) expect(octets.length % PACKET).toBe(0);
    else expect(length).toBeLessThan(100 * PACKET);
  }
  for (const part of [0.55, 0.81]) {
    const length = Math.floor(whole.length * part) + 77;
    const seen = await watched(whole.subarray(0, length));
    expect(seen.flashes).toHaveLength(1);
    expect(seen.video?.[1]).toBeGreaterThan(1.2);
  }
});

test('HD to SD and stereo to 5.1 on the same PIDs, and back, keep picture and sound in sync', async () => {
  const form = (clock: number, more: object) => madeStream({ seconds: 2, flashAt: 1, clock, ...more });
  const parts = await Promise.all([
    form(100, {}),
    form(102, { size: '240x180', aspect: '4:3', channels: 6 }),
    form(104, {}),
  ]);
  const seen = await watched(joined(parts));
  expectTogether(seen, [1, 3, 5], 0.15);
  expect(seen.video?.[1]).toBeGreaterThan(5.8);
  expect(seen.longestPicture).toBeLessThan(0.3);
});

test('MPEG-2 ADTS with CRC: stereo, 5.1 and dual mono follow each other without a loss', async () => {
  const scenario = scenarioFile({
    channels: [
      {
        channel: 'T30',
        bitrate: 3_000_000,
        stations: [
          {
            audios: [{ bitrate: 96_000, mode: 'dual', elements: 'singles', crc: true }],
            programmes: [
              { durationSec: 3, title: '普通の音', sound: 'stereo' },
              { durationSec: 3, title: '立体音響', sound: 'surround' },
              { durationSec: 3, title: '二つの声', sound: 'dual' },
            ],
          },
        ],
      },
    ],
  });
  const content = await tune({
    scenario,
    type: 'GR',
    channel: 'T30',
    at: Date.UTC(2026, 0, 5, 12),
    seconds: 10,
  });
  const seen = await watched(content, 'codec=h264', LOWER_RIGHT);
  // One per second, in each of the three forms.
  expect(seen.flashes.length).toBeGreaterThanOrEqual(9);
  const heard = seen.flashes.filter((flash) => seen.beeps.some((beep) => Math.abs(beep - flash) < 0.06));
  // The sound begins a little after the first picture.
  expect(heard.length).toBeGreaterThanOrEqual(seen.flashes.length - 1);
  const alone = await (await get(put(content), 'file?audio=only&source=ts')).bytes();
  // syncword, ID 1, layer 0, protection_absent 0. ISO/IEC 13818-7, 6.2.1
  expect([alone[0], alone[1]]).toEqual([0xff, 0xf8]);
});

test('a missing file is reported on every route, and streams in progress continue', async () => {
  const content = await madeStream({ seconds: 4, flashAt: 3, clock: 20 });
  const id = put(content);
  const sending = await get(id, 'stream?codec=h264');
  removeOriginals();
  expect((await played(await sending.bytes())).flashes).toHaveLength(1);
  const gone = put(content, 1);
  removeOriginals();
  for (const path of [
    'playback',
    'stream?codec=h264',
    'stream?codec=mpeg2',
    'file?source=ts',
    'captions.json',
    'captions',
  ]) {
    const response = await get(gone, path);
    const body = (await response.json()) as { code: string; message: string };
    expect([path, response.status, body.code]).toEqual([path, 404, 'not_found']);
    expect(body.message).toMatch(/[ぁ-ん]/u);
  }
});

/** Seconds at which ffmpeg, opening an address like a player, finds the flash. */
async function playerSees(url: string, from?: number): Promise<readonly number[]> {
  const seek = from === undefined ? [] : ['-ss', String(from)];
  const child = Bun.spawn(
    [FFMPEG, '-v', 'error', ...seek, '-i', url, '-map', '0', '-c', 'copy', '-f', 'mpegts', '-'],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  );
  const [bytes, errors] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  expect([url, await child.exited, errors]).toEqual([url, 0, '']);
  const { flashes, beeps, video } = await played(bytes);
  expect(beeps).toHaveLength(flashes.length);
  return flashes.map((flash) => flash - (video?.[0] ?? 0));
}

test('a player opens files and streams by their address, and seeks', async () => {
  const id = put(await madeStream({ seconds: 12, flashAt: 9, clock: 20 }));
  const address = `${home.service.url}/api/recordings/${id}`;
  const playlist = await (await get(id, 'playlist.m3u')).text();
  const [listed = ''] = playlist.split('\n').filter((line) => line.startsWith('http'));
  const [whole = 0] = await playerSees(listed);
  expect(Math.abs(whole - 9)).toBeLessThan(0.1);
  const [sought = 0] = await playerSees(`${address}/file?source=ts`, 7);
  // Begins at the preceding keyframe.
  expect(sought).toBeGreaterThan(1.8);
  expect(sought).toBeLessThan(2.7);
  const [streamed = 0] = await playerSees(`${address}/stream?codec=h264&from=7`);
  expect(streamed).toBeGreaterThan(2);
  expect(streamed).toBeLessThan(4);
  const [original = 0] = await playerSees(`${address}/stream?codec=mpeg2&from=7`);
  expect(original).toBeGreaterThan(2);
  expect(original).toBeLessThan(4);
});
