/** Begin and resumption of a recording: its row, the times of its lifecycle, and the cause of a late begin. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { ProgramRecord } from '../model/program.ts';
import type {
  NewRecording,
  RecordingOrder,
  RecordingRecord,
  RecordingTexts,
  SeriesMark,
} from '../model/recording.ts';
import type { StationRecord } from '../model/station.ts';
import type { Measured } from '../model/verdict.ts';
import {
  beginLifecycle,
  endsAt,
  type LifecycleTimes,
  type RecordingLifecycle,
} from './recording-lifecycle.ts';

export type SeriesReader = (
  program: Pick<ProgramRecord, 'name' | 'description' | 'extended'>,
) => SeriesMark | null;

/** Event ids are reused after days: a start that differs by more is another programme. */
const SAME_PROGRAM_MS = 24 * 3_600_000;

/**
 * Final texts of a recording: tables before a programme begins are short, contain what was planned, or are missing.
 * @param guide as it is then
 * @returns undefined if nothing changes, or the guide no longer has the programme
 */
export function latestTexts(
  record: RecordingRecord,
  guide: { findProgram: (id: ProgramId) => ProgramRecord | undefined; readSeries: SeriesReader },
): RecordingTexts | undefined {
  const program = record.programId === null ? undefined : guide.findProgram(record.programId);
  if (program === undefined || program.name.trim() === '') return undefined;
  if (Math.abs(program.startAt - record.startAt) > SAME_PROGRAM_MS) return undefined;
  const { name, description, genres, audios, videoType, videoResolution, isFree } = program;
  // Kept if the table has none.
  const extended = program.extended ?? record.extended;
  const current = { name, description, extended, genres, audios, videoType, videoResolution, isFree };
  const latest = { ...current, series: guide.readSeries({ name, description, extended }) };
  return isDeepStrictEqual(latest, textsOf(record)) ? undefined : latest;
}

function textsOf(record: RecordingRecord): RecordingTexts {
  const { name, description, extended, genres, audios, videoType, videoResolution, isFree, series } = record;
  return { name, description, extended, genres, audios, videoType, videoResolution, isFree, series };
}

/** A begin this long after the programme's start is late. */
const LATE_MS = 1_000;

export const NOTHING_YET: Omit<RecordingRecord, keyof NewRecording | 'id'> = {
  state: 'recording',
  holdUntil: null,
  ended: null,
  reason: null,
  beganAt: null,
  durationMs: null,
  folder: null,
  stem: null,
  verdict: null,
};

export function newRecording(
  order: RecordingOrder,
  station: Pick<StationRecord, 'name'>,
  program: ProgramRecord | undefined,
  readSeries: SeriesReader,
): NewRecording {
  const { after: _, openAt: __, holdUntil: ___, apart: ____, ...rest } = order;
  const { listenUntil: _____, brokenAt: ______, airState: _______, ...wanted } = rest;
  const { extended = null, genres = [], audios = [] } = program ?? {};
  const { name, description } = order;
  return {
    ...wanted,
    ...{ extended, genres, audios, serviceName: station.name },
    videoType: program?.videoType ?? null,
    videoResolution: program?.videoResolution ?? null,
    isFree: program?.isFree ?? true,
    series: readSeries({ name, description, extended }),
  };
}

export interface BeginFacts {
  now: BroadcastMs;
  /** When this process was started. */
  startedAt: BroadcastMs;
  /** The plan had no tuner for it until it was ordered. */
  wasInConflict: boolean;
}

/** Cause of the gap before its first packet; undefined: unknown. */
export function delayOf(
  { startAt, openAt, wantedFrom, after }: Pick<RecordingOrder, 'startAt' | 'openAt' | 'wantedFrom' | 'after'>,
  { now, startedAt, wasInConflict }: BeginFacts,
): { cause: GapCause; from: BroadcastMs } | undefined {
  const from = broadcastMs(Math.max(startAt, wantedFrom ?? startAt));
  const isLate = now > from + LATE_MS;
  if (isLate && wasInConflict) return { cause: 'conflict', from };
  if (isLate && startedAt > from) return { cause: 'service_stopped', from };
  return after.length > 0 ? { cause: 'handover', from: openAt } : undefined;
}

/** Course of a recording begun by an earlier process, from its row. */
export function resumedTimes(
  { startAt, endAt, closeAt, holdUntil }: RecordingRecord,
  now: BroadcastMs,
): LifecycleTimes {
  return {
    openAt: now,
    startAt,
    endAt,
    closeAt,
    holdUntil,
    listenUntil: null,
    brokenAt: null,
  };
}

/** The lifecycle of a new recording, or as an earlier process left it. */
export function lifecycleOf(
  times: LifecycleTimes,
  former: Measured | undefined,
  at: BroadcastMs,
): RecordingLifecycle {
  const isAired = former?.isAired ?? null;
  const until = former?.stretches.at(-1)?.to ?? Number.NEGATIVE_INFINITY;
  const hasMain = isAired !== false && until > times.startAt;
  const isUnreceived = former !== undefined && endsAt(times) <= at;
  return beginLifecycle({ times, isAired, hasMain, isUnreceived, at });
}
