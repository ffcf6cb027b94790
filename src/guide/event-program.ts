/** Converts a broadcast event to a programme record, with plausible times; an undefined duration is estimated. Pure. */
import { type EventId, type NetworkId, programId, type StationId } from '../../lib/arib/ids.ts';
import type { BroadcastEvent } from '../../lib/arib/si/event.ts';
import { type BroadcastMs, broadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import type { ProgramGroup, ProgramRecord, ProgramSeries } from '../model/program.ts';

interface ProgramTime {
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** The duration is undefined, `endAt` an estimate. */
  openEnd: boolean;
}

/** @param network of the station; used for groups that name no other network */
export function programOf(
  station: StationId,
  network: NetworkId,
  event: BroadcastEvent,
  time: ProgramTime,
): ProgramRecord {
  return {
    id: programId(station, event.eventId),
    stationId: station,
    eventId: event.eventId as EventId,
    startAt: time.startAt,
    endAt: time.endAt,
    openEnd: time.openEnd,
    name: event.name,
    description: event.text,
    extended: event.extended.length === 0 ? null : Object.fromEntries(event.extended),
    genres: event.genres.map(({ lv1, lv2 }) => ({ lv1, lv2 })),
    audios: event.audios.map(({ componentTag, componentType, main, langs, text }) => ({
      componentTag,
      componentType,
      main,
      languages: [...langs],
      text,
    })),
    videoType: event.video?.codec ?? null,
    videoResolution: event.video?.resolution ?? null,
    isFree: event.isFree,
    copyNever: event.copyNever,
    groups: groupsOf(network, event),
    series: seriesOf(event),
  };
}

const GROUP_TYPES = {
  shared: 'shared',
  relay: 'relay',
  movement: 'movement',
  'relay-network': 'relay',
  'movement-network': 'movement',
} as const;

function groupsOf(network: NetworkId, event: BroadcastEvent): ProgramGroup[] {
  const groups: ProgramGroup[] = [];
  for (const { group, events, otherNetworkEvents } of event.groups) {
    if (group === 'unknown') continue;
    const own = events.map(({ serviceId, eventId }) => ({ networkId: network, serviceId, eventId }));
    const others = otherNetworkEvents.map(({ originalNetworkId, serviceId, eventId }) => ({
      networkId: originalNetworkId,
      serviceId,
      eventId,
    }));
    groups.push({ type: GROUP_TYPES[group], events: [...own, ...others] });
  }
  return groups;
}

/** Episode numbers are 0 if they are not defined. */
function seriesOf({ series }: BroadcastEvent): ProgramSeries | null {
  if (series === undefined) return null;
  return {
    id: series.seriesId,
    repeat: series.repeatLabel,
    pattern: series.pattern,
    expiresAt: series.expireDate ?? null,
    episode: series.episodeNumber || null,
    lastEpisode: series.lastEpisodeNumber || null,
    name: series.name,
  };
}

/** A schedule reaches 32 days (ARIB STD-B10 Part 2, 5.2.7); anything else is a damaged or a test table. */
const SCHEDULE_AHEAD_MS = 33 * DAY_MS;
const SCHEDULE_BACK_MS = 2 * DAY_MS;
/** Present and following events are close to now. */
const PRESENT_MS = 72 * HOUR_MS;
/** A duration has two digits for hours. */
const LONGEST_MS = 100 * HOUR_MS;
/** An event without an end is assumed to last this long after its start, or after now. */
const OPEN_END_MS = HOUR_MS;
const OPEN_END_FROM_NOW_MS = 10 * 60_000;

function decided(durationMs: number | undefined, longest: number): durationMs is number {
  return durationMs !== undefined && durationMs > 0 && durationMs <= longest;
}

/** Of an event of present/following, ms; undefined: undecided, which zero and several days also stand for. */
export function presentDuration({ durationMs }: Pick<BroadcastEvent, 'durationMs'>): number | undefined {
  return decided(durationMs, PRESENT_MS) ? durationMs : undefined;
}

/**
 * An event of present/following. Undefined without a plausible start.
 * @param nextStart start of the following event, if this is the present one
 */
export function presentTime(
  event: BroadcastEvent,
  nextStart: BroadcastMs | undefined,
  now: BroadcastMs,
): ProgramTime | undefined {
  const { startAt } = event;
  const durationMs = presentDuration(event);
  if (startAt === undefined || Math.abs(startAt - now) > PRESENT_MS) return undefined;
  if (durationMs !== undefined) {
    return { startAt, endAt: broadcastMs(startAt + durationMs), openEnd: false };
  }
  const endAt = nextStart !== undefined && nextStart > startAt ? nextStart : openEnd(startAt, now);
  return { startAt, endAt, openEnd: true };
}

/** Rounded to steps, so that a running programme does not change with every evaluation. */
function openEnd(startAt: BroadcastMs, now: BroadcastMs): BroadcastMs {
  const hour = plusMs(startAt, OPEN_END_MS);
  if (hour >= now + OPEN_END_FROM_NOW_MS / 2) return hour;
  return broadcastMs((Math.floor(now / OPEN_END_FROM_NOW_MS) + 2) * OPEN_END_FROM_NOW_MS);
}

/** An event of a schedule, where all starts are defined. Undefined if implausible. */
export function scheduleTime(event: BroadcastEvent, now: BroadcastMs): ProgramTime | undefined {
  const { startAt, durationMs } = event;
  if (startAt === undefined) return undefined;
  if (startAt < now - SCHEDULE_BACK_MS || startAt > now + SCHEDULE_AHEAD_MS) return undefined;
  if (decided(durationMs, LONGEST_MS)) {
    return { startAt, endAt: broadcastMs(startAt + durationMs), openEnd: false };
  }
  return { startAt, endAt: broadcastMs(startAt + OPEN_END_MS), openEnd: true };
}
