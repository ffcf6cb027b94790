import { expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import { type EncodedRecipe, sharingKey } from './recipe.ts';
import type { MediaLayout } from './source.ts';

const LAYOUT: MediaLayout = { video: { pid: pid(256), kind: 'mpeg2' }, audios: [pid(257), pid(258)] };
const BOTH: EncodedRecipe = {
  kind: 'encoded',
  format: 'h264',
  choice: undefined,
  ffmpeg: 'ffmpeg',
  mayFallBack: true,
  audio: () => ({ stream: 0, side: 'both' }),
  notices: [],
};

test('viewers share an encoder if video, quality and audio are the same, regardless of their requests', () => {
  const key = (recipe: EncodedRecipe): string => sharingKey(recipe, LAYOUT);
  expect(key({ ...BOTH, notices: ['codec_fallback'] })).toBe(key(BOTH));
  expect(key({ ...BOTH, quality: 'high' })).toBe(key(BOTH));
  expect(key({ ...BOTH, quality: 'low' })).not.toBe(key(BOTH));
  expect(key({ ...BOTH, quality: 'low' })).not.toBe(key({ ...BOTH, quality: 'least' }));
  expect(key({ ...BOTH, format: 'av1' })).not.toBe(key(BOTH));
  expect(key({ ...BOTH, audio: () => ({ stream: 1, side: 'both' }) })).not.toBe(key(BOTH));
});
