/**
 * The maximum load of a household: eight recordings on as many channels, and four viewers of original packets
 * on four of these. Nothing is lost, however slow the machine is. For the cost see `test/bench/record.ts`.
 */
import { afterAll, expect } from 'bun:test';
import { realTime } from '../real-time.ts';
import { compare } from '../record/test-broadcast.ts';
import { until } from '../until.ts';
import { type BookedHousehold, startBooked } from './booked-household.ts';
import { type Household, LONG } from './household.ts';

const RECORDINGS = 8;
const VIEWERS = 4;
const SECONDS = LONG ? 240 : 12;

const { prepare, test } = realTime();
let household: Household;
let at: number;
let shows: BookedHousehold['shows'];
let ids: BookedHousehold['ids'];
prepare(async () => {
  ({ household, at, shows, ids } = await startBooked('a full household', (begin) => {
    const recorded = Array.from({ length: RECORDINGS }, (_, index) => ({
      channel: `T${30 + index}`,
      title: `満員御礼 第${index + 1}回`,
      at: begin,
      seconds: SECONDS,
    }));
    return { options: { shows: recorded, tuners: `GR:${RECORDINGS}` } };
  }));
});
afterAll(() => household?.close(), 60_000);

/**
 * Watches the original stream of a station until aborted. @returns the packets, and whether the stream was
 * cut off
 */
function view(stationId: number | undefined): { leave(): Promise<Uint8Array>; bytes(): number } {
  const leaving = new AbortController();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const watching = (async () => {
    const { signal } = leaving;
    const { status, body } = await fetch(`${household.url}/api/services/${stationId}/live?codec=raw`, {
      signal,
    });
    expect(status).toBe(200);
    try {
      for await (const piece of body ?? []) {
        pieces.push(piece);
        bytes += piece.length;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!signal.aborted) throw new Error(`the stream of ${stationId} ended`);
    return Buffer.concat(pieces);
  })();
  // It may fail before it is awaited.
  watching.catch(() => {});
  return {
    leave: () => {
      leaving.abort();
      return watching;
    },
    bytes: () => bytes,
  };
}

test(`${RECORDINGS} recordings and ${VIEWERS} viewers at the same time lose nothing`, () =>
  household.explained(async () => {
    const stations = await household.stations();
    await Promise.all(shows.map((show) => household.receives(ids.get(show) ?? 0)));
    const watched = shows.slice(0, VIEWERS).map((show) => {
      const { serviceId } = household.air.station(show.channel);
      const station = stations.find(({ id }) => id % 100_000 === serviceId);
      return { show, from: Date.now(), viewer: view(station?.id) };
    });
    await until(
      'every viewer receives data',
      () => watched.every(({ viewer }) => viewer.bytes() > 0) || undefined,
    );
    expect(Date.now()).toBeLessThan(at);
    await until('the programmes are over', () => Date.now() > at + SECONDS * 1000 || undefined);
    const seen = await Promise.all(
      watched.map(async ({ viewer, ...rest }) => ({ ...rest, bytes: await viewer.leave() })),
    );
    for (const show of shows) {
      const { verdict, loss, pictures, recording } = await household.outcome(show, ids.get(show) ?? 0);
      expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
      expect(recording).toMatchObject({ state: 'recorded', reason: null });
      expect(verdict.headMs).toBeGreaterThan(0);
      expect(verdict.tailMs).toBeGreaterThan(500);
      expect(pictures).toBeGreaterThan(SECONDS * 25);
    }
    for (const { show, from, bytes } of seen) {
      const loss = compare(bytes, await household.air.sent(show.channel, from - 5000, Date.now()));
      expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(bytes.length).toBeGreaterThan(SECONDS * 20_000);
    }
    expect(household.log).not.toMatch(/interrupted|stalled|viewer.*slow/);
  }));
