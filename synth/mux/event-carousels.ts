/** The event tables of a station on their packet identifier: which segments go when, and how often. */
import { type EpochMs, jstDayStart } from '../../arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import { DAY_MS } from '../guide/programme.ts';
import { type ChannelPlace, EIT_PID, L_EIT_PID } from '../scenario/layout.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from '../scenario/model.ts';
import {
  type EitKind,
  type EventStation,
  liveSegments,
  presentFollowing,
  type ScheduleKind,
  type Segment,
  scheduleSections,
  scheduleVersion,
} from '../si/eit.ts';
import { networkOf } from '../si/network.ts';
import { momentCarousel } from './carousels.ts';
import { type Burst, type Carousel, SectionSource } from './section-source.ts';

/** Seconds from repetition to repetition, within what ARIB TR-B14 (terrestrial) and TR-B15 (satellite) allow. */
export const CYCLE = {
  GR: { presentFollowing: 1, near: 10, far: 30, extended: 30 },
  satellite: { presentFollowing: 2, near: 10, far: 60, extended: 60 },
  other: { presentFollowing: 4, near: 60, far: 60, extended: 120 },
} as const;

/** Segments of the schedule that are repeated at the near cycle: those of the next 24 hours. */
export const NEAR_SEGMENTS = 8;

interface ScheduleCycle {
  kind: EitKind;
  schedule: ScheduleKind;
  seconds: number;
  /** Which of the live segments this carousel sends. */
  part: 'near' | 'far' | 'all';
}

function partOf(segments: Segment[], part: ScheduleCycle['part']): Segment[] {
  if (part === 'all') return segments;
  return part === 'near' ? segments.slice(0, NEAR_SEGMENTS) : segments.slice(NEAR_SEGMENTS);
}

/** The schedule of one station; a segment's sections are made when first sent, and again when they change. */
function scheduleCarousel(station: EventStation, cycle: ScheduleCycle): Carousel {
  const period = cycle.seconds * TICKS_PER_SECOND;
  const made = new Map<string, { version: string; sections: Uint8Array[] }>();
  const sectionsOf = (at: EpochMs, segment: Segment): Uint8Array[] => {
    const key = `${segment.day}/${segment.index}`;
    const version = `${jstDayStart(at)}/${scheduleVersion(station, segment, at)}`;
    const known = made.get(key);
    if (known?.version === version) return known.sections;
    const sections = scheduleSections(station, { ...cycle, at }, segment);
    made.set(key, { version, sections });
    return sections;
  };
  return {
    period,
    bursts: (turn): Burst[] => {
      const begin = turn * period;
      const dayStart = jstDayStart(momentOf(begin));
      const segments = partOf(liveSegments(momentOf(begin), station.guide.days), cycle.part);
      return segments.map((segment, index) => () => {
        // A turn that midnight falls into goes on with the new day's tables: old and new are not mixed.
        const now = momentOf(begin + (index / segments.length) * period);
        const day = segment.day - Math.round((jstDayStart(now) - dayStart) / DAY_MS);
        return day < 0 ? [] : sectionsOf(now, { ...segment, day });
      });
    },
  };
}

/** Seconds from repetition to repetition. */
interface EventCycles {
  presentFollowing: number;
  near: number;
  far: number;
  extended: number;
}

/** Present/following and schedule of one station. */
function eventCarousels(station: EventStation, kind: EitKind, cycles: EventCycles): Carousel[] {
  const { near, far, extended } = cycles;
  const basic: ScheduleCycle[] =
    near === far
      ? [{ kind, schedule: 'basic', seconds: near, part: 'all' }]
      : [
          { kind, schedule: 'basic', seconds: near, part: 'near' },
          { kind, schedule: 'basic', seconds: far, part: 'far' },
        ];
  return [
    momentCarousel(cycles.presentFollowing, (at) => presentFollowing(station, kind, at)),
    ...basic.map((cycle) => scheduleCarousel(station, cycle)),
    scheduleCarousel(station, { kind, schedule: 'extended', seconds: extended, part: 'all' }),
  ];
}

/**
 * All event tables of a channel: of its own stations, of those of its network (BS, CS) and of one-segment ones.
 * @param stationsOf the stations of a channel of this network with their guides, in order.
 */
export function eventSources(
  scenario: Scenario,
  channel: ChannelPlace,
  stationsOf: (channel: ChannelPlan) => EventStation[],
): SectionSource[] {
  const cycles = channel.plan.type === 'GR' ? CYCLE.GR : CYCLE.satellite;
  const others = networkOf(scenario, channel.plan).filter((other) => other !== channel.plan);
  const stations = stationsOf(channel.plan);
  const partial = stations.filter(({ place }) => isPartialReception(place.plan));
  const sources = [
    new SectionSource(EIT_PID, [
      ...stations
        .filter((station) => !partial.includes(station))
        .flatMap((station) => eventCarousels(station, 'actual', cycles)),
      ...others.flatMap(stationsOf).flatMap((station) => eventCarousels(station, 'other', CYCLE.other)),
    ]),
  ];
  if (partial.length > 0) {
    const carousels = partial.map((station) =>
      momentCarousel(cycles.presentFollowing, (at) => presentFollowing(station, 'actual', at)),
    );
    sources.push(new SectionSource(L_EIT_PID, carousels));
  }
  return sources;
}
