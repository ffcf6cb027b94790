import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { GOP, PICTURE, VIDEO, VirtualRecording } from '../../test/play/virtual-recording.ts';
import { findEntry } from './entry-search.ts';
import { RecordingIndexer } from './recording-index.ts';

const RUNS = [
  { pictures: 2_000, pts: 3_000_000 },
  { pictures: 1_500, pts: 90_000 },
];

test('the entry point for any time is the last intra picture before it, with tables', async () => {
  const source = new VirtualRecording(RUNS, 60);
  const breaks = source.starts.map((at) => ({ at, broadcastAt: undefined }));
  const index = await new RecordingIndexer().index({
    source,
    breaks,
    beganAt: undefined,
    serviceId: undefined,
  });
  // Random times rarely fall on the start of a picture, so times just after one are added.
  const groups = Math.floor(index.duration / (GOP * PICTURE));
  const times = fc.oneof(
    fc.integer({ min: 0, max: index.duration - 1 }),
    fc
      .tuple(fc.integer({ min: 0, max: groups - 1 }), fc.integer({ min: 0, max: 20 }))
      .map(([group, behind]) => group * GOP * PICTURE + behind),
  );
  await fc.assert(
    fc.asyncProperty(times, async (time) => {
      const entry = await findEntry(source, index, media90k(time));
      if (entry === undefined) throw new Error('no entry');
      const piece = index.pieceOf(media90k(time));
      const inside = time - (piece?.start ?? 0);
      const picture = Math.floor(inside / (GOP * PICTURE)) * GOP;
      expect(entry.media - (piece?.start ?? 0)).toBe(picture * PICTURE);
      expect(entry.layout.video?.pid as number).toBe(VIDEO);
      expect(entry.tables.length).toBe(2 * 188);
      const [packet] = [await source.read(entry.at, 3)];
      expect(((packet?.[1] ?? 0) & 0x1f) * 256 + (packet?.[2] ?? 0)).toBe(VIDEO);
    }),
    { numRuns: 80 },
  );
});

test('a time after the end uses the last entry point, one before the start the first', async () => {
  const source = new VirtualRecording([{ pictures: 100, pts: 0 }], 60);
  const index = await new RecordingIndexer().index({
    source,
    breaks: [],
    beganAt: undefined,
    serviceId: undefined,
  });
  expect((await findEntry(source, index, media90k(3_600 * TICKS_PER_SECOND)))?.media).toBe(
    media90k(90 * PICTURE),
  );
  expect((await findEntry(source, index, media90k(-5)))?.media).toBe(media90k(0));
});

test('nothing is found where everything is scrambled', async () => {
  const source = new VirtualRecording([{ pictures: 100, pts: 0, isScrambled: true }], 60);
  const index = await new RecordingIndexer().index({
    source,
    breaks: [],
    beganAt: undefined,
    serviceId: undefined,
  });
  expect(await findEntry(source, index, media90k(1_000))).toBeUndefined();
});
