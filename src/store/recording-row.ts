/** Conversion between a recording's row and its record. */

import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { CommercialHandling } from '../model/encoding.ts';
import { type RecordingId, type ReservationId, type RuleId, reservationId, ruleId } from '../model/ids.ts';
import type { RecordingEnding, RecordingRecord, RecordingState, SeriesMark } from '../model/recording.ts';
import type { EncodeChoice } from '../model/rule.ts';
import { type ContentRow, contentOf } from './program-row.ts';
import { readReason, readVerdict } from './recording-json.ts';
import { readText } from './stored-json.ts';

export interface RecordingRow extends ContentRow {
  id: RecordingId;
  reservation_id: ReservationId | null;
  rule_id: RuleId | null;
  program_id: ProgramId | null;
  station_id: StationId;
  service_name: string;
  state: string;
  reason: string | null;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
  began_at: BroadcastMs | null;
  duration_ms: number | null;
  folder: string | null;
  stem: string | null;
  encode: string;
  keep_ts: number;
  commercials: string | null;
  verdict: string | null;
  close_at: BroadcastMs | null;
  hold_until: BroadcastMs | null;
  wanted_from: BroadcastMs | null;
  ended_as: string | null;
  ended_at: BroadcastMs | null;
  series_key: string | null;
  series_name: string | null;
  episode: string | null;
}

export const RECORDING_COLUMNS = `id, reservation_id, rule_id, program_id, station_id, service_name, state, reason, name, description,
  extended, genres, audios, video_type, video_resolution, is_free, start_at, end_at, began_at, duration_ms, folder,
  stem, encode, keep_ts, commercials, verdict, close_at, hold_until, wanted_from, ended_as, ended_at, series_key, series_name, episode`;

export function toRecordingRecord(row: RecordingRow): RecordingRecord {
  return {
    id: row.id,
    reservationId: row.reservation_id === null ? null : reservationId(row.reservation_id),
    ruleId: row.rule_id === null ? null : ruleId(row.rule_id),
    programId: row.program_id as ProgramId | null,
    stationId: row.station_id as StationId,
    serviceName: readText(row.service_name),
    state: row.state as RecordingState,
    reason: readReason(row.reason),
    ...contentOf(row),
    startAt: row.start_at,
    endAt: row.end_at,
    closeAt: row.close_at ?? row.end_at,
    holdUntil: row.hold_until,
    wantedFrom: row.wanted_from,
    series: seriesOf(row),
    ended: endedOf(row),
    beganAt: row.began_at,
    durationMs: row.duration_ms,
    folder: row.folder,
    stem: row.stem,
    encode: row.encode as EncodeChoice,
    keepTs: row.keep_ts === 1,
    commercials: row.commercials as CommercialHandling | null,
    verdict: readVerdict(row.verdict),
  };
}

function seriesOf({ series_key: key, series_name: name, episode }: RecordingRow): SeriesMark | null {
  return key === null ? null : { key, name: name ?? key, episode };
}

function endedOf({ ended_as: as, ended_at: at }: RecordingRow): RecordingRecord['ended'] {
  return as === null || at === null ? null : { as: as as RecordingEnding, at };
}
