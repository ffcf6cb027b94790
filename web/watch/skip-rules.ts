/** Which commercials playback skips, and which the viewer chose to see. Pure; seconds of the playback scale. */
import type { CommercialSkipping } from '../device/preferences.ts';
import type { Chapter } from './bar-marks.ts';

/** One commercial break. */
export interface Break {
  readonly start: number;
  readonly end: number;
}

export interface SkipMemory {
  /** Where the viewer sought last; undefined: nowhere yet. */
  readonly sought: number | undefined;
  /** Breaks whose skipping was taken back. */
  readonly kept: readonly Break[];
  /** Skipped since the viewer sought last: playback may resume a little before its end. */
  readonly passed: Break | undefined;
}

/** A shorter rest of a break is not worth a jump; a seek may also land this much early. */
const SLACK_S = 0.2;

export function isSkipping(choice: CommercialSkipping, reliable: boolean): boolean {
  return choice === 'always' || (choice === 'reliable' && reliable);
}

/** In order; consecutive commercials are one break, invalid ones are omitted. */
export function breaksOf(chapters: readonly Chapter[]): Break[] {
  const breaks: Break[] = [];
  const commercials = chapters.filter(({ start, end, title }) => title === 'CM' && end > start);
  for (const { start, end } of [...commercials].sort((a, b) => a.start - b.start)) {
    const last = breaks.at(-1);
    if (last !== undefined && start <= last.end + SLACK_S)
      breaks[breaks.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else breaks.push({ start, end });
  }
  return breaks;
}

/** Boundaries may have been corrected since: the same break overlaps. */
const overlaps = (one: Break, other: Break): boolean => one.start < other.end && other.start < one.end;

/** The break to skip now; undefined: the content at this position is shown. */
export function skipAt(breaks: readonly Break[], position: number, memory: SkipMemory): Break | undefined {
  const found = breaks.find(({ start, end }) => position >= start && position < end - SLACK_S);
  if (found === undefined) return undefined;
  const { sought, kept, passed } = memory;
  // The start of the recording is where every viewing begins, not a place within its first break.
  if (sought !== undefined && sought > 0 && sought >= found.start && sought < found.end) return undefined;
  if (kept.some((one) => overlaps(one, found))) return undefined;
  return passed !== undefined && overlaps(passed, found) ? undefined : found;
}

/** s until the next break begins; undefined: none follows. */
export function untilBreak(breaks: readonly Break[], position: number): number | undefined {
  const next = breaks.find(({ start }) => start > position);
  return next === undefined ? undefined : next.start - position;
}
