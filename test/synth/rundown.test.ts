/**
 * Every cut is where the truth lists it: black, silence, logo, cadence and sound mode, as detected in decoded
 * output.
 */
import { beforeAll, expect, test } from 'bun:test';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { drawLogo, logoPlace } from '../../synth/media/logo.ts';
import {
  mediaPids,
  type Packet,
  packetsOf,
  run,
  stampsOf,
  synth,
  type Truth,
  ticksAt,
  trimmed,
} from './tuning.ts';

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
/** Both programmes of each station, and the transition to the next round. */
const SECONDS = 92;
const CHANNEL = ['--scenario', join(import.meta.dir, 'rundown.json'), '--channel', 'T31', '--at', String(AT)];
const FRAME_TICKS = 3_003;
const SOUND_TICKS = 1_920;
const FRAME_MS = FRAME_TICKS / 90;

interface PartTruth {
  kind: string;
  ticks: number;
  frames: number;
  logo: boolean;
  cadence: string;
}

interface SoundTruth {
  kind: string;
  mode: string;
  elements: string;
  ticks: number;
  frames: number;
}

type Cuts = Truth['stations'][number] & {
  rundown: { parts: PartTruth[]; sounds: { pid: number; pieces: SoundTruth[] }[] };
};

let stream: Uint8Array;
let whole: Uint8Array;
let truth: Truth;
let first: Cuts;
let second: Cuts;
let units: Unit[];

interface Unit {
  pid: number;
  pts: number;
  dts: number;
  /** Ticks at which its last packet was sent. */
  arrived: number;
  packet: Packet;
}

/** Unwraps a time stamp of this stream. */
function unwrapped(stamp: number): number {
  return stamp + Math.round((ticksAt(AT) - stamp) / 2 ** 33) * 2 ** 33;
}

/** All pictures and sounds, in sending order. */
function unitsOf(bytes: Uint8Array, pids: ReadonlySet<number>): Unit[] {
  const found: Unit[] = [];
  const open = new Map<number, Unit>();
  const perPacket = Math.floor((27_000_000 * 188 * 8) / 5_000_000) / 300;
  const origin = Math.ceil(ticksAt(AT) / perPacket) * perPacket;
  for (const packet of packetsOf(bytes)) {
    if (!pids.has(packet.pid) || !packet.hasPayload) continue;
    if (packet.begins) {
      const { pts, dts } = stampsOf(bytes, packet);
      const unit = { pid: packet.pid, pts: unwrapped(pts), dts: unwrapped(dts), arrived: 0, packet };
      open.set(packet.pid, unit);
      found.push(unit);
    }
    const unit = open.get(packet.pid);
    if (unit !== undefined) unit.arrived = origin + (packet.at / 188 + 1) * perPacket;
  }
  return found;
}

beforeAll(async () => {
  const [sent, printed] = await Promise.all([
    synth(...CHANNEL, '--duration', String(SECONDS), '--speed', '0'),
    synth('--truth', ...CHANNEL, '--window', String(SECONDS)),
  ]);
  whole = sent.stdout;
  truth = JSON.parse(new TextDecoder().decode(printed.stdout)) as Truth;
  [first, second] = truth.stations as [Cuts, Cuts];
  const { video, audio } = mediaPids(truth);
  stream = trimmed(whole, video, audio);
  units = unitsOf(whole, new Set([...video, ...audio]));
});

/** The first time stamp that a decoder of the trimmed stream finds in a PID. */
function beginOf(pid: number): number {
  for (const packet of packetsOf(stream)) {
    if (packet.pid === pid && packet.begins) return unwrapped(stampsOf(stream, packet).pts);
  }
  throw new Error(`nothing of ${pid}`);
}

function endOf(pid: number): number {
  return Math.max(...units.filter((unit) => unit.pid === pid).map(({ pts }) => pts));
}

async function decoded(pid: number, ...words: string[]): Promise<{ stdout: Uint8Array; stderr: string }> {
  const ended = await run(['ffmpeg', '-i', 'pipe:0', '-map', `0:#${pid}`, ...words], stream);
  expect(ended.exitCode).toBe(0);
  return ended;
}

/** Begin and end of what a filter found, in ms after the first picture or sound. */
function spans(text: string, begin: RegExp, end: RegExp): [number, number][] {
  const ends = [...text.matchAll(end)].map(([, seconds]) => Number(seconds) * 1000);
  return [...text.matchAll(begin)].map(([, seconds], index) => [
    Number(seconds) * 1000,
    ends[index] ?? Number.POSITIVE_INFINITY,
  ]);
}

