/**
 * The times when a branch station shows another programme than its main station: from one of its own
 * programmes to the next shared one. A pure function of the branch's guide.
 */
import { broadcastMs } from '../../lib/arib/time.ts';
import { momentOf, ticksAt } from '../clock.ts';
import type { Guide, Programme } from '../guide/programme.ts';
import { GROUP_TICKS } from './part.ts';

/** Groups of pictures `from <= group < to` in which the branch is split off, or is not. */
interface SharingStretch {
  from: number;
  to: number;
  split: boolean;
}

/** Boundaries of programmes are rounded to the nearest group: a quarter of a second. */
const SLACK_MS = 1_000;
/** Time without a programme is looked up an hour at a time. */
const IDLE_GROUPS = 7_200;
/**
 * Stretches searched for the next split; for a branch that never splits off the search resumes after them.
 */
const MAX_LOOK_AHEAD = 64;
const MAX_KNOWN = 16;

/** A shared programme has an event of its own on the branch that refers to the main station's. */
export function isSplitOff(programme: Programme | undefined): boolean {
  return programme !== undefined && !programme.borrowed;
}

export class Sharing {
  #known: SharingStretch[] = [];

  /** @param branch the guide of the branch station */
  constructor(private readonly branch: Guide) {}

  /** The stretch that a group of pictures lies in. */
  at(group: number): SharingStretch {
    const known = this.#known.find(({ from, to }) => from <= group && group < to);
    if (known !== undefined) return known;
    const made = this.#make(group);
    this.#known = [made, ...this.#known].slice(0, MAX_KNOWN);
    return made;
  }

  #spans(from: number, to: number): SharingStretch[] {
    const group = (at: number): number => Math.round(ticksAt(broadcastMs(at)) / GROUP_TICKS);
    const begin = broadcastMs(momentOf(from * GROUP_TICKS) - SLACK_MS);
    const end = broadcastMs(momentOf(to * GROUP_TICKS) + SLACK_MS);
    return this.branch.airing(begin, end).map((programme) => ({
      from: group(programme.startAt),
      to: group(programme.startAt + programme.durationMs),
      split: isSplitOff(programme),
    }));
  }

  #make(group: number): SharingStretch {
    const hour = Math.floor(group / IDLE_GROUPS) * IDLE_GROUPS;
    const around = this.#spans(hour, hour + IDLE_GROUPS);
    const span = around.findLast(({ from, to }) => from <= group && group < to);
    const begins = around.map(({ from }) => from).filter((begin) => begin > group);
    if (span !== undefined) return { ...span, to: Math.min(span.to, ...begins) };
    const from = Math.max(hour, ...around.map(({ to }) => to).filter((end) => end <= group));
    return { from, to: Math.min(hour + IDLE_GROUPS, ...begins), split: false };
  }

  /** The first group from `group` on that is split off, or one from which to search further. */
  nextSplit(group: number): number {
    let at = group;
    for (let count = 0; count < MAX_LOOK_AHEAD; count++) {
      const stretch = this.at(at);
      if (stretch.split) return at;
      at = stretch.to;
    }
    return at;
  }
}
