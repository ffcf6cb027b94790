/** Names the files of the cache. */
import { createHash } from 'node:crypto';
import { audioArgs } from './audio-args.ts';
import type { Recipe } from './recipes.ts';
import { FONT_WORD, videoArgs } from './video-args.ts';

/** The properties that determine the bytes of a recipe, independent of the project's folder. */
function recipeShape(recipe: Recipe): string {
  const args = recipe.kind === 'video' ? videoArgs(recipe) : audioArgs(recipe);
  return JSON.stringify([recipe, args]).replaceAll(FONT_WORD, 'font');
}

const known = new WeakMap<Recipe, string>();

/** Name of a recipe's file: a digest of everything that determines its bytes. */
export function recipeKey(recipe: Recipe): string {
  const found = known.get(recipe);
  if (found !== undefined) return found;
  const key = createHash('sha256').update(recipeShape(recipe)).digest('hex').slice(0, 24);
  known.set(recipe, key);
  return key;
}
