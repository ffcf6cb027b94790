/** The contents of an elementary stream: an endless sequence of pieces of loops. */
import type { Loop } from '../media/loop.ts';

/** Groups `from <= group < to` since the clock's zero, in which one loop plays. */
export interface Stretch {
  /** Undefined: nothing is sent. */
  loop: Loop | undefined;
  /** May be infinite: a stretch without begin. */
  from: number;
  to: number;
  /** A group at which the loop's first group plays, or any that is whole rounds away from it. */
  phase: number;
}

/** The stretch that contains a group; a pure function. */
export type Playlist = (group: number) => Stretch;

/** One loop, endlessly. */
export function endless(loop: Loop): Playlist {
  const stretch = { loop, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, phase: 0 };
  return () => stretch;
}

/** The loop's group at a group of time. */
export function groupIn(loop: Loop, phase: number, group: number): number {
  const groups = loop.groupLead.length;
  const index = (group - phase) % groups;
  return index < 0 ? index + groups : index;
}
