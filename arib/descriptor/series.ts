import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';
import { type BroadcastMs, jstTime } from '../time.ts';

/** Series descriptor, tag 0xD5. ARIB STD-B10 Part 2, 6.2.33. */
export interface SeriesDescriptor {
  readonly kind: 'series';
  /** Unique among the series of a broadcaster. */
  readonly seriesId: number;
  /** repeat_label, 4 bits: 0 the first run. */
  readonly repeatLabel: number;
  /** program_pattern, 3 bits: 0 irregular, 1 daily, 2 weekly, 3 monthly, 4 several a day, 5 a split programme. */
  readonly pattern: number;
  /** Start (JST) of the last day of the series. */
  readonly expireDate: BroadcastMs | undefined;
  /** 12 bits; 0 = not defined. */
  readonly episodeNumber: number;
  readonly lastEpisodeNumber: number;
  readonly name: string;
}

export function parseSeries(r: Reader): SeriesDescriptor {
  const seriesId = r.u16();
  const flags = r.u8();
  const expireMjd = r.u16();
  const episodes = r.u24();
  return {
    kind: 'series',
    seriesId,
    repeatLabel: flags >> 4,
    pattern: (flags >> 1) & 0x07,
    // expire_date_valid_flag 1
    expireDate: (flags & 0x01) !== 0 ? jstTime(expireMjd, 0, 0, 0) : undefined,
    episodeNumber: episodes >> 12,
    lastEpisodeNumber: episodes & 0x0fff,
    name: readText(r, r.remaining),
  };
}
