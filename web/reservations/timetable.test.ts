import { expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { recordingId, reservationId } from '../../lib/wire/ids.ts';
import { enterBars, stepBar, type TunerRow, timetable, wayOf } from './timetable.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY = 24 * HOUR;

function tuner(id: string, types: Tuner['types'], rank: number | null, use?: string): Tuner {
  return {
    id,
    name: id,
    driver: 'fake',
    device: '',
    types,
    disabled: rank === null,
    lnb: false,
    rank,
    state: 'idle',
    tuned: null,
    users: use === undefined ? [] : [{ use, priority: 10, lagBytes: 0 }],
    signal: null,
    stats: null,
    descrambled: false,
    error: null,
  };
}

const TUNERS = [tuner('t1', ['GR'], 0), tuner('t2', ['GR'], 0), tuner('s1', ['BS', 'CS'], 1)];

/** From and to in minutes of the day. */
function item(
  id: number,
  channel: string,
  [from, to]: readonly [number, number],
  changes: Partial<ReservationItem> = {},
): ReservationItem {
  const startAt = from * MINUTE;
  const endAt = to * MINUTE;
  return {
    id: reservationId(id),
    programId: id as ProgramId,
    stationId: (channel.startsWith('T') ? 1 : 2) as StationId,
    serviceName: channel,
    name: `番組${id}`,
    title: `番組${id}`,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(endAt),
    state: 'scheduled',
    priority: 2,
    ruleId: null,
    reason: null,
    tuner: channel.startsWith('T') ? { type: 'GR', rank: 0 } : { type: 'BS', rank: 1 },
    openAt: broadcastMs(startAt - 10_000),
    closeAt: broadcastMs(endAt + 15_000),
    channel,
    ...changes,
  };
}

function table(items: readonly ReservationItem[], tuners: readonly Tuner[] = TUNERS): TunerRow[] {
  return timetable({
    items,
    tuners,
    typeOf: (id) => (id === 1 ? 'GR' : 'BS'),
    from: broadcastMs(0),
    to: broadcastMs(DAY),
  });
}

const placed = (rows: readonly TunerRow[]): Record<string, number[]> =>
  Object.fromEntries(rows.map(({ key, bars }) => [key, bars.map((bar) => bar.item.id)]));

test('each tuner has a row; simultaneous reservations are on tuners of their type', () => {
  const rows = table([
    item(1, 'T27', [60, 120]),
    item(2, 'T13', [90, 150]),
    item(3, 'BS01_0', [60, 120]),
    item(4, 'T14', [130, 160]),
  ]);
  expect(placed(rows)).toEqual({ t1: [1, 4], t2: [2], s1: [3] });
  expect(rows.map(({ kind }) => kind)).toEqual(['tuner', 'tuner', 'tuner']);
});

test('stations of one physical channel share a tuner, in lanes, as one tuning', () => {
  const [row] = table([
    item(1, 'T27', [60, 120]),
    item(2, 'T27', [90, 150], { stationId: 3 as StationId }),
    item(3, 'T27', [150, 180]),
  ]);
  expect(row?.lanes).toBe(2);
  expect(row?.bars.map(({ item: { id }, lane }) => [id, lane])).toEqual([
    [1, 0],
    [2, 1],
    [3, 0],
  ]);
  expect(row?.tunings).toEqual([
    {
      channel: 'T27',
      from: broadcastMs(60 * MINUTE - 10_000),
      to: broadcastMs(180 * MINUTE + 15_000),
      lanes: 2,
    },
  ]);
});

test('margins do not keep programmes off a tuner, but a tuner without them is taken first', () => {
  const rows = table([item(1, 'T27', [60, 120]), item(2, 'T13', [120, 150])]);
  expect(placed(rows)).toEqual({ t1: [1], t2: [2], s1: [] });
  const one = table([item(1, 'T27', [60, 120]), item(2, 'T13', [120, 150])], [tuner('t1', ['GR'], 0)]);
  expect(placed(one)).toEqual({ t1: [1, 2] });
  expect(one[0]?.lanes).toBe(1);
});

test('a running one is on the tuner that receives it, and the planned ones around it', () => {
  const tuners = [tuner('t1', ['GR'], 0), tuner('t2', ['GR'], 0, 'live GR/T27 rec 7')];
  const running = item(2, 'T13', [60, 120], { state: 'recording', recordingId: recordingId(7), tuner: null });
  expect(placed(table([item(1, 'T27', [50, 100]), running], tuners))).toEqual({ t1: [1], t2: [2] });
});

test('conflicts have a row of their own before the others; cancelled ones have none', () => {
  const rows = table([
    item(1, 'T27', [60, 120], { state: 'conflict', tuner: null }),
    item(2, 'T27', [60, 120], { state: 'missed', tuner: null }),
    item(3, 'T27', [60, 120], { state: 'skipped', tuner: null }),
    item(4, 'T27', [60, 120], { state: 'cancelled', tuner: null }),
    item(5, 'T27', [DAY / MINUTE, DAY / MINUTE + 30]),
  ]);
  expect(placed(rows)).toEqual({ none: [1, 2], t1: [], t2: [], s1: [] });
  expect(rows[0]?.lanes).toBe(2);
});

test('a reservation that fits no known tuner is still shown', () => {
  expect(placed(table([item(1, 'T27', [60, 120])], []))).toEqual({ unknown: [1] });
  const many = [1, 2, 3].map((id) => item(id, `T2${id}`, [60, 120]));
  expect(placed(table(many))).toEqual({ t1: [1], t2: [2], s1: [], unknown: [3] });
});

test('arrows move along a tuner by time, and across tuners at the anchor time', () => {
  const rows = table([
    item(1, 'T27', [60, 240]),
    item(2, 'T13', [60, 90]),
    item(3, 'T14', [180, 210]),
    item(4, 'BS01_0', [200, 260]),
  ]);
  expect(placed(rows)).toEqual({ t1: [1], t2: [2, 3], s1: [4] });
  const from = { row: 0, id: reservationId(1), anchor: broadcastMs(190 * MINUTE) };
  const down = stepBar(rows, from, 'after');
  expect(down).toEqual<unknown>({ row: 1, id: 3, anchor: 190 * MINUTE });
  expect(down && stepBar(rows, down, 'after')).toEqual<unknown>({ row: 2, id: 4, anchor: 190 * MINUTE });
  expect(down && stepBar(rows, down, 'before')).toEqual(from);
  expect(down && stepBar(rows, down, 'earlier')).toEqual<unknown>({ row: 1, id: 2, anchor: 60 * MINUTE });
  expect(stepBar(rows, from, 'later')).toBeUndefined();
  expect(stepBar(rows, from, 'before')).toBeUndefined();
});

test('empty rows are skipped; lanes are visited one by one', () => {
  const rows = table([
    item(1, 'T27', [60, 120]),
    item(2, 'T27', [60, 120], { stationId: 3 as StationId }),
    item(3, 'BS01_0', [500, 560]),
  ]);
  const first = { row: 0, id: reservationId(1), anchor: broadcastMs(60 * MINUTE) };
  const second = stepBar(rows, first, 'after');
  expect(second?.id).toBe<unknown>(2);
  expect(second && stepBar(rows, second, 'after')?.id).toBe<unknown>(3);
  expect(second && stepBar(rows, second, 'before')?.id).toBe<unknown>(1);
});

test('the focus enters at the present or nearest reservation', () => {
  const rows = table([item(1, 'T27', [60, 120]), item(2, 'T13', [300, 330])]);
  expect(enterBars(rows, broadcastMs(70 * MINUTE))?.id).toBe<unknown>(1);
  expect(enterBars(rows, broadcastMs(250 * MINUTE))?.id).toBe<unknown>(2);
  expect(enterBars(table([]), broadcastMs(0))).toBeUndefined();
});

test('time runs across, or down on phones', () => {
  expect([wayOf('left', false), wayOf('down', false)]).toEqual(['earlier', 'after']);
  expect([wayOf('left', true), wayOf('down', true)]).toEqual(['before', 'later']);
});
