/** Reads and writes programmes as the guide receives them. */
import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { at, BRANCH, HOME, ProgramRows, program } from '../../test/guide/program-rows.ts';
import type { PresentFollowing, StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { ProgramStore } from './program-store.ts';
import { ProgramWriter, type Written } from './program-writer.ts';

const MINUTE = 60_000;
/** 12:00 JST. */
const NOON = wallMs(Date.parse('2026-11-21T12:00:00+09:00'));
const EVER = broadcastMs(0);

let rows: ProgramRows;
let database: Database;
let store: ProgramStore;
/** Between transactions. */
let pauses: number;

beforeEach(() => {
  pauses = 0;
  rows = new ProgramRows(async () => {
    pauses += 1;
    await Promise.resolve();
  });
  ({ database, store } = rows);
});

afterEach(() => rows.close());

const write = (change: Partial<StationChange>, minutes = 0): Promise<Written> => rows.write(change, minutes);

/** Writes present/following with its programmes. */
function say(present: ProgramRecord | null, following: ProgramRecord | null, minutes = 0): Promise<Written> {
  const presentFollowing: PresentFollowing = { present, following, at: at(minutes) };
  const programs = [present, following].filter((each) => each !== null);
  return write({ programs, presentFollowing }, minutes);
}

const events = (): number[] => store.ofStation(HOME, EVER).map((row) => row.eventId);
const shown = (): number[] =>
  database
    .query<{ event_id: number }, []>('SELECT event_id FROM programs WHERE hidden = 0 ORDER BY start_at, id')
    .all()
    .map((row) => row.event_id);
const airing = (minutes: number): number | undefined =>
  store.airingOn(HOME, broadcastMs(at(minutes)))?.eventId;
const pending = (): unknown => database.query('SELECT count(*) AS rows FROM search_pending').get();
const window = (kind: 'basic' | 'extended', from: number, to: number, ...ids: number[]) => ({
  kind,
  from: at(from),
  to: at(to),
  events: ids.map(eventId),
});

describe('reading', () => {
  test('the programme after another is the last announced one, not one on air with an unknown end', async () => {
    await write({ programs: [program(1, 0, 30), program(2, 30, 60), program(3, 60, 90)] });
    // The previous programme overruns; the table of the one after the second still has its old start.
    database.run('UPDATE programs SET on_air = 1, open_end = 1, end_at = ? WHERE event_id = 1', [at(90)]);
    database.run('UPDATE programs SET start_at = ?, end_at = ? WHERE event_id = 2', [at(40), at(70)]);
    const [, second, third] = [1, 2, 3].map((event) => program(event, 0, 0).id);
    const following = (minutes: number) =>
      store.followingOn(HOME, broadcastMs(at(minutes)), second ?? null)?.id;
    expect(following(70)).toBe(third);
    expect(store.followingOn(HOME, broadcastMs(at(90)), null)).toBeUndefined();
  });

  test('a stored programme comes back as it was', async () => {
    const stored = program(7, 0, 30, {
      extended: { 出演者: '誰か' },
      copyNever: true,
      groups: [
        {
          type: 'relay',
          events: [{ networkId: networkId(4), serviceId: serviceId(101), eventId: eventId(9) }],
        },
      ],
      series: { id: 1, repeat: 0, pattern: 2, expiresAt: null, episode: 3, lastEpisode: 12, name: '連続' },
    });
    await write({ programs: [stored] });
    expect(store.ofStation(HOME, EVER)).toEqual([stored]);
  });

  test('a programme that changes twice before it is indexed is stored', async () => {
    await write({ programs: [program(7, 0, 30)] });
    database.run("INSERT OR IGNORE INTO search_pending SELECT 'program', id FROM programs");
    await write({ programs: [program(7, 5, 40)] });
    expect(store.ofStation(HOME, EVER)).toEqual([program(7, 5, 40)]);
  });

  test('a station counts as shared in a window in which each of its programmes is shared', async () => {
    const events = [{ networkId: networkId(0x7fe8), serviceId: serviceId(1024), eventId: eventId(1) }];
    const shared = { type: 'shared' as const, events };
    await write({
      programs: [
        program(1, 0, 30, { groups: [shared] }),
        program(2, 30, 60, { groups: [shared] }),
        program(3, 60, 90),
      ],
    });
    const sharing = (from: number, to: number) =>
      store
        .sharing([HOME, BRANCH], at(from), at(to))
        .get(HOME)
        ?.map(({ groups }) => groups);
    expect(sharing(0, 60)).toEqual([[shared], [shared]]);
    expect(sharing(0, 61)).toBeUndefined();
    expect(sharing(95, 100)).toBeUndefined();
    expect(store.sharing([BRANCH], at(0), at(60)).size).toBe(0);
  });

  test('the airing programme is the one whose span contains the moment, end exclusive', async () => {
    await write({ programs: [program(1, 0, 30), program(2, 30, 60)] });
    expect([airing(-1), airing(0), airing(29.9), airing(30), airing(60)]).toEqual([
      undefined,
      1,
      1,
      2,
      undefined,
    ]);
  });

  test('of overlapping programmes the one that began last is airing', async () => {
    await write({ programs: [program(1, 0, 60), program(2, 30, 90)] });
    expect([airing(29), airing(31), airing(61)]).toEqual([1, 2, 2]);
  });

  test('spans are those that overlap the window', async () => {
    await write({ programs: [program(1, 0, 30), program(2, 30, 60)] });
    const span = (from: number, to: number) =>
      store.spans([HOME], at(from), at(to)).map((row) => row.startAt - NOON);
    expect(span(10, 11)).toEqual([0]);
    expect(span(30, 31)).toEqual([30 * MINUTE]);
    expect(span(-90, 90)).toEqual([0, 30 * MINUTE]);
    expect(store.spans([], EVER, at(90))).toEqual([]);
  });
});

describe('writing', () => {
  test('unchanged repetitions are not written', async () => {
    const programs = [program(1, 0, 30, { extended: { 内容: '話' } }), program(2, 30, 60)];
    expect((await write({ programs })).changed).toBe(2);
    expect((await write({ programs }, 1)).changed).toBe(0);
    expect(database.query('SELECT max(updated_at) AS at FROM programs').get()).toEqual({ at: NOON });
    expect((await write({ programs: [program(2, 30, 65)] }, 2)).changed).toBe(1);
  });

  test('transactions are short, and other tasks run between them', async () => {
    const programs = Array.from({ length: 400 }, (_, index) => program(index, index * 5, index * 5 + 5));
    await write({ programs });
    expect(pauses).toBeGreaterThan(2);
    expect(pending()).toEqual({ rows: 0 });
    expect(events()).toHaveLength(400);
  });

  test('a transaction ends with its first step past 8 ms', async () => {
    let ticks = 0;
    let since = 0;
    let longest = 0;
    // Each reading of the clock adds a ms.
    const timed = new ProgramWriter({
      database,
      elapsed: () => {
        ticks += 1;
        return monotonicMs(ticks);
      },
      pause: async () => {
        longest = Math.max(longest, ticks - since);
        since = ticks;
      },
    });
    const programs = Array.from({ length: 100 }, (_, index) => program(index, index * 5, index * 5 + 5));
    const nothing = { extended: new Map(), windows: [], presentFollowing: undefined };
    await timed.write({ stationId: HOME, ...nothing, programs }, NOON);
    expect(longest).toBeLessThan(20);
  });

  test('a station with endless announcements is limited to its quota, and what is on is still stored', async () => {
    const flood = Array.from({ length: 63_000 }, (_, index) => program(index, index, index + 1));
    await write({ programs: flood });
    expect(events()).toHaveLength(3_000);
    // Responses are sent between its transactions.
    expect(pauses).toBeGreaterThan(1);
    await say(program(64_000, 0, 30), program(64_001, 30, 60));
    expect(airing(5)).toBe(eventId(64_000));
  });

  test('a station that was deleted meanwhile is ignored', async () => {
    const other = stationId(networkId(4), serviceId(101));
    const change = { ...program(1, 0, 30), stationId: other, id: programId(other, eventId(1)) };
    expect(await write({ stationId: other, programs: [change] })).toEqual({
      changed: 0,
      unplaced: new Map(),
    });
  });

  test('texts that arrive separately are added to their programme, or returned', async () => {
    await write({ programs: [program(1, 0, 30)] });
    const extended = new Map([
      [eventId(1), { 出演者: '一' }],
      [eventId(2), { 出演者: '二' }],
    ]);
    const { unplaced } = await write({ extended });
    expect([...unplaced.keys()].map(Number)).toEqual([2]);
    expect(store.ofStation(HOME, EVER)[0]?.extended).toEqual({ 出演者: '一' });
    expect((await write({ extended: new Map([[eventId(1), { 出演者: '一' }]]) })).changed).toBe(0);
  });

  test('a table without extended text keeps the stored text, unless the event id now belongs to another programme', async () => {
    await write({ programs: [program(1, 0, 30, { extended: { 内容: '長い' } })] });
    await write({ programs: [program(1, 5, 35)] });
    expect(store.ofStation(HOME, EVER)[0]).toMatchObject({ startAt: at(5), extended: { 内容: '長い' } });
    const week = 7 * 24 * 60;
    await write({ programs: [program(1, week, week + 30)] });
    expect(store.ofStation(HOME, EVER)[0]?.extended).toBeNull();
  });

  test('ended programmes are deleted, together with their search index', async () => {
    await write({ programs: [program(1, 0, 30), program(2, 30, 60)] });
    expect(await rows.writer.purge(at(30))).toBe(1);
    expect(events()).toEqual([2]);
    expect(database.query('SELECT count(*) AS n FROM program_documents').get()).toEqual({ n: 1 });
  });
});

describe('a new version of a schedule', () => {
  beforeEach(() => write({ programs: [program(1, 0, 30), program(2, 30, 60), program(3, 180, 210)] }));

  test('removes what it no longer lists, within its own segment', async () => {
    await write({ windows: [window('basic', 0, 180, 1)] });
    expect(events()).toEqual([1, 3]);
  });

  test('moves programmes that another segment lists now', async () => {
    await write({ programs: [program(2, 190, 220)], windows: [window('basic', 0, 180, 1)] });
    expect(store.ofStation(HOME, EVER).map((row) => [row.eventId, row.startAt - NOON] as unknown)).toEqual([
      [1, 0],
      [3, 180 * MINUTE],
      [2, 190 * MINUTE],
    ]);
  });

  test('keeps ended programmes', async () => {
    await write({ windows: [window('basic', 0, 180, 2)] }, 45);
    expect(events()).toEqual([1, 2, 3]);
  });

  test('keeps programmes after an undecided end, also in a segment that does not list it', async () => {
    const present = program(1, 0, 200, { openEnd: true });
    const waiting = { id: program(2, 0, 1).id, durationMs: 30 * MINUTE };
    const presentFollowing = { present, following: null, waiting, at: at(185) };
    await write({ programs: [present], presentFollowing }, 185);
    await write({ windows: [window('basic', 180, 360, 3)], presentFollowing }, 185);
    expect(events()).toContain(2);
  });

  test('keeps programmes that continue beyond a past segment, also without present/following', async () => {
    await write({ programs: [program(4, 170, 240)] });
    await write({ windows: [window('basic', 0, 180)] }, 181);
    expect(events()).toContain(4);
  });

  test('keeps the present and the following programme of present/following', async () => {
    await say(program(1, 0, 30), program(2, 30, 60));
    const presentFollowing = { present: program(1, 0, 30), following: program(2, 30, 60), at: at(1) };
    await write({ windows: [window('basic', 0, 180)], presentFollowing }, 1);
    expect(events()).toEqual([1, 2, 3]);
  });

  test('removes extended texts that are no longer listed', async () => {
    await write({ extended: new Map([[eventId(3), { 内容: '話' }]]) });
    await write({ windows: [window('extended', 180, 360)] });
    expect(store.ofStation(HOME, EVER)[2]?.extended).toBeNull();
    expect(events()).toEqual([1, 2, 3]);
  });

  test('keeps the text of ended programmes, whose segment is no longer sent', async () => {
    await write({ extended: new Map([[eventId(1), { 内容: '話' }]]) });
    await write({ windows: [window('extended', 0, 180)] }, 181);
    expect(store.ofStation(HOME, EVER)[0]?.extended).toEqual({ 内容: '話' });
  });
});

describe('overlapping programmes', () => {
  test('a new programme hides the one that it overlaps, which stays stored', async () => {
    await write({ programs: [program(1, 0, 30)] });
    await write({ programs: [program(2, 0, 30)] }, 1);
    expect([shown(), events(), airing(10)]).toEqual([[2], [1, 2], 2]);
  });

  test('a hidden programme is shown again when the other moves', async () => {
    await write({ programs: [program(1, 0, 30)] });
    await write({ programs: [program(2, 0, 60)] }, 1);
    await write({ programs: [program(2, 30, 60)] }, 2);
    expect([shown(), airing(10), airing(40)]).toEqual([[1, 2], 1, 2]);
  });

  test('present/following takes precedence while a programme runs over, and the schedule is kept', async () => {
    await write({ programs: [program(1, 0, 60), program(2, 60, 90), program(3, 90, 120)] });
    await say(program(1, 0, 75), program(2, 75, 105), 55);
    expect([airing(70), airing(80)]).toEqual([1, 2]);
    expect(shown()).toEqual([1, 2, 3]);
    await say(program(1, 0, 120), program(4, 120, 150), 70);
    expect([shown(), events(), airing(100)]).toEqual([[1, 4], [1, 2, 3, 4], 1]);
  });

  test('an outdated schedule does not override present/following', async () => {
    const present = program(1, 0, 75);
    const said = { present, following: null, at: at(56) };
    await say(present, null, 55);
    await write({ programs: [present, program(2, 60, 90)], presentFollowing: said }, 56);
    expect(airing(70)).toBe(1);
  });

  test('an open end is over when the next programme is on', async () => {
    await say(program(1, 0, 60, { openEnd: true }), null);
    await say(program(2, 20, 50), null, 21);
    expect(
      store.ofStation(HOME, EVER).map(({ endAt, openEnd }) => [(endAt - NOON) / MINUTE, openEnd]),
    ).toEqual([
      [20, false],
      [50, false],
    ]);
    expect(airing(40)).toBe(2);
  });

  test('an undecided end is not earlier than the announced one', async () => {
    await write({ programs: [program(1, 0, 114), program(2, 114, 174)] });
    await say(program(1, 0, 60, { openEnd: true }), null, 5);
    expect(store.ofStation(HOME, EVER).map(({ endAt }) => (endAt - NOON) / MINUTE)).toEqual([114, 174]);
    await say(program(1, 0, 130, { openEnd: true }), null, 115);
    expect(store.ofStation(HOME, EVER).map(({ endAt }) => (endAt - NOON) / MINUTE)).toEqual([130, 174]);
    await say(program(1, 0, 120), null, 116);
    expect(store.ofStation(HOME, EVER).map(({ endAt }) => (endAt - NOON) / MINUTE)).toEqual([120, 174]);
  });

  test('a programme after an undecided end may begin at any moment, and is not hidden by it', async () => {
    const times = () =>
      store
        .ofStation(HOME, EVER)
        .filter(({ eventId: id }) => id === 2)
        .map(({ startAt, endAt, openEnd }) => [(startAt - NOON) / MINUTE, (endAt - NOON) / MINUTE, openEnd]);
    const wait = (minutes: number, durationMs: number | null) => {
      const present = program(1, 0, 200, { openEnd: true });
      const waiting = { id: program(2, 0, 1).id, durationMs };
      return write({
        programs: [present],
        presentFollowing: { present, following: undefined, waiting, at: at(minutes) },
      });
    };
    await write({ programs: [program(1, 0, 60), program(2, 60, 90), program(3, 90, 120)] });
    await wait(50, null);
    expect(times()).toEqual([[60, 90, true]]);
    expect(shown()).toEqual([1, 2]);
    await wait(75.7, 30 * MINUTE);
    expect(times()).toEqual([[75, 105, false]]);
    await wait(80.2, 45 * MINUTE);
    expect(times()).toEqual([[80, 125, false]]);
    expect(shown()).toEqual([1, 2]);
    await say(program(2, 81, 126), null, 81);
    expect(times()).toEqual([[81, 126, false]]);
  });

  test('an empty present table clears the programme on air, until one is listed', async () => {
    await write({ programs: [program(1, 0, 60), program(2, 60, 90)] });
    await say(null, program(2, 60, 90), 10);
    expect([airing(11), airing(70), events()]).toEqual([undefined, 2, [1, 2]]);
    await say(program(1, 0, 60), program(2, 60, 90), 12);
    expect(airing(13)).toBe(1);
  });

  test('a programme that just began is not cleared by a slightly older table', async () => {
    await write({ programs: [program(1, 0, 60)] });
    await say(null, program(1, 0, 60), 0.1);
    expect(airing(1)).toBe(1);
  });

  test('fields missing from present/following keep their value from the schedule', async () => {
    await write({ programs: [program(1, 0, 60, { description: '説明', extended: { 内容: '話' } })] });
    await say(program(1, 0, 65, { genres: [], audios: [], description: '' }), null);
    expect(store.ofStation(HOME, EVER)).toEqual([
      program(1, 0, 65, { description: '説明', extended: { 内容: '話' } }),
    ]);
  });

  test('an announcement of several days hides no programme', async () => {
    await write({ programs: [program(1, 0, 30), program(2, 30, 60)] });
    await write({ programs: [program(9, -60, 5000)] }, 1);
    expect(shown()).toEqual([9, 1, 2]);
  });
});