/** Each found span is expected to a frame, and vice versa. Those at the edges may be cut off. */
function expectSpans(
  found: readonly [number, number][],
  expected: readonly [number, number][],
  lengthMs: number,
): void {
  const inside = ([from, to]: readonly [number, number]): boolean =>
    from > FRAME_MS && to < lengthMs - FRAME_MS;
  const seen = found.filter(inside);
  const wanted = expected.filter(inside);
  expect(wanted.length).toBeGreaterThan(4);
  expect(seen.map(([from]) => Math.round(from / 100))).toHaveLength(wanted.length);
  for (const [index, [from, to]] of wanted.entries()) {
    expect(Math.abs((seen[index]?.[0] ?? 0) - from)).toBeLessThanOrEqual(FRAME_MS + 1);
    expect(Math.abs((seen[index]?.[1] ?? 0) - to)).toBeLessThanOrEqual(FRAME_MS + 1);
  }
}

const ms = (ticks: number): number => ticks / 90;

test('pictures are black exactly where the rundown says so', async () => {
  const { pid } = first.video;
  const begin = beginOf(pid);
  const filter = 'setpts=PTS-STARTPTS,blackdetect=d=0.3:pix_th=0.05';
  const { stderr } = await decoded(pid, '-vf', filter, '-f', 'null', '-');
  const expected = first.rundown.parts
    .filter(({ kind }) => kind === 'black')
    .map(({ ticks, frames }): [number, number] => [
      ms(ticks - begin),
      ms(ticks - begin + frames * FRAME_TICKS),
    ]);
  expectSpans(
    spans(stderr, /black_start:([\d.]+)/g, /black_end:([\d.]+)/g),
    expected,
    ms(endOf(pid) - begin),
  );
});

test('audio is silent exactly where the rundown says so', async () => {
  const [{ pid, pieces } = { pid: 0, pieces: [] }] = first.rundown.sounds;
  const begin = beginOf(pid);
  const filter = 'asetpts=PTS-STARTPTS,silencedetect=n=-60dB:d=0.2';
  const { stderr } = await decoded(pid, '-af', filter, '-f', 'null', '-');
  const expected = pieces
    .filter(({ kind }) => kind === 'silence')
    .map(({ ticks, frames }): [number, number] => [
      ms(ticks - begin),
      ms(ticks - begin + frames * SOUND_TICKS),
    ]);
  const found = spans(stderr, /silence_start: ([\d.-]+)/g, /silence_end: ([\d.]+)/g);
  expectSpans(found, expected, ms(endOf(pid) - begin));
});

/** Pearson's correlation. */
function correlation(one: Float64Array, other: Float64Array): number {
  const mean = (values: Float64Array): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  let [both, left, right] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const [x, y] = [value - a, (other[index] ?? 0) - b];
    both += x * y;
    left += x * x;
    right += y * y;
  }
  return both / Math.sqrt(left * right || 1);
}

test('the logo is shown exactly in programmes and title cards', async () => {
  const { pid } = first.video;
  const plan = { codec: 'mpeg2', width: 320, height: 240, bitrate: 0 } as const;
  const { x, y, width, height } = logoPlace(plan);
  const crop = `crop=${width}:${height}:${x}:${y},format=gray`;
  const { stdout } = await decoded(pid, '-vf', crop, '-vsync', 'passthrough', '-f', 'rawvideo', '-');
  const size = width * height;
  // Grey times opacity is how much brighter the logo makes a dark pixel.
  const drawn = drawLogo(plan, first.name).slice(-2 * size);
  const glyph = Float64Array.from({ length: size }, (_, i) => (drawn[2 * i] ?? 0) * (drawn[2 * i + 1] ?? 0));
  const begin = beginOf(pid);
  let [withLogo, without] = [0, 0];
  for (const { kind, ticks, frames, logo } of first.rundown.parts) {
    const from = (ticks - begin) / FRAME_TICKS;
    if (kind === 'black' || from < 0 || (from + frames) * size > stdout.length) continue;
    const mean = new Float64Array(size);
    for (let frame = from; frame < from + frames; frame++) {
      for (let i = 0; i < size; i++) mean[i] = (mean[i] ?? 0) + (stdout[frame * size + i] ?? 0);
    }
    const found = correlation(mean, glyph);
    if (logo) {
      withLogo += 1;
      expect([kind, found > 0.5]).toEqual([kind, true]);
    } else {
      without += 1;
      expect([kind, found < 0.3]).toEqual([kind, true]);
    }
  }
  expect(withLogo).toBeGreaterThan(4);
  expect(without).toBeGreaterThan(1);
});

