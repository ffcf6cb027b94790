/** Fake reservations for tests of the UI: a list that reserving, cancelling and restoring change. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type {
  Problem,
  ReservationItem,
  ReservationMark,
  ReservationRequest,
  Station,
} from '../../lib/wire/api.ts';
import { recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MARGIN_MS = { before: 10_000, after: 15_000 } as const;

export interface FakeBookings {
  items: ReservationItem[];
  /** Programmes for which no tuner will be free. */
  readonly tight: Set<number>;
  nextId: number;
}

export function newBookings(items: readonly ReservationItem[] = []): FakeBookings {
  return { items: [...items], tight: new Set(), nextId: 1 + Math.max(0, ...items.map(({ id }) => id)) };
}

/** What a reservation copies from its programme. */
export interface BookedProgram {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly copyNever: boolean;
  readonly station: Station;
}

export function reservation(
  program: Omit<BookedProgram, 'copyNever'>,
  changes: Partial<ReservationItem> = {},
): ReservationItem {
  const { id, name, title, startAt, endAt, station } = program;
  return {
    id: reservationId(1),
    programId: id as ProgramId,
    stationId: station.id,
    serviceName: station.name,
    name,
    title,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(endAt),
    state: 'scheduled',
    priority: 2,
    ruleId: null,
    reason: null,
    tuner: { type: station.type, rank: station.type === 'GR' ? 0 : 1 },
    openAt: broadcastMs(startAt - MARGIN_MS.before),
    closeAt: broadcastMs(endAt + MARGIN_MS.after),
    channel: `${station.type}-${station.id % 100}`,
    recordingId: null,
    note: null,
    marginBefore: null,
    marginAfter: null,
    encode: null,
    keepTs: null,
    ...changes,
  };
}

export function markOf({ items }: FakeBookings, programId: number): ReservationMark | null {
  const found = items.findLast((item) => item.programId === programId);
  return found === undefined ? null : { id: found.id, state: found.state };
}

const DONE: readonly ReservationItem['state'][] = ['finished', 'missed', 'cancelled'];
const isDone = ({ state, endAt }: ReservationItem, now: number): boolean =>
  DONE.includes(state) || (state === 'skipped' && endAt <= now);

const NO_TUNER = 'チューナーが足りないため録画できません。';

function problem(body: Problem, status: number): Response {
  return Response.json(body, { status });
}

function book(bookings: FakeBookings, program: BookedProgram | undefined, now: number): Response {
  if (program === undefined) return problem({ message: 'この番組はありません。', code: 'not_found' }, 404);
  const known = bookings.items.find((item) => item.programId === program.id && item.state !== 'cancelled');
  if (known !== undefined) return Response.json(known);
  if (program.copyNever) {
    return problem({ message: 'コピー禁止の番組なので録画しません。', code: 'copy_never' }, 400);
  }
  if (program.endAt <= now) return problem({ message: '放送は終わりました。', code: 'ended' }, 400);
  const tight = bookings.tight.has(program.id);
  const item = reservation(program, {
    id: reservationId(bookings.nextId),
    ...(tight ? { state: 'conflict', reason: NO_TUNER, tuner: null, openAt: null, closeAt: null } : {}),
  });
  bookings.nextId += 1;
  bookings.items.push(item);
  return Response.json(item);
}

function change(bookings: FakeBookings, id: number, changes: Partial<ReservationItem>): Response {
  const index = bookings.items.findIndex((item) => item.id === id);
  const item = bookings.items[index];
  if (item === undefined) return problem({ message: 'この予約はありません。', code: 'not_found' }, 404);
  bookings.items[index] = { ...item, ...changes };
  return new Response(null, { status: 204 });
}

interface FakeDay {
  readonly program: (id: number) => BookedProgram | undefined;
  /** The programme on air at a station. */
  readonly airing: (stationId: number) => BookedProgram | undefined;
  readonly now: number;
}

/** @returns undefined for a path of another part */
export function answerBookings(
  bookings: FakeBookings,
  { method, name, body, query }: { method: string; name: string; body: string; query: URLSearchParams },
  day: FakeDay,
): Response | undefined {
  if (name === 'reservations' && method === 'GET') {
    const completed = query.get('completed') === '1';
    const sign = completed ? -1 : 1;
    const from = Number(query.get('from') ?? 0);
    const to = Number(query.get('to') ?? Infinity);
    const state = query.get('state');
    const listed = bookings.items
      .filter((item) => isDone(item, day.now) === completed && item.endAt > from && item.startAt < to)
      .filter((item) => state === null || item.state === state)
      .sort((a, b) => sign * (a.startAt - b.startAt || a.id - b.id));
    return Response.json(listed.slice(0, Number(query.get('limit') ?? listed.length)));
  }
  if (name === 'reservations' && method === 'POST') {
    const { programId, ...choice }: ReservationRequest = JSON.parse(body);
    const known = bookings.items.find((item) => item.programId === programId && !isDone(item, day.now));
    if (known !== undefined) {
      change(bookings, known.id, choice as Partial<ReservationItem>);
      return Response.json({ ...known, ...choice });
    }
    return book(bookings, day.program(programId), day.now);
  }
  const station = /^services\/(\d+)\/record$/u.exec(name)?.[1];
  if (station !== undefined) {
    const airing = day.airing(Number(station));
    const answer = book(bookings, airing, day.now);
    if (!answer.ok || airing === undefined) return answer;
    const mark = markOf(bookings, airing.id);
    const reserved = mark?.state === 'scheduled' || mark?.state === 'recording';
    return Response.json({ recorded: airing.title, programId: airing.id, reserved });
  }
  const [, id, restore] = /^reservations\/(\d+)(\/restore)?$/u.exec(name) ?? [];
  if (id === undefined) return undefined;
  const item = bookings.items.find((one) => one.id === Number(id));
  if (restore !== undefined) return change(bookings, Number(id), { state: 'scheduled', reason: null });
  const stopped = item?.state === 'recording';
  return change(bookings, Number(id), { state: stopped ? 'finished' : 'cancelled', reason: null });
}

