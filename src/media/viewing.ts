/** What a client receives about its viewing, whatever the source: a station, or a recording that may still grow. */
import type { AudioOption, LiveCodec, LiveNotice } from '../../lib/wire/api.ts';
import { chooseAudio } from './audio-choice.ts';
import type { Recipe } from './recipe.ts';
import type { SharedViewing } from './shared-source.ts';
import type { MediaSource } from './source.ts';
import type { ViewerQueue } from './viewer-queue.ts';

/** Its frames are written to a transport by the caller. */
export interface Viewing {
  readonly viewer: ViewerQueue;
  /** RFC 6381 type with codecs if known, else the content type. */
  readonly mime: string;
  /** The codec that is sent. */
  readonly codec: LiveCodec;
  readonly notices: readonly LiveNotice[];
  /** Available options, at least one. */
  readonly audios: readonly AudioOption[];
  /** Id of the Audio option that is sent. */
  readonly audio: string;
}

interface ViewingRequest {
  readonly codec: LiveCodec;
  readonly recipe: Recipe;
  readonly audios: readonly AudioOption[];
  /** Id of an Audio option. */
  readonly audio: string | undefined;
}

export function viewingOf(
  { viewer, mime, notices, layout }: SharedViewing<MediaSource>,
  { codec, recipe, audios, audio }: ViewingRequest,
): Viewing {
  const isFallback = recipe.kind === 'encoded' && notices.includes('codec_fallback');
  const choice = chooseAudio(audios, audio, layout.audios.length);
  const chosen = audios.find(({ stream, side }) => stream === choice?.stream && side === choice.side);
  return {
    ...{ viewer, mime, notices, audios },
    codec: isFallback ? 'h264' : codec,
    audio: (chosen ?? audios[0])?.id ?? '',
  };
}
