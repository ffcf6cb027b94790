/** Dependencies of encoding on other features, provided by the composition root. */
import type { MonotonicClock, WallClock } from '../../host/clock.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { RecordingId } from '../model/ids.ts';
import type { EncodeStore } from '../store/encode-store.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { Write } from '../store/transaction.ts';
import type { ProgramSegment } from './kept-spans.ts';
import type { RecordingEncodeOptions } from './recording-encode.ts';

/** An original stream, open. */
export interface OpenOriginal extends Pick<RecordingEncodeOptions, 'bytes' | 'index'> {
  close(): void;
}

/** What a task needs from other features. */
export interface EncodeSources {
  readonly files: EncodedFileStore;
  readonly store: EncodeStore;
  readonly encoders: Pick<Encoders, 'file' | 'suspend'>;
  /** @throws Failure */
  open(recording: ListedRecording): Promise<OpenOriginal>;
  /** JSON; null: none. @throws Failure */
  captions(recording: ListedRecording): Promise<string | null>;
  /** JPEG; undefined: none. */
  poster(recording: ListedRecording): Promise<Uint8Array | undefined>;
  /** Chapters as currently known; undefined: unknown. */
  chapters(
    recordingId: RecordingId,
  ):
    | { segments: readonly ProgramSegment[]; reliable: boolean; isCorrected?: boolean; version?: number }
    | undefined;
  /** Bytes that may be written to a folder; undefined: it is unavailable. */
  room(folder: string): Promise<number | undefined>;
  /** Resolves when everything committed before is on disk. */
  stored(): Promise<void>;
  /** Default: at once. */
  readonly write?: Write | undefined;
  /** Makes entries of a folder durable. */
  syncFolder(folder: string): Promise<void>;
  /** Removes the files of an original that is no longer referenced, and then their entries. */
  removeRetired(recordingId: RecordingId, paths: readonly string[]): Promise<void>;
  /** Folder for texts that ffmpeg reads; removed afterwards. */
  readonly workFolder: string;
  /** Command prefix that lowers the priority. */
  readonly background: readonly string[];
  /** Epoch ms. */
  readonly now: WallClock;
  readonly elapsed: MonotonicClock;
  readonly stallMs: number;
  /** For tests: called after each step. */
  readonly onStep?: ((step: EncodeStep) => void | Promise<void>) | undefined;
}

export type EncodeStep = 'named' | 'encoded' | 'verified' | 'renamed' | 'stored' | 'retired' | 'removed';