/**
 * Stations of both kinds, an evening with reservations of every state, and two conflicts with their blockers
 * and alternatives.
 */
export function busyEvening(stations: readonly Station[], now: number): ReservationItem[] {
  const terrestrial = stations.filter(({ type }) => type === 'GR');
  const satellite = stations.filter(({ type }) => type === 'BS');
  const of = (list: readonly Station[], index: number): Station => {
    const station = list[index % list.length];
    if (station === undefined) throw new Error('no station');
    return station;
  };
  let id = 0;
  const make = (
    station: Station,
    name: string,
    [from, minutes]: readonly [number, number],
    changes: Partial<ReservationItem> = {},
  ): ReservationItem => {
    id += 1;
    const startAt = Math.floor(now / (5 * MINUTE_MS)) * 5 * MINUTE_MS + from * MINUTE_MS;
    const title = name.replace(/\[.\]/gu, '');
    const program = {
      id: station.id * 100_000 + id,
      name,
      title,
      startAt,
      endAt: startAt + minutes * MINUTE_MS,
    };
    return reservation({ ...program, station }, { id: reservationId(id), ...changes });
  };
  const lost = { reason: 'ほかの録画と重なり、チューナーが足りないため録画できません。', tuner: null };
  const later = of(terrestrial, 4);
  const offer = (hours: number, station: Station) => {
    const startAt = Math.floor(now / HOUR_MS) * HOUR_MS + hours * HOUR_MS;
    return {
      programId: (station.id * 100_000 + 900 + hours) as ProgramId,
      serviceName: station.name,
      title: '山里の台所　囲炉裏の味をのこす',
      startAt: broadcastMs(startAt),
      endAt: broadcastMs(startAt + 25 * MINUTE_MS),
    };
  };
  return [
    make(of(terrestrial, 0), '[字]ニュースきょう一日', [-15, 30], {
      state: 'recording',
      recordingId: recordingId(71),
    }),
    make(of(terrestrial, 3), '[生][字]みなとナイター　ブルーマリンズ対フォレスターズ', [15, 150], {
      ruleId: ruleId(5),
      priority: 3,
    }),
    make(of(terrestrial, 1), '[新][字]ドラマ「灯台守の娘」第1話　嵐の夜に帰ってきた人', [60, 60], {
      ruleId: ruleId(3),
      priority: 1,
    }),
    make(of(terrestrial, 2), '[再]山里の台所　囲炉裏の味をのこす', [65, 25], {
      state: 'conflict',
      ...lost,
      blockers: [reservationId(2), reservationId(3)],
      alternatives: [
        offer(26, later).programId as ProgramId,
        offer(50, of(satellite, 0)).programId as ProgramId,
      ],
      offers: [offer(26, later), offer(50, of(satellite, 0))],
    }),
    make(of(terrestrial, 1), '[字]クイズ！まちかど博覧会', [120, 55], { ruleId: ruleId(3), priority: 1 }),
    make(of(satellite, 0), '[字][二]世界の路地裏から　ポルト編', [90, 45]),
    make(of(satellite, 0), '天体観測生中継', [135, 80], {
      channel: 'BS-1',
      note: '放送が延びたため、終わりを遅らせました。',
    }),
    make(of(satellite, 1), '映画「さよならは朝の汽車で」', [150, 115], { ruleId: ruleId(4), priority: 1 }),
    make(of(terrestrial, 5), 'ミュージックサロン　秋のピアノ特集', [200, 60], {
      state: 'skipped',
      reason: 'コピー禁止の番組なので録画しません。',
      ruleId: ruleId(4),
      priority: 1,
      tuner: null,
    }),
    make(of(terrestrial, 6), '寄席の時間　春風亭の三題噺', [220, 30], { state: 'cancelled', tuner: null }),
    make(of(terrestrial, 0), '[字]ニュースきょう一日', [24 * 60, 30]),
    make(of(terrestrial, 3), 'アニメ　ほうき星の郵便屋さん　＃12', [26 * 60, 30], {
      ruleId: ruleId(3),
      priority: 1,
    }),
    make(of(terrestrial, 7), '[終][字]趣味の庭しごと　冬じたくと球根', [26 * 60, 25], {
      state: 'conflict',
      ...lost,
      reason: '地デジを受信できるチューナーがないため録画できません。',
      blockers: [],
    }),
    make(of(terrestrial, 4), 'みんなの手話　駅で道をたずねる', [-180, 15], {
      state: 'finished',
      recordingId: recordingId(64),
    }),
    make(of(terrestrial, 2), '名店通販スペシャル', [-300, 30], {
      state: 'missed',
      reason: 'チューナーエージェントに接続できず、録画を始められませんでした。',
      ruleId: ruleId(3),
      priority: 1,
      tuner: null,
    }),
  ];
}
