/** A recording, as the recorder keeps it: what was wanted, where its files are, what became of it. */

import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingState } from '../../wire/guide.ts';
import type { RecordingProgress } from '../../wire/recordings.ts';
import type { Heard } from './airing.ts';
import type { AudioComponent } from './audio.ts';
import type { CommercialHandling } from './encoding.ts';
import type { RecordingId } from './ids.ts';
import type { Genre } from './program.ts';
import type { RecordingReason } from './recording-reason.ts';
import type { ReservationId } from './reservation.ts';
import type { EncodeChoice, RuleId } from './rule.ts';
import type { Verdict } from './verdict.ts';

/**
 * `recording`: from the decision to record until its end, also while the service is not running. `recorded`: ended,
 * the original stream is there. `available`: an encoded file is there. `failed`: there is nothing worth keeping.
 */
export type { RecordingState };

/** What a recording is an episode of, read from its texts. */
export interface SeriesMark {
  /** In normal form, never empty. */
  key: string;
  /** For people, as the next. */
  name: string;
  /** null: it says none. */
  episode: string | null;
}

/** What a recording is begun with. */
export interface NewRecording {
  /** null: not booked. */
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
  /** Epoch ms, of the programme without margins, as the next. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Epoch ms: it ends by itself then, margin included. */
  closeAt: BroadcastMs;
  /** Epoch ms of the wish, where it came after the start. */
  wantedFrom: BroadcastMs | null;
  /** null: of nothing that has a name. */
  series: SeriesMark | null;
  encode: EncodeChoice;
  keepTs: boolean;
  /** null = the setting. */
  commercials: CommercialHandling | null;
}

/** What a recording says of its programme: what the guide says when it begins, and as far as it knows it when it ends. */
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

/** How a recording ends, but by its service. */
export type RecordingEnding = 'finished' | 'stopped' | 'copy_never';

export interface RecordingRecord extends NewRecording {
  id: RecordingId;
  state: RecordingState;
  /** Epoch ms: beyond `closeAt`, because its programme's end is unknown; null: it is not held open. */
  holdUntil: BroadcastMs | null;
  /** It is over and is only to be judged; null: it is not over, or it was judged. `at`: epoch ms. */
  ended: { as: RecordingEnding; at: BroadcastMs } | null;
  /** Why it failed. */
  reason: RecordingReason | null;
  /** Epoch ms of the first packet; null before. */
  beganAt: BroadcastMs | null;
  /** Of the original stream; null while recording. */
  durationMs: number | null;
  /** Where its files lie under one stem; null before the first. */
  folder: string | null;
  stem: string | null;
  /** null = not judged yet. */
  verdict: Verdict | null;
}

/** Where a file of an original stream is not the plain continuation of what is before. */
export interface RecordingSeam {
  path: string;
  /** Octets in the file before it. */
  position: number;
  /** `layout`: the station's streams change shortly behind it (PMT); `resumed`: it was not written for a while. */
  kind: 'layout' | 'resumed';
  /** Epoch ms. */
  at: BroadcastMs;
}

/** A file of the original stream. A recording has one, but while (and after) a folder ran full. */
export interface RecordingPart {
  path: string;
  /** Octets that were known to be written. */
  bytes: number;
}

/**
 * What is to be recorded and when, as the plan has it now: what `booking` tells `record`, complete at every
 * change. Times are of the broadcast's clock.
 */
export interface RecordingOrder {
  reservationId: ReservationId;
  programId: ProgramId;
  stationId: StationId;
  /** null: by hand. */
  ruleId: RuleId | null;
  /** As broadcast. */
  name: string;
  description: string;
  /** Epoch ms, of the programme as it is known now; its real start and end as soon as they are known. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Epoch ms at which the agent is asked: the begin of the margin, or later where margins yield. */
  openAt: BroadcastMs;
  /** Epoch ms: with the margin. Moves later only. */
  closeAt: BroadcastMs;
  /**
   * Epoch ms: it continues beyond `closeAt` until another order says null or a later `closeAt`, at most until this,
   * because it is on the air and its end is unknown; null: it ends at `closeAt`.
   */
  holdUntil: BroadcastMs | null;
  /**
   * Epoch ms: after its end its station is received until then, on an otherwise unused tuner, and it continues when
   * another order tells a later end; null: it is over at its end.
   */
  listenUntil?: BroadcastMs | null;
  /**
   * Epoch ms: since then another programme is on in its place, long before its end; null: none is, or its station is not received; what
   * was told before then still holds, until it is held open again.
   */
  brokenAt?: BroadcastMs | null;
  /** What its station says of it; null or absent: its station is not received. */
  heard?: Heard | null;
  /** Whose tuner it takes over, of other physical channels only: their end margin is given up to it. */
  after: readonly ReservationId[];
  /**
   * Recordings of its own channel whose programmes have ended, and whose tuning it is not to join: the agent counts them
   * as gone, and they keep their end margin. None when left out.
   */
  apart?: readonly ReservationId[];
  /** The setting applied. */
  encode: EncodeChoice;
  keepTs: boolean;
  /** null = the setting. */
  commercials: CommercialHandling | null;
  /** Epoch ms: booked when it was on already; null: before its start. */
  wantedFrom: BroadcastMs | null;
}

/** A recording came to its end, for better or worse. */
export interface RecordingEnd {
  reservationId: ReservationId | null;
  recordingId: RecordingId;
  /** By the setting `retryDamaged`: the next airing is to be booked. */
  worthRepeating: boolean;
}

/** A recording that is being made. */
export interface RunningRecording {
  recordingId: RecordingId;
  /** null: it has no tuner now. */
  tunerId: string | null;
  /** Epoch ms: it ends then, margin included. */
  until: BroadcastMs;
  progress: RecordingProgress;
}

/** The recorder, as the booking feature sees it. */
export interface RecorderPort {
  /**
   * Everything that is to be recorded, whole, at each change; what runs and is missing here continues to its end.
   * @param conflicts reservations that have no tuner now: if one is ordered late, that is why
   */
  order(orders: readonly RecordingOrder[], conflicts?: ReadonlySet<ReservationId>): void;
  /** A person cancels a running one: what there is is kept. Resolves when it has ended. */
  stop(reservationId: ReservationId): Promise<void>;
  /** Resolves when it neither runs nor is being judged: then its reservation can be made again. */
  over(reservationId: ReservationId): Promise<void>;
  running(): ReadonlyMap<ReservationId, RunningRecording>;
}
