/** Recipes: the original packets, or an encoding. Viewers with equal recipes share a session. */
import type { LiveCodec, LiveQuality, Notice } from '../../wire/api.ts';
import type { EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
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
  /** Chosen for a layout, which may have changed at a restart. */
  readonly audio: (layout: MediaLayout) => AudioChoice | undefined;
  /** Why the recipe differs from the request. */
  readonly notices: readonly Notice[];
}

export type Recipe = { readonly kind: 'packets' } | EncodedRecipe;

/**
 * @param codec `audio` for audio only
 * @throws Failure ffmpeg_unavailable
 */
export async function chooseRecipe(
  codec: LiveCodec | 'audio',
  audio: EncodedRecipe['audio'],
  encoders: Encoders,
  quality: LiveQuality = 'high',
): Promise<Recipe> {
  const kind = 'encoded';
  switch (codec) {
    case 'raw':
      return { kind: 'packets' };
    case 'audio':
      return {
        kind,
        format: 'audio',
        choice: undefined,
        ffmpeg: await encoders.ffmpeg(),
        notices: [],
        audio,
      };
    case 'av1': {
      const choice = await encoders.av1();
      if (choice !== undefined) {
        return { kind, format: 'av1', choice, ffmpeg: choice.ffmpeg, quality, notices: [], audio };
      }
    }
  }
  const choice = await encoders.h264();
  const notices: Notice[] = codec === 'av1' ? ['codec_fallback'] : [];
  return { kind, format: 'h264', choice, ffmpeg: choice.ffmpeg, quality, notices, audio };
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
