import { describe, expect, test } from 'bun:test';
import { networkId, type ProgramId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';
import { reservationOf } from '../../test/reservation.ts';
import { tuner } from '../../test/service/bookings.ts';
import type { Reservation } from '../model/reservation.ts';
import type { PlannedOpening } from '../schedule/plan/plan-types.ts';
import { tunersOfPlan } from './plan-tuners.ts';
import { ordersOf } from './recording-orders.ts';

const NOON = broadcastMs(1_800_000_000_000);
const MINUTE = 60_000;
const SETTINGS = { marginBefore: 10_000, marginAfter: 15_000, encode: 'av1', keepTs: false } as const;
const [ONE, TWO, THREE] = [1024, 1032, 1040].map((service) =>
  stationId(networkId(0x7fe8), serviceId(service)),
) as [StationId, StationId, StationId];
/** Two stations of one channel, one of another. */
const PLACES = new Map([
  [ONE, { type: 'GR', channel: 'T27' }],
  [TWO, { type: 'GR', channel: 'T28' }],
  [THREE, { type: 'GR', channel: 'T27' }],
]);

function reservation(id: number, station: StationId, over: Partial<Reservation> = {}): Reservation {
  return reservationOf({
    id: reservationId(id),
    programId: (station * 100_000 + id) as ProgramId,
    stationId: station,
    name: `番組${id}`,
    startAt: broadcastMs(NOON),
    endAt: broadcastMs(NOON + 30 * MINUTE),
    createdAt: broadcastMs(NOON - MINUTE),
    updatedAt: NOON,
    ...over,
  });
}

function opening(
  { programId }: Reservation,
  over: Partial<PlannedOpening> = {},
): [ProgramId, PlannedOpening] {
  const times = {
    openAt: broadcastMs(NOON + 1),
    closeAt: broadcastMs(NOON + 2),
    holdUntil: null,
    listenUntil: null,
    brokenAt: null,
    startAt: broadcastMs(NOON + 3),
    endAt: broadcastMs(NOON + 4),
  };
  return [programId, { programId, ...times, after: [], cuts: [], ...over }];
}

const orders = (reservations: Reservation[], openings: [ProgramId, PlannedOpening][] = []) =>
  ordersOf(reservations, new Map(openings), SETTINGS, (station) => PLACES.get(station));

describe('orders', () => {
  test('have the margins and options of the reservation, else those of the settings', () => {
    const [own, none] = orders([
      reservation(1, ONE, {
        marginBefore: 1000,
        marginAfter: 2000,
        encode: 'none',
        keepTs: true,
        commercials: 'cut',
        ruleId: ruleId(7),
      }),
      reservation(2, TWO),
    ]);
    expect(own).toMatchObject({
      reservationId: 1,
      ruleId: 7,
      openAt: broadcastMs(NOON - 3000),
      closeAt: broadcastMs(NOON + 30 * MINUTE + 2000),
      holdUntil: null,
      encode: 'none',
      keepTs: true,
      commercials: 'cut',
      after: [],
      wantedFrom: null,
    });
    expect(none).toMatchObject({
      openAt: broadcastMs(NOON - 12_000),
      closeAt: broadcastMs(NOON + 30 * MINUTE + 15_000),
      encode: 'av1',
      commercials: null,
    });
  });

  test('have the times of the plan, and hand over only between different channels', () => {
    const [before, beside] = [reservation(1, TWO), reservation(2, THREE)];
    const own = reservation(3, ONE);
    const after = [before.programId, beside.programId, 99 as ProgramId];
    const [, , order] = orders(
      [before, beside, own],
      [opening(own, { after, holdUntil: broadcastMs(NOON + 5) })],
    );
    expect(order).toMatchObject({
      openAt: broadcastMs(NOON + 1),
      closeAt: broadcastMs(NOON + 2),
      startAt: broadcastMs(NOON + 3),
      endAt: broadcastMs(NOON + 4),
      holdUntil: NOON + 5,
      after: [1],
      apart: [2],
    });
  });

  test('without a plan hand over from a recording that ends within their margin, as there may be no other tuner', () => {
    const half = { startAt: broadcastMs(NOON - 30 * MINUTE), endAt: broadcastMs(NOON - 5000) };
    const [before, beside] = [
      reservation(1, TWO, { ...half, state: 'recording' }),
      reservation(2, THREE, half),
    ];
    const long = reservation(3, TWO, { startAt: broadcastMs(NOON - 30 * MINUTE) });
    const [, , , order] = orders([before, beside, long, reservation(4, ONE)]);
    expect(order).toMatchObject({ openAt: broadcastMs(NOON - 5000), after: [1], apart: [] });
    const [early, planned] = [reservation(1, TWO, half), reservation(4, ONE)];
    const [, own] = orders([early, planned], [opening(planned)]);
    expect(own).toMatchObject({ openAt: broadcastMs(NOON + 1), after: [] });
  });

  test('say that a programme was booked while already on air', () => {
    const late = reservation(1, ONE, { createdAt: broadcastMs(NOON + MINUTE) });
    expect(orders([late])[0]?.wantedFrom).toBe(broadcastMs(NOON + MINUTE));
  });

  test('want the whole programme that was booked while the clock was ahead of its end', () => {
    const early = reservation(1, ONE, { createdAt: broadcastMs(NOON + 600 * MINUTE) });
    expect(orders([early])[0]?.wantedFrom).toBeNull();
  });
});

describe('tuners', () => {
  test('are planned in rank order, except unusable ones', () => {
    const tuners = tunersOfPlan(
      [
        tuner('a', 0, ['GR']),
        tuner('b', 1, ['BS', 'CS'], { state: 'error' }),
        tuner('c', 2, ['GR', 'BS', 'CS'], { disabled: true, rank: null }),
        tuner('d', 3, ['BS', 'CS']),
      ],
      new Map(),
    );
    expect(tuners).toEqual([
      { rank: 0, types: ['GR'], recording: [], retuneMs: 2500 },
      { rank: 1, types: [], recording: [], broken: ['BS', 'CS'] },
      { rank: 3, types: ['BS', 'CS'], recording: [], retuneMs: 2500 },
    ]);
  });

  test('have the retuning time that the agent measured, rounded up to half a second', () => {
    const measured = [undefined, 0, 380, 420, 3_950].map((tunedInMs, index) =>
      tuner(`t${index}`, 0, ['GR'], tunedInMs === undefined ? {} : { tunedInMs }),
    );
    const found = tunersOfPlan(measured, new Map()).map(({ retuneMs }) => retuneMs);
    expect(found).toEqual([2500, 500, 500, 1000, 4500]);
  });

  test('that are unusable are planned where there are no others', () => {
    const broken = { state: 'error' as const };
    const tuners = tunersOfPlan(
      [tuner('a', 0, ['GR'], broken), tuner('b', 1, ['BS', 'CS'], broken), tuner('c', 2, ['BS'])],
      new Map(),
    );
    expect(tuners).toEqual([
      { rank: 0, types: ['GR'], recording: [], broken: ['GR'] },
      { rank: 1, types: ['CS'], recording: [], broken: ['BS', 'CS'] },
      { rank: 2, types: ['BS'], recording: [], retuneMs: 2500 },
    ]);
  });

  test('that are unusable release their recording to another tuner', () => {
    const running = new Map([[reservationId(11), { recordingId: recordingId(5), tunerId: 'a' }]]);
    const tuners = tunersOfPlan([tuner('a', 0, ['GR'], { state: 'error' }), tuner('b', 1, ['GR'])], running);
    expect(tuners.map(({ recording }) => recording)).toEqual([[], []]);
  });

  test('hold the recordings that the agent or the recorder reports on them', () => {
    const use = (name: string) => ({ use: name, priority: 10, lagBytes: 0 });
    const tuners = tunersOfPlan(
      [
        tuner('a', 0, ['GR'], { users: [use('rec 5'), use('live GR/T27'), use('rec 99')] }),
        tuner('b', 1, ['GR']),
      ],
      new Map([
        [reservationId(11), { recordingId: recordingId(5), tunerId: 'a' }],
        [reservationId(12), { recordingId: recordingId(6), tunerId: 'b' }],
        [reservationId(13), { recordingId: recordingId(7), tunerId: null }],
      ]),
    );
    expect(tuners.map(({ recording }) => recording)).toEqual([[reservationId(11)], [reservationId(12)]]);
  });
});
