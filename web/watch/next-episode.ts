/** The episode that follows in a series. Pure. */
import type { Recording } from '../../wire/api.ts';

type Episode = Pick<Recording, 'id' | 'startAt' | 'state' | 'files' | 'binnedAt'>;

/** @param series in order of time */
export function nextEpisode<T extends Episode>(
  series: readonly T[],
  { id, startAt }: Pick<Recording, 'id' | 'startAt'>,
): T | undefined {
  return series.find(
    (one) =>
      one.id !== id &&
      (one.startAt > startAt || (one.startAt === startAt && one.id > id)) &&
      one.state !== 'failed' &&
      one.binnedAt === null &&
      one.files.length > 0,
  );
}
