/** A recording: its request, its files, its outcome. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId, ReservationId, RuleId } from '../../lib/wire/ids.ts';
import type { RecordingProgress } from '../../lib/wire/recordings.ts';
import type { ConversionOptions } from '../../lib/wire/rule-fields.ts';
import type { RecordingState } from '../../lib/wire/vocabulary.ts';
import type { AirState } from './airing.ts';
import type { AudioComponent } from './audio.ts';
import type { Genre } from './program.ts';
import type { RecordingReason } from './recording-reason.ts';
import type { Verdict } from './verdict.ts';

/**
 * `recording`: from the decision to record until its end, also while the service is not running. `recorded`: ended,
 * the original stream exists. `available`: an encoded file exists. `failed`: there is nothing worth keeping.
 */
/** The series and episode of a recording, derived from its texts. */
export interface SeriesMark {
  /** In normal form, never empty. */
  key: string;
  /** For display, like the next field. */
  name: string;
  /** null: unknown. */
  episode: string | null;
}

/** Initial values of a recording. */
export interface NewRecording extends ConversionOptions {
  /** null: not reserved. */
  reservationId: ReservationId | null;
  ruleId: RuleId | null;
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
  /** Epoch ms, of the programme without margins, like the next field. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Epoch ms: planned end, margin included. */
  closeAt: BroadcastMs;
  /** Epoch ms of the request, if it came after the start. */
  wantedFrom: BroadcastMs | null;
  /** null: no series known. */
  series: SeriesMark | null;
}

/** Texts of a recording about its programme: from the guide at its begin, updated at its end. */
export type RecordingTexts = Pick<
  NewRecording,
  | 'name'
  | 'description'
  | 'extended'
  | 'genres'
  | 'audios'
  | 'videoType'
  | 'videoResolution'
  | 'isFree'
  | 'series'
>;

/** How a recording ends, except by the end of the service. */
export type RecordingEnding = 'finished' | 'stopped' | 'copy_never';

export interface RecordingRecord extends NewRecording {
  id: RecordingId;
  state: RecordingState;
  /** Epoch ms: held open beyond `closeAt`, because its programme's end is unknown; null: not held open. */
  holdUntil: BroadcastMs | null;
  /** It is over and only lacks its verdict; null: it is not over, or has its verdict. `at`: epoch ms. */
  ended: { as: RecordingEnding; at: BroadcastMs } | null;
  /** Why it failed. */
  reason: RecordingReason | null;
  /** Epoch ms of the first packet; null before. */
  beganAt: BroadcastMs | null;
  /** Of the original stream; null while recording. */
  durationMs: number | null;
  /** Folder of its files, which share one stem; null before the first. */
  folder: string | null;
  stem: string | null;
  /** null = no verdict yet. */
  verdict: Verdict | null;
}

/** A position in a file of an original stream where the data before it is not simply continued. */
export interface RecordingSeam {
  path: string;
  /** Octets in the file before it. */
  position: number;
  /** `layout`: the station's streams change shortly after it (PMT); `resumed`: writing was interrupted before it. */
  kind: 'layout' | 'resumed';
  at: BroadcastMs;
}

/** A file of the original stream. A recording has one, except while (and after) a folder was full. */
export interface RecordingPart {
  path: string;
  /** Octets known to be written. */
  bytes: number;
  /** Inode number while its process runs; absent: unknown. */
  inode?: number;
}

/**
 * A recording to be made, by the current plan: sent by `booking` to `record` for all recordings at every change.
 * Times are of the broadcast's clock.
 */
export interface RecordingOrder extends ConversionOptions {
  reservationId: ReservationId;
  programId: ProgramId;
  stationId: StationId;
  /** null: manual. */
  ruleId: RuleId | null;
  /** As broadcast. */
  name: string;
  description: string;
  /** Epoch ms, of the programme as currently known; its actual start and end as soon as they are known. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Epoch ms of the request to the agent: the begin of the margin, or later if margins are dropped. */
  openAt: BroadcastMs;
  /** Epoch ms, margin included. Only moves later. */
  closeAt: BroadcastMs;
  /**
   * Epoch ms: it continues beyond `closeAt` until a later order has null or a later `closeAt`, at most until this
   * time, because it is on the air and its end is unknown; null: it ends at `closeAt`.
   */
  holdUntil: BroadcastMs | null;
  /**
   * Epoch ms: after its end its station is received until then, on an otherwise unused tuner, and it continues if a
   * later order has a later end; null: it is over at its end.
   */
  listenUntil?: BroadcastMs | null;
  /**
   * Epoch ms: since when another programme replaces it, long before its end; null: none does, or its station is not
   * received; an earlier value stays valid until it is held open again.
   */
  brokenAt?: BroadcastMs | null;
  /** State reported by its station; null or absent: its station is not received. */
  airState?: AirState | null;
  /** Recordings on other physical channels whose tuner it takes over: their end margin is given to it. */
  after: readonly ReservationId[];
  /**
   * Recordings of its own channel whose programmes have ended, and whose tuning it must not join: the agent treats
   * them as ended, and they keep their end margin. Default: none.
   */
  apart?: readonly ReservationId[];
  /** Epoch ms: reserved when it was already on; null: before its start. */
  wantedFrom: BroadcastMs | null;
}

export interface RecordingEnd {
  reservationId: ReservationId | null;
  recordingId: RecordingId;
  /** By the setting `retryDamaged`: the next airing is to be reserved. */
  worthRepeating: boolean;
}

export interface RunningRecordingStatus {
  recordingId: RecordingId;
  /** null: it currently has no tuner. */
  tunerId: string | null;
  /** Epoch ms: planned end, margin included. */
  until: BroadcastMs;
  progress: RecordingProgress;
}

/** The interface of the recorder to the booking feature. */
export interface RecorderPort {
  /**
   * All recordings to be made, complete at each change; running ones that are missing here continue to their end.
   * @param conflicts reservations that currently have no tuner: the cause if one of them is ordered late
   */
  order(orders: readonly RecordingOrder[], conflicts?: ReadonlySet<ReservationId>): void;
  /** A user stops a running one: received data is kept. Resolves when it has ended. */
  stop(reservationId: ReservationId): Promise<void>;
  /** Resolves when it neither runs nor lacks its verdict: then its reservation can be made again. */
  over(reservationId: ReservationId): Promise<void>;
  running(): ReadonlyMap<ReservationId, RunningRecordingStatus>;
}
