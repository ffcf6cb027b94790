import { expect, test } from 'bun:test';
import { networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { MAX_STILLS } from '../../lib/wire/api.ts';
import { tunerOf } from '../../test/tuner.ts';
import { until } from '../../test/until.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import { streamFailure } from '../tuner/agent-stream.ts';
import { opensSoon, planStill, STILL_INTERVAL_MS } from './still-plan.ts';
import { Stills } from './stills.ts';

function stationOf(service: number, channel: string): StationRecord {
  const ids = { networkId: networkId(1), serviceId: serviceId(service) };
  const id = stationId(ids.networkId, ids.serviceId);
  return { id, ...ids, type: 'GR', channel } as StationRecord;
}
const [ONE, TWO, OTHER] = [stationOf(1, 'T1'), stationOf(2, 'T1'), stationOf(3, 'T2')] as const;

const IDLE = tunerOf(['GR']);
const WATCHED = tunerOf(['GR'], {
  state: 'tuned',
  tuned: { type: 'GR', channel: 'T2' },
  users: [{ use: 'live GR/T2', priority: 9, since: 0 }],
} as never);

test('all due stations of a channel at once; what is received anyway before an unused tuner', () => {
  const base = { wanted: [ONE, OTHER, TWO], tries: new Map(), now: 0 };
  const channel = (tuners: (typeof IDLE)[], mayTune = true, over = {}): string | undefined =>
    planStill({ ...base, tuners, mayTune, ...over })?.channel;
  expect(planStill({ ...base, tuners: [IDLE], mayTune: true })?.stations).toEqual([ONE, TWO]);
  expect(channel([IDLE, WATCHED])).toBe('T2');
  expect(channel([IDLE], false)).toBeUndefined();
  expect(channel([WATCHED], false)).toBe('T2');
  expect(channel([tunerOf(['BS'])])).toBeUndefined();
  expect(channel([tunerOf(['GR'], { disabled: true })])).toBeUndefined();
});

test('a station is taken again after the interval, and one without a picture later', () => {
  const base = { wanted: [ONE], tuners: [IDLE], mayTune: true };
  const due = (fruitless: number, now: number): boolean =>
    planStill({ ...base, tries: new Map([[ONE.id, { at: 0, fruitless }]]), now }) !== null;
  expect([due(0, STILL_INTERVAL_MS - 1), due(0, STILL_INTERVAL_MS)]).toEqual([false, true]);
  expect([due(2, STILL_INTERVAL_MS * 3), due(2, STILL_INTERVAL_MS * 4)]).toEqual([false, true]);
});

test('unused tuners are left alone before a recording opens', () => {
  const soon = (from: number): boolean => opensSoon([{ from: broadcastMs(from) }], broadcastMs(100_000));
  expect([soon(99_000), soon(101_000), soon(119_000), soon(121_000)]).toEqual([false, true, true, false]);
});

/** Every station of the channel has a picture at once, or its stream ends without one for the reason `noPicture`. */
function home(stations: readonly StationRecord[], tuners = async () => [IDLE]) {
  const state: { now: number; opened: number; noPicture?: string; refusal?: Error } = { now: 0, opened: 0 };
  const pool = {
    open: async ({ readers = [] }) => {
      state.opened += 1;
      if (state.refusal !== undefined) throw state.refusal;
      const [reader] = readers as unknown as [
        {
          options: { wanted: number[] };
          entry: { value(picture: unknown): void; ended(end: unknown): void };
        },
      ];
      const cause = state.noPicture ?? 'finished';
      if (cause === 'finished')
        for (const service of reader.options.wanted) reader.entry.value({ serviceId: service });
      reader.entry.ended({ cause, reason: null, dropped: 0 });
      return { close: async () => 0 };
    },
  };
  const stills = new Stills({
    pool: pool as unknown as Pick<ReceptionPool, 'open'>,
    stations: { find: (id) => stations.find((one) => one.id === id) },
    tuners,
    jpegOf: async ({ serviceId: service }) => new Uint8Array([service & 0xff, service >> 8, state.opened]),
    mayTune: () => true,
    clock: () => monotonicMs(state.now),
    broadcastNow: () => broadcastMs(state.now),
    log: SILENT_LOG,
    pausesMs: { afterFirst: 0, after: 0, idle: 1 },
  });
  return { stills, state };
}

test('nothing is received unless a client asks, nor for unknown stations', async () => {
  const { stills, state } = home([ONE]);
  expect(stills.find(ONE.id)).toBeUndefined();
  expect(stills.ask([OTHER.id])).toEqual([]);
  await stills.close();
  expect(state.opened).toBe(0);
});

test('a request for unknown stations only does not keep later ones from being served', async () => {
  const { stills, state } = home([ONE]);
  stills.ask([OTHER.id]);
  await until(() => stills.ask([ONE.id]).length === 1);
  expect(state.opened).toBe(1);
  await stills.close();
});

test('closing does not wait for an agent that does not answer', async () => {
  const { stills } = home([ONE], () => new Promise(() => {}));
  stills.ask([ONE.id]);
  await stills.close();
  expect(stills.ask([ONE.id])).toEqual([]);
});

test('a picture has its time and an address of its own, and is forgotten', async () => {
  const { stills, state } = home([ONE, OTHER]);
  state.now = 1_000_000;
  const [still] = await until(() => {
    const found = stills.ask([ONE.id]);
    return found.length > 0 ? found : undefined;
  });
  expect(still).toMatchObject({ stationId: ONE.id, at: 1_000_000 });
  expect(still?.picture).toBe(`api/services/${ONE.id}/still?v=${stills.find(ONE.id)?.tag}`);
  // No client asked for two minutes: the picture stays, and no other one is taken.
  state.now += 120_000;
  await until(() => stills.ask([OTHER.id]).length === 1);
  expect(state.opened).toBe(2);
  expect(stills.find(ONE.id)).toBeDefined();
  state.now += 600_000;
  expect(stills.find(ONE.id)).toBeUndefined();
  await stills.close();
});

test.each(['stream', 'tuners_busy', 'tuner_taken'] as const)(
  'a station whose tuner went to another use is tried again at the usual interval: %s',
  async (why) => {
    const { stills, state } = home([ONE]);
    if (why === 'stream') state.noPicture = why;
    else state.refusal = streamFailure({ code: why, reason: '', sentence: null });
    await until(() => stills.ask([ONE.id]).length === 0 && state.opened === 1);
    delete state.noPicture;
    delete state.refusal;
    state.now += STILL_INTERVAL_MS;
    await until(() => stills.ask([ONE.id]).length === 1);
    await stills.close();
  },
);

test('a station without a signal is tried again later', async () => {
  const { stills, state } = home([ONE, OTHER]);
  state.refusal = streamFailure({ code: 'no_signal', reason: '', sentence: null });
  await until(() => stills.ask([ONE.id]).length === 0 && state.opened === 1);
  delete state.refusal;
  state.now += STILL_INTERVAL_MS;
  await until(() => stills.ask([OTHER.id]).length === 1);
  expect(stills.ask([ONE.id])).toEqual([]);
  state.now += STILL_INTERVAL_MS;
  await until(() => stills.ask([ONE.id]).length === 1);
  await stills.close();
});

test('keeps a bounded number of pictures', async () => {
  const many = Array.from({ length: MAX_STILLS + 40 }, (_, at) => stationOf(at + 1, `T${at}`));
  const { stills } = home(many);
  const ids = many.map(({ id }) => id);
  const parts: StationId[][] = [ids.slice(0, MAX_STILLS), ids.slice(40)];
  for (const part of parts) {
    await until(() => stills.ask(part).length === MAX_STILLS);
  }
  expect(ids.filter((id) => stills.find(id) !== undefined)).toHaveLength(MAX_STILLS);
  await stills.close();
});
