/** Selection of a rule's genres. Pure. */
import type { RuleForm } from './form.ts';

type Genres = RuleForm['genres'];

/** Toggles a major genre: adds it as a whole, or removes it with all its subgenres. */
export function withMajor(genres: Genres, lv1: number): Genres {
  const others = genres.filter((genre) => genre.lv1 !== lv1);
  return others.length < genres.length ? others : [...genres, { lv1, lv2: null }];
}

/** Toggles a subgenre: the first replaces the whole genre; removing the last restores it. */
export function withMiddle(genres: Genres, lv1: number, lv2: number): Genres {
  const others = genres.filter((genre) => genre.lv1 !== lv1);
  const parts = genres.filter((genre) => genre.lv1 === lv1 && genre.lv2 !== null);
  const without = parts.filter((genre) => genre.lv2 !== lv2);
  if (without.length === parts.length) return [...others, ...parts, { lv1, lv2 }];
  return without.length === 0 ? [...others, { lv1, lv2: null }] : [...others, ...without];
}
