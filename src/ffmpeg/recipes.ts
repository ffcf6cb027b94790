/** The supported video encoders, each with its ffmpeg options for live and for files. */
import type { LiveQuality } from '../../lib/wire/api.ts';
import type { AudioSide, EncodeQuality } from '../../lib/wire/vocabulary.ts';
import type { VideoKind } from '../model/encoding.ts';

export type VideoCodec = 'h264' | 'av1';

export interface VideoEncoder {
  /** ffmpeg's name. */
  name: string;
  codec: VideoCodec;
  kind: 'gpu' | 'software';
  /** Options before the input. */
  device: readonly string[];
  /** Filters that upload frames to where the encoder reads them. */
  filters: readonly string[];
  /** Encoder options for live: no frame reordering, a key frame each second, at most 6 Mbit/s. */
  live: readonly string[];
  /** Encoder options for files: constant quality, a key frame at least every 5 s. */
  file: Readonly<Record<EncodeQuality, readonly string[]>>;
}

type FileOptions = VideoEncoder['file'];

const FILE_GOP = ['-g', '150'];

/** Constant quality by one option, for hardware encoders whose other options are the same as for live. */
function byQuality(
  options: readonly string[],
  option: string,
  [small, standard, fine]: readonly [number, number, number],
): FileOptions {
  const words = (value: number): string[] => [...options, option, String(value), ...FILE_GOP];
  return { small: words(small), standard: words(standard), fine: words(fine) };
}

const RATE = ['-b:v', '4M', '-maxrate', '6M', '-bufsize', '6M', '-g', '30', '-bf', '0'];
const VAAPI_DEVICE = ['-vaapi_device', '/dev/dri/renderD128'];
const VAAPI_FILTERS = ['format=nv12', 'hwupload'];
/** Fastest preset that all versions of SVT-AV1 have; slower ones are not suitable for live. */
const SVT_PRESET = '12';

/** In order of preference. */
export const VIDEO_ENCODERS: readonly VideoEncoder[] = [
  {
    name: 'h264_nvenc',
    codec: 'h264',
    kind: 'gpu',
    device: [],
    filters: ['format=nv12'],
    live: ['-preset', 'p4', '-tune', 'ull', '-zerolatency', '1', '-rc', 'vbr', '-forced-idr', '1', ...RATE],
    file: byQuality(['-preset', 'p5', '-rc', 'vbr', '-b:v', '0'], '-cq', [30, 26, 22]),
  },
  {
    name: 'h264_qsv',
    codec: 'h264',
    kind: 'gpu',
    device: [],
    filters: ['format=nv12'],
    live: ['-preset', 'veryfast', '-async_depth', '1', ...RATE],
    file: byQuality(['-preset', 'medium'], '-global_quality', [29, 25, 21]),
  },
  {
    name: 'h264_vaapi',
    codec: 'h264',
    kind: 'gpu',
    device: VAAPI_DEVICE,
    filters: VAAPI_FILTERS,
    live: ['-async_depth', '1', ...RATE],
    file: byQuality(['-rc_mode', 'CQP'], '-qp', [28, 24, 21]),
  },
  {
    name: 'libx264',
    codec: 'h264',
    kind: 'software',
    device: [],
    filters: ['format=yuv420p'],
    live: [
      ...['-preset', 'veryfast', '-tune', 'zerolatency', '-profile:v', 'high', '-level', '4'],
      ...['-crf', '23', '-maxrate', '6M', '-bufsize', '6M'],
      ...['-g', '30', '-keyint_min', '30', '-sc_threshold', '0'],
    ],
    file: {
      small: ['-preset', 'veryfast', '-profile:v', 'high', '-crf', '25', ...FILE_GOP],
      standard: ['-preset', 'veryfast', '-profile:v', 'high', '-crf', '21', ...FILE_GOP],
      fine: ['-preset', 'fast', '-profile:v', 'high', '-crf', '19', ...FILE_GOP],
    },
  },
  {
    name: 'av1_nvenc',
    codec: 'av1',
    kind: 'gpu',
    device: [],
    filters: ['format=nv12'],
    live: ['-preset', 'p4', '-tune', 'ull', '-rc', 'vbr', ...RATE],
    file: byQuality(['-preset', 'p5', '-rc', 'vbr', '-b:v', '0'], '-cq', [38, 33, 28]),
  },
  {
    name: 'av1_qsv',
    codec: 'av1',
    kind: 'gpu',
    device: [],
    filters: ['format=nv12'],
    live: ['-preset', 'veryfast', '-async_depth', '1', ...RATE],
    file: byQuality(['-preset', 'medium'], '-global_quality', [34, 29, 24]),
  },
  {
    name: 'av1_vaapi',
    codec: 'av1',
    kind: 'gpu',
    device: VAAPI_DEVICE,
    filters: VAAPI_FILTERS,
    live: ['-async_depth', '1', ...RATE],
    file: byQuality(['-rc_mode', 'CQP'], '-qp', [140, 115, 90]),
  },
  {
    name: 'libsvtav1',
    codec: 'av1',
    kind: 'software',
    device: [],
    filters: ['format=yuv420p'],
    live: ['-preset', SVT_PRESET, '-b:v', '3M', '-g', '30', '-svtav1-params', 'pred-struct=1:rc=2'],
    file: {
      small: ['-preset', '10', '-crf', '38', ...FILE_GOP],
      standard: ['-preset', '10', '-crf', '32', ...FILE_GOP],
      fine: ['-preset', '8', '-crf', '30', ...FILE_GOP],
    },
  },
];

