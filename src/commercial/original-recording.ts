/** The original stream of a recording, as this feature is given it. */
import type { RecordingBytes } from '../media/recording-bytes.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';

interface OpenOriginal {
  readonly bytes: RecordingBytes;
  readonly index: RecordingIndex;
  close(): void;
}

export interface OpensOriginals {
  /** @throws Failure not_found without a file that can be played, busy when its folder does not answer */
  open(recording: ListedRecording): Promise<OpenOriginal>;
}
