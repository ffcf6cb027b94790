/** The ffmpeg command that encodes the output of `PlaybackRemuxer` to a file. Pure. */
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { EncodeQuality } from '../../lib/wire/vocabulary.ts';
import type { EncoderChoice } from '../ffmpeg/encoders.ts';
import { SIDE_FILTERS } from '../ffmpeg/recipes.ts';
import { LEAD_TICKS, PLAYBACK_VIDEO, playbackAudio } from '../media/playback-remuxer.ts';
import type { VideoKind } from '../model/encoding.ts';
import type { CutList } from '../model/recording-time.ts';
import type { EncodedTrack } from './encoded-tracks.ts';

/** Kind of picture, which decides about deinterlacing. */
export type PictureMaterial =
  /** 24 pictures a second with repeated fields throughout. */
  | 'film'
  /** A mixture of both. */
  | 'mixed'
  /** Interlaced. */
  | 'video';

export interface PictureShape {
  readonly width: number;
  readonly height: number;
  /** Display size of the whole picture. */
  readonly aspect: number;
}

interface EncodeCommand {
  readonly choice: EncoderChoice;
  readonly quality: EncodeQuality;
  /** Null: sound only. */
  readonly video: {
    readonly kind: VideoKind;
    readonly material: PictureMaterial;
    /** Undefined if the stream does not signal it. */
    readonly shape: PictureShape | undefined;
  } | null;
  readonly tracks: readonly EncodedTrack[];
  /** On the time scale of the recording, ms. */
  readonly cuts: CutList;
  /** Path of an ASS file. */
  readonly captions: string | null;
  /** Path of an FFMETADATA1 file. */
  readonly metadata: string;
  /** Path of a JPEG file. */
  readonly poster: string | null;
  readonly output: string;
}

const LEAD = LEAD_TICKS / TICKS_PER_SECOND;
/** Less than half a field, so that a boundary rounded to ms selects the right picture. */
const EDGE = 0.006;
/** 5 ms at 48 kHz: the step at which sound is cut. */
const CUT_SAMPLES = 240;

const CODECS = { h264: 'aac', av1: 'libopus' } as const;
/** Of a channel pair; surround gets three times as much. */
const AUDIO_RATES = {
  small: { aac: 128, libopus: 96 },
  standard: { aac: 192, libopus: 128 },
  fine: { aac: 256, libopus: 192 },
} as const;

function seconds(value: number): string {
  return value.toFixed(6);
}

/** The kept spans, shifted so that they follow each other. `time`: name of the time variable, in seconds. */
function cutFilters(cuts: CutList, prefix: '' | 'a'): string[] {
  if (cuts === null) return [];
  const kept = cuts.map(({ from, to }) => {
    const [begin, end] = [from / 1000 + LEAD - EDGE, to / 1000 + LEAD - EDGE];
    return `gte(t,${seconds(begin)})*lt(t,${seconds(end)})`;
  });
  let end = 0;
  const moved = cuts.flatMap(({ from, to }) => {
    const gap = (from - end) / 1000;
    end = to;
    return gap === 0 ? [] : [`gte(T,${seconds(from / 1000 + LEAD - EDGE)})*${seconds(gap)}`];
  });
  const shift = moved.length === 0 ? [] : [`${prefix}setpts='PTS-(${moved.join('+')})/TB'`];
  const split = prefix === 'a' ? [`asetnsamples=n=${CUT_SAMPLES}:p=0`] : [];
  return [...split, `${prefix}select='${kept.join('+')}'`, ...shift];
}

/** Makes interlaced pictures progressive; of film, restores the original pictures. */
function deinterlacing(material: PictureMaterial, quality: EncodeQuality): string[] {
  if (material === 'film') return ['pullup', 'dejudder'];
  // One picture per field keeps fast motion smooth, at twice the cost.
  const video = quality === 'fine' ? 'bwdif=1:-1:1' : 'bwdif=0:-1:1';
  // Joins the fields of one film picture again; only pictures that are still combed are deinterlaced.
  return material === 'mixed' ? ['fieldmatch=order=auto:combmatch=full', video] : [video];
}

/**
 * An encoder cannot change its picture size: pictures in other formats are letterboxed. No filter for those that fit.
 */
