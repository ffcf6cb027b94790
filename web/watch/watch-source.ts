/** The source of playback: a finished recording by its description, or one that is still being recorded. */
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Playback, PlaybackGap } from '../../lib/wire/playback.ts';
import type { ResumeRequest } from '../../lib/wire/recordings.ts';
import type { RecordedItem } from '../data/recorded-items.ts';
import { itemsOf } from '../data/recorded-messages.ts';
import { HttpFeed } from '../player/http-feed.ts';
import type { MediaFeed } from '../player/media-feed.ts';
import {
  chaseUrl,
  type PlayCodec,
  recordingStreamUrl,
  rememberPlace,
  renewCaptions,
  type StreamWish,
} from '../query/recordings.ts';

// The episode that follows in a series. Pure.

type Episode = Pick<Recording, 'id' | 'startAt' | 'state' | 'files' | 'binnedAt'>;

/** @param series in order of time */
export function nextEpisode<T extends Episode>(
  series: readonly T[],
  { id, startAt }: Pick<Recording, 'id' | 'startAt'>,
): T | undefined {
  return series.find(
    (one) =>
      one.id !== id &&
      (one.startAt > startAt || (one.startAt === startAt && one.id > id)) &&
      one.state !== 'failed' &&
      one.binnedAt === null &&
      one.files.length > 0,
  );
}

interface AudioChoice {
  readonly id: string;
  readonly label: string;
  readonly main?: boolean | undefined;
}

export interface WatchSource {
  readonly recordingId: RecordingId;
  readonly kind: 'watch' | 'chase';
  /** It is on this device. */
  readonly isSaved?: boolean;
  /** It is being recorded: its length is an estimate between the answers. */
  readonly growing: boolean;
  /** Seconds; of a chase what was recorded when this was made. */
  readonly duration: number;
  /** File whose time is counted, for the place that is remembered. */
  readonly file: 'encoded' | 'alt' | 'ts';
  readonly audios: readonly AudioChoice[];
  readonly codecs: readonly PlayCodec[];
  /** Of its encoded file, where this device plays that as it is. */
  readonly own?: PlayCodec | undefined;
  readonly gaps: readonly PlaybackGap[];
  readonly hasVideo: boolean;
  /** A feed from a place on. */
  readonly feed: (request: StreamWish) => MediaFeed;
  /** Its captions, from a second on; `unchanged` by the tag of the answer before. @throws ApiFailure `not_found`: none */
  readonly captions: (
    from: number,
    etag: string | null,
    aborted: AbortSignal,
  ) => ReturnType<typeof renewCaptions>;
  /** Its data broadcast, from a second on; undefined: it has none. */
  readonly data: ((from: number, aborted: AbortSignal) => AsyncIterable<RecordedItem>) | undefined;
  /** Broadcast time of second 0, epoch ms; null: unknown. */
  readonly broadcastAt: number | null;
  /** Keeps the place where watching is resumed. @throws when it cannot be kept now */
  readonly remember: (place: ResumeRequest) => Promise<void>;
}

const PLAYABLE: readonly PlayCodec[] = ['h264', 'av1'];

export function finishedSource(
  recording: Recording,
  playback: Playback,
  own: PlayCodec | undefined,
): WatchSource {
  const { id, files } = recording;
  const offered = PLAYABLE.filter((codec) =>
    playback.offers.some((offer) => offer.way === 'stream' && offer.codec === codec),
  );
  const encoded = files.some(({ source }) => source === 'encoded') ? 'encoded' : 'alt';
  return {
    recordingId: id,
    kind: 'watch',
    growing: false,
    duration: playback.duration,
    file: playback.axis === 'ts' ? 'ts' : encoded,
    audios: playback.audios,
    codecs: offered,
    own,
    gaps: playback.gaps,
    hasVideo: playback.hasVideo,
    feed: (request) => new HttpFeed(recordingStreamUrl(id, request)),
    captions: (...asked) => renewCaptions(id, ...asked),
    data: playback.hasDataBroadcast === true ? (...asked) => itemsOf(id, ...asked) : undefined,
    broadcastAt: playback.broadcastAt,
    remember: (place) => rememberPlace(id, place),
  };
}

/** Later or earlier than the programme by less than this is not worth a word. */
const ON_TIME_MS = 60_000;

/** What of the programme is in the recording: one begun in the middle begins then. */
export function recordedSpan({
  startAt,
  endAt,
  verdict,
}: Pick<Recording, 'startAt' | 'endAt' | 'verdict'>): readonly [start: BroadcastMs, end: BroadcastMs] {
  const { headMs = 0, tailMs = 0 } = verdict ?? {};
  const start = headMs < -ON_TIME_MS ? plusMs(startAt, -headMs) : startAt;
  const end = tailMs < -ON_TIME_MS ? plusMs(endAt, tailMs) : endAt;
  return end > start ? [start, end] : [startAt, endAt];
}

