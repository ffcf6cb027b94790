/**
 * Expected size and time of a codec and quality on this machine: averages of past encodes, or else of the trials
 * (`encode-trials.ts`). Pure.
 */
import type { Encodes } from '../../wire/encode.ts';
import type { EncodeResult } from '../model/encoding.ts';

const HOUR_MS = 3_600_000;

/** @param trials one per codec and quality */
export function measuredEncodes(
  results: readonly EncodeResult[],
  trials: readonly EncodeResult[],
): Encodes['measured'] {
  const done = averages(results);
  const isDone = ({ codec, quality }: EncodeResult): boolean =>
    done.some((one) => one.codec === codec && one.quality === quality);
  const tried = averages(trials.filter((trial) => !isDone(trial)));
  return [...done, ...tried.map((one) => ({ ...one, files: 0 }))];
}

function averages(results: readonly EncodeResult[]): Encodes['measured'] {
  const sound = results.filter(({ lengthMs, bytes, tookMs }) => lengthMs > 0 && bytes > 0 && tookMs > 0);
  const groups = Map.groupBy(sound, ({ codec, quality }) => `${codec} ${quality}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const sum = (of: (one: EncodeResult) => number): number =>
      group.reduce((total, one) => total + of(one), 0);
    const length = sum(({ lengthMs }) => lengthMs);
    return {
      ...{ codec: first.codec, quality: first.quality, files: group.length },
      bytesPerHour: Math.round((sum(({ bytes }) => bytes) / length) * HOUR_MS),
      speed: Math.round((length / sum(({ tookMs }) => tookMs)) * 100) / 100,
    };
  });
}
