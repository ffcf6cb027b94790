import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  broadcastMs,
  type Media90k,
  media90k,
  PTS_MODULUS,
  type Pts90k,
  pts90k,
  TICKS_PER_SECOND,
} from '../../lib/arib/time.ts';
import { PICTURE, VirtualRecording, type VirtualRun } from '../../test/play/virtual-recording.ts';
import { findEntry, isScrambledAt } from './entry-search.ts';
import { RecordingIndexer } from './recording-index.ts';

const NOON = broadcastMs(Date.UTC(2026, 4, 1, 3));
const MINUTE = 60 * TICKS_PER_SECOND;
const PER_MINUTE = Math.ceil(MINUTE / PICTURE);

function indexed(source: VirtualRecording, breaks: readonly number[] = []) {
  const input = {
    source,
    breaks: breaks.map((at) => ({ at, broadcastAt: undefined })),
    serviceId: undefined,
  };
  return new RecordingIndexer().index({ ...input, beganAt: NOON });
}

test('a recording of three hours is indexed by reading a few places', async () => {
  const source = new VirtualRecording([{ pictures: 180 * PER_MINUTE, pts: 1_000_000 }]);
  const index = await indexed(source);
  expect(source.size).toBeGreaterThan(20e9);
  expect(index.duration).toBe(media90k(180 * PER_MINUTE * PICTURE));
  expect(index.scale.stretches).toHaveLength(1);
  expect(index.scale.broadcastAt(media90k(0))).toBe(NOON);
  expect(source.reads).toBeLessThan(500);
});

test('a wrap of the time stamps does not split a stretch', async () => {
  const pts = PTS_MODULUS - MINUTE;
  const index = await indexed(new VirtualRecording([{ pictures: 3 * PER_MINUTE, pts }]));
  expect(index.pieces).toHaveLength(1);
  expect(index.duration).toBe(media90k(3 * PER_MINUTE * PICTURE));
});

test('a jump that was not noted during the recording is located to the picture', async () => {
  const runs = [
    { pictures: 20 * PER_MINUTE, pts: 5_000_000 },
    { pictures: 10 * PER_MINUTE, pts: 5_000_000 + 21 * MINUTE },
  ];
  const source = new VirtualRecording(runs);
  const { pieces, duration } = await indexed(source);
  expect(pieces.map(({ pts }) => pts)).toEqual(runs.map(({ pts }) => pts90k(pts)));
  expect(pieces[1]?.from).toBe(source.blockBytes * 20 * PER_MINUTE + 3 * 188);
  expect(duration).toBe(media90k(30 * PER_MINUTE * PICTURE));
});

test('a clock that jumps back is found', async () => {
  const runs = [
    { pictures: 7 * PER_MINUTE, pts: 900 * MINUTE },
    { pictures: 9 * PER_MINUTE, pts: 12 },
  ];
  const { pieces } = await indexed(new VirtualRecording(runs));
  expect(pieces.map(({ pts }) => pts)).toEqual(runs.map(({ pts }) => pts90k(pts)));
});

test.each([
  // Seconds of each run, seconds by which the clock is set back before the next one, and packets per picture.
  [[30, 10, 30], 30, 60],
  [[30, 10, 30], 12, 40],
  [[60, 20, 60], 12, 400],
  [[10, 10], 10, 400],
  [[15, 15, 15], 15, 60],
])(
  'in a short recording of %p s a clock that jumps back by %d s is found',
  async (lengths, back, packets) => {
    let pts = 100_000_000;
    const runs = lengths.map((seconds) => {
      const run = { pictures: Math.ceil((seconds * TICKS_PER_SECOND) / PICTURE), pts };
      pts += run.pictures * PICTURE - back * TICKS_PER_SECOND;
      return run;
    });
    const { pieces, duration } = await indexed(new VirtualRecording(runs, packets));
    expect(pieces).toHaveLength(runs.length);
    // Pictures have only a few KB here, so the next intra picture may be found as the first one.
    for (const [index, piece] of pieces.entries())
      expect(Math.abs(piece.pts - (runs[index]?.pts ?? 0))).toBeLessThan(TICKS_PER_SECOND);
    const whole = runs.reduce((sum, { pictures }) => sum + pictures * PICTURE, 0);
    expect(Math.abs(duration - whole)).toBeLessThan(2 * TICKS_PER_SECOND);
  },
);

test('a noted gap of three seconds has no length; parts without a loss are joined', async () => {
  const first = { pictures: PER_MINUTE, pts: 1_000 };
  const second = { pictures: PER_MINUTE, pts: 1_000 + PER_MINUTE * PICTURE + 3 * TICKS_PER_SECOND };
  const third = { pictures: PER_MINUTE, pts: second.pts + PER_MINUTE * PICTURE };
  const source = new VirtualRecording([first, second, third]);
  const { pieces, duration } = await indexed(source, source.starts);
  expect(pieces.map(({ pts }) => pts)).toEqual([first, second].map(({ pts }) => pts90k(pts)));
  expect(duration).toBe(media90k(3 * PER_MINUTE * PICTURE));
});

test('a scrambled stretch is timed by its clock references', async () => {
  const runs: VirtualRun[] = [
    { pictures: PER_MINUTE, pts: 0 },
    { pictures: 2 * PER_MINUTE, pts: PER_MINUTE * PICTURE, isScrambled: true },
    { pictures: PER_MINUTE, pts: 3 * PER_MINUTE * PICTURE },
  ];
  const { pieces, duration } = await indexed(new VirtualRecording(runs));
  expect(pieces).toHaveLength(1);
  expect(duration).toBe(media90k(4 * PER_MINUTE * PICTURE));
});

