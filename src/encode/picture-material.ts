/** Whether a recording is film (24 pictures a second in repeated fields), video or both, judged by samples of it. */
import { type Media90k, media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { findEntry } from '../media/entry-search.ts';
import { PLAYBACK_VIDEO } from '../media/playback-remuxer.ts';
import type { CutList } from '../model/recording-time.ts';
import { encodedLength, toOriginal } from '../model/recording-time.ts';
import type { PictureMaterial } from './encode-command.ts';
import { type EncoderRuntime, RecordingEncode, type RecordingEncodeOptions } from './recording-encode.ts';

interface MaterialOptions extends Pick<RecordingEncodeOptions, 'bytes' | 'index'> {
  readonly runtime: EncoderRuntime;
  readonly ffmpeg: string;
  readonly cuts: CutList;
  /** Its commercials are kept, which are video. */
  readonly keepsCommercials: boolean;
  readonly signal: AbortSignal;
}

const SAMPLES = [0.15, 0.4, 0.6, 0.85];
const SAMPLE_TICKS = 8 * TICKS_PER_SECOND;
/** A shorter recording is not analysed. */
const MIN_LENGTH_MS = 60_000;
/** Two of five pictures of film repeat a field; in video some do by chance. */
const FILM_SHARE = 0.28;
const MIN_PICTURES = 100;

/** Share of pictures with a repeated field by the filter `idet`; undefined if it saw too few pictures. */
export function repeatedShare(stderr: string): number | undefined {
  const counts = /Repeated Fields:\s*Neither:\s*(\d+)\s*Top:\s*(\d+)\s*Bottom:\s*(\d+)/.exec(stderr);
  const [neither, top, bottom] = (counts?.slice(1) ?? []).map(Number);
  if (neither === undefined || top === undefined || bottom === undefined) return undefined;
  const all = neither + top + bottom;
  return all < MIN_PICTURES ? undefined : (top + bottom) / all;
}

export async function pictureMaterial(options: MaterialOptions): Promise<PictureMaterial> {
  const { index, cuts, signal, keepsCommercials } = options;
  const lengthMs = (index.duration / TICKS_PER_SECOND) * 1000;
  if (lengthMs < MIN_LENGTH_MS) return 'video';
  const shares: (number | undefined)[] = [];
  for (const sample of SAMPLES) {
    signal.throwIfAborted();
    const at = toOriginal(sample * encodedLength(lengthMs, cuts), cuts);
    shares.push(await sampled(options, media90k((at / 1000) * TICKS_PER_SECOND)));
  }
  return materialOf(shares, keepsCommercials);
}

/**
 * Film only if every sample is: video that is treated as film loses pictures.
 * @param shares of pictures with a repeated field; undefined: inconclusive sample
 */
export function materialOf(
  shares: readonly (number | undefined)[],
  keepsCommercials: boolean,
): PictureMaterial {
  const films = shares.filter((share) => share !== undefined && share >= FILM_SHARE).length;
  if (films === 0) return 'video';
  return films === shares.length && !keepsCommercials ? 'film' : 'mixed';
}

async function sampled(options: MaterialOptions, at: Media90k): Promise<number | undefined> {
  const { ffmpeg, runtime, bytes, index, signal } = options;
  const entry = await findEntry(bytes, index, at);
  if (entry?.layout.video?.kind !== 'mpeg2') return undefined;
  const encode = new RecordingEncode({
    ...runtime,
    ...{ bytes, index, entry, signal, streams: 0 },
    until: media90k(entry.media + SAMPLE_TICKS),
    command: [
      ...[
        ...runtime.background,
        ffmpeg,
        '-v',
        'info',
        '-hide_banner',
        '-nostdin',
        '-nostats',
        '-progress',
        'pipe:1',
      ],
      ...['-f', 'mpegts', '-i', 'pipe:0', '-map', `0:i:${PLAYBACK_VIDEO}`, '-vf', 'idet', '-f', 'null', '-'],
    ],
  });
  return repeatedShare((await encode.outcome).stderr);
}
