/** The original stream of a recording, as provided to this feature. */
import type { RecordingBytes } from '../media/recording-bytes.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';

interface OpenOriginal {
  readonly bytes: RecordingBytes;
  readonly index: RecordingIndex;
  close(): void;
}

export interface OpensOriginals {
  /** @throws Failure not_found without a playable file, busy when its folder does not respond */
  open(recording: ListedRecording): Promise<OpenOriginal>;
}
