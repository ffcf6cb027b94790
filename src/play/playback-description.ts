/** What a recording offers to a player, and where something of it is missing: pure, of its row and its index. */
import { broadcastMs, TICKS_PER_SECOND } from '../../arib/time.ts';
import type { TimeScale } from '../../arib/ts/time-scale.ts';
import type { Playback, PlaybackGap, PlaybackOffer } from '../../wire/api.ts';
import { audioOptions } from '../model/audio.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';

/** What conversions make: H.264 High 4.0 with AAC-LC, AV1 Main 4.0 with Opus. */
const CONVERTED = {
  h264: { video: 'avc1.640028', sound: 'mp4a.40.2' },
  av1: { video: 'av01.0.08M.08', sound: 'opus' },
} as const;

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Gaps of the verdict on the scale. What was not received has no length there; what stayed scrambled has. */
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

function offersOf(layout: StationLayout): PlaybackOffer[] {
  const streams = (['h264', 'av1'] as const).map((codec): PlaybackOffer => {
    const { video, sound } = CONVERTED[codec];
    const codecs = [layout.video === null ? [] : video, layout.audios.length === 0 ? [] : sound].flat();
    return { codec, way: 'stream', codecs: codecs.join(',') };
  });
  return [...streams, { codec: 'mpeg2', way: 'raw' }];
}

/** Of a recording that has its original stream. */
export function describePlayback(
  recording: ListedRecording,
  { scale, layout }: { scale: TimeScale; layout: StationLayout },
): Playback {
  const first = scale.stretches[0]?.at;
  const begin = scale.mediaAtBroadcast(broadcastMs(recording.startAt));
  return {
    duration: round(scale.duration / TICKS_PER_SECOND),
    axis: 'ts',
    audios: audioOptions(recording.audios).map(({ id, label, main }) => ({
      ...{ id, label },
      ...(main === undefined ? {} : { main }),
    })),
    offers: offersOf(layout),
    gaps: gapsOnScale(recording, scale),
    joins: joinsOf(scale),
    broadcastAt: first === undefined ? null : Math.round(first),
    programStart: begin === undefined ? null : round(begin / TICKS_PER_SECOND),
    hasVideo: layout.video !== null,
  };
}
