/** Messages of the background worker that detects commercials in recorded streams. */
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { Media90k } from '../../lib/arib/time.ts';
import type { IndexPiece } from '../media/recording-index.ts';
import type { ChapterSegment, DetectedChapters, DetectionFailure } from '../model/chapters.ts';
import type { LogoModel } from '../model/learnt-logo.ts';
import type { StationLayout } from '../reception/station-layout.ts';

export interface DetectAsk {
  ffmpeg: string;
  /** Files of the original stream, in order. */
  paths: readonly string[];
  /** Bytes. */
  size: number;
  pieces: readonly IndexPiece[];
  serviceId: ServiceId | undefined;
  /** Byte position at which reading begins. */
  entry: { at: number; media: Media90k; layout: StationLayout; tables: Uint8Array };
  /** Size of the picture by its sequence header: logos are stored by it. */
  format: string;
  /** Length of the whole recording, ms. */
  durationMs: number;
  /** Logo of the station in this format. */
  logo: LogoModel | null;
  corrected: readonly ChapterSegment[] | null;
}

export type DetectAnswer =
  | { kind: 'found'; chapters: DetectedChapters; learnt: LogoModel | null; format: string }
  | { kind: 'failed'; reason: DetectionFailure; message: string };

/** One detection runs at a time. */
export interface DetectContract {
  requests: { detect: { ask: DetectAsk; answer: DetectAnswer } };
  /** `hold`: pauses reading until `resume`. */
  orders: { order: 'hold' | 'resume' };
  events: { event: 'progress'; share: number };
}
