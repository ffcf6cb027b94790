/** What this device keeps of a recording: the rows of the database `svc-offline`. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Chapters, Playback } from '../../lib/wire/playback.ts';
import type { Previews, ResumeRequest } from '../../lib/wire/recordings.ts';
import type { WallMs } from '../../lib/wire/times.ts';

/** Files of a recording that a browser plays; the original stream is not among them. */
export type SavedSource = 'encoded' | 'alt';

/** Why a download failed. */
export type SaveFailure =
  /** The recording, or its file, is no longer at the service. */
  | 'gone'
  /** No space is left on this device. */
  | 'full'
  /** The service sent more than was measured. */
  | 'total'
  /** The file was replaced meanwhile. */
  | 'changed'
  /** The service does not let this device in. */
  | 'refused'
  /** Stopped by the person, or by the browser. */
  | 'aborted'
  | 'network'
  /** The browser has deleted the data. */
  | 'lost'
  | 'unknown';

/** A row of the store `videos`; the key is `id`. */
export interface SavedVideo {
  readonly id: RecordingId;
  /** Null until it is ready. */
  readonly video: Blob | null;
  /** The captions file, JSON; null: it has none. */
  readonly captionText: string | null;
  readonly poster: Blob | null;
  readonly chapters: Chapters['chapters'];
  /** Messages of the data broadcast, JSON lines; null: it has none, or none was kept. */
  readonly databroadcast: Blob | null;
  readonly name: string;
  readonly stationName: string;
  readonly startTime: BroadcastMs;
  /** s */
  readonly length: number;
  readonly source: SavedSource;
  /** Another one with every retry, so that what an earlier attempt brings is recognised. */
  readonly attempt: string;
  readonly state: 'downloading' | 'ready' | 'failed';
  readonly failure: SaveFailure | null;
  /** By the browser, which goes on without a page, or by the page. */
  readonly way: 'background' | 'page';
  readonly paused: boolean;
  /** Place in the queue, ascending. */
  readonly order: number;
  readonly savedAt: WallMs;
  /** Octets of the video, and of everything with the margin. */
  readonly videoBytes: number;
  readonly totalBytes: number;
  /** Identifies the version of the file; null: the service does not tell. */
  readonly etag: string | null;
  /** Addresses of what is fetched beside the video, relative to the service. */
  readonly attachments: readonly string[];
  /** As the service described it when it was saved. */
  readonly recording: Recording;
  readonly playback: Playback;
  /** Preview pictures; `sheets` in the order of the description. */
  readonly previews: Previews | null;
  readonly sheets: readonly Blob[];
  /** It was saved because it is the next of this series, and is renewed. */
  readonly series: string | null;
}

/** A row of the store `outbox`, by recording: what the service is told once it can be reached. */
export interface OutboxEntry {
  readonly op: 'delete';
  readonly name: string;
  readonly queuedAt: WallMs;
}

/** A row of the store `resume`, by recording: how far it was watched without the service. */
export type ResumeEntry = ResumeRequest;

const STATES: readonly unknown[] = ['downloading', 'ready', 'failed'];

/** A row that another version wrote, or that was damaged, is not one. */
export function isSavedVideo(value: unknown): value is SavedVideo {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Partial<Record<keyof SavedVideo, unknown>>;
  return (
    Number.isSafeInteger(row.id) &&
    STATES.includes(row.state) &&
    (row.state !== 'ready' || row.video instanceof Blob) &&
    typeof row.name === 'string' &&
    typeof row.attempt === 'string' &&
    Array.isArray(row.attachments) &&
    typeof row.recording === 'object' &&
    row.recording !== null &&
    typeof row.playback === 'object' &&
    row.playback !== null
  );
}
