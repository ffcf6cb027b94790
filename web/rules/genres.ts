/** The genres of a rule as presses on their names change them. Pure. */
import type { RuleForm } from './form.ts';

type Genres = RuleForm['genres'];

/** A press on a major genre takes it and all its parts out, or puts it in as a whole. */
export function withMajor(genres: Genres, lv1: number): Genres {
  const others = genres.filter((genre) => genre.lv1 !== lv1);
  return others.length < genres.length ? others : [...genres, { lv1, lv2: null }];
}

/** The first part takes the place of the whole; without the last part it is the whole again. */
export function withMiddle(genres: Genres, lv1: number, lv2: number): Genres {
  const others = genres.filter((genre) => genre.lv1 !== lv1);
  const parts = genres.filter((genre) => genre.lv1 === lv1 && genre.lv2 !== null);
  const without = parts.filter((genre) => genre.lv2 !== lv2);
  if (without.length === parts.length) return [...others, ...parts, { lv1, lv2 }];
  return without.length === 0 ? [...others, { lv1, lv2: null }] : [...others, ...without];
}