/** Estimated length, s, by the clock, where nothing better is known. */
function estimatedLength(recording: Recording, now: BroadcastMs): number {
  const { startAt, endAt, durationMs, progress } = recording;
  const lengthMs = recording.recording ? progress?.recordedMs : durationMs;
  const until = recording.recording ? now : endAt;
  return Math.max(0, (lengthMs ?? until - startAt) / 1000);
}

export function chaseSource(recording: Recording, now: BroadcastMs): WatchSource {
  return {
    recordingId: recording.id,
    kind: 'chase',
    growing: recording.recording,
    duration: estimatedLength(recording, now),
    file: 'ts',
    audios: recording.audios,
    codecs: PLAYABLE,
    gaps: [],
    hasVideo: true,
    feed: (request) => new HttpFeed(chaseUrl(recording.id, request)),
    captions: (...asked) => renewCaptions(recording.id, ...asked),
    data: (...asked) => itemsOf(recording.id, ...asked),
    broadcastAt: recording.startAt,
    remember: (place) => rememberPlace(recording.id, place),
  };
}

interface CodecWish {
  /** What the viewer chose for this recording. */
  readonly chosen: PlayCodec | undefined;
  /** Of conversions, on this device. */
  readonly usual: PlayCodec;
  /** AV1 can be shown here. */
  readonly av1: boolean;
}

/** The offer that is taken: what was chosen, else the file as it is, else the usual one; where it is offered. */
export function codecFor(
  { codecs, own }: Pick<WatchSource, 'codecs' | 'own'>,
  { chosen, usual, av1 }: CodecWish,
): PlayCodec | undefined {
  const playable = codecs.filter((codec) => codec !== 'av1' || av1);
  const wanted = [chosen, own, usual].find((codec) => codec !== undefined && playable.includes(codec));
  return wanted ?? playable[0];
}

// Reports the playback position to the service, so that any device can resume there.

const EVERY_MS = 10_000;
/** Of a saved recording, whose place costs no request. */
const SAVED_EVERY_MS = 5_000;
/** A place that differs by less is the one that is known. */
const LEAST_S = 2;

interface Place {
  /** s on the playback scale. */
  readonly position: number;
  /** s */
  readonly length: number;
  /** The picture moves, so that the place is one that was seen. */
  readonly watched: boolean;
}

/** Body of the request; undefined when there is no change to report. @param reported last reported position, s */
export function placeToReport(
  source: WatchSource,
  place: Place,
  reported: number | undefined,
  over: boolean,
) {
  if (!place.watched && !over) return undefined;
  const at = over ? place.length : Math.min(place.position, place.length);
  if (reported !== undefined && Math.abs(at - reported) < LEAST_S) return undefined;
  const rounded = (seconds: number): number => Math.round(Math.max(0, seconds) * 1000) / 1000;
  // The length of a recording in progress does not tell its end.
  const length = source.growing ? {} : { length: rounded(place.length) };
  return { at: rounded(at), ...length, source: source.file };
}

export class ResumeReport {
  readonly #place: () => Place;
  #timer: ReturnType<typeof setInterval> | undefined;
  #source: WatchSource | undefined;
  #reported: number | undefined;

  constructor(place: () => Place) {
    this.#place = place;
    document.addEventListener('visibilitychange', this.#onHidden);
    addEventListener('pagehide', this.#onHidden);
  }

  /** Another recording, or the same by another description. @param at where watching begins, s */
  follow(source: WatchSource | undefined, at: number): void {
    void this.tell();
    this.#source = source;
    this.#reported = at;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.tell(), source?.isSaved === true ? SAVED_EVERY_MS : EVERY_MS);
  }

  /** Resolves when the service has received it, or could not be reached. @param over the end was shown */
  async tell(over = false): Promise<void> {
    const source = this.#source;
    if (source === undefined) return;
    const body = placeToReport(source, this.#place(), this.#reported, over);
    if (body === undefined) return;
    this.#reported = body.at;
    try {
      await source.remember(body);
    } catch {
      // The next one tells it.
      this.#reported = undefined;
    }
  }

  close(): void {
    void this.tell();
    this.#source = undefined;
    clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#onHidden);
    removeEventListener('pagehide', this.#onHidden);
  }

  readonly #onHidden = (): void => {
    if (document.visibilityState === 'hidden') void this.tell();
  };
}
