import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { serviceId } from '../../lib/arib/ids.ts';
import { media90k, PTS_MODULUS, pts90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { packetPcr, packetPid, startsUnit } from '../../lib/arib/ts/packet.ts';
import { pesTimes, shiftPcr, shiftPes } from '../../lib/arib/ts/pes.ts';
import { GOP, PICTURE, VIDEO, VirtualRecording, type VirtualRun } from '../../test/play/virtual-recording.ts';
import {
  type PmtFields,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../test/stream-builder.ts';
import { LEAD_TICKS, PLAYBACK_AUDIO, PLAYBACK_VIDEO, PlaybackRemuxer } from './playback-remuxer.ts';
import { ProgramTables } from './program-tables.ts';
import { recordingFeed } from './recording-feed.ts';
import { RecordingIndexer } from './recording-index.ts';

/** Times of video and audio for the encoder, minus the lead, for each part in the index. */
async function remuxed(runs: readonly VirtualRun[], noted = true) {
  const source = new VirtualRecording(runs, 12);
  const breaks = noted ? source.starts.map((at) => ({ at, broadcastAt: undefined })) : [];
  const index = await new RecordingIndexer().index({
    source,
    breaks,
    beganAt: undefined,
    serviceId: undefined,
  });
  const { layout, tables, serviceId } = index;
  const options = { layout, tables, serviceId, audios: [() => 0], hasVideo: true, start: media90k(0) };
  const remuxer = new PlaybackRemuxer(options);
  const times = { video: [] as number[], audio: [] as number[] };
  const all = await source.read(0, source.size);
  for (let at = 0; at < all.length; at += source.blockBytes) {
    const piece = index.pieces.find(({ from }) => from === at || (at === 0 && from < source.blockBytes));
    if (piece !== undefined) remuxer.begin({ pts: piece.pts, media: piece.start });
    const out = remuxer.feed(all.subarray(at, at + source.blockBytes));
    for (let packet = 0; packet < out.length; packet += 188) {
      const pes = startsUnit(out, packet) ? pesTimes(out, packet) : undefined;
      if (pes === undefined) continue;
      const pid = packetPid(out, packet);
      if (pid === PLAYBACK_VIDEO) times.video.push(pes.pts - LEAD_TICKS);
      else if (pid === PLAYBACK_AUDIO) times.audio.push(pes.pts - LEAD_TICKS);
    }
  }
  return { ...times, duration: index.duration };
}

describe('a remuxed recording', () => {
  const runs = fc.array(
    fc.record({
      pictures: fc.integer({ min: 2 * GOP, max: 4 * GOP }),
      pts: fc.integer({ min: 0, max: PTS_MODULUS - 1 }),
    }),
    { minLength: 1, maxLength: 3 },
  );

  test('has monotonic time stamps, each picture at the time of the index', async () => {
    await fc.assert(
      fc.asyncProperty(runs, async (parts) => {
        const { video, audio, duration } = await remuxed(parts);
        const pictures = parts.reduce((sum, part) => sum + part.pictures, 0);
        expect(duration).toBe(media90k(pictures * PICTURE));
        expect(video).toEqual(Array.from({ length: pictures }, (_, picture) => picture * PICTURE));
        for (const [index, time] of audio.entries()) expect(time).toBeGreaterThan(audio[index - 1] ?? -1);
      }),
      { numRuns: 12 },
    );
  });

  test('continues after a jump that is not in the index', async () => {
    // The time stamps jump back by five seconds, once.
    const first = { pictures: 20 * GOP, pts: 90 * TICKS_PER_SECOND };
    const second = { pictures: 20 * GOP, pts: first.pts + 20 * GOP * PICTURE - 5 * TICKS_PER_SECOND };
    const { video } = await remuxed([first, second], false);
    expect(video.length).toBeGreaterThan(38 * GOP);
    for (const [index, time] of video.entries()) expect(time).toBeGreaterThan(video[index - 1] ?? -1);
  });

  test('has a gap where the recording is scrambled, and no misplaced picture after it', async () => {
    const { video } = await remuxed([
      { pictures: 4 * GOP, pts: 0 },
      { pictures: 4 * GOP, pts: 4 * GOP * PICTURE, isScrambled: true },
      { pictures: 4 * GOP, pts: 8 * GOP * PICTURE },
    ]);
    // The first time stamp after the hole is not trusted; its picture and those that need it are dropped.
    expect(video).toHaveLength(7 * GOP);
    expect(video[4 * GOP]).toBe(9 * GOP * PICTURE);
  });
});

test('two hours with a wrap and gaps are remuxed with constant memory', async () => {
  const hours = 2;
  const run = { pictures: Math.floor((hours * 3_600 * TICKS_PER_SECOND) / PICTURE / 4) };
  const starts = [PTS_MODULUS - 600 * TICKS_PER_SECOND, 9_000_000, 4_000_000_000, 77];
  const source = new VirtualRecording(
    starts.map((pts) => ({ ...run, pts })),
    8,
  );
  const breaks = source.starts.map((at) => ({ at, broadcastAt: undefined }));
  const index = await new RecordingIndexer().index({
    source,
    breaks,
    beganAt: undefined,
    serviceId: undefined,
  });
  const { layout, tables, serviceId } = index;
  const remuxer = new PlaybackRemuxer({
    ...{ layout, tables, serviceId, audios: [() => 0], hasVideo: true, start: media90k(0) },
  });
  const held: number[] = [];
  const bytes = {
    size: source.size,
    read: (at: number, length: number) => source.read(at, length),
    refresh: async () => false,
  };
  let [given, marks] = [0, 1];
  for await (const block of recordingFeed({ bytes, index, from: 0, signal: new AbortController().signal })) {
    if (block.kind === 'piece') {
      remuxer.begin({ pts: block.piece.pts, media: block.piece.start });
      continue;
    }
    given += remuxer.feed(block.bytes).length;
    if (block.at < (source.size / 5) * marks) continue;
    marks += 1;
    Bun.gc(true);
    held.push(process.memoryUsage().heapUsed / 1e6);
  }
  expect(given).toBeGreaterThan(source.size / 8);
  expect(remuxer.position / TICKS_PER_SECOND / 3_600).toBeCloseTo(hours, 2);
  expect(held.length).toBeGreaterThanOrEqual(4);
  expect((held.at(-1) ?? 0) - (held[0] ?? 0)).toBeLessThan(8);
});

test('time stamps and clock references are shifted exactly, across the wrap', async () => {
  const stamp = fc.integer({ min: 0, max: PTS_MODULUS - 1 });
  await fc.assert(
    fc.asyncProperty(stamp, stamp, async (pts, shift) => {
      const source = new VirtualRecording([{ pictures: 1, pts }], 12);
      const bytes = await source.read(0, source.size);
      const [clock, picture] = [2 * 188, 3 * 188];
      const before = pesTimes(bytes, picture);
      const pcr = packetPcr(bytes, clock);
      if (before === undefined || pcr === undefined) throw new Error('no stamps');
      expect(before.pts).toBe(pts90k(pts));
      shiftPes(bytes, before, shift);
      shiftPcr(bytes, clock, shift);
      expect(pesTimes(bytes, picture)?.pts).toBe(pts90k(pts + shift));
      expect(packetPcr(bytes, clock)).toBe(pts90k(pcr / 300 + shift) * 300);
    }),
  );
});

describe('a change of the layout', () => {
  const SERVICE = 1024;
  const MAP = 0x1f0;
  const video = { type: 0x02, pid: VIDEO };
  const sound = { type: 0x0f, pid: 0x110, descriptors: streamIdentifier(0x10) };
  const other = { type: 0x0f, pid: 0x111, descriptors: streamIdentifier(0x11) };
  const caption = { type: 0x06, pid: 0x130, descriptors: streamIdentifier(0x30) };
  type Streams = PmtFields['streams'];

  const tablesOf = (streams: Streams, version: number): Uint8Array =>
    new StreamBuilder()
      .sections(0, patSection(0x7fe0, [[SERVICE, MAP]]))
      .sections(MAP, pmtSection(SERVICE, { pcrPid: VIDEO, streams }, { version }))
      .take();

  /** Whether the output is over once pictures with two audio streams and captions are followed by this layout. */
  async function isOverWith(streams: Streams, endsWithLayout: boolean): Promise<boolean> {
    const tables = tablesOf([video, sound, other, caption], 0);
    const first = new ProgramTables(serviceId(SERVICE));
    first.feedAll(tables);
    if (first.layout === undefined) throw new Error('the tables have a layout');
    const remuxer = new PlaybackRemuxer({
      ...{ layout: first.layout, tables, serviceId: serviceId(SERVICE), audios: [() => 0] },
      ...{ hasVideo: true, start: media90k(0), endsWithLayout },
    });
    remuxer.begin({ pts: pts90k(90_000), media: media90k(0) });
    const source = new VirtualRecording([{ pictures: GOP, pts: 90_000 }], 12);
    const all = await source.read(0, source.size);
    for (let at = 0; at < all.length; at += 188) {
      const pid = packetPid(all, at);
      if (pid !== 0 && pid !== MAP) remuxer.feed(all.subarray(at, at + 188));
    }
    expect([remuxer.isOver, remuxer.position]).toEqual([false, media90k((GOP - 1) * PICTURE)]);
    remuxer.feed(tablesOf(streams, 1));
    return remuxer.isOver;
  }

  test('ends the output of chase playback: one audio stream less, captions moved, video on another PID', async () => {
    const layouts: Streams[] = [
      [video, sound, caption],
      [video, sound, other, { ...caption, pid: 0x131 }],
      [video, sound, other],
      [{ ...video, pid: 0x101 }, sound, other, caption],
    ];
    for (const layout of layouts) {
      expect(await isOverWith(layout, true)).toBe(true);
      // A finished recording continues in the same output.
      expect(await isOverWith(layout, false)).toBe(false);
    }
  });

  test('is none if only the version of the PMT or a data stream changed', async () => {
    const data = { type: 0x0d, pid: 0x140, descriptors: streamIdentifier(0x40) };
    expect(await isOverWith([video, sound, other, caption], true)).toBe(false);
    expect(await isOverWith([video, sound, other, caption, data], true)).toBe(false);
  });
});
