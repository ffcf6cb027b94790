/** Recent searches of this device, latest first. */
import { recentSearches } from '../device/preferences.ts';

const MOST_RECENT = 8;
/** A single letter is probably the start of a word. */
const LEAST = 2;

export function withSearch(list: readonly string[], words: string): string[] {
  const wanted = words.trim().replace(/\s+/gu, ' ');
  if (Array.from(wanted).length < LEAST) return [...list];
  return [wanted, ...list.filter((other) => other !== wanted)].slice(0, MOST_RECENT);
}

export function rememberSearch(words: string): void {
  recentSearches.value = withSearch(recentSearches.value, words);
}

export function forgetSearches(): void {
  recentSearches.value = [];
}
