/** Makes all missing files of the cache, a few at a time, and reports progress. */
import { availableParallelism } from 'node:os';
import type { MediaCache } from './cache.ts';
import { recipeKey } from './recipe-key.ts';
import type { Recipe } from './recipes.ts';

/** ffmpeg uses little more than one core for one loop. */
const AT_ONCE = Math.min(2, availableParallelism());

function nameOf(recipe: Recipe): string {
  if (recipe.kind === 'audio') {
    const { sound, mode, beepHz, number, bitrate } = recipe;
    const which = sound === 'marks' ? `${mode} ${beepHz.join('/')} Hz` : String(number);
    return `audio ${sound} ${which} ${bitrate / 1000} kbit/s`;
  }
  const { plan, film, cadence, label } = recipe;
  return `video ${plan.codec} ${plan.width}x${plan.height} ${film} ${cadence} ${label}`;
}

/** Reports `prepare <done>/<total> <what>` for each loop made. @throws like MediaCache.get */
export async function prepare(
  cache: MediaCache,
  recipes: readonly Recipe[],
  report: (line: string) => void,
): Promise<void> {
  const missing = new Map<string, Recipe>();
  for (const recipe of recipes) if (!cache.has(recipe)) missing.set(recipeKey(recipe), recipe);
  const left = [...missing.values()];
  const total = left.length;
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let recipe = left.shift(); recipe !== undefined; recipe = left.shift()) {
      await cache.get(recipe);
      done += 1;
      report(`prepare ${done}/${total} ${nameOf(recipe)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
