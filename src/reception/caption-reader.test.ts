import { beforeEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { captionTruth } from '../../synth/caption/truth.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { recording, SERVICE } from '../../test/caption/recording.ts';
import { type CaptionItem, captionReader } from './caption-reader.ts';
import type { ReaderKind } from './reader-kind.ts';
import { ReaderSet } from './reader-set.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 10, 0));
const SECONDS = 60;

const station = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .find(({ place }) => place.superimpose !== null);
if (station === undefined) throw new Error('no station with superimposed text');

let posted: CaptionItem[];
let readers: ReaderSet;

beforeEach(() => {
  posted = [];
  readers = new ReaderSet({
    clock: () => monotonicMs(0),
    wall: systemWallClock,
    processing: () => 0,
    isOnlyUse: true,
    post: (_reader, value) => posted.push(value as CaptionItem),
    ended: () => {},
  });
  readers.start(1, captionReader as unknown as ReaderKind<unknown, unknown, unknown>, { serviceId: SERVICE });
});

function broadcast(): void {
  if (station === undefined) return;
  const from = ticksAt(AT);
  for (const bytes of recording({ seed: DEFAULT.seed, station, from, seconds: SECONDS })) readers.feed(bytes);
}

describe('captionReader', () => {
  test('posts what is announced, the languages, then the pages at their broadcast time', () => {
    broadcast();
    const tracks = posted.filter((item) => item.kind === 'track');
    // First that there are any, then the languages.
    expect(tracks.map(({ superimpose, languages }) => [superimpose, languages?.length])).toEqual([
      [false, 0],
      [true, 0],
      [expect.any(Boolean), expect.any(Number)],
      [expect.any(Boolean), expect.any(Number)],
    ]);
    expect(new Set(tracks.slice(2).map(({ superimpose }) => superimpose)).size).toBe(2);
    expect(tracks.slice(2).every(({ languages }) => (languages?.length ?? 0) > 0)).toBe(true);
    const pages = posted.filter((value) => value.kind === 'page' && !value.superimpose);
    const truth = captionTruth(DEFAULT.seed, station as never, AT, SECONDS).captions;
    const times = new Set(truth.map(({ pts }) => pts));
    const shown = pages.filter((value) => value.kind === 'page' && times.has(value.time));
    expect(shown.length).toBeGreaterThan(3);
    for (const value of pages) {
      if (value.kind === 'page') expect((JSON.parse(value.json) as CaptionPage).v).toBe(1);
    }
    expect(posted.some((value) => value.kind === 'page' && value.superimpose)).toBe(true);
  });

  test('posts nothing of another station', () => {
    readers.start(2, captionReader as unknown as ReaderKind<unknown, unknown, unknown>, { serviceId: 1 });
    readers.stop(1, 'stopped');
    broadcast();
    expect(posted).toEqual([]);
  });
});
