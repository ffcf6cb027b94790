/** Dependencies of encoding on other features, provided by the composition root. */
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { OpensOriginals, RecordingContext } from '../media/job/recording-context.ts';
import type { EncodeStore } from '../store/encode-store.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { ProgramSegment } from './kept-spans.ts';
import type { EncoderRuntime } from './recording-encode.ts';

/** What a task needs from other features. */
export interface EncodeSources extends EncoderRuntime, Pick<RecordingContext, 'write' | 'stored' | 'now'> {
  readonly files: EncodedFileStore;
  readonly store: EncodeStore;
  readonly encoders: Pick<Encoders, 'file' | 'suspend'>;
  /** @throws Failure */
  open: OpensOriginals['open'];
  /** JSON; null: none. @throws Failure */
  captions(recording: ListedRecording): Promise<string | null>;
  /** @returns whether its data broadcast is in a file of its own, if it has one. @throws Failure busy while it is read */
  keepData(recording: ListedRecording): Promise<boolean>;
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
  /** Makes entries of a folder durable. */
  syncFolder(folder: string): Promise<void>;
  /** Removes the files of an original that is no longer referenced, and then their entries. */
  removeRetired(recordingId: RecordingId, paths: readonly string[]): Promise<void>;
  /** Folder for texts that ffmpeg reads; removed afterwards. */
  readonly workFolder: string;
  /** For tests: called after each step. */
  readonly onStep?: ((step: EncodeStep) => void | Promise<void>) | undefined;
}

export type EncodeStep = 'named' | 'encoded' | 'verified' | 'renamed' | 'stored' | 'retired' | 'removed';
