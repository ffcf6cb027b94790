import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import {
  chooseSource,
  fetchName,
  hasSpace,
  isRange,
  parseFetchName,
  partsOf,
  planSeries,
  roleOf,
  totalOf,
} from './download-plan.ts';

const id = 12 as RecordingId;

test('the name of a background fetch says recording, file and attempt', () => {
  const name = fetchName({ id, source: 'alt', attempt: 'k3.1' });
  expect(name).toBe('rec-12-alt-k3.1');
  expect(parseFetchName(name)).toEqual({ id, source: 'alt', attempt: 'k3.1' });
  for (const other of ['', 'rec-12-ts-1', 'rec-x-alt-1', 'rec-12-alt-', 'rec-12-alt', 'photos'])
    expect(parseFetchName(other)).toBeUndefined();
});

test('the total is what was measured and two per cent, the space 1.2 times that', () => {
  const total = totalOf([1_000_000, 20_000, 30_000]);
  expect(total).toBe(1_071_000);
  expect(hasSpace(total, { quota: 2_285_200, usage: 1_000_000 }, 0)).toBe(true);
  expect(hasSpace(total, { quota: 2_285_199, usage: 1_000_000 }, 0)).toBe(false);
  expect(hasSpace(total, { quota: 2_285_200, usage: 1_000_000 }, 1)).toBe(false);
  // A full device, and a browser that does not tell.
  expect([hasSpace(1, { quota: 100, usage: 200 }, 0), hasSpace(total, {}, 0)]).toEqual([false, true]);
});

const FILES = {
  encoded: { source: 'encoded', codec: 'av1', url: '' },
  alt: { source: 'alt', codec: 'h264', url: '' },
  ts: { source: 'ts', codec: 'mpeg2', url: '' },
} as const;

test.each([
  [
    'AV1 where the device decodes it',
    [FILES.encoded, FILES.alt, FILES.ts],
    { av1: true, h264: true },
    'encoded',
  ],
  ['else the compatible file', [FILES.encoded, FILES.alt], { av1: false, h264: true }, 'alt'],
  ['the compatible file alone', [FILES.alt, FILES.ts], { av1: true, h264: true }, 'alt'],
  ['none that could be played', [FILES.encoded, FILES.ts], { av1: false, h264: true }, 'no_codec'],
  ['never the original', [FILES.ts], { av1: true, h264: true }, 'no_file'],
] as const)('%s', (_, files, can, chosen) => {
  expect(chooseSource([...files], can)).toBe(chosen);
});

test('what an address of a recording brings', () => {
  expect(roleOf('https://svc.example/tv/api/recordings/4/file?source=alt')).toBe('video');
  expect(roleOf('api/recordings/4/captions.json')).toBe('captions');
  expect(roleOf('api/recordings/4/poster?v=9/file')).toBe('poster');
  expect(roleOf('api/recordings/4/chapters')).toBe('chapters');
  expect(roleOf('api/recordings/4/previews/11')).toEqual({ sheet: 11 });
  for (const other of ['', '?', 'api/recordings/4', 'api/recordings/4/previews/x', 'file/'])
    expect(roleOf(other)).toBeUndefined();
});

test('parts cover the file, and an answer has to be exactly the part', () => {
  expect(partsOf(25, 10).map(({ start, end }) => [start, end])).toEqual([
    [0, 10],
    [10, 20],
    [20, 25],
  ]);
  expect(partsOf(0, 10)).toEqual([]);
  const last = { index: 2, start: 20, end: 25 };
  expect(isRange('bytes 20-24/25', last, 25)).toBe(true);
  for (const other of [null, 'bytes 20-24/26', 'bytes 20-24/*', 'bytes 0-24/25'])
    expect(isRange(other, last, 25)).toBe(false);
});

type Episode = Pick<Recording, 'id' | 'startAt' | 'watchedAt' | 'recording' | 'state' | 'binnedAt' | 'files'>;

const episode = (id: number, changes: Partial<Episode> = {}): Episode => ({
  id: id as RecordingId,
  startAt: broadcastMs(id * 1000),
  ...{ watchedAt: null, recording: false, state: 'recorded', binnedAt: null },
  files: [{ source: 'encoded', codec: 'av1', url: '' }],
  ...changes,
});
const WATCHED = { watchedAt: broadcastMs(9) };
const held = (id: number, state: 'ready' | 'failed' | 'downloading', series: string | null) => ({
  id: id as RecordingId,
  ...{ state, series },
});
const plan = (series: Episode[], saved: ReturnType<typeof held>[] = []) => {
  const { save, remove } = planSeries('drama', series, saved);
  return { save: save.map(({ id }) => Number(id)), remove: remove.map(Number) };
};

test('the next three unwatched are saved, in order of time', () => {
  const series = [6, 5, 4, 3, 2].map((id) => episode(id));
  expect(plan([...series, episode(1, WATCHED)])).toEqual({ save: [2, 3, 4], remove: [] });
});

test('once one is watched it goes, and the next one comes', () => {
  const series = [episode(1, WATCHED), episode(2), episode(3), episode(4)];
  const saved = [held(1, 'ready', 'drama'), held(2, 'ready', 'drama'), held(3, 'downloading', 'drama')];
  expect(plan(series, saved)).toEqual({ save: [4], remove: [1] });
});

test('what was saved by hand stays, and what failed is not tried without end', () => {
  const series = [episode(1, WATCHED), episode(2), episode(3)];
  expect(plan(series, [held(1, 'ready', null), held(2, 'failed', 'drama')])).toEqual({
    save: [3],
    remove: [],
  });
});

test('what is not there to be saved is skipped', () => {
  const series = [
    episode(1, { recording: true }),
    episode(2, { state: 'failed' }),
    episode(3, { binnedAt: broadcastMs(1) }),
    episode(4, { files: [{ source: 'ts', codec: 'mpeg2', url: '' }] }),
    episode(5),
  ];
  expect(plan(series)).toEqual({ save: [5], remove: [] });
});