test('announced video that is never sent is ignored, and audio has exact time stamps', async () => {
  const runs = [{ pictures: 3 * PER_MINUTE, pts: 90_000, lacksPicture: true }];
  const source = new VirtualRecording(runs);
  const index = await indexed(source);
  expect(index.layout.video).toBeNull();
  expect(index.layout.audios).toHaveLength(1);
  // An audio frame is shorter than a picture.
  expect(index.duration).toBe(media90k((3 * PER_MINUTE - 1) * PICTURE + 1_920));
  const entry = await findEntry(source, index, media90k(MINUTE));
  expect(entry?.layout.video).toBeNull();
  expect(Math.abs((entry?.media ?? 0) - MINUTE)).toBeLessThan(PICTURE);
  expect(await isScrambledAt(source, index, media90k(MINUTE))).toBe(false);
});

test('video that starts late or is scrambled does not count as never sent', async () => {
  const later = new VirtualRecording([
    { pictures: PER_MINUTE, pts: 0, lacksPicture: true },
    { pictures: PER_MINUTE, pts: PER_MINUTE * PICTURE },
    { pictures: PER_MINUTE, pts: 2 * PER_MINUTE * PICTURE, lacksPicture: true },
  ]);
  expect((await indexed(later)).layout.video).not.toBeNull();
  const scrambled = new VirtualRecording([{ pictures: PER_MINUTE, pts: 0, isScrambled: true }]);
  const index = await indexed(scrambled);
  expect(index.layout.video).not.toBeNull();
  expect(await isScrambledAt(scrambled, index, media90k(0))).toBe(true);
});

test('the index of a growing recording is updated by reading its end', async () => {
  const whole = new VirtualRecording([{ pictures: 100 * PER_MINUTE, pts: 77 }]);
  const grown = {
    size: Math.floor(whole.size * 0.9),
    read: (at: number, length: number) => whole.read(at, length),
  };
  const indexer = new RecordingIndexer();
  const input = { source: grown, breaks: [], beganAt: NOON, serviceId: undefined };
  const before = await indexer.index(input);
  whole.reads = 0;
  grown.size = whole.size;
  const after = await indexer.index(input);
  expect(before.duration).toBeLessThan(after.duration);
  expect(after.duration).toBe(media90k(100 * PER_MINUTE * PICTURE));
  expect(whole.reads).toBeLessThan(40);
});

test('a file that is not a transport stream is refused', async () => {
  const noise = { size: 1_000, read: async () => new Uint8Array(1_000).fill(0x47) };
  const input = { source: noise, breaks: [], beganAt: undefined, serviceId: undefined };
  await expect(new RecordingIndexer().index(input)).rejects.toThrow('再生できる映像や音声がありません');
});

test('a large recording without time stamps is refused after reading little of it', async () => {
  const source = new VirtualRecording([{ pictures: 120 * PER_MINUTE, pts: 0 }]);
  const tables = await source.read(0, 2 * 188);
  const empty = {
    size: source.size,
    reads: 0,
    read: async (at: number, length: number) => {
      empty.reads += 1;
      const bytes = new Uint8Array(Math.max(0, Math.min(length, source.size - at)));
      const start = (188 - (at % 188)) % 188;
      for (let packet = start; packet < bytes.length; packet += 188)
        bytes.set([0x47, 0x1f, 0xff, 0x10], packet);
      if (at === 0) bytes.set(tables);
      return bytes;
    },
  };
  const input = { source: empty, breaks: [], beganAt: undefined, serviceId: undefined };
  await expect(new RecordingIndexer().index(input)).rejects.toThrow('再生できる映像や音声がありません');
  expect(empty.reads).toBeLessThan(800);
});

describe('any recording', () => {
  const recording = fc
    .array(
      fc.record({
        pictures: fc.integer({ min: 40, max: 4 * PER_MINUTE }),
        pts: fc.integer({ min: 0, max: PTS_MODULUS - 1 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    // Runs whose time stamps are contiguous by chance are one run.
    .filter((runs) =>
      runs.every((run, index) => {
        const before = runs[index - 1];
        if (before === undefined) return true;
        const step = run.pts - (before.pts + before.pictures * PICTURE);
        return Math.abs(((step % PTS_MODULUS) + PTS_MODULUS) % PTS_MODULUS) > 30 * TICKS_PER_SECOND;
      }),
    );

  test('has a stretch for each noted run, and every time is found near its byte position', async () => {
    const parameters = fc.record({ runs: recording, share: fc.double({ min: 0, max: 1, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(parameters, async ({ runs, share }) => {
        const source = new VirtualRecording(runs, 40);
        const index = await indexed(source, source.starts);
        expect(index.pieces.map(({ pts }) => pts)).toEqual(runs.map(({ pts }) => pts90k(pts)));
        const media = media90k(Math.floor(share * (index.duration - 1)));
        const found = await index.around(media);
        if (found === undefined) throw new Error('nothing found');
        expect(found.before.media).toBeLessThanOrEqual(media);
        expect(found.after.media).toBeGreaterThanOrEqual(media);
        const block = Math.floor(found.before.at / source.blockBytes);
        expect(Math.abs(found.before.media - block * PICTURE)).toBeLessThan(2 * PICTURE);
        const stretch = index.scale.stretches.findLastIndex(({ start }) => start <= media);
        const { pts, start } = index.scale.stretches[stretch] as { pts: Pts90k; start: Media90k };
        expect(index.pieces[stretch]).toBe(found.piece);
        // The byte position selects one of several equal time stamps.
        expect(index.timeOf(pts90k(pts + media - start), found.before.at)).toBe(media);
      }),
      { numRuns: 30 },
    );
  });
});
