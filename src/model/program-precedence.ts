/**
 * Which of a station's programmes are shown where several claim the same time, which one is on the air, and what
 * of a programme comes from which table. Pure.
 *
 * Nothing is lost: a programme that gives way stays stored, since its own table still announces it and since it
 * comes back when the other one moves. It gives way only where its whole time is claimed; one that is covered in
 * part, as schedules are while a programme runs over, is shown beside the other.
 */
import { type ProgramId, programId, stationId } from '../../arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';
import type { PresentFollowing, WaitingProgram } from './guide-change.ts';
import type { ProgramRecord } from './program.ts';

/** What is stored of a programme that decides who gives way. */
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

/** A schedule's programme that is longer hides nothing: it is a service note, or a mistake. */
const LONGEST_COVER_MS = 12 * 3_600_000;
/** Present/following may be that much behind the schedule when a programme begins. */
const BEGIN_GRACE_MS = 30_000;

interface Claim {
  row: TimelineRow;
  onAir: boolean;
  following: boolean;
  /** Whatever the present programme claims, this one comes after it. */
  waiting: boolean;
}

/** Present, then following, then decided times, then the newer word, then the later start. */
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
 * @param said by present/following; undefined: nothing is known, the stored `onAir` stands
 * @returns the rows whose flags change
 */
export function resolveOverlaps(
  rows: readonly TimelineRow[],
  said: PresentFollowing | undefined,
): TimelineFlags[] {
  const claims = rows.map((row) => ({
    row,
    onAir: said?.present === undefined ? row.onAir : said.present?.id === row.id,
    following: said?.following?.id === row.id,
    waiting: said?.waiting?.id === row.id,
  }));
  claims.sort(strongerFirst);
  const shown: Claim[] = [];
  const changed: TimelineFlags[] = [];
  for (const claim of claims) {
    const { row, onAir, waiting } = claim;
    const hidden = isDenied(row, said) || (!waiting && shown.some((other) => covers(other, row)));
    if (!hidden) shown.push(claim);
    if (hidden !== row.hidden || onAir !== row.onAir) changed.push({ id: row.id, onAir, hidden });
  }
  return changed;
}

/** The station says that nothing is on, and the row claims that it is. */
function isDenied(row: TimelineRow, said: PresentFollowing | undefined): boolean {
  if (said === undefined || said.present !== null) return false;
  return row.startAt <= said.at - BEGIN_GRACE_MS && row.endAt > said.at;
}

/**
 * A programme that both name: times and texts of present/following, and from the schedule what it leaves out.
 * Groups are taken as they are: a relay that is called off is missing in present/following first. An end that is
 * not decided is not guessed to be before the one that was announced.
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

/** Lists show whole minutes. */
const MINUTE_MS = 60_000;

/**
 * A programme that waits for the one before it: when its announced time has passed it may begin at any moment.
 * @param at epoch ms
 */
export function postponed(
  program: ProgramRecord,
  { durationMs }: WaitingProgram,
  at: BroadcastMs,
): ProgramRecord {
  const startAt = broadcastMs(Math.max(program.startAt, Math.floor(at / MINUTE_MS) * MINUTE_MS));
  const length = durationMs ?? program.endAt - program.startAt;
  return { ...program, startAt, endAt: broadcastMs(startAt + length), openEnd: durationMs === null };
}

/**
 * The programme that completes an event of a shared group: the main station announces it in full, the others refer to
 * it, without any text (in schedules) or with a title and a description alone (in present/following). The group names
 * the main station's event first. ARIB STD-B10 Part 2, 6.2.34, group_type 1; TR-B14 Vol. 4.
 * @returns undefined for the main station's own event, and for one that refers to none
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
 * What a stored programme says itself, of what it may also have from its lender: everything that is not what the
 * lender said before it changed.
 * @param previous the lender before its change; undefined: it was not known
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

/** The programme with what the other one, which is the same, says of it; times, charge and groups are its own. */
export function withLender(program: ProgramRecord, lender: ProgramRecord): ProgramRecord {
  const { endAt, copyNever } = program;
  return { ...withSchedule(program, lender), endAt, copyNever: copyNever || lender.copyNever };
}
