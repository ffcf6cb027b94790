/**
 * An evening of a household: eight viewers of original packets on four stations, and two that share an
 * encoder. No gap in any sound, and constant memory. Two minutes in the suite; with `--long` SVC_SOAK_S, or
 * an hour.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { BoxCutter } from '../../lib/mp4/boxes.ts';
import { readFragment } from '../../lib/mp4/fragment.ts';
import { readTracks, type Track } from '../../lib/mp4/tracks.ts';
import { StationDemux } from '../../web/raw/station-demux.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { DUAL_MONO, encoderPids, HD, ONE_SEGMENT, OTHER_CHANNEL, prepareAir, Rig } from './rig.ts';

const SECONDS = process.env.SVC_LONG === '1' ? Number(process.env.SVC_SOAK_S ?? 3_600) : 40;

const RAW = [HD, HD, DUAL_MONO, DUAL_MONO, ONE_SEGMENT, ONE_SEGMENT, OTHER_CHANNEL, OTHER_CHANNEL];
/** PES packets of sound arrive several times a second, fragments ten times. */
const GAP_S = 0.6;
/** 6 MB of buffers per station, the queues of its viewers, and variation caused by garbage collection. */
const GROWTH_MB = 96;
const MB = 1024 * 1024;

/** Tracks the times of a viewer's sound, s: the latest, and the longest step between two. */
class SoundLine {
  first: number | undefined;
  last: number | undefined;
  widest = 0;

  note(seconds: number): void {
    this.first ??= seconds;
    this.widest = Math.max(this.widest, Math.abs(seconds - (this.last ?? seconds)));
    this.last = seconds;
  }

  get length(): number {
    return (this.last ?? 0) - (this.first ?? 0);
  }
}

const { test } = realTime();
let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ stations: await prepareAir() });
});
afterAll(() => rig.close());

async function* bytesOf(stream: ReadableStream<Uint8Array>, abort: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  abort.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function followPackets(stream: ReadableStream<Uint8Array>, abort: AbortSignal, line: SoundLine) {
  const demux = new StationDemux(0);
  for await (const bytes of bytesOf(stream, abort))
    for (const event of demux.push(bytes))
      if (event.kind === 'audio' && event.time !== undefined) line.note(event.time / 90_000);
}

async function followFragments(stream: ReadableStream<Uint8Array>, abort: AbortSignal, line: SoundLine) {
  const cutter = new BoxCutter();
  let tracks: readonly Track[] = [];
  for await (const bytes of bytesOf(stream, abort)) {
    for (const { type, bytes: box } of cutter.feed(bytes)) {
      if (type === 'moov') tracks = readTracks(box);
      if (type !== 'moof') continue;
      for (const { track, time } of readFragment(box, tracks))
        if (track.kind === 'audio') line.note(time / track.timescale);
    }
  }
}

test(`ten viewers of four stations for ${SECONDS} s`, async () => {
  const abort = new AbortController();
  const { signal } = abort;
  const lines: SoundLine[] = [];
  const running: Promise<void>[] = [];
  const watch = async (stationId: typeof HD, codec: 'raw' | 'h264'): Promise<void> => {
    const { body } = await rig.live.open({ stationId, codec, audio: undefined }, signal);
    const line = new SoundLine();
    lines.push(line);
    const follow = codec === 'raw' ? followPackets : followFragments;
    running.push(follow(body, signal, line));
  };
  await Promise.all(RAW.map((station) => watch(station, 'raw')));
  await Promise.all([watch(HD, 'h264'), watch(HD, 'h264')]);
  expect(encoderPids()).toHaveLength(1);
  const advancedTo = async (from: number, to: number): Promise<void> => {
    for (let seconds = from; seconds < to; seconds += 10)
      await until(`${seconds} s of sound`, () =>
        lines.every(({ length }) => length >= Math.min(seconds + 10, to)),
      );
  };
  const warm = Math.min(SECONDS / 2, 60);
  await advancedTo(0, warm);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  await advancedTo(warm, SECONDS);
  Bun.gc(true);
  const grown = (process.memoryUsage.rss() - before) / MB;
  abort.abort();
  await Promise.all(running);
  await until('the tuners are free', async () => (await rig.uses()).length === 0);
  const widest = Math.max(...lines.map((line) => line.widest));
  console.log(
    `${SECONDS} s: widest step of sound ${widest.toFixed(2)} s, memory ${grown.toFixed(0)} MB more`,
  );
  expect(widest).toBeLessThan(GAP_S);
  expect(grown).toBeLessThan(GROWTH_MB);
  await until('the encoder has ended', () => encoderPids().length === 0);
});
