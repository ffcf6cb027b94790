/** Small pictures of stations for the home screen: what they show, and which tuners take them. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type StationId, splitStationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { MAX_STILL_BYTES, stillOf } from '../../src/live/still-picture.ts';
import { Stills } from '../../src/live/stills.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { tune } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { HD, OTHER_CHANNEL, prepareAir, Rig } from './rig.ts';

const SIDE = { width: 16, height: 9 };
const TINY = `scale=${SIDE.width}:${SIDE.height}:flags=area`;
/** A flash of the synthetic film is the same on all stations. */
const FLASH = 200;

let rig: Rig;
let stations: StationRecord[];
const open: Stills[] = [];

beforeAll(async () => {
  stations = await prepareAir();
  rig = await Rig.start({ stations, tuners: 'GR:1' });
  rig.encoders.start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((stills) => stills.close()));
  await rig.leaveAll();
});
afterAll(() => rig.close());

function newStills(mayTune: boolean): Stills {
  const stills = new Stills({
    pool: rig.pool,
    stations: { find: (id) => stations.find((station) => station.id === id) },
    tuners: () => rig.tuners(),
    jpegOf: async (picture, signal) => await stillOf(await rig.encoders.ffmpeg(), picture, signal),
    mayTune: () => mayTune,
    clock: systemMonotonicClock,
    broadcastNow: () => broadcastMs(Date.now()),
    log: SILENT_LOG,
  });
  open.push(stills);
  return stills;
}

/** RGB of SIDE for each picture. */
async function small(arguments_: string[], filter: string, input: Uint8Array): Promise<Uint8Array[]> {
  const child = Bun.spawn(
    [
      ...['ffmpeg', '-v', 'error', ...arguments_, '-vf', `${filter},format=rgb24`],
      ...['-f', 'rawvideo', 'pipe:1'],
    ],
    { stdin: input as Uint8Array<ArrayBuffer>, stdout: 'pipe', stderr: 'ignore' },
  );
  const bytes = new Uint8Array(await new Response(child.stdout).arrayBuffer());
  const size = SIDE.width * SIDE.height * 3;
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

const light = (picture: Uint8Array): number => picture.reduce((sum, one) => sum + one, 0) / picture.length;
const apart = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;

/** What a station broadcast from a few seconds before the time on. */
async function broadcast(id: StationId, at: number): Promise<Uint8Array[]> {
  const station = stations.find((one) => one.id === id);
  const service = splitStationId(id)?.serviceId;
  const LEAD_MS = 8_000;
  const stream = await tune({ type: 'GR', channel: station?.channel ?? '', at: at - LEAD_MS, seconds: 12 });
  const program = ['-i', 'pipe:0', '-map', `0:p:${service}:v:0`, '-an'];
  return await small(program, `fps=15,${TINY}`, stream);
}

/** A picture that is no flash. */
async function taken(
  id: StationId,
  mayTune: boolean,
): Promise<{ jpeg: Uint8Array; at: number; rgb: Uint8Array }> {
  return await until(`a still of ${id}`, async () => {
    const stills = newStills(mayTune);
    const still = await until('a still', () => stills.ask([id])[0]);
    await stills.close();
    const jpeg = stills.find(id)?.jpeg ?? new Uint8Array();
    const [rgb] = await small(['-i', 'pipe:0'], TINY, jpeg);
    return rgb !== undefined && light(rgb) < FLASH ? { jpeg, at: still.at, rgb } : undefined;
  });
}

test('shows what the station broadcasts, and leaves its tuner', async () => {
  const { jpeg, at, rgb } = await taken(HD, true);
  expect(jpeg.length).toBeLessThan(MAX_STILL_BYTES);
  expect([...jpeg.subarray(0, 2)]).toEqual([0xff, 0xd8]);
  const [own, other] = await Promise.all([broadcast(HD, at), broadcast(OTHER_CHANNEL, at)]);
  const nearest = (film: Uint8Array[]): number => Math.min(...film.map((picture) => apart(rgb, picture)));
  expect(own.length).toBeGreaterThan(100);
  expect(nearest(own)).toBeLessThan(8);
  expect(nearest(other)).toBeGreaterThan(2 * nearest(own));
  await until('the tuner is released', async () => (await rig.uses()).length === 0);
});

test('without an unused tuner only channels that are received anyway have pictures', async () => {
  const quiet = newStills(false);
  expect(quiet.ask([HD, OTHER_CHANNEL])).toEqual([]);
  const busy = newStills(true);
  await rig.watch(HD);
  await until('the watched station', () => quiet.ask([HD, OTHER_CHANNEL]).length === 1);
  // The only tuner is in use: the other channel is not received.
  await until('the watched station', () => busy.ask([HD, OTHER_CHANNEL]).length === 1);
  for (const stills of [quiet, busy])
    expect(stills.ask([HD, OTHER_CHANNEL]).map(({ stationId }) => stationId)).toEqual([HD]);
  expect((await rig.uses()).filter((use) => !use.startsWith('still '))).toEqual(['live GR/T27']);
});

test('a viewer takes the tuner over from a picture', async () => {
  const stills = newStills(true);
  stills.ask([OTHER_CHANNEL]);
  await until('the tuner is in use', async () => (await rig.uses()).includes('still GR/T26'));
  const watching = await rig.watch(HD, 'raw');
  await until('the stream', () => watching.bytes > 100_000);
  expect(await rig.uses()).toEqual(['live GR/T27']);
});
