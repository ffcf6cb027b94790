import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { span } from '../../test/record/span.ts';
import type { BroadcastSpan } from '../model/verdict.ts';
import { type FileSystem, type FolderSpace, FolderSpaces } from './folder-space.ts';
import { storageFacts } from './storage-report.ts';

const GIGABYTE = 2 ** 30;
const SUMS = { count: 3, unwatched: 2, bytes: 9, failed: 1, binned: 1, binnedBytes: 5, rate: 2_000 };

function facts(
  folders: readonly { path: string; floorBytes: number }[],
  spaces: Record<string, Partial<FolderSpace> | undefined>,
  bytes: Record<string, number> = {},
  rate: number | null = SUMS.rate,
  uses: readonly BroadcastSpan[] = [],
) {
  return storageFacts({
    folders: () => folders,
    uses: () => uses,
    now: () => broadcastMs(0),
    sums: { sums: () => ({ ...SUMS, rate }), byFolder: () => new Map(Object.entries(bytes)) },
    spaces: {
      of: async (path) => {
        const space = spaces[path];
        return space === undefined
          ? undefined
          : { totalBytes: 100 * GIGABYTE, freeBytes: 50 * GIGABYTE, device: 1, exists: true, ...space };
      },
    },
  });
}

const folder = (path: string, floorBytes = 0) => ({ path, floorBytes });

describe('the space for recordings', () => {
  test('is reported folder by folder, in their order', async () => {
    const folders = [
      folder('/a', GIGABYTE),
      folder('/b', 50 * GIGABYTE),
      folder('/c'),
      folder('/d'),
      folder('/e'),
      folder('/f'),
    ];
    const reported = await facts(
      folders,
      {
        '/a': {},
        '/b': {},
        '/c': { freeBytes: 1_000_000 },
        '/e': { exists: false },
        '/f': { exists: false },
      },
      { '/a': 7, '/e': 8 },
    );
    expect(
      reported.folders.map(({ state, recordingBytes, freeBytes }) => [state, recordingBytes, freeBytes]),
    ).toEqual([
      ['ok', 7, 50 * GIGABYTE],
      ['floor', 0, 50 * GIGABYTE],
      ['full', 0, 1_000_000],
      ['away', 0, null],
      ['away', 8, null],
      ['ok', 0, 50 * GIGABYTE],
    ]);
    const { rate: _, ...recordings } = SUMS;
    expect(reported.recordings).toEqual(recordings);
  });

  test('is short when it lasts less than half an hour for the bookings, also below the floor', async () => {
    const MINUTE = 60_000;
    const within = async (minutes: number, uses: BroadcastSpan[], rate: number | null = 1_000) => {
      const spaces = { '/a': { freeBytes: minutes * MINUTE * (rate ?? 2_125) } };
      return (await facts([folder('/a', GIGABYTE)], spaces, {}, rate, uses)).shortage;
    };
    const booked = [span(60 * MINUTE, 90 * MINUTE)];
    expect(await within(31, booked)).toBeNull();
    expect(await within(30, booked)).toEqual({ leftMs: 30 * MINUTE, fullAt: broadcastMs(90 * MINUTE) });
    expect(await within(10, booked)).toEqual({ leftMs: 10 * MINUTE, fullAt: broadcastMs(70 * MINUTE) });
    expect(await within(10, booked, null)).toEqual({ leftMs: 10 * MINUTE, fullAt: broadcastMs(70 * MINUTE) });
    expect(await within(10, [])).toBeNull();
    expect(await within(10, [span(25 * 60 * MINUTE, 26 * 60 * MINUTE)])).toBeNull();
    expect((await facts([folder('/a')], {}, {}, 1_000, booked)).shortage).toBeNull();
    // Three parallel recordings need three times the space.
    const side = [1, 2, 3].map(() => span(-MINUTE, 90 * MINUTE));
    expect(await within(90, side)).toEqual({ leftMs: 90 * MINUTE, fullAt: broadcastMs(30 * MINUTE) });
    expect(await within(95, side)).toBeNull();
  });

  test('is counted once for folders on one disk', async () => {
    const spaces = { '/a': { device: 1 }, '/b': { device: 1 }, '/c': { device: 2, freeBytes: 2 * GIGABYTE } };
    const folders = [folder('/a', 49 * GIGABYTE), folder('/b', 10 * GIGABYTE), folder('/c', GIGABYTE)];
    expect((await facts(folders, spaces)).roomMs).toBe(Math.floor((41 * GIGABYTE) / 2_000));
  });

  test('is unknown without recordings, and while every folder is unavailable', async () => {
    expect((await facts([folder('/a')], { '/a': {} }, {}, null)).roomMs).toBeNull();
    expect((await facts([folder('/a')], {})).roomMs).toBeNull();
    expect((await facts([folder('/a', 60 * GIGABYTE)], { '/a': {} })).roomMs).toBe(0);
  });
});

describe('a folder', () => {
  const directory = { dev: 7, isDirectory: () => true };
  const room = { blocks: 1000, bavail: 10, bsize: 4096 };

  test('that does not exist yet has the free space of its nearest parent', async () => {
    const there: FileSystem = {
      stat: async (path) => {
        if (path === '/mnt') return directory;
        throw Object.assign(new Error(path), { code: path === '/stale' ? 'ESTALE' : 'ENOENT' });
      },
      statfs: async () => room,
    };
    const expected = { totalBytes: 4_096_000, freeBytes: 40_960, device: 7 };
    expect(await new FolderSpaces(there).of('/mnt/a/b')).toEqual({ ...expected, exists: false });
    expect(await new FolderSpaces(there).of('/mnt')).toEqual({ ...expected, exists: true });
    expect(await new FolderSpaces(there).of('/elsewhere')).toBeUndefined();
    expect(await new FolderSpaces(there).of('/stale')).toBeUndefined();
  });

  test('that does not respond is soon reported unavailable, and is queried once until it answers', async () => {
    const waiting: (() => void)[] = [];
    let asked = 0;
    const hanging: FileSystem = {
      stat: () => {
        asked += 1;
        return new Promise((resolve) => waiting.push(() => resolve(directory)));
      },
      statfs: async () => room,
    };
    const spaces = new FolderSpaces(hanging, 5);
    expect(await Promise.all([spaces.of('/mnt'), spaces.of('/mnt')])).toEqual([undefined, undefined]);
    expect(await spaces.of('/mnt')).toBeUndefined();
    expect(asked).toBe(1);
    const answer = spaces.of('/mnt');
    for (const one of waiting) one();
    expect(await answer).toMatchObject({ freeBytes: 40_960 });
  });
});
