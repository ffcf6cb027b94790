import { beforeEach, expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { ProgramListing } from './program-listing.ts';

const HOUR = 3_600_000;
const STATIONS = [1, 2, 3].map((id) => id as StationId);

let version = 5;
let changed: StationId[] = [];
let now = 0;
let written: StationId[] = [];
let guide = new Map<StationId, { id: number; startAt: number; duration: number; name: string }[]>();

const listing = () =>
  new ProgramListing({
    changes: {
      get version() {
        return version;
      },
      since: () => changed,
    },
    programs: (station) => {
      written.push(station);
      return guide.get(station) ?? [];
    },
    now: () => now,
    monotonic: () => performance.now(),
  });

const asked = (encoding = 'identity') =>
  new Request('http://x/', { headers: { 'accept-encoding': encoding } });

async function listed(list: ProgramListing, encoding?: string, stations = STATIONS): Promise<unknown> {
  const response = await list.answer(asked(encoding), stations);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isPacked = response.headers.get('content-encoding') === 'gzip';
  return JSON.parse(new TextDecoder().decode(isPacked ? Bun.gunzipSync(bytes) : bytes));
}

beforeEach(() => {
  [version, changed, now, written] = [5, [], 0, []];
  const program = (id: number) => ({
    id,
    startAt: id * HOUR,
    duration: HOUR,
    name: `番組 ${id} `.repeat(400),
  });
  guide = new Map([
    [STATIONS[0] as StationId, [program(1), program(2)]],
    [STATIONS[2] as StationId, [program(3)]],
  ]);
});

test.each(['identity', 'gzip'])('every programme of the asked stations is listed (%s)', async (encoding) => {
  const list = listing();
  expect(await listed(list, encoding)).toEqual([...guide.values()].flat());
  expect(await listed(list, encoding, [STATIONS[2] as StationId])).toEqual(guide.get(3 as StationId));
  expect(await listed(list, encoding, [STATIONS[1] as StationId])).toEqual([]);
  expect(await listed(list, encoding, [])).toEqual([]);
});

test('a part is written again when its guide changed, and others are not', async () => {
  const list = listing();
  await listed(list, 'gzip');
  expect(written).toEqual(STATIONS);
  await listed(list);
  expect(written).toEqual(STATIONS);
  guide.set(3 as StationId, []);
  [version, changed, written] = [6, [3 as StationId], []];
  expect(await listed(list, 'gzip')).toEqual(guide.get(1 as StationId));
  expect(written).toEqual([3 as StationId]);
  written = [];
  list.stationsChanged();
  await listed(list);
  expect(written).toEqual(STATIONS);
});

test('programmes that ended hours ago leave the list', async () => {
  const list = listing();
  await listed(list);
  written = [];
  now = 7 * HOUR;
  await listed(list);
  expect(written).toEqual([]);
  // Six hours after the end of the first.
  now = 8 * HOUR;
  await listed(list);
  expect(written).toEqual([1 as StationId]);
});

test('requests at the same time share the work, and a failed one keeps no later one from it', async () => {
  const list = listing();
  await Promise.all([listed(list), listed(list, 'gzip'), listed(list)]);
  expect(written).toEqual(STATIONS);
  const failing = new ProgramListing({
    changes: { version: 1, since: () => [] },
    programs: () => {
      written.push(9 as StationId);
      if (written.length === 1) throw new Error('disk');
      return [];
    },
    ...{ now: () => 0, monotonic: () => 0 },
  });
  written = [];
  expect(failing.answer(asked(), STATIONS)).rejects.toThrow('disk');
  expect(await listed(failing)).toEqual([]);
});
