/** Encoding of recordings: requests, contents of files, results. */

import type { BroadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';
import type { EncodeReason } from './encode-reason.ts';
import type { RecordingId } from './ids.ts';
import type { CutList } from './recording-time.ts';

/** `alt` is H.264 beside or in place of AV1. */
export type EncodedSource = 'encoded' | 'alt';
export type EncodedCodec = 'av1' | 'h264';
export type EncodeQuality = 'small' | 'standard' | 'fine';
export type CommercialHandling = 'chapters' | 'cut' | 'none';
export type EncodeState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

export const SOURCE_OF: Readonly<Record<EncodedCodec, EncodedSource>> = { av1: 'encoded', h264: 'alt' };

/** What a recording is to become. */
export interface EncodeWish {
  codecs: EncodedCodec | 'both';
  keepTs: boolean;
  commercials: CommercialHandling;
  quality: EncodeQuality;
}

/** A file that an encode made; what the settings screen tells of size and time is measured by these. */
export interface EncodeResult {
  codec: EncodedCodec;
  quality: EncodeQuality;
  encoder: string;
  /** ms of the programme. */
  lengthMs: number;
  bytes: number;
  /** ms that it took, without pauses. */
  tookMs: number;
}

/** A row of the queue. */
export interface EncodeJob extends EncodeWish {
  id: number;
  recordingId: RecordingId;
  state: EncodeState;
  position: number;
  automatic: boolean;
  /** That failed. */
  attempts: number;
  /** Epoch ms: not begun before. */
  readyAt: WallMs;
  /** Why it failed, was put off, or keeps its original. */
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
  /** Epoch ms on the air; null: unknown. */
  at: BroadcastMs | null;
}

/** What is known of an encoded file beyond its row; of the original stream what outlives it. */
export interface EncodedFacts {
  /** Ids of the Audio options that its sounds are, in order. */
  tracks: string[];
  /** RFC 6381, picture first. */
  codecs: string;
  hasVideo: boolean;
  stretches: EncodedStretch[];
  /** Where chapters are in the file, and which they are; null: it has no place for them. */
  chapters: { room: ChapterRoom; version: number } | null;
}

/** Octets of a file that its chapters may take. */
export interface ChapterRoom {
  readonly at: number;
  readonly length: number;
}

export interface EncodedFile {
  source: EncodedSource;
  cuts: CutList;
  facts: EncodedFacts;
}
