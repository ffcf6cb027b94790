/** Converts a broadcast event to a programme record. Pure. */
import { type EventId, type NetworkId, programId, type StationId } from '../../arib/ids.ts';
import type { BroadcastEvent } from '../../arib/si/event.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { ProgramGroup, ProgramRecord, ProgramSeries } from '../model/program.ts';

export interface ProgramTime {
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
