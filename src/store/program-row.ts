/** The columns of programmes. */
import { type AudioComponent, isAudioComponent } from '../model/audio.ts';
import {
  type Genre,
  isGenre,
  isProgramGroup,
  type ProgramGroup,
  type ProgramRecord,
  type ProgramSeries,
} from '../model/program.ts';
import { readList, readObject } from './stored-json.ts';
import { defineTable, flagColumn, json, nullableColumn, plain, textColumn } from './table.ts';

/** No programme is longer (ARIB TR-B14: under 100 hours, in practice a day): how far back queries search. */
export const LONGEST_MS = 100 * 3_600_000;

/** Longer ones have a separate index, `programs_long`. */
export const ORDINARY_MS = 12 * 3_600_000;

/** Common columns of programmes and recordings: the content. */
export const CONTENT = {
  name: textColumn(),
  description: textColumn(),
  /** Heading to body text. */
  extended: nullableColumn(json(readObject<Record<string, string>>)),
  genres: json((stored) => readList<Genre>(stored, isGenre)),
  audios: json((stored) => readList<AudioComponent>(stored, isAudioComponent)),
  videoType: plain<string | null>(),
  videoResolution: plain<string | null>(),
  isFree: flagColumn(),
};

function readGroups(stored: string | null): ProgramGroup[] {
  return stored === '[]' ? [] : readList<ProgramGroup>(stored, isProgramGroup);
}

export const PROGRAMS = defineTable<ProgramRecord>({
  id: plain(),
  stationId: plain(),
  eventId: plain(),
  startAt: plain(),
  endAt: plain(),
  openEnd: flagColumn(),
  ...CONTENT,
  copyNever: flagColumn(),
  groups: json(readGroups),
  series: nullableColumn(json(readObject<ProgramSeries>)),
});
