/** JSON answers about recordings: list items, details, and sentences for the codes of failed ones. */
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type {
  Recording,
  RecordingDetail,
  RecordingFile,
  RecordingProgress,
  RecordingSeries,
  RecordingStatus,
} from '../../lib/wire/api.ts';
import { GAP_CAUSE_WORDS } from '../../lib/wire/gap-causes.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { audioOptions } from '../model/audio.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { type CutList, RESUME_EDGE_MS, toEncoded } from '../model/recording-time.ts';
import type { Damage } from '../model/verdict.ts';
import type { ListedRecording, SeriesRow } from '../store/recording-list-store.ts';

/** Japanese sentences for the codes of failed recordings. */
export function recordingReasonText(reason: RecordingReason | null): string | null {
  if (reason === null) return null;
  switch (reason.code) {
    case 'missing':
      return GAP_CAUSE_WORDS[reason.cause].past;
    case 'copy_never':
      return 'コピー禁止の番組なので録画しません';
    case 'file_gone':
      return '録画ファイルが見つかりません。名前や場所を変えたときは、元に戻すと再生できます';
    case 'copied':
      return 'コピー元のデータフォルダーの録画のため、ここでは再生できません';
    case 'unreadable':
      return '録画の途中までの記録が壊れていたため、続けられませんでした';
    case 'text':
      return reason.text;
  }
}

export type Running = ReadonlyMap<RecordingId, RecordingProgress>;

const ENCODED: ReadonlySet<RecordingFile['source']> = new Set(['encoded', 'alt']);

/** The encoded file whose time scale positions and lengths use; undefined: the original stream. */
function encodedFile(recording: ListedRecording) {
  return recording.files.find(({ source }) => ENCODED.has(source));
}

function isEncoded(recording: ListedRecording): boolean {
  return encodedFile(recording) !== undefined;
}

/** Time scale of a position that was sent with this source. */
export function cutsOf(recording: ListedRecording, source: RecordingFile['source'] | undefined): CutList {
  if (source === 'ts') return null;
  const file = recording.files.find((one) => one.source === source) ?? encodedFile(recording);
  return file?.cuts ?? null;
}

function durationOf(recording: ListedRecording): number | null {
  if (recording.state === 'recording') return recording.durationMs;
  return encodedFile(recording)?.durationMs ?? recording.durationMs;
}

/** A position in a part that the encoded file lacks at its end continues before the end: there is nothing after it. */
function resumeOf(recording: ListedRecording): number | null {
  const { resumeMs } = recording;
  const cuts = cutsOf(recording, undefined);
  if (resumeMs === null || cuts === null) return resumeMs;
  const isBehind = resumeMs >= (cuts.at(-1)?.to ?? Infinity);
  if (!isBehind) return toEncoded(resumeMs, cuts);
  return Math.max(0, (durationOf(recording) ?? 0) - RESUME_EDGE_MS);
}

/** The address changes with the picture, so that pages reload it. */
function posterUrl(id: RecordingId, posterAt: WallMs | null): string {
  const version = posterAt === null ? '' : `?v=${posterAt.toString(36)}`;
  return `api/recordings/${id}/poster${version}`;
}

/** @param running undefined: the recording is not running */
export function toRecording(recording: ListedRecording, running: Running): Recording {
  const { id, name, files, audios, binnedAt } = recording;
  const isRecording = recording.state === 'recording';
  const progress = isRecording ? (running.get(id) ?? null) : null;
  // Files of a recording in the bin cannot be requested.
  const usable = binnedAt === null ? files : [];
  return {
    id,
    title: removeTitleMarks(name).title,
    name,
    serviceId: recording.stationId,
    serviceName: recording.serviceName,
    startAt: recording.startAt,
    endAt: recording.endAt,
    durationMs: durationOf(recording),
    resumeMs: resumeOf(recording),
    watchedAt: recording.watchedAt,
    recording: isRecording,
    chase: usable.some(({ source }) => source === 'ts') ? `api/recordings/${id}/chase` : null,
    cmReliable: recording.cmReliable,
    poster: posterUrl(id, recording.posterAt),
    files: usable.map(({ source, codec }) => ({
      source,
      codec,
      url: `api/recordings/${id}/file?source=${source}`,
    })),
    audio: `api/recordings/${id}/file?audio=only`,
    audios: audioOptions(audios),
    verdict: recording.verdict,
    state: recording.state,
    reason: recordingReasonText(recording.reason),
    programId: recording.programId,
    ruleId: recording.ruleId,
    genres: recording.genres,
    series: recording.series,
    bytes: progress?.bytes ?? recording.bytes,
    protected: recording.protected,
    binnedAt,
    progress,
  };
}

export function toSeries({ newest, ...series }: SeriesRow, running: Running): RecordingSeries {
  return { ...series, newest: toRecording(newest, running) };
}

export function toStatus(recording: ListedRecording, running: Running): RecordingStatus {
  const { id, state } = recording;
  return {
    id,
    encoded: isEncoded(recording),
    state,
    durationMs: durationOf(recording),
    progress: state === 'recording' ? (running.get(id) ?? null) : null,
  };
}

export function toDetail(
  id: RecordingId,
  { name, description, extended, startAt, damaged }: DetailRow,
): RecordingDetail {
  const damage = damaged.map(({ from, to, drops, errors, scrambled }) => ({
    startMs: Math.round(from - startAt),
    endMs: Math.round(to - startAt),
    ...{ drops, errors, scrambled },
  }));
  return { id, title: removeTitleMarks(name).title, name, description, extended, damage };
}

interface DetailRow extends Pick<RecordingDetail, 'name' | 'description' | 'extended'> {
  /** Start of the programme, epoch ms. */
  startAt: BroadcastMs;
  damaged: readonly Damage[];
}
