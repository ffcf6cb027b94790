/** Tests with a source and a kind of side data defined here, which need no changes elsewhere. */
import { expect, test } from 'bun:test';
import type { Pid } from '../../lib/arib/ids.ts';
import { media90k } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { boxesIn } from '../../lib/mp4/boxes.ts';
import { readFragment } from '../../lib/mp4/fragment.ts';
import { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import { readTracks } from '../../lib/mp4/tracks.ts';
import { until } from '../../test/until.ts';
import { type EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
import type { Frame, SideFrame } from './frame.ts';
import { httpBody } from './http-body.ts';
import type { EncodedRecipe } from './recipe.ts';
import { STATION_FAILURES } from './session-failures.ts';
import { SharedSource } from './shared-source.ts';
import { defineSideRow } from './side-row.ts';
import { SocketEncoder } from './socket-frames.ts';
import type { MediaSource, OutputConsumer, PacketConsumer, SourceEvents, SourceOutput } from './source.ts';
import type { ViewerQueue } from './viewer-queue.ts';

const SIDE: SideFrame = {
  kind: 'side',
  row: defineSideRow({ name: 'test', channels: [0x7f], source: { output: undefined as never } }),
  item: { key: 'state', size: 0, frame: Uint8Array.of(0x7f, 1) },
};

/** A source without a tuner that supports pausing. */
class ClipSource implements MediaSource {
  readonly layout = { video: { pid: 256 as Pid, kind: 'mpeg2' as const }, audios: [272 as Pid] };
  consumer: OutputConsumer | undefined;
  readonly held: boolean[] = [];
  closed = 0;

  encode(_order: unknown, consumer: OutputConsumer): SourceOutput {
    this.consumer = consumer;
    const side = { current: () => [SIDE], demand: () => {} };
    return { side, stop: () => {}, hold: (isHeld) => this.held.push(isHeld) };
  }

  packets(_consumer: PacketConsumer): never {
    throw new Error('this clip is encoded');
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

const encoders = new Encoders({
  path: undefined,
  searchPath: process.env.PATH ?? '',
  log: SILENT_LOG,
  now: () => wallMs(Date.now()),
});
const CHOICE = {
  ffmpeg: 'ffmpeg',
  encoder: {
    name: 'libx264',
    codec: 'h264',
    kind: 'software',
    device: [],
    filters: [],
    live: [],
    file: { small: [], standard: [], fine: [] },
  },
  standIn: false,
} satisfies EncoderChoice;
const RECIPE: EncodedRecipe = {
  kind: 'encoded',
  format: 'h264',
  choice: CHOICE,
  ffmpeg: 'ffmpeg',
  mayFallBack: true,
  audio: () => ({ stream: 0, side: 'both' }),
  notices: ['codec_fallback'],
};

/** Three seconds of real fragments, from time 0 on. */
async function clipFrames(): Promise<Frame[]> {
  const words = [
    ...[
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=128x72:rate=30000/1001',
      '-f',
      'lavfi',
      '-i',
      'sine=sample_rate=48000',
    ],
    ...['-t', '3', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-bf', '0', '-c:a', 'aac'],
    ...['-video_track_timescale', '90000'],
    ...['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_discont+frag_keyframe'],
    ...['-frag_duration', '100000', 'pipe:1'],
  ];
  const child = Bun.spawn(['ffmpeg', '-v', 'error', '-nostdin', ...words], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const fragmenter = new Fragmenter();
  const frames: Frame[] = [];
  for await (const chunk of child.stdout) {
    for (const piece of fragmenter.feed(chunk)) {
      if (piece.kind === 'init') {
        frames.push({ kind: 'init', bytes: piece.bytes, mime: piece.mime });
      } else if (piece.kind === 'fragment') {
        const { bytes, sync: isSync, time } = piece;
        frames.push({ kind: 'fragment', bytes, isSync, time });
      }
    }
  }
  if (frames.length < 10) throw new Error('ffmpeg made no clip');
  return frames;
}

/** The frames as from an encoder that has run for this many hours. */
function later(frames: readonly Frame[], hours: number): Frame[] {
  const init = frames.find((frame) => frame.kind === 'init');
  const tracks = readTracks(init?.bytes ?? new Uint8Array(0));
  return frames.map((frame) => {
    if (frame.kind !== 'fragment') return frame;
    const bytes = frame.bytes.slice();
    const view = new DataView(bytes.buffer);
    for (const { track, time, timeAt } of readFragment(bytes, tracks)) {
      view.setBigInt64(timeAt, BigInt(time + hours * 3600 * track.timescale));
    }
    return { ...frame, bytes, time: media90k(frame.time + hours * 3600 * 90_000) };
  });
}

/** Decode times of every fragment in a body, by track id, in ticks of the track. */
function decodeTimes(body: Uint8Array): Map<number, number[]> {
  const tracks = readTracks(body);
  const times = new Map<number, number[]>();
  for (const box of boxesIn(body)) {
    if (box.type !== 'moof') continue;
    for (const { track, time } of readFragment(body.subarray(box.start), tracks)) {
      times.set(track.id, [...(times.get(track.id) ?? []), time]);
    }
  }
  return times;
}

function joined(frames: readonly Frame[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(frames.flatMap((frame) => ('bytes' in frame ? [frame.bytes] : []))));
}

const readBody = async (viewer: ViewerQueue): Promise<Uint8Array> =>
  new Uint8Array(await new Response(httpBody(viewer)).arrayBuffer());

function share() {
  const source = new ClipSource();
  const seen = { over: 0, lost: 0 };
  let events: SourceEvents | undefined;
  const shared = new SharedSource<ClipSource>({
    open: async (given) => {
      events = given;
      return source;
    },
    ...{ encoders, failures: STATION_FAILURES, log: SILENT_LOG },
    onLost: () => {
      seen.lost += 1;
    },
    onOver: () => {
      seen.over += 1;
    },
  });
  return { shared, source, seen, events: () => events };
}

test('a viewer who joins after hours starts at 0 with picture and sound still in sync', async () => {
  const frames = await clipFrames();
  const { shared, source, seen } = share();
  const { signal } = new AbortController();
  const joiningFirst = shared.join(RECIPE, signal);
  await until('the encoder was ordered', () => source.consumer !== undefined);
  for (const frame of frames) source.consumer?.frame(frame);
  const first = await joiningFirst;
  const hours = later(frames, 5);
  const syncAt = hours.findLastIndex((frame) => frame.kind === 'fragment' && frame.isSync);
  for (const frame of hours.slice(syncAt)) source.consumer?.frame(frame);
  const late = await shared.join(RECIPE, signal);
  source.consumer?.ended({ cause: 'finished' });
  const [early, body] = [decodeTimes(await readBody(first.viewer)), decodeTimes(await readBody(late.viewer))];

  expect(Math.min(...[...early.values()].flat())).toBe(0);
  const [video = [], sound = []] = [...body.values()];
  const shared90k = decodeTimes(joined([...frames.slice(0, 1), ...hours.slice(syncAt)]));
  const [sharedVideo = [], sharedSound = []] = [...shared90k.values()];
  expect(video.length).toBeGreaterThan(3);
  expect(Math.min(video[0] ?? 1e9, ((sound[0] ?? 1e9) * 15) / 8)).toBeLessThan(15);
  const origin = (sharedVideo[0] ?? 0) - (video[0] ?? 0);
  expect(video).toEqual(sharedVideo.map((time) => time - origin));
  expect(sound).toEqual(sharedSound.map((time) => time - (origin * 8) / 15));
  expect(late.notices).toEqual(['codec_fallback']);
  expect(seen.over).toBe(1);
  await shared.released;
  expect(source.closed).toBe(1);
});

test('a socket receives the same frames as an HTTP viewer, and the current side data', async () => {
  const encoder = new SocketEncoder(1, () => '');
  const { shared, source } = share();
  const joining = shared.join(RECIPE, new AbortController().signal);
  await until('the encoder was ordered', () => source.consumer !== undefined);
  source.consumer?.frame({ kind: 'init', bytes: Uint8Array.of(1), mime: 'video/mp4' });
  source.consumer?.frame({ kind: 'fragment', bytes: Uint8Array.of(2), isSync: true, time: media90k(90_000) });
  const { viewer } = await joining;
  source.consumer?.ended({ cause: 'finished' });
  const sent: Uint8Array[] = [];
  for (let frame = await viewer.next(); frame !== undefined; frame = await viewer.next())
    sent.push(...encoder.encode(frame));
  expect(sent.map(([channel]) => channel)).toEqual([0, 0x7f, 1]);
  expect(sent[2]).toEqual(Uint8Array.of(1, 0, 0, 0, 0, 0, 1, 0x5f, 0x90, 2));
});

test('a pausable source is paused while a viewer lags, and the viewer is not dropped', async () => {
  const { shared, source } = share();
  const joining = shared.join(RECIPE, new AbortController().signal);
  await until('the encoder was ordered', () => source.consumer !== undefined);
  const megabyte = (isSync: boolean): Frame => ({
    kind: 'fragment',
    bytes: new Uint8Array(1024 * 1024),
    isSync,
    time: media90k(0),
  });
  source.consumer?.frame({ kind: 'init', bytes: Uint8Array.of(1), mime: 'video/mp4' });
  source.consumer?.frame(megabyte(true));
  const { viewer } = await joining;
  for (let sent = 0; !source.held.includes(true); sent += 1) {
    if (sent > 20) throw new Error('never held');
    source.consumer?.frame(megabyte(false));
  }
  while (source.held.at(-1) === true) expect(await viewer.next()).toBeDefined();
  expect(source.held).toEqual([true, false]);
  viewer.leave();
  await until('the source is closed', () => source.closed === 1);
});

test('a failing source disconnects its viewers, including waiting ones', async () => {
  const { shared, source, seen, events } = share();
  const joining = shared.join(RECIPE, new AbortController().signal);
  await until('the encoder was ordered', () => source.consumer !== undefined);
  source.consumer?.frame({ kind: 'init', bytes: Uint8Array.of(1), mime: 'video/mp4' });
  source.consumer?.frame({ kind: 'fragment', bytes: Uint8Array.of(2), isSync: true, time: media90k(0) });
  const { viewer } = await joining;
  source.consumer?.ended({ cause: 'lost' });
  events()?.ended();
  await expect(viewer.next()).rejects.toThrow('the stream ended: lost');
  expect(seen).toEqual({ over: 1, lost: 1 });

  const other = share();
  const waiting = other.shared.join(RECIPE, new AbortController().signal);
  waiting.catch(() => {});
  await until('the encoder was ordered', () => other.source.consumer !== undefined);
  other.events()?.ended();
  await expect(waiting).rejects.toThrow('放送の受信が途切れました');
  expect(other.seen).toEqual({ over: 1, lost: 1 });
});
