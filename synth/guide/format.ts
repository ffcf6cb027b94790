/** What a kind of programme is, and the bands of the day. */
import type { Theme } from '../scenario/model.ts';

/** Parts of the broadcast day in which a kind may stand. */
export type Band = 'dawn' | 'morning' | 'noon' | 'afternoon' | 'evening' | 'prime' | 'late' | 'night';

export interface Format {
  /** How often it is chosen where it fits. */
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
  /** Weekly stories count their parts; the daily ones do not. */
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