/** Moving and noisy like a broadcast; a still picture would overestimate the encoder. */
function trialSource(seconds: number): string {
  return `testsrc2=s=1280x720:r=30000/1001:d=${seconds},noise=alls=12:allf=t`;
}

/** Encodes this many seconds of 720p30 with the live options, without output. */
export function trialCommand(ffmpeg: string, encoder: VideoEncoder, seconds: number): string[] {
  return [
    ...[ffmpeg, '-v', 'error', '-nostdin', ...encoder.device],
    ...['-f', 'lavfi', '-i', trialSource(seconds)],
    ...['-vf', encoder.filters.join(','), '-c:v', encoder.name, ...encoder.live],
    ...['-f', 'null', '-'],
  ];
}

export interface LiveAudio {
  pid: number;
  side: AudioSide;
  codec: 'aac' | 'opus';
}

export interface PictureSize {
  width: number;
  height: number;
}

export interface LiveCommand {
  ffmpeg: string;
  video: {
    pid: number;
    kind: VideoKind;
    encoder: VideoEncoder;
    /** Pictures of other sizes are fitted into it; undefined: they do not occur. */
    size?: PictureSize | undefined;
    /** Default: `high`. */
    quality?: LiveQuality | undefined;
  } | null;
  audio: LiveAudio | null;
  /** Maximum delay of audio behind video that is still interleaved, ms; default: 500, for live. */
  interleaveMs?: number | undefined;
}

interface QualityFigures {
  readonly lines: number;
  /** Bit rate of the video, in ffmpeg's notation; undefined: that of the encoder's own options. */
  readonly rate?: { readonly mean: string; readonly peak: string };
  readonly audio: { readonly aac: string; readonly opus: string };
  /** Length of a fragment, ms: each costs 1 KB, which is a fifth of the smallest stream at ten per second. */
  readonly fragmentMs: number;
}

/** The totals are those published in `LIVE_QUALITIES`. */
const QUALITIES: Readonly<Record<LiveQuality, QualityFigures>> = {
  high: { lines: 720, audio: { aac: '160k', opus: '128k' }, fragmentMs: 100 },
  middle: {
    ...{ lines: 540, rate: { mean: '1700k', peak: '2300k' } },
    ...{ audio: { aac: '128k', opus: '96k' }, fragmentMs: 100 },
  },
  low: {
    ...{ lines: 360, rate: { mean: '650k', peak: '900k' } },
    ...{ audio: { aac: '96k', opus: '64k' }, fragmentMs: 200 },
  },
  least: {
    ...{ lines: 240, rate: { mean: '190k', peak: '230k' } },
    ...{ audio: { aac: '56k', opus: '40k' }, fragmentMs: 400 },
  },
};

/** Options of all encoders that are followed by a bit rate. */
const RATE_WORDS: Readonly<Record<string, 'mean' | 'peak'>> = {
  '-b:v': 'mean',
  '-maxrate': 'peak',
  '-bufsize': 'peak',
};

/** An encoder's live options for this quality: only the bit rates differ. */
function liveOptions({ live }: VideoEncoder, quality: LiveQuality): readonly string[] {
  const { rate } = QUALITIES[quality];
  if (rate === undefined) return live;
  return live.map((word, index) => {
    const kind = RATE_WORDS[live[index - 1] ?? ''];
    return kind === undefined ? word : rate[kind];
  });
}

/**
 * Deinterlaces interlaced video and scales to square pixels with at most this many lines, never larger than broadcast.
 */
function pictureFilters(lines: number): string[] {
  const height = `min(${lines},ih)`;
  return ['bwdif=0:-1:1', `scale=w='2*round(dar*${height}/2)':h='2*floor(${height}/2)'`, 'setsar=1'];
}

/** The size that these filters produce for this many lines and this aspect ratio. */
export function pictureSize(lines: number, aspect: number): PictureSize {
  const height = 2 * Math.floor(Math.min(720, lines) / 2);
  return { width: 2 * Math.round((aspect * Math.min(720, lines)) / 2), height };
}

/** An encoder cannot change its size: other sizes are letterboxed. Pictures of the right size are unchanged. */
function fitted({ width, height }: PictureSize): string[] {
  const box = `w=${width}:h=${height}`;
  return [`scale=${box}:force_original_aspect_ratio=decrease`, `pad=${box}:x=-1:y=-1`, 'setsar=1'];
}

