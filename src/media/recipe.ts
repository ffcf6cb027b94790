/** Recipes: the original packets, or an encoding. Viewers with equal recipes share a session. */
import type { LiveCodec, LiveNotice, LiveQuality } from '../../lib/wire/api.ts';
import type { EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
import { Failure } from '../model/failure.ts';
import { type AudioChoice, audioKey } from './audio-choice.ts';
import type { MediaLayout } from './source.ts';

export interface EncodedRecipe {
  readonly kind: 'encoded';
  readonly format: 'h264' | 'av1' | 'audio';
  /** Undefined for audio only. */
  readonly choice: EncoderChoice | undefined;
  readonly ffmpeg: string;
  /** Absent: `high`. */
  readonly quality?: LiveQuality;
  /** False: the client has chosen its decoder by the requested codec, so that no other codec may be sent. */
  readonly mayFallBack: boolean;
  /** Chosen for a layout, which may have changed at a restart. */
  readonly audio: (layout: MediaLayout) => AudioChoice | undefined;
  /** Why the recipe differs from the request. */
  readonly notices: readonly LiveNotice[];
}

export type Recipe = { readonly kind: 'packets' } | EncodedRecipe;

interface RecipeOptions {
  readonly quality?: LiveQuality | undefined;
  /** H.264 may replace AV1, because the client learns the codec before the first frame. */
  readonly mayFallBack: boolean;
}

/**
 * @param codec `audio` for audio only
 * @throws Failure ffmpeg_unavailable; not_found for AV1 that cannot be encoded in real time and has no fallback
 */
export async function chooseRecipe(
  codec: LiveCodec | 'audio',
  audio: EncodedRecipe['audio'],
  encoders: Encoders,
  { quality = 'high', mayFallBack }: RecipeOptions,
): Promise<Recipe> {
  const common = { kind: 'encoded', audio, mayFallBack } as const;
  switch (codec) {
    case 'raw':
      return { kind: 'packets' };
    case 'audio': {
      const ffmpeg = await encoders.ffmpeg();
      return { ...common, format: 'audio', choice: undefined, ffmpeg, notices: [] };
    }
    case 'av1': {
      const choice = await encoders.av1();
      if (choice !== undefined) {
        return { ...common, format: 'av1', choice, ffmpeg: choice.ffmpeg, quality, notices: [] };
      }
      if (!mayFallBack) throw noAv1();
    }
  }
  const choice = await encoders.h264();
  const notices: LiveNotice[] = codec === 'av1' ? ['codec_fallback'] : [];
  return { ...common, format: 'h264', choice, ffmpeg: choice.ffmpeg, quality, notices };
}

function noAv1(): Failure {
  const message = 'このサーバーでは AV1 への変換が放送の速さに追いつかないため、AV1 では再生できません。';
  return new Failure('not_found', message, { path: 'codec' });
}

/**
 * Key of recipes whose viewers share a session. It depends on the result and not on the request: H.264 in place of AV1
 * counts as H.264.
 */
export function sharingKey(recipe: Recipe, layout: MediaLayout): string {
  if (recipe.kind === 'packets') return 'packets';
  const codec = recipe.choice?.encoder.codec ?? '';
  return `${recipe.format} ${codec} ${recipe.quality ?? 'high'} ${audioKey(recipe.audio(layout))}`;
}
