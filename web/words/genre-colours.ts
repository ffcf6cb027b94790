/** Colours of the genres as chosen on this device: a genre may use that of another. */
import { effect } from '@preact/signals';
import { remembered } from '../device/preferences.ts';
import { MAJOR_GENRES } from './genre.ts';

/** By content_nibble_level_1: the genre whose colour it uses. Genres with their own colour are absent. */
type GenreColours = Readonly<Record<string, number>>;

const isGenre = (value: unknown): value is number => MAJOR_GENRES.some(({ lv1 }) => lv1 === value);

export const genreColours = remembered<GenreColours>('genre-colours', {}, (value) => {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([genre, colour]) => isGenre(Number(genre)) && isGenre(colour)),
  );
});

export function colourOf(genre: number): number {
  return genreColours.value[genre] ?? genre;
}

export function chooseColour(genre: number, colour: number): void {
  const { [genre]: _, ...others } = genreColours.value;
  genreColours.value = colour === genre ? others : { ...others, [genre]: colour };
}

/** Puts the choice on the document, where `styles/genres.css` finds it. */
export function applyGenreColours(): void {
  effect(() => {
    const { style } = document.documentElement;
    for (const { lv1 } of MAJOR_GENRES) {
      const colour = colourOf(lv1);
      for (const part of ['', '-soft']) {
        const name = `--genre-as-${lv1}${part}`;
        if (colour === lv1) style.removeProperty(name);
        else style.setProperty(name, `var(--genre-${colour}${part})`);
      }
    }
  });
}
