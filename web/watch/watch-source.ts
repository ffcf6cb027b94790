/** The source of playback: a finished recording by its description, or one that is still being recorded. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { Recording } from '../../wire/api.ts';
import type { RecordingId } from '../../wire/ids.ts';
import type { Playback, PlaybackGap } from '../../wire/playback.ts';
import { chaseUrl, type PlayCodec, recordingStreamUrl, type StreamWish } from '../query/recordings.ts';

interface AudioChoice {
  readonly id: string;
  readonly label: string;
  readonly main?: boolean | undefined;
}

export interface WatchSource {
  readonly recordingId: RecordingId;
  readonly kind: 'watch' | 'chase';
  /** It is being recorded: its length is an estimate between the answers. */
  readonly growing: boolean;
  /** Seconds; of a chase what was recorded when this was made. */
  readonly duration: number;
  /** File whose time is counted, for the place that is remembered. */
  readonly file: 'encoded' | 'alt' | 'ts';
  readonly audios: readonly AudioChoice[];
  readonly codecs: readonly PlayCodec[];
  readonly gaps: readonly PlaybackGap[];
  readonly hasVideo: boolean;
  readonly url: (wish: StreamWish) => URL;
}

const PLAYABLE: readonly PlayCodec[] = ['h264', 'av1'];

export function finishedSource(recording: Recording, playback: Playback): WatchSource {
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
    gaps: playback.gaps,
    hasVideo: playback.hasVideo,
    url: (wish) => recordingStreamUrl(id, wish),
  };
}

/** Estimated length, s, by the clock, where nothing better is known. */
function estimatedLength(recording: Recording, now: BroadcastMs): number {
  const { startAt, endAt, durationMs, progress } = recording;
  const told = recording.recording ? progress?.recordedMs : durationMs;
  const until = recording.recording ? now : endAt;
  return Math.max(0, (told ?? until - startAt) / 1000);
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
    url: (wish) => chaseUrl(recording.id, wish),
  };
}

/** The offer that is taken: what was chosen where it is offered, else the first. */
export function codecFor(
  { codecs }: Pick<WatchSource, 'codecs'>,
  chosen: PlayCodec,
  av1: boolean,
): PlayCodec | undefined {
  const playable = codecs.filter((codec) => codec !== 'av1' || av1);
  return playable.find((codec) => codec === chosen) ?? playable[0];
}
