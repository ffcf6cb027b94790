import { expect, test } from 'bun:test';
import { media90k } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { PICTURE, VirtualRecording } from '../../test/play/virtual-recording.ts';
import { type FeedBlock, type FollowedRecording, recordingFeed } from './recording-feed.ts';
import { RecordingIndexer } from './recording-index.ts';

/** A recording that grows to the next size whenever its end is read. */
async function growing(whole: VirtualRecording, sizes: readonly number[], breaks: () => readonly number[]) {
  const left = [...sizes];
  const source = {
    size: left.shift() ?? 0,
    read: (at: number, length: number) => whole.read(at, Math.max(0, Math.min(length, source.size - at))),
    refresh: async () => {
      const before = source.size;
      source.size = left.shift() ?? before;
      return source.size > before;
    },
  };
  const indexer = new RecordingIndexer();
  const renew = () =>
    indexer.index({
      source,
      breaks: breaks().map((at) => ({ at, broadcastAt: undefined })),
      beganAt: undefined,
      serviceId: undefined,
    });
  const follow: FollowedRecording = {
    isGrowing: () => left.length > 0,
    breakCount: () => breaks().filter((at) => at < source.size).length,
    renew,
    clock: () => monotonicMs(0),
  };
  return { source, index: await renew(), follow };
}

async function blocks(feed: AsyncGenerator<FeedBlock>): Promise<{ octets: number; pieces: number[] }> {
  const pieces: number[] = [];
  let octets = 0;
  for await (const block of feed) {
    if (block.kind === 'piece') pieces.push(block.piece.pts);
    else octets += block.bytes.length;
  }
  return { octets, pieces };
}

test('follows a growing recording across an interruption to its end', async () => {
  const first = { pictures: 90, pts: 1_000 };
  const second = { pictures: 60, pts: first.pts + 90 * PICTURE + 4 * 90_000 };
  const whole = new VirtualRecording([first, second], 20);
  const join = whole.starts[1] ?? 0;
  // After the join, more is written only once everything before was read.
  const sizes = [join - 188 * 700, join - 188 * 60, join, join + 188 * 400, whole.size];
  const { source, index, follow } = await growing(whole, sizes, () => [join]);
  const { signal } = new AbortController();
  const found = await blocks(recordingFeed({ bytes: source, index, from: 0, follow, signal }));
  expect(found).toEqual({ octets: whole.size, pieces: [first.pts, second.pts] });
});

test('is read at most at twice real time after the first seconds', async () => {
  const whole = new VirtualRecording([{ pictures: 3_000, pts: 0 }], 20);
  const { source, index, follow } = await growing(whole, [whole.size], () => []);
  const abort = new AbortController();
  let octets = 0;
  const position = () => media90k((octets / whole.blockBytes) * PICTURE);
  let now = 0;
  const clock = () => monotonicMs(now);
  // Time passes only in this function.
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const { signal } = abort;
  const options = { bytes: source, index, from: 0, follow: { ...follow, clock }, position, signal, sleep };
  for await (const block of recordingFeed(options)) {
    if (block.kind === 'packets') octets += block.bytes.length;
    const seconds = (octets / whole.blockBytes) * (PICTURE / 90_000);
    // One more block may be in progress.
    expect(seconds).toBeLessThan(20 + (now / 1000) * 2 + 3);
  }
  expect(octets).toBe(whole.size);
  // The recording has 100 s.
  expect(now).toBeGreaterThan(35_000);
});

test('sends at most 20 s at once after a client paused for minutes', async () => {
  const whole = new VirtualRecording([{ pictures: 3_000, pts: 0 }], 20);
  const { source, index, follow } = await growing(whole, [whole.size], () => []);
  let [octets, now, paused] = [0, 0, -1];
  let resumed = 0;
  const seconds = (): number => (octets / whole.blockBytes) * (PICTURE / 90_000);
  const options = {
    ...{ bytes: source, index, from: 0, signal: new AbortController().signal },
    follow: { ...follow, clock: () => monotonicMs(now) },
    position: () => media90k(seconds() * 90_000),
    sleep: async (ms: number): Promise<void> => {
      now += ms;
    },
  };
  for await (const block of recordingFeed(options)) {
    if (block.kind === 'packets') octets += block.bytes.length;
    if (paused < 0 && seconds() > 40) {
      paused = seconds();
      now += 300_000;
      resumed = now;
    }
    if (paused > 0) expect(seconds() - paused).toBeLessThan(20 + ((now - resumed) / 1000) * 2 + 3);
  }
  expect(octets).toBe(whole.size);
});

test('resynchronises misaligned data and drops incomplete packets', async () => {
  const whole = new VirtualRecording([{ pictures: 30, pts: 0 }], 20);
  const bytes = await whole.read(0, whole.size);
  const torn = new Uint8Array(bytes.length - 100);
  torn.set(bytes.subarray(0, 188 * 50 + 88));
  torn.set(bytes.subarray(188 * 51), 188 * 50 + 88);
  const source = {
    size: torn.length,
    read: async (at: number, length: number) => torn.slice(at, at + length),
    refresh: async () => false,
  };
  const index = await new RecordingIndexer().index({
    source,
    breaks: [],
    beganAt: undefined,
    serviceId: undefined,
  });
  const { signal } = new AbortController();
  const found = await blocks(recordingFeed({ bytes: source, index, from: 0, signal }));
  expect(found.octets).toBe(torn.length - 88);
});
