/**
 * Encoding of recordings: requests, contents of files, results.
 *
 * A further codec or format: `EncodedCodec` and `SOURCE_OF`; `VIDEO_ENCODERS` (`ffmpeg/recipes.ts`); the command and the
 * check of the result (`encode/encode-command.ts`, `verify-file.ts`); the choice (`lib/wire/settings.ts`, `encode.ts`,
 * `rule.ts`); its playback (`play/playback-description.ts`).
 */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { ValuesOf } from '../../lib/wire/fields.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { ENCODE_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { EncodedCodec, EncodedSource, EncodeQuality, JobState } from '../../lib/wire/vocabulary.ts';
import type { EncodeReason } from './encode-reason.ts';
import type { CutList } from './recording-time.ts';

/** Of the video stream of a broadcast. */
export type VideoKind = 'mpeg2' | 'h264' | 'hevc';

export const SOURCE_OF: Readonly<Record<EncodedCodec, EncodedSource>> = { av1: 'encoded', h264: 'alt' };

/** Requested results of an encode. */
export type EncodeWish = ValuesOf<typeof ENCODE_OPTIONS>;

/** A file made by an encode; the settings screen estimates size and time from these. */
export interface EncodeResult {
  codec: EncodedCodec;
  quality: EncodeQuality;
  encoder: string;
  /** ms of the programme. */
  lengthMs: number;
  bytes: number;
  /** Duration of the encode, without pauses, ms. */
  tookMs: number;
}

/** A row of the queue. */
export interface EncodeJob extends EncodeWish {
  id: number;
  recordingId: RecordingId;
  state: JobState;
  position: number;
  automatic: boolean;
  /** Number of failed attempts. */
  attempts: number;
  /** Epoch ms: earliest start. */
  readyAt: WallMs;
  /** Why it failed, was postponed, or keeps its original. */
  reason: EncodeReason | null;
  results: EncodeResult[];
  createdAt: WallMs;
  startedAt: WallMs | null;
  endedAt: WallMs | null;
}

/** A stretch of the original stream without a jump of the broadcast time. */
interface EncodedStretch {
  /** ms. */
  length: number;
  /** Broadcast time, epoch ms; null: unknown. */
  at: BroadcastMs | null;
}

/**
 * Facts about an encoded file that are not in its row, including those of the original stream, which may be removed.
 */
export interface EncodedFacts {
  /** Ids of the Audio options of its audio tracks, in order. */
  tracks: string[];
  /** RFC 6381, video first. */
  codecs: string;
  hasVideo: boolean;
  stretches: EncodedStretch[];
  /** Position and version of the chapters in the file; null: it has no space for them. */
  chapters: { room: ChapterRoom; version: number } | null;
}

/** Octets of a file that are reserved for chapters. */
export interface ChapterRoom {
  readonly at: number;
  readonly length: number;
}

export interface EncodedFile {
  source: EncodedSource;
  cuts: CutList;
  facts: EncodedFacts;
}