test('films repeat two fields in five frames, video repeats none', async () => {
  const { pid } = first.video;
  const { stdout } = await decoded(pid, '-vf', 'idet,metadata=print:file=-', '-f', 'null', '-');
  const text = new TextDecoder().decode(stdout);
  const repeats = [...text.matchAll(/lavfi\.idet\.repeated\.current_frame=(\w+)/g)].map(([, field]) => field);
  const begin = beginOf(pid);
  const shares: [string, number][] = [];
  for (const { kind, ticks, frames, cadence } of first.rundown.parts) {
    const from = (ticks - begin) / FRAME_TICKS;
    if (kind !== 'main' || from < 0 || from + frames > repeats.length) continue;
    const found = repeats.slice(from + 2, from + frames - 2);
    shares.push([cadence, found.filter((field) => field !== 'neither').length / found.length]);
  }
  expect(new Set(shares.map(([cadence]) => cadence))).toEqual(new Set(['3:2', '60i']));
  for (const [cadence, share] of shares) {
    if (cadence === '3:2') expect(share).toBeWithin(0.33, 0.47);
    else expect(share).toBeLessThan(0.15);
  }
});

test('nothing is damaged or late at any joint', async () => {
  // A decoder reports the single elements of two sounds as an error, and ignores a stream that appears later.
  const pids = [first.video.pid, first.audios[0]?.pid ?? 0, second.video.pid];
  const maps = pids.flatMap((pid) => ['-map', `0:#${pid}`]);
  const ended = await run(['ffmpeg', '-v', 'error', '-i', 'pipe:0', ...maps, '-f', 'null', '-'], stream);
  expect(ended.stderr).toBe('');
  const probed = await run(
    [
      'ffprobe',
      '-v',
      'warning',
      '-show_entries',
      'packet=stream_index,flags',
      '-of',
      'csv=p=0',
      '-i',
      'pipe:0',
    ],
    stream,
  );
  expect(new TextDecoder().decode(probed.stdout)).not.toContain('C');
  for (const { pid, dts, arrived } of units) expect([pid, dts, arrived <= dts]).toEqual([pid, dts, true]);
});

test('time stamps and counters continue without a break', () => {
  const counters = new Map<number, number>();
  for (const { pid, counter, hasPayload } of packetsOf(whole)) {
    if (pid === 0x1fff || !hasPayload) continue;
    const before = counters.get(pid);
    if (before !== undefined) expect([pid, counter]).toEqual([pid, (before + 1) & 15]);
    counters.set(pid, counter);
  }
  for (const { video, rundown } of [first, second]) {
    const pictures = units.filter(({ pid }) => pid === video.pid);
    for (const [index, { dts }] of pictures.slice(1).entries())
      expect(dts - (pictures[index]?.dts ?? 0)).toBe(FRAME_TICKS);
    for (const { pid, pieces } of rundown.sounds) {
      const sent = new Set(units.filter((unit) => unit.pid === pid).map(({ pts }) => pts));
      const [from, to] = [Math.min(...sent), Math.max(...sent)];
      for (const { kind, ticks, frames } of pieces) {
        for (let at = Math.max(ticks, from); at < ticks + frames * SOUND_TICKS && at <= to; at += SOUND_TICKS)
          expect([pid, kind, at, sent.has(at)]).toEqual([pid, kind, at, kind !== 'absent']);
      }
    }
  }
});

test('dual mono starts and ends at the frames of the rundown', () => {
  const [{ pid, pieces } = { pid: 0, pieces: [] }] = second.rundown.sounds;
  const modes = new Set<number>();
  for (const { packet, pts } of units.filter((unit) => unit.pid === pid)) {
    const piece = pieces.find(({ ticks, frames }) => ticks <= pts && pts < ticks + frames * SOUND_TICKS);
    if (piece === undefined) continue;
    const frame = packet.payload + 9 + (whole[packet.payload + 8] ?? 0);
    // A spread frame may begin in the next packet.
    if (frame + 4 > packet.at + 188) continue;
    expect(whole[frame]).toBe(0xff);
    // channel_configuration: 2 is a pair; 0 means two single elements.
    const configuration = (((whole[frame + 2] ?? 0) & 1) << 2) | ((whole[frame + 3] ?? 0) >> 6);
    expect([pts, configuration]).toEqual([pts, piece.elements === 'singles' ? 0 : 2]);
    modes.add(configuration);
  }
  expect(modes).toEqual(new Set([0, 2]));
});

test('an independent reader counts no loss', async () => {
  const { TsStream } = createRequire(import.meta.url)('@chinachu/aribts') as {
    TsStream: new () => NodeJS.ReadWriteStream;
  };
  const reader = new TsStream();
  const lost: number[] = [];
  const maps: number[] = [];
  reader.on('drop', (pid: number) => lost.push(pid));
  reader.on('pmt', (pid: number) => maps.push(pid));
  const ended = new Promise((done) => reader.on('finish', done));
  reader.resume();
  reader.end(Buffer.from(whole));
  await ended;
  expect(lost).toEqual([]);
  expect(new Set(maps)).toEqual(new Set(truth.stations.map(({ pmtPid }) => pmtPid)));
});
