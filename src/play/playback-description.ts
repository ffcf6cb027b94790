/** The formats that a recording offers to a player, and its gaps. Pure, from its row and its index. */
import { broadcastMs, media90k, pts90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { TimeScale } from '../../lib/arib/ts/time-scale.ts';
import type { AudioOption, Playback, PlaybackGap, PlaybackOffer } from '../../lib/wire/api.ts';
import { audioOptions } from '../model/audio.ts';
import type { EncodedFacts, EncodedFile } from '../model/encoding.ts';
import { toEncoded, toOriginal } from '../model/recording-time.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { DataFile } from '../store/data-file-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';

interface PlaybackFacts {
  /** This machine encodes AV1 in real time: what it cannot deliver is not offered. */
  readonly hasAv1: boolean;
  /** Its data broadcast; undefined: never read. */
  readonly data: DataFile | undefined;
}

/** Codecs of conversions: H.264 High 4.0 with AAC-LC, AV1 Main 4.0 with Opus. */
const CONVERTED = {
  h264: { video: 'avc1.640028', sound: 'mp4a.40.2' },
  av1: { video: 'av01.0.08M.08', sound: 'opus' },
} as const;

type ConvertedCodec = keyof typeof CONVERTED;

/** @param hasAv1 whether this machine encodes AV1 in real time: what it cannot deliver is not offered */
function conversions(hasAv1: boolean): ConvertedCodec[] {
  return hasAv1 ? ['h264', 'av1'] : ['h264'];
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/**
 * Gaps of the verdict on the playback scale. A part that was not received has no length there; a scrambled part has.
 */
function gapsOnScale(
  { verdict, startAt }: Pick<ListedRecording, 'verdict' | 'startAt'>,
  scale: TimeScale,
): PlaybackGap[] {
  return (verdict?.gaps ?? []).flatMap(({ startMs, endMs, cause }) => {
    const start = scale.mediaAtBroadcast(broadcastMs(startAt + startMs));
    const end = scale.mediaAtBroadcast(broadcastMs(startAt + endMs));
    if (start === undefined || end === undefined) return [];
    const missing = round(Math.max(0, endMs - startMs) / 1000);
    return [{ start: round(start / TICKS_PER_SECOND), end: round(end / TICKS_PER_SECOND), missing, cause }];
  });
}

/** Where the broadcast time jumps, s. */
function joinsOf(scale: TimeScale): number[] {
  return scale.stretches.slice(1).map(({ start }) => round(start / TICKS_PER_SECOND));
}

function offersOf(layout: StationLayout, hasAv1: boolean): PlaybackOffer[] {
  const streams = conversions(hasAv1).map((codec): PlaybackOffer => {
    const { video, sound } = CONVERTED[codec];
    const codecs = [layout.video === null ? [] : video, layout.audios.length === 0 ? [] : sound].flat();
    return { codec, way: 'stream', codecs: codecs.join(',') };
  });
  return [...streams, { codec: 'mpeg2', way: 'raw' }];
}

/** Stretches of the original stream, as known when it was encoded. Time stamps are not needed for these times. */
function storedScale({ stretches }: EncodedFacts): TimeScale {
  return TimeScale.of(
    stretches.map(({ length, at }) => ({
      pts: pts90k(0),
      length: Math.round((length / 1000) * TICKS_PER_SECOND),
      at: at === null ? undefined : broadcastMs(at),
    })),
  );
}

function encodedOffers(
  { files }: ListedRecording,
  encoded: readonly EncodedFile[],
  hasAv1: boolean,
): PlaybackOffer[] {
  const factsOf = (source: string) => encoded.find((file) => file.source === source)?.facts;
  const made = files.filter(({ source }) => source !== 'ts');
  const completeFiles = made.map(({ source, codec }): PlaybackOffer => {
    const codecs = factsOf(source)?.codecs ?? '';
    return { codec, way: 'file', source, ...(codecs === '' ? {} : { codecs }) };
  });
  const hasSound = encoded.some(({ facts }) => facts.tracks.length > 0);
  const hasVideo = encoded.some(({ facts }) => facts.hasVideo);
  // Codecs that only need remuxing come first.
  const codecs = [...new Set([...made.map(({ codec }) => codec), ...conversions(hasAv1)])].filter(isStreamed);
  const streams = codecs.map((codec): PlaybackOffer => {
    const own = made.find((file) => file.codec === codec);
    const { video, sound } = CONVERTED[codec];
    const expected = [hasVideo ? video : [], hasSound ? sound : []].flat().join(',');
    const exact = own === undefined ? '' : (factsOf(own.source)?.codecs ?? '');
    return { codec, way: 'stream', codecs: exact === '' ? expected : exact };
  });
  const isWhole = made.every(({ cuts }) => cuts === null);
  const hasOriginal = files.some(({ source }) => source === 'ts');
  return [
    ...completeFiles,
    ...streams,
    ...(hasOriginal && isWhole ? [{ codec: 'mpeg2', way: 'raw' } as const] : []),
  ];
}

function isStreamed(codec: string): codec is ConvertedCodec {
  return Object.hasOwn(CONVERTED, codec);
}

/** For a recording that has an encoded file; times are of that file. @param encoded not empty, preferred first */
export function describeEncoded(
  recording: ListedRecording,
  encoded: readonly EncodedFile[],
  { hasAv1, data }: PlaybackFacts,
): Playback {
  const [preferred] = encoded;
  const file = recording.files.find(({ source }) => source === preferred?.source);
  if (preferred === undefined || file === undefined) throw new Error('a recording without encoded file');
  const { facts, cuts } = preferred;
  const scale = storedScale(facts);
  const moved = (seconds: number): number => round(toEncoded(seconds * 1000, cuts) / 1000);
  const duration = (file.durationMs ?? 0) / 1000;
  const first = scale.broadcastAt(media90k((toOriginal(0, cuts) / 1000) * TICKS_PER_SECOND));
  const begin = scale.mediaAtBroadcast(recording.startAt);
  const audios = audioOptions(recording.audios).filter(({ id }) => facts.tracks.includes(id));
  const gaps = gapsOnScale(recording, scale).map((gap) => ({
    ...gap,
    start: moved(gap.start),
    end: moved(gap.end),
  }));
  return {
    ...{ duration, axis: 'encoded', gaps, hasVideo: facts.hasVideo },
    audios: (audios.length === 0 ? audioOptions([]) : audios).map(shortOption),
    offers: encodedOffers(recording, encoded, hasAv1),
    joins: [...new Set(joinsOf(scale).map(moved))].filter((at) => at > 0 && at < duration),
    broadcastAt: first === undefined ? null : broadcastMs(Math.round(first)),
    programStart: begin === undefined ? null : moved(begin / TICKS_PER_SECOND),
    hasDataBroadcast: hasData(
      data,
      recording.files.some(({ source }) => source === 'ts'),
    ),
  };
}

function shortOption({ id, label, main }: AudioOption): Playback['audios'][number] {
  return { id, label, ...(main === undefined ? {} : { main }) };
}

/** For a recording that has its original stream. */
export function describePlayback(
  recording: ListedRecording,
  { scale, layout }: { scale: TimeScale; layout: StationLayout },
  { hasAv1, data }: PlaybackFacts,
): Playback {
  const first = scale.stretches[0]?.at;
  const begin = scale.mediaAtBroadcast(recording.startAt);
  return {
    duration: round(scale.duration / TICKS_PER_SECOND),
    axis: 'ts',
    audios: audioOptions(recording.audios).map(shortOption),
    offers: offersOf(layout, hasAv1),
    gaps: gapsOnScale(recording, scale),
    joins: joinsOf(scale),
    broadcastAt: first === undefined ? null : broadcastMs(Math.round(first)),
    programStart: begin === undefined ? null : round(begin / TICKS_PER_SECOND),
    hasVideo: layout.video !== null,
    hasDataBroadcast: hasData(data, layout.data),
  };
}

/** @param isLikely before its original was read to the end */
function hasData(data: DataFile | undefined, isLikely: boolean): boolean {
  return data !== undefined && (data.bytes > 0 || data.isComplete) ? data.bytes > 0 : isLikely;
}
