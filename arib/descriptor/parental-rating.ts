import type { Reader } from '../reader.ts';

/** Parental rating descriptor, tag 0x55. ARIB STD-B10 Part 2, 6.2.12. */
export interface ParentalRatingDescriptor {
  readonly kind: 'parental_rating';
  readonly ratings: readonly ParentalRating[];
}

interface ParentalRating {
  /** ISO 3166 code of three letters; JPN. */
  readonly country: string;
  /** Minimum age; undefined: not defined, or defined by the broadcaster's `rating`. */
  readonly minimumAge: number | undefined;
  /** As sent: 1 to 0x11 are the age minus three. */
  readonly rating: number;
}

const LOWEST_AGE = 3;
const LAST_AGE_CODE = 0x11;

export function parseParentalRating(r: Reader): ParentalRatingDescriptor {
  const ratings: ParentalRating[] = [];
  while (r.remaining > 0) {
    const country = r.language();
    const rating = r.u8();
    const minimumAge = rating > 0 && rating <= LAST_AGE_CODE ? rating + LOWEST_AGE : undefined;
    ratings.push({ country, minimumAge, rating });
  }
  return { kind: 'parental_rating', ratings };
}
