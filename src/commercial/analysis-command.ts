/**
 * The ffmpeg command that extracts the input of commercial detection: tiny pictures, corners for logos, and the sound.
 */

/** Every picture, one field of it (no combing artefacts), 4:2:0. */
export const TINY = { width: 64, height: 36 } as const;
/** The upper quarter of some intra pictures, scaled to one size: where stations place their logos. */
export const STRIP = { width: 480, height: 68 } as const;
const STRIP_PICTURE_HEIGHT = 270;
/** Sample rate of the sound that is compared, Hz. */
export const SOUND_RATE = 8_000;

/** Track numbers of the output. */
export interface AnalysisTracks {
  readonly tiny: number | undefined;
  readonly strip: number | undefined;
  readonly sound: number | undefined;
}

export function analysisTracks({
  hasVideo,
  hasSound,
}: {
  hasVideo: boolean;
  hasSound: boolean;
}): AnalysisTracks {
  return {
    tiny: hasVideo ? 1 : undefined,
    strip: hasVideo ? 2 : undefined,
    sound: hasSound ? (hasVideo ? 3 : 1) : undefined,
  };
}

/**
 * Reads a transport stream on stdin, writes Matroska (`matroska-blocks.ts`) on stdout. One thread: it is background work,
 * and times are those of the input.
 * @param stripEveryMs least distance between two corner pictures
 */
export function analysisCommand(
  ffmpeg: string,
  { hasVideo, hasSound, stripEveryMs }: { hasVideo: boolean; hasSound: boolean; stripEveryMs: number },
): string[] {
  const { width, height } = STRIP;
  const chosen = `eq(pict_type,I)*(isnan(prev_selected_t)+gte(t-prev_selected_t,${stripEveryMs / 1000}))`;
  const tiny = `field=top,scale=${TINY.width}:${TINY.height}:flags=fast_bilinear,format=yuv420p`;
  const strip = [
    `select='${chosen}',field=top,scale=${width}:${STRIP_PICTURE_HEIGHT}:flags=area`,
    `crop=${width}:${height}:0:0,format=gray`,
  ].join(',');
  return [
    ...[ffmpeg, '-v', 'error', '-nostdin', '-threads', '1', '-filter_threads', '1', '-copyts'],
    ...['-f', 'mpegts', '-probesize', '4M', '-analyzeduration', '2M', '-i', 'pipe:0'],
    ...(hasVideo
      ? ['-map', '0:v:0', '-filter:v:0', tiny, '-map', '0:v:0', '-filter:v:1', strip, '-c:v', 'rawvideo']
      : ['-vn']),
    ...(hasSound
      ? ['-map', '0:a:0', '-filter:a:0', `aresample=${SOUND_RATE}:async=1`, '-ac', '2', '-c:a', 'pcm_s16le']
      : ['-an']),
    // Without its time base a picture's timestamp is rounded to the frame rate.
    ...[
      '-vsync',
      'passthrough',
      '-enc_time_base:v',
      '1:90000',
      '-avoid_negative_ts',
      'disabled',
      '-f',
      'matroska',
      'pipe:1',
    ],
  ];
}