/** The left or right channel of a dual-mono stream to both ears. */
export const SIDE_FILTERS = {
  both: [],
  main: ['aformat=channel_layouts=stereo', 'pan=stereo|c0=c0|c1=c0'],
  sub: ['aformat=channel_layouts=stereo', 'pan=stereo|c0=c1|c1=c1'],
} as const;

/**
 * Transport stream on stdin to fragmented MP4 on stdout.
 *
 * MPEG-2 has its frame rate in the first header, so 0.05 s of input is probed before encoding begins; it is also
 * encoded. (`-fflags nobuffer` would drop it, with the first intra picture.) Times stay those of the broadcast
 * (exactly 90 kHz, no edit lists): `lib/mp4/fragmenter.ts` shifts them.
 */
export function liveCommand(options: LiveCommand): string[] {
  const { video, audio, interleaveMs = 500 } = options;
  const figures = QUALITIES[video?.quality ?? 'high'];
  const isPlain = video === null || video.kind === 'mpeg2';
  const input = [
    ...['-v', 'error', '-nostdin', '-copyts', ...(video?.encoder.device ?? [])],
    ...['-f', 'mpegts', '-probesize', '1M'],
    ...(isPlain ? ['-analyzeduration', '50000', '-fpsprobesize', '0'] : ['-analyzeduration', '500000']),
    ...['-i', 'pipe:0', '-sn', '-dn'],
  ];
  return [
    options.ffmpeg,
    ...input,
    ...(video === null ? ['-vn'] : videoOptions(video, `0:i:${video.pid}`)),
    ...(audio === null ? ['-an'] : audioOptions(audio, `0:i:${audio.pid}`, figures)),
    ...fragmentOptions(interleaveMs, figures),
  ];
}

interface FileCommand extends Pick<LiveCommand, 'ffmpeg' | 'video'> {
  readonly path: string;
  /** s. */
  readonly from: number;
  /** s added to its times: no encoder may begin before 0. */
  readonly lead: number;
  /** `stream`: its index among the audio streams of the file. */
  readonly audio: (Omit<LiveAudio, 'pid'> & { readonly stream: number }) | null;
}

/** Converts a file from any position on, not only from a key frame, to fragmented MP4 with its own times on stdout. */
export function fileConversionCommand({ ffmpeg, video, audio, path, from, lead }: FileCommand): string[] {
  return [
    ...[ffmpeg, '-v', 'error', '-nostdin', '-copyts', ...(video?.encoder.device ?? [])],
    ...['-itsoffset', String(lead), '-ss', from.toFixed(6), '-i', path, '-sn', '-dn'],
    ...(video === null ? ['-vn'] : videoOptions(video, '0:V:0')),
    ...(audio === null ? ['-an'] : audioOptions(audio, `0:a:${audio.stream}`, QUALITIES.high)),
    ...fragmentOptions(500, QUALITIES.high),
  ];
}

function fragmentOptions(interleaveMs: number, { fragmentMs }: QualityFigures): string[] {
  return [
    ...['-max_interleave_delta', String(interleaveMs * 1000), '-avoid_negative_ts', 'disabled'],
    ...['-flush_packets', '1', '-f', 'mp4'],
    ...['-movflags', 'empty_moov+default_base_moof+frag_discont+frag_keyframe'],
    ...['-frag_duration', String(fragmentMs * 1000), 'pipe:1'],
  ];
}

/** Also forces a key frame after a gap: a player drops frames that it cannot decode. SVT-AV1 does not need it. */
const KEY_FRAMES = ['-force_key_frames', 'expr:if(isnan(prev_forced_t),1,gte(t,prev_forced_t+1))'];

function videoOptions(video: NonNullable<LiveCommand['video']>, stream: string): string[] {
  const { encoder, size, quality = 'high' } = video;
  const filters = [
    ...pictureFilters(QUALITIES[quality].lines),
    ...(size === undefined ? [] : fitted(size)),
    ...encoder.filters,
  ];
  return [
    ...['-map', stream, '-vf', filters.join(',')],
    ...['-c:v', encoder.name, ...liveOptions(encoder, quality)],
    ...(encoder.codec === 'h264' ? KEY_FRAMES : []),
    ...['-vsync', 'passthrough', '-enc_time_base:v', '1:90000', '-video_track_timescale', '90000'],
  ];
}

function audioOptions(
  audio: Omit<LiveAudio, 'pid'>,
  stream: string,
  { audio: rate }: QualityFigures,
): string[] {
  const codec = audio.codec === 'aac' ? ['aac', '-b:a', rate.aac] : ['libopus', '-b:a', rate.opus];
  const filters = [...SIDE_FILTERS[audio.side], 'aresample=async=1000:min_hard_comp=0.02'];
  return ['-map', stream, '-af', filters.join(','), '-c:a', ...codec, '-ac', '2', '-ar', '48000'];
}