export function fitted({ width, height, aspect }: PictureShape): string[] {
  const ratio = aspect.toFixed(6);
  const sar = ((aspect * height) / width).toFixed(6);
  return [
    `scale=w='min(${width},2*round(${width}*dar/${ratio}/2))':h='min(${height},2*round(${height}*${ratio}/dar/2))'`,
    `pad=${width}:${height}:-1:-1`,
    `setsar=${sar}`,
  ];
}

/** SD broadcasts use the colours of ITU-R BT.601, HD those of BT.709; HEVC signals its own. */
function colours(kind: string, shape: PictureShape | undefined): string[] {
  if (kind === 'hevc') return [];
  const name = shape !== undefined && shape.height < 720 ? 'smpte170m' : 'bt709';
  return ['-color_primaries', name, '-color_trc', name, '-colorspace', name, '-color_range', 'tv'];
}

function videoOptions({ choice, quality, video, cuts }: EncodeCommand): string[] {
  if (video === null) return ['-vn'];
  const { encoder } = choice;
  const filters = [
    ...cutFilters(cuts, ''),
    ...deinterlacing(video.material, quality),
    ...(video.shape === undefined ? [] : fitted(video.shape)),
    ...encoder.filters,
  ];
  return [
    ...['-map', `0:i:${PLAYBACK_VIDEO}`, '-filter:v', filters.join(','), '-c:v', encoder.name],
    ...encoder.file[quality],
    ...colours(video.kind, video.shape),
    ...['-vsync', 'passthrough', '-enc_time_base:v', '1:90000'],
  ];
}

function audioOptions({ choice, quality, tracks, cuts }: EncodeCommand): string[] {
  if (tracks.length === 0) return ['-an'];
  const codec = CODECS[choice.encoder.codec];
  const pair = AUDIO_RATES[quality][codec];
  return tracks.flatMap(({ stream, side, channels, language, title, isMain }, index) => {
    const layout = channels === 6 ? '5.1' : 'stereo';
    const sound = channels === 1 ? 'pan=mono|c0=c0' : `aformat=channel_layouts=${layout}`;
    const filters = [
      ...SIDE_FILTERS[side],
      ...cutFilters(cuts, 'a'),
      'aresample=async=1000:min_hard_comp=0.02',
      sound,
    ];
    const rate = channels === 6 ? 3 * pair : channels === 1 ? pair / 2 : pair;
    return [
      ...['-map', `0:i:${playbackAudio(stream)}`, `-filter:a:${index}`, filters.join(',')],
      ...[`-c:a:${index}`, codec, `-b:a:${index}`, `${rate}k`, `-ar:a:${index}`, '48000'],
      ...[`-metadata:s:a:${index}`, `language=${language}`, `-metadata:s:a:${index}`, `title=${title}`],
      ...[`-disposition:a:${index}`, isMain ? 'default' : '0'],
    ];
  });
}

/** Timestamps in the file are those of the recording minus the cut parts; progress is written to stdout. */
export function encodeCommand(command: EncodeCommand): string[] {
  const { choice, captions, metadata, poster, output } = command;
  const texts = captions === null ? 1 : 2;
  return [
    ...[choice.ffmpeg, '-v', 'warning', '-nostdin', '-nostats', '-y', '-progress', 'pipe:1'],
    ...['-copyts', ...choice.encoder.device],
    ...['-f', 'mpegts', '-probesize', '20M', '-analyzeduration', '10M', '-i', 'pipe:0'],
    ...(captions === null ? [] : ['-itsoffset', String(LEAD), '-f', 'ass', '-i', captions]),
    ...['-f', 'ffmetadata', '-i', metadata],
    ...videoOptions(command),
    ...audioOptions(command),
    ...(captions === null ? [] : ['-map', '1:0', '-c:s', 'ass', '-metadata:s:s:0', 'language=jpn']),
    ...(captions === null ? [] : ['-metadata:s:s:0', 'title=字幕', '-disposition:s:0', '0']),
    ...['-dn', '-map_metadata', String(texts), '-map_chapters', String(texts)],
    ...(poster === null ? [] : ['-attach', poster, '-metadata:s:t:0', 'mimetype=image/jpeg']),
    ...(poster === null ? [] : ['-metadata:s:t:0', 'filename=cover.jpg']),
    ...['-max_muxing_queue_size', '4096', '-avoid_negative_ts', 'disabled'],
    ...['-output_ts_offset', String(-LEAD), '-f', 'matroska', output],
  ];
}
