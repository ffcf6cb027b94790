/** Physical channels of a scan. */
import type { BroadcastType } from '../../arib/ids.ts';

export interface PhysicalChannel {
  type: BroadcastType;
  channel: string;
}

const two = (number: number): string => String(number).padStart(2, '0');

function numbers(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

const RANGES: Record<BroadcastType, readonly string[]> = {
  /** Channels 53 to 62 have not been used for television since 2012. */
  GR: numbers(13, 52, 1).map((number) => `T${two(number)}`),
  /** Every transponder has up to four streams, numbered by their position. */
  BS: numbers(1, 23, 2).flatMap((number) => [0, 1, 2, 3].map((slot) => `BS${two(number)}_${slot}`)),
  CS: numbers(2, 24, 2).map((number) => `CS${two(number)}`),
};

export function scanRange(types: readonly BroadcastType[]): PhysicalChannel[] {
  return types.flatMap((type) => RANGES[type].map((channel) => ({ type, channel })));
}

/** `BS13_1` → transponder `BS13`, slot 1; undefined for channels with one stream. */
export function splitSlot(channel: string): { transponder: string; slot: number } | undefined {
  const match = /^(BS\d{2})_(\d)$/.exec(channel);
  return match?.[1] === undefined ? undefined : { transponder: match[1], slot: Number(match[2]) };
}
