/** The definition of a kind of programme, and the bands of the day. */
import type { Theme } from '../scenario/model.ts';

/** Parts of the broadcast day in which a kind may occur. */
export type Band = 'dawn' | 'morning' | 'noon' | 'afternoon' | 'evening' | 'prime' | 'late' | 'night';

export interface Format {
  /** Relative frequency where it fits. */
  weight: number;
  themes: readonly Theme[];
  bands: readonly Band[];
  genres: readonly (readonly [number, number])[];
  minutes: readonly number[];
  titles: readonly string[];
  subtitles: readonly string[];
  sentences: readonly string[];
  /** Headings of the extended description. */
  headings: readonly string[];
  marks: readonly string[];
  /** Whether its parts are numbered, as for weekly but not for daily stories. */
  numbered: boolean;
}

export const ANY_BAND: readonly Band[] = [
  'dawn',
  'morning',
  'noon',
  'afternoon',
  'evening',
  'prime',
  'late',
  'night',
];
