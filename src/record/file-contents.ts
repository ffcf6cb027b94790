/**
 * Compares what was measured of a recording with what its files hold. A file may have fewer octets than were measured:
 * another program shortened it, or a killed process had not written them. It may have more: a killed process had not
 * reported them. Only the contents tell what is missing, by their clock references.
 */
import { earliest, plusMs } from '../../lib/arib/time.ts';
import { PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { RecordingPart } from '../model/recording.ts';
import type { Measured } from '../model/verdict.ts';
import { type FormerLife, fileClocks, lastLife } from '../reception/recorded-file.ts';
import { RecordingMeasurement } from './recording-measurement.ts';

/** Clock references of packets that follow each other are at most this far apart (ISO/IEC 13818-1 2.7.2: 100 ms). */
const NEXT_CLOCK_MS = 150;
/** Longest time for which a process holds packets that are neither written nor reported. */
const UNREPORTED_MS = 10_000;
/** Causes of losing what a process had received and not written. */
const OF_A_PROCESS: ReadonlySet<GapCause> = new Set(['service_stopped', 'recorder_failed'] as const);

/** A file that does not have the octets that were measured. */
export interface FileDifference {
  path: string;
  /** Octets of it, and measured ones that are missing at its end. */
  size: number;
  lost: number;
  /** Broadcast time in it, and from its end to the beginning of the next file; undefined: unknown. */
  spanMs: number | undefined;
  toNextMs: number | undefined;
  /** Its contents after what was measured. */
  more: FormerLife | undefined;
}

/** @param files in order, with their sizes. Those after the last one have their own way (`lastLife`) */
export async function fileDifferences(
  files: readonly { part: RecordingPart; size: number }[],
): Promise<FileDifference[]> {
  const differences: FileDifference[] = [];
  for (const [index, { part, size }] of files.entries()) {
    const lost = part.bytes - size;
    const next = files.slice(index + 1).find((one) => one.size > 0)?.part.path;
    if (lost <= 0 && (lost === 0 || next === undefined)) continue;
    const { path } = part;
    const clocks = size > 0 ? await fileClocks(path) : undefined;
    const nextClocks = clocks === undefined || next === undefined ? undefined : await fileClocks(next);
    differences.push({
      ...{ path, size, lost: Math.max(0, lost) },
      spanMs: clocks === undefined ? undefined : msBetween(clocks.first, clocks.last),
      toNextMs:
        clocks === undefined || nextClocks === undefined
          ? undefined
          : msBetween(clocks.last, nextClocks.first),
      more: lost < 0 ? await lastLife(part) : undefined,
    });
  }
  return differences;
}

/** The measurements of what the files hold. */
export function asHeld(measured: Measured, differences: readonly FileDifference[]): Measured {
  if (differences.length === 0) return measured;
  const held = new RecordingMeasurement(structuredClone(measured));
  for (const one of differences) {
    if (one.more !== undefined) addFound(held, one, one.more);
    else removeLost(held, one);
  }
  return held.value;
}

/** The measurements without the contents of these files. */
export function withoutFiles(measured: Measured, paths: readonly string[]): Measured {
  const lost = (measured.files ?? []).filter(({ path }) => paths.includes(path));
  if (lost.length === 0) return measured;
  const rest = new RecordingMeasurement(structuredClone(measured));
  for (const { from, to } of lost) rest.lost('file_changed', { from, to });
  return rest.value;
}

function addFound(held: RecordingMeasurement, { path, toNextMs }: FileDifference, more: FormerLife): void {
  const { spanMs, recounted } = more;
  // What the next file has as well was counted there.
  const isBefore = toNextMs !== undefined && toNextMs > -NEXT_CLOCK_MS;
  if (spanMs !== undefined && spanMs > 0 && isBefore && recounted.packets > 0) held.found(path, spanMs, more);
}

function removeLost(held: RecordingMeasurement, { spanMs, toNextMs, ...file }: FileDifference): void {
  const { files = [], breaks } = held.value;
  const first = files.find(({ path }) => path === file.path);
  const last = files.findLast(({ path }) => path === file.path);
  if (first === undefined || last === undefined) return;
  const from = spanMs === undefined ? null : plusMs(first.from, spanMs);
  // What a killed process had counted for this file may have been written to the next one.
  const isNextKnown = from !== null && toNextMs !== undefined && toNextMs > -NEXT_CLOCK_MS;
  if (isNextKnown && toNextMs < NEXT_CLOCK_MS) return;
  const next = files[files.indexOf(last) + 1];
  // Nothing was received before a next file that begins later.
  const isNextLater = next === undefined || next.from > last.to;
  const nextAt = isNextKnown ? plusMs(from, toNextMs) : last.to;
  const to = isNextLater ? earliest(last.to, nextAt) : nextAt;
  const stop = breaks.find(
    (one) => OF_A_PROCESS.has(one.cause) && Math.abs(one.from - last.to) < NEXT_CLOCK_MS,
  );
  const isOfStop = stop !== undefined && from !== null && to - from < UNREPORTED_MS;
  held.cut({ ...file, from, to }, isOfStop ? stop.cause : undefined);
}

function msBetween(earlier: number, later: number): number {
  return pcrDifference(later, earlier) / PCR_PER_MS;
}
