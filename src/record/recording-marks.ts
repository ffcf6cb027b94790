/** Marks of recordings by users: resume position, watched, protected. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import {
  type CutList,
  encodedLength,
  resumePosition,
  toEncoded,
  toOriginal,
} from '../model/recording-time.ts';
import type { Hub } from '../notify/hub.ts';
import type { RecycleBin } from '../store/recycle-bin.ts';
import type { PlaybackActivity } from './retention-service.ts';

interface RecordingMarksOptions {
  recycleBin: RecycleBin;
  watching: PlaybackActivity;
  hub: Hub;
  now: () => BroadcastMs;
}

interface ReachedPlace {
  /** s, on the time scale of the file. */
  at: number;
  /** s, as sent by the player; null: unknown. */
  length: number | null;
  /** Parts of the original stream that the file contains. */
  cuts: CutList;
}

/** Of the recording in its current state. */
interface Watched {
  id: RecordingId;
  state: string;
  /** Of the original stream; null: unknown. */
  durationMs: number | null;
  resumeMs: number | null;
}

/** Upper bound of positions, longer than any recording. */
const MAX_MS = 7 * 86_400_000;

/** At the end players report a position that is a few frames beyond their length. */
const LAST_FRAME_S = 0.5;

/** s on the time scale of the file. */
function placeIn(resumeMs: number | null, cuts: CutList): number | null {
  return resumeMs === null ? null : toEncoded(resumeMs, cuts) / 1000;
}

export class RecordingMarks {
  constructor(readonly options: RecordingMarksOptions) {}

  /** @returns the resume position, s in the same file; null: from the beginning */
  reach(recording: Watched, { at, length, cuts }: ReachedPlace): number | null {
    const { recycleBin, now } = this.options;
    const { durationMs } = recording;
    this.seen(recording.id);
    // A player that does not know its length yet reports 0; a position beyond the end is of something else.
    if (length !== null && (length <= 0 || length + LAST_FRAME_S < at))
      return placeIn(recording.resumeMs, cuts);
    const isRecording = recording.state === 'recording';
    const place = resumePosition({
      positionMs: Math.min(at * 1000, MAX_MS),
      playerLengthMs: length === null ? null : length * 1000,
      knownLengthMs: isRecording || durationMs === null ? null : encodedLength(durationMs, cuts),
    });
    const resumeMs = place.resumeMs === null ? null : Math.round(toOriginal(place.resumeMs, cuts));
    recycleBin.putResume(recording.id, resumeMs, place.finished ? now() : undefined, now());
    // Positions change every few seconds; lists only change when one appears or disappears.
    if (place.finished || (resumeMs === null) !== (recording.resumeMs === null)) this.#changed();
    return placeIn(resumeMs, cuts);
  }

  /** Notes that a file of the recording is being read. */
  seen(id: RecordingId): void {
    this.options.watching.note(id);
  }

  watched(id: RecordingId, isWatched: boolean): void {
    const { recycleBin, now } = this.options;
    recycleBin.putWatched(id, isWatched ? now() : null, now());
    this.#changed();
  }

  protect(id: RecordingId, isProtected: boolean): void {
    const { recycleBin, now } = this.options;
    recycleBin.putProtected(id, isProtected, now());
    this.#changed();
  }

  #changed(): void {
    this.options.hub.changed('recordings');
  }
}
