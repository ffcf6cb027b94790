/** What the tables announce and what is actually on air, for `--truth`. */
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../arib/time.ts';
import { DAY_MS, type Guide, type Programme } from './programme.ts';

/** As announced; values that are still unknown are null. */
export function programmeTruth(programme: Programme | undefined) {
  if (programme === undefined) return null;
  const { startAt, durationMs, openStart, openEnd, ...rest } = programme;
  return { ...rest, startAt: openStart ? null : startAt, durationMs: openEnd ? null : durationMs };
}

/** The schedule as announced at a moment, and everything actually on air in the same days. */
export function scheduleTruth(guide: Guide, at: BroadcastMs) {
  const from = jstDayStart(at);
  const to = broadcastMs(from + guide.days * DAY_MS);
  return {
    schedule: guide.starting(from, to, at).map(programmeTruth),
    onAir: guide.airing(from, to).map(({ eventId, title, startAt, durationMs, pause }) => {
      return { eventId, title, startAt, durationMs, pause };
    }),
  };
}
