/** Texts of a recording's programme. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ProgramRecord } from '../model/program.ts';
import type { RecordingRecord, RecordingTexts, SeriesMark } from '../model/recording.ts';

/** Finds the series of a programme. */
export type SeriesReader = (
  program: Pick<ProgramRecord, 'name' | 'description' | 'extended'>,
) => SeriesMark | null;

/** Event ids are reused after days: a start that differs by more is another programme. */
const SAME_PROGRAM_MS = 24 * 3_600_000;

/**
 * Final texts of a recording: tables before a programme begins are short, contain what was planned, or are missing.
 * @param program as the guide has it then; undefined: the guide no longer has it
 * @returns undefined if nothing changes
 */
export function latestTexts(
  record: RecordingRecord,
  program: ProgramRecord | undefined,
  readSeries: SeriesReader,
): RecordingTexts | undefined {
  if (program === undefined || program.name.trim() === '') return undefined;
  if (Math.abs(program.startAt - record.startAt) > SAME_PROGRAM_MS) return undefined;
  const { name, description, genres, audios, videoType, videoResolution, isFree } = program;
  // Kept if the table has none.
  const extended = program.extended ?? record.extended;
  const current = { name, description, extended, genres, audios, videoType, videoResolution, isFree };
  const latest = { ...current, series: readSeries({ name, description, extended }) };
  return isDeepStrictEqual(latest, textsOf(record)) ? undefined : latest;
}

function textsOf(record: RecordingRecord): RecordingTexts {
  const { name, description, extended, genres, audios, videoType, videoResolution, isFree, series } = record;
  return { name, description, extended, genres, audios, videoType, videoResolution, isFree, series };
}
