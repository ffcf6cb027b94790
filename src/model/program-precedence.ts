/**
 * Which of a station's programmes are shown if several overlap, which one is on the air, and which fields of a
 * programme come from which table. Pure.
 *
 * Nothing is deleted: a hidden programme stays stored, since its own table still announces it and since it is shown
 * again when the other one moves. It is only hidden if its whole time is covered; a partly covered one, as happens in
 * schedules while a programme overruns, is shown beside the other.
 */
import { type ProgramId, programId, stationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, MINUTE_MS } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { PresentFollowing, WaitingProgram } from './guide-change.ts';
import type { ProgramRecord } from './program.ts';

/** Stored fields of a programme that decide which one is hidden. */
export interface TimelineRow {
  id: ProgramId;
  /** Epoch ms, end exclusive. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  openEnd: boolean;
  /** When its content last changed, epoch ms. */
  updatedAt: WallMs;
  onAir: boolean;
  hidden: boolean;
}

export interface TimelineFlags {
  id: ProgramId;
  onAir: boolean;
  hidden: boolean;
}

/** A longer programme in a schedule hides nothing: it is a service note, or a mistake. */
const LONGEST_COVER_MS = 12 * 3_600_000;
/** Present/following may lag the schedule by this when a programme begins. */
const BEGIN_GRACE_MS = 30_000;

interface Claim {
  row: TimelineRow;
  onAir: boolean;
  following: boolean;
  /** It comes after the present programme, whatever times that has. */
  waiting: boolean;
}

/** Present, then following, then known times, then the newer table, then the later start. */
function strongerFirst(a: Claim, b: Claim): number {
  return (
    Number(b.onAir) - Number(a.onAir) ||
    Number(b.following) - Number(a.following) ||
    Number(a.row.openEnd) - Number(b.row.openEnd) ||
    b.row.updatedAt - a.row.updatedAt ||
    b.row.startAt - a.row.startAt ||
    b.row.id - a.row.id
  );
}

function covers(strong: Claim, weak: TimelineRow): boolean {
  const { startAt, endAt } = strong.row;
  if (startAt > weak.startAt || endAt < weak.endAt) return false;
  return strong.onAir || strong.following || endAt - startAt <= LONGEST_COVER_MS;
}

/**
 * @param rows of one station
 * @param current present/following; undefined: nothing is known, the stored `onAir` is used
 * @returns the rows whose flags change
 */
export function resolveOverlaps(
  rows: readonly TimelineRow[],
  current: PresentFollowing | undefined,
): TimelineFlags[] {
  const claims = rows.map((row) => ({
    row,
    onAir: current?.present === undefined ? row.onAir : current.present?.id === row.id,
    following: current?.following?.id === row.id,
    waiting: current?.waiting?.id === row.id,
  }));
  claims.sort(strongerFirst);
  const shown: Claim[] = [];
  const changed: TimelineFlags[] = [];
  for (const claim of claims) {
    const { row, onAir, waiting } = claim;
    const hidden = isDenied(row, current) || (!waiting && shown.some((other) => covers(other, row)));
    if (!hidden) shown.push(claim);
    if (hidden !== row.hidden || onAir !== row.onAir) changed.push({ id: row.id, onAir, hidden });
  }
  return changed;
}

/** According to present/following nothing is on, but the row claims that it is. */
function isDenied(row: TimelineRow, current: PresentFollowing | undefined): boolean {
  if (current === undefined || current.present !== null) return false;
  return row.startAt <= current.at - BEGIN_GRACE_MS && row.endAt > current.at;
}

/**
 * A programme in both tables: times and texts of present/following, and missing fields from the schedule. Groups are
 * never completed: a cancelled relay disappears from present/following first. An unknown end is assumed to be no
 * earlier than the announced one.
 */
export function withSchedule(present: ProgramRecord, schedule: ProgramRecord): ProgramRecord {
  return {
    ...present,
    endAt: present.openEnd && schedule.endAt > present.endAt ? schedule.endAt : present.endAt,
    name: present.name || schedule.name,
    description: present.description || schedule.description,
    extended: present.extended ?? schedule.extended,
    genres: present.genres.length > 0 ? present.genres : schedule.genres,
    audios: present.audios.length > 0 ? present.audios : schedule.audios,
    videoType: present.videoType ?? schedule.videoType,
    videoResolution: present.videoResolution ?? schedule.videoResolution,
    series: present.series ?? schedule.series,
  };
}

/** A programme that begins after the present one: when its announced time has passed it may begin at any moment. */
export function postponed(
  program: ProgramRecord,
  { durationMs }: WaitingProgram,
  at: BroadcastMs,
): ProgramRecord {
  // Lists show whole minutes.
  const startAt = broadcastMs(Math.max(program.startAt, Math.floor(at / MINUTE_MS) * MINUTE_MS));
  const length = durationMs ?? program.endAt - program.startAt;
  return { ...program, startAt, endAt: broadcastMs(startAt + length), openEnd: durationMs === null };
}

/**
 * The programme with the texts of an event of a shared group: the main station announces it completely, the others
 * refer to it, without any text (in schedules) or with a title and a description alone (in present/following). The
 * group lists the main station's event first. ARIB STD-B10 Part 2, 6.2.34, group_type 1; TR-B14 Vol. 4.
 * @returns undefined for the main station's own event, and for an event without reference
 */
export function borrowedFrom({ id, name, groups }: ProgramRecord): ProgramId | undefined {
  for (const { type, events } of groups) {
    if (type !== 'shared') continue;
    const [first] = events;
    const isMain =
      first !== undefined && programId(stationId(first.networkId, first.serviceId), first.eventId) === id;
    if (name !== '' && isMain) return undefined;
    for (const { networkId, serviceId, eventId } of events) {
      const other = programId(stationId(networkId, serviceId), eventId);
      if (other !== id) return other;
    }
  }
  return undefined;
}

const LENT = [
  'name',
  'description',
  'extended',
  'genres',
  'audios',
  'videoType',
  'videoResolution',
  'series',
] as const satisfies readonly (keyof ProgramRecord)[];

function isEmpty(value: ProgramRecord[(typeof LENT)[number]]): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * A stored programme's own texts, without those copied from its lender: every text that differs from the lender's
 * before its change.
 * @param previous the lender before its change; undefined: unknown
 */
export function ownTexts(
  program: ProgramRecord,
  previous: ProgramRecord | undefined,
): Partial<ProgramRecord> {
  const own = LENT.filter(
    (field) =>
      !isEmpty(program[field]) &&
      (previous === undefined || JSON.stringify(program[field]) !== JSON.stringify(previous[field])),
  );
  return Object.fromEntries(own.map((field) => [field, program[field]]));
}

/** The programme with texts of the other one, which is the same programme; times, charge and groups stay its own. */
export function withLender(program: ProgramRecord, lender: ProgramRecord): ProgramRecord {
  const { endAt, copyNever } = program;
  return { ...withSchedule(program, lender), endAt, copyNever: copyNever || lender.copyNever };
}
