/** Begin and resumption of a recording: its row, the times of its course, and the cause of a late begin. Pure. */
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { NewRecording, RecordingOrder, RecordingRecord } from '../model/recording.ts';
import type { StationRecord } from '../model/station.ts';
import type { GapCause, Measured } from '../model/verdict.ts';
import { beginCourse, type CourseTimes, endsAt, type RecordingCourse } from './recording-course.ts';
import type { SeriesReader } from './recording-texts.ts';

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

/** Row of a new recording. */
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
): CourseTimes {
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

/** The course of a new recording, or as an earlier process left it. */
export function courseOf(times: CourseTimes, former: Measured | undefined, at: BroadcastMs): RecordingCourse {
  const isAired = former?.isAired ?? null;
  const until = former?.stretches.at(-1)?.to ?? Number.NEGATIVE_INFINITY;
  const hasMain = isAired !== false && until > times.startAt;
  const isUnheard = former !== undefined && endsAt(times) <= at;
  return beginCourse({ times, isAired, hasMain, isUnheard, at });
}
