/** What the routes need of the service, as narrow as they use it. */
import type { BroadcastType, ProgramId, StationId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { Channel, Tuner, TunerDefinition } from '../../wire/agent.ts';
import type {
  GuideCollect,
  GuideStatus,
  RecordingProgress,
  ScanStatus,
  Settings,
  Status,
  StorageFacts,
  SystemFacts,
} from '../../wire/api.ts';
import type { ReservationService } from '../booking/reservation-service.ts';
import type { RuleService } from '../booking/rule-service.ts';
import type { LiveRequest, LiveStream } from '../live/live-service.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { FolderSpace } from '../record/folder-space.ts';
import type { RecordingMarks } from '../record/recording-marks.ts';
import type { RetentionService } from '../record/retention-service.ts';
import type { GuideWindowStore } from '../store/guide-window.ts';
import type { AiringProgram } from '../store/program-store.ts';
import type { RecordingListStore } from '../store/recording-list-store.ts';
import type { SearchStore } from '../store/search-store.ts';
import type { Assets } from './assets.ts';

export interface ApiParts {
  /** The database answered a question with an error. */
  databaseFailed(error: unknown): void;
  version: string;
  /** Files that the build put beside the UI. */
  assets: Pick<Assets, 'serve'>;
  /** Epoch ms. */
  now: () => number;
  log: Log;
  stations: {
    list(): readonly StationRecord[];
    find(id: StationId): StationRecord | undefined;
    airing(): Map<StationId, AiringProgram>;
  };
  logos: {
    /** Another one when the picture changes; undefined while there is none. */
    tag(id: StationId): string | undefined;
    png(id: StationId): Uint8Array<ArrayBuffer> | undefined;
  };
  scans: {
    status(): ScanStatus;
    /** @throws Failure */
    start(types: readonly BroadcastType[]): Promise<void>;
    abort(): Promise<void>;
  };
  /** The agent's own tables. @throws Failure */
  equipment: {
    tuners(): Promise<Tuner[]>;
    putTuners(definitions: readonly TunerDefinition[]): Promise<Tuner[]>;
    channels(): Promise<Channel[]>;
  };
  guide: Pick<
    GuideWindowStore,
    'stamp' | 'ofStation' | 'stationNames' | 'others' | 'reservationOf' | 'reserved' | 'nextChange'
  >;
  collecting: {
    status(): GuideStatus;
    press(): GuideCollect;
    release(): GuideCollect;
  };
  programs: { find(id: ProgramId): ProgramRecord | undefined };
  settings: {
    all(): Settings;
    /** @throws Failure */
    change(body: unknown): Settings;
  };
  system(): Promise<SystemFacts>;
  /** How many recordings there are that are not deleted. */
  recordings: { count(): number };
  recordingList: Pick<RecordingListStore, 'stamp' | 'page' | 'series' | 'find' | 'originals' | 'detail'>;
  recordingMarks: Pick<RecordingMarks, 'reach' | 'seen' | 'watched' | 'protect'>;
  retention: Pick<RetentionService, 'bin' | 'restore' | 'remove'>;
  storage(): Promise<StorageFacts>;
  /** Undefined for a folder that does not answer. */
  folderSpace(path: string): Promise<FolderSpace | undefined>;
  /** How recordings go that are being made, by recording. */
  running(): ReadonlyMap<number, RecordingProgress>;
  reservations: Pick<ReservationService, 'list' | 'get' | 'reserve' | 'cancel' | 'restore' | 'record'>;
  rules: Pick<RuleService, 'list' | 'get' | 'create' | 'update' | 'remove' | 'preview'>;
  search: Pick<SearchStore, 'programs' | 'recordings' | 'reservations' | 'rules'>;
  live: { open(request: LiveRequest, signal: AbortSignal): Promise<LiveStream> };
  /** Undefined when no more clients are taken. */
  events: { open(signal: AbortSignal): ReadableStream<Uint8Array> | undefined };
  status(): Status;
}
