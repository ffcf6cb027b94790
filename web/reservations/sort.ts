/** Filters and order of the reservations, by broadcast day. Pure. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { broadcastDay } from '../words/day.ts';
import { TEXTS } from './texts.ts';

export const FILTERS = [
  { filter: 'all', label: TEXTS.filterAll },
  { filter: 'conflict', label: TEXTS.filterConflict },
  { filter: 'manual', label: TEXTS.filterManual },
  { filter: 'rule', label: TEXTS.filterRule },
  { filter: 'trouble', label: TEXTS.filterTrouble },
] as const;
export type Filter = (typeof FILTERS)[number]['filter'];

export function filterOf(text: string | null): Filter {
  return FILTERS.find(({ filter }) => filter === text)?.filter ?? 'all';
}

const OVER = new Set<ReservationItem['state']>(['finished', 'missed']);

/** Over: nothing can be changed any more. */
function isOver(item: Pick<ReservationItem, 'state' | 'endAt'>, now: BroadcastMs): boolean {
  if (item.state === 'recording') return false;
  return OVER.has(item.state) || item.endAt <= now;
}

/** Never began, failed, or lacks something. */
export function isTrouble({ state, verdict }: Pick<ReservationItem, 'state' | 'verdict'>): boolean {
  return state === 'missed' || (state === 'finished' && (verdict === 'damaged' || verdict === 'lost'));
}

function passes(item: ReservationItem, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'conflict':
      return item.state === 'conflict';
    case 'manual':
      return item.ruleId === null;
    case 'rule':
      return item.ruleId !== null;
    case 'trouble':
      return isTrouble(item);
  }
}

export interface Day {
  /** 05:00 of it. */
  readonly day: BroadcastMs;
  readonly items: readonly ReservationItem[];
}

/** By broadcast day and start. @param latestFirst for past ones */
function byDay(items: readonly ReservationItem[], latestFirst = false): Day[] {
  const sign = latestFirst ? -1 : 1;
  const sorted = [...items].sort((a, b) => sign * (a.startAt - b.startAt) || a.id - b.id);
  const days = new Map<BroadcastMs, ReservationItem[]>();
  for (const item of sorted) {
    const day = broadcastDay(item.startAt);
    const list = days.get(day) ?? [];
    list.push(item);
    days.set(day, list);
  }
  return [...days].map(([day, list]) => ({ day, items: list }));
}

export interface ShownReservations {
  /** Upcoming and running, by start: these need attention. */
  readonly conflicts: readonly Day[];
  readonly days: readonly Day[];
  readonly over: readonly Day[];
}

/** @param completed shows past ones, too; the filter `trouble` always shows them */
export function arrange(
  items: readonly ReservationItem[],
  { filter, completed, now }: { filter: Filter; completed: boolean; now: BroadcastMs },
): ShownReservations {
  const passing = items.filter((item) => passes(item, filter));
  const open = passing.filter((item) => !isOver(item, now));
  return {
    conflicts: byDay(open.filter((item) => item.state === 'conflict')),
    days: byDay(open.filter((item) => item.state !== 'conflict')),
    over:
      completed || filter === 'trouble'
        ? byDay(
            passing.filter((item) => isOver(item, now)),
            true,
          )
        : [],
  };
}

export interface Counts {
  readonly booked: number;
  readonly recording: number;
  readonly conflict: number;
  readonly missed: number;
  readonly failed: number;
  readonly damaged: number;
}

export function countsOf(items: readonly ReservationItem[], now: BroadcastMs): Counts {
  const open = items.filter((item) => !isOver(item, now));
  const count = (list: readonly ReservationItem[], state: ReservationItem['state']): number =>
    list.filter((item) => item.state === state).length;
  return {
    booked: count(open, 'scheduled'),
    recording: count(open, 'recording'),
    conflict: count(open, 'conflict'),
    missed: count(items, 'missed'),
    failed: items.filter((item) => isTrouble(item) && item.verdict === 'lost').length,
    damaged: items.filter((item) => isTrouble(item) && item.verdict === 'damaged').length,
  };
}

/** Limit of the summary. */
const COMING = 3;
const COMING_MS = 86_400_000;

/** Running ones, and the next ones within a day. */
export function nextUp(
  items: readonly ReservationItem[],
  now: BroadcastMs,
): { readonly running: readonly ReservationItem[]; readonly coming: readonly ReservationItem[] } {
  const sorted = [...items].sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  return {
    running: sorted.filter(({ state }) => state === 'recording'),
    coming: sorted
      .filter((item) => item.state === 'scheduled' && item.endAt > now && item.startAt < now + COMING_MS)
      .slice(0, COMING),
  };
}
