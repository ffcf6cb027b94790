/** Encoding of recordings: requests, contents of files, results. */

import type { BroadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';
import type { EncodeReason } from './encode-reason.ts';
import type { RecordingId } from './ids.ts';
import type { CutList } from './recording-time.ts';

/** `alt` is H.264 beside or instead of AV1. */
export type EncodedSource = 'encoded' | 'alt';
export type EncodedCodec = 'av1' | 'h264';
export type EncodeQuality = 'small' | 'standard' | 'fine';
export type CommercialHandling = 'chapters' | 'cut' | 'none';
export type EncodeState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export const SOURCE_OF: Readonly<Record<EncodedCodec, EncodedSource>> = { av1: 'encoded', h264: 'alt' };

/** Requested results of an encode. */
export interface EncodeWish {
  codecs: EncodedCodec | 'both';
  keepTs: boolean;
  commercials: CommercialHandling;
  quality: EncodeQuality;
}

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
  state: EncodeState;
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
