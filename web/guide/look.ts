/** Stored appearance of the guide on this device: sizes, letters, dimming. */
import { computed } from '@preact/signals';
import type { GuideProgram } from '../../lib/wire/api.ts';
import { remembered } from '../device/preferences.ts';
import { isShopping } from '../words/genre.ts';
import { genreColours } from '../words/genre-colours.ts';

/** Factor of a column's width; limits in `geometry.ts`. */
export const guideWidth = remembered('guide-width', 1, (value) =>
  typeof value === 'number' && value > 0 ? value : undefined,
);

/** `auto` takes a large screen without a pointer for a television. */
type GuideLetters = 'auto' | 'usual' | 'television';

export const guideLetters = remembered<GuideLetters>('guide-letters', 'auto', (value) =>
  value === 'auto' || value === 'usual' || value === 'television' ? value : undefined,
);

export const dimShopping = remembered('guide-dim-shopping', true, (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** Shopping that is not reserved. */
export function isDimmable({ genres, reservation }: GuideProgram): boolean {
  return isShopping(genres) && reservation === null;
}

/** As in `styles/base.css`, where the root's letters grow. */
export const TELEVISION = '(hover: none) and (min-width: 75em)';

/** All values are the defaults. */
export const isUsualLook = computed(
  () =>
    guideWidth.value === 1 &&
    guideLetters.value === 'auto' &&
    dimShopping.value &&
    Object.keys(genreColours.value).length === 0,
);

export function forgetLook(): void {
  guideWidth.value = 1;
  guideLetters.value = 'auto';
  dimShopping.value = true;
  genreColours.value = {};
}
