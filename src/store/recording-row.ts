/** The columns of recordings. */
import { broadcastMs } from '../../lib/arib/time.ts';
import { CONVERSION_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { RecordingEnding, RecordingRecord, SeriesMark } from '../model/recording.ts';
import { CONTENT } from './program-row.ts';
import { readReason, readVerdict, storedReason, storedVerdict } from './recording-json.ts';
import { storedText } from './stored-json.ts';
import { columnsOf, defineTable, joined, json, plain, type Row, textColumn } from './table.ts';

export const RECORDINGS = defineTable<RecordingRecord>({
  id: plain(),
  reservationId: plain(),
  ruleId: plain(),
  programId: plain(),
  stationId: plain(),
  serviceName: textColumn(),
  state: plain(),
  reason: json(readReason, storedReason),
  ...CONTENT,
  startAt: plain(),
  endAt: plain(),
  closeAt: joined(
    ['close_at'],
    (row) => broadcastMs(Number(row.close_at ?? row.end_at)),
    (at) => [at],
  ),
  holdUntil: plain(),
  wantedFrom: plain(),
  series: joined(['series_key', 'series_name', 'episode'], seriesOf, (series) => [
    series?.key ?? null,
    series?.name ?? null,
    series?.episode ?? null,
  ]),
  ended: joined(['ended_as', 'ended_at'], endedOf, (ended) => [ended?.as ?? null, ended?.at ?? null]),
  beganAt: plain(),
  durationMs: plain(),
  folder: plain(),
  stem: plain(),
  ...columnsOf(CONVERSION_OPTIONS),
  verdict: json(readVerdict, (verdict) => (verdict === null ? null : storedVerdict(verdict))),
});

function seriesOf({ series_key: key, series_name: name, episode }: Row): SeriesMark | null {
  return typeof key === 'string'
    ? { key, name: storedText(name ?? key), episode: episode === null ? null : storedText(episode) }
    : null;
}

const ENDINGS = plain<RecordingEnding>();

function endedOf(row: Row): RecordingRecord['ended'] {
  return row.ended_as === null || row.ended_at === null
    ? null
    : { as: ENDINGS.read(row, 'ended_as'), at: broadcastMs(Number(row.ended_at)) };
}
