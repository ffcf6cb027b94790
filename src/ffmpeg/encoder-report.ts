/** State of ffmpeg and its encoders in the format of the API. */
import type { Status, SystemFacts } from '../../wire/api.ts';
import type { EncoderStatus } from './encoders.ts';
import { VIDEO_ENCODERS } from './recipes.ts';

const MISSING =
  'ffmpeg が見つかりません。インストールするか、環境変数 FFMPEG_PATH で場所を指定してください。';

export function encoderFacts({ usable }: EncoderStatus): SystemFacts['ffmpeg']['encoders'] {
  return VIDEO_ENCODERS.map(({ name, kind }) => ({
    name,
    hardware: kind === 'gpu',
    usable: usable.includes(name),
  }));
}

export function ffmpegFacts(status: EncoderStatus): SystemFacts['ffmpeg'] {
  const { state, path, version } = status;
  return { state, path, version, encoders: encoderFacts(status) };
}

export function ffmpegStatus({ state, version, usable }: EncoderStatus): Status['ffmpeg'] {
  return { state, version, encoders: usable, message: state === 'missing' ? MISSING : null };
}
