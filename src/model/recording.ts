/** A recording, as the recorder keeps it: what was wanted, where its files are, what became of it. */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { RecordingState } from '../../wire/guide.ts';
import type { AudioComponent } from './audio.ts';
import type { Genre } from './program.ts';
import type { EncodeChoice } from './rule.ts';
import type { Verdict } from './verdict.ts';

/**
 * `recording`: from the decision to record until its end, also while the service is not running. `recorded`: ended,
 * the original stream is there. `available`: an encoded file is there. `failed`: there is nothing worth keeping.
 */
export type { RecordingState };

/** What a recording is begun with. It says of its programme what the guide said then. */
export interface NewRecording {
  /** null: not booked. */
  reservationId: number | null;
  ruleId: number | null;
  programId: ProgramId | null;
  stationId: StationId;
  serviceName: string;
  /** As broadcast, with marks. */
  name: string;
  description: string;
  /** Heading to body text; null = none. */
  extended: Record<string, string> | null;
  genres: Genre[];
  audios: AudioComponent[];
  videoType: string | null;
  videoResolution: string | null;
  isFree: boolean;
  /** Epoch ms, of the programme without margins, as the next. */
  startAt: number;
  endAt: number;
  encode: EncodeChoice;
  keepTs: boolean;
}

export interface RecordingRecord extends NewRecording {
  id: number;
  state: RecordingState;
  /** Why it failed, for people; null = it did not. */
  reason: string | null;
  /** Epoch ms of the first packet; null before. */
  beganAt: number | null;
  /** Of the original stream; null while recording. */
  durationMs: number | null;
  /** Where its files lie under one stem; null before the first. */
  folder: string | null;
  stem: string | null;
  /** null = not judged yet. */
  verdict: Verdict | null;
}

/** A file of the original stream. A recording has one, but while (and after) a folder ran full. */
export interface RecordingPart {
  path: string;
  /** Octets that were known to be written. */
  bytes: number;
}
