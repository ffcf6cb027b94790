/** Conversion between a programme and its row. */
import type { EventId, ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import { type AudioComponent, isAudioComponent } from '../model/audio.ts';
import {
  type Genre,
  isGenre,
  isProgramGroup,
  type ProgramGroup,
  type ProgramRecord,
  type ProgramSeries,
} from '../model/program.ts';
import { readList, readObject, readText } from './stored-json.ts';

/** Common columns of programmes and recordings: the content. */
export interface ContentRow {
  name: string;
  description: string;
  extended: string | null;
  genres: string;
  audios: string;
  video_type: string | null;
  video_resolution: string | null;
  is_free: number;
}

export interface ProgramRow extends ContentRow {
  id: number;
  station_id: StationId;
  event_id: number;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
  open_end: number;
  copy_never: number;
  groups: string;
  series: string | null;
}

export function contentOf(row: ContentRow) {
  return {
    name: readText(row.name),
    description: readText(row.description),
    extended: readObject<Record<string, string>>(row.extended),
    genres: readList<Genre>(row.genres, isGenre),
    audios: readList<AudioComponent>(row.audios, isAudioComponent),
    videoType: row.video_type,
    videoResolution: row.video_resolution,
    isFree: row.is_free === 1,
  };
}

export function toRecord(row: ProgramRow): ProgramRecord {
  return {
    id: row.id as ProgramId,
    stationId: row.station_id as StationId,
    eventId: row.event_id as EventId,
    startAt: row.start_at as BroadcastMs,
    endAt: row.end_at as BroadcastMs,
    openEnd: row.open_end === 1,
    ...contentOf(row),
    copyNever: row.copy_never === 1,
    groups: readList<ProgramGroup>(row.groups, isProgramGroup),
    series: readObject<ProgramSeries>(row.series),
  };
}

/** In the order of the model's fields. */
export const COLUMNS = `id, station_id, event_id, start_at, end_at, open_end, name, description, extended, genres, audios,
  video_type, video_resolution, is_free, copy_never, groups, series`;
