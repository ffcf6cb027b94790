/** The event tables of a station on their PID: which segments are sent when, and how often. */
import { type BroadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import { DAY_MS } from '../guide/programme.ts';
import { type ChannelPlace, EIT_PID, L_EIT_PID } from '../scenario/layout.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from '../scenario/model.ts';
import { type EventCycles, eventCycles, type ScheduleCycles } from '../si/cycles.ts';
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

/** A part of the live segments of a schedule, and how often it is sent. */
interface SchedulePart {
  kind: EitKind;
  schedule: ScheduleKind;
  seconds: number;
  from: number;
  to: number;
}

function partsOf(kind: EitKind, schedule: ScheduleKind, { groups, base }: ScheduleCycles): SchedulePart[] {
  let from = 0;
  const near = groups.map(({ segments, seconds }) => {
    const part = { kind, schedule, seconds, from, to: from + segments };
    from = part.to;
    return part;
  });
  return [...near, { kind, schedule, seconds: base, from, to: Number.POSITIVE_INFINITY }];
}

/** The schedule of one station; a segment's sections are made when first sent, and again when they change. */
function scheduleCarousel(station: EventStation, part: SchedulePart): Carousel {
  const period = part.seconds * TICKS_PER_SECOND;
  const made = new Map<string, { version: string; sections: Uint8Array[] }>();
  const sectionsOf = (at: BroadcastMs, segment: Segment): Uint8Array[] => {
    const key = `${segment.day}/${segment.index}`;
    const version = `${jstDayStart(at)}/${scheduleVersion(station, segment, at)}`;
    const known = made.get(key);
    if (known?.version === version) return known.sections;
    const sections = scheduleSections(station, { ...part, at }, segment);
    made.set(key, { version, sections });
    return sections;
  };
  return {
    period,
    bursts: (turn): Burst[] => {
      const begin = turn * period;
      const dayStart = jstDayStart(momentOf(begin));
      const segments = liveSegments(momentOf(begin), station.guide.days).slice(part.from, part.to);
      return segments.map((segment, index) => () => {
        // A turn that contains midnight continues with the new day's tables: old and new are not mixed.
        const now = momentOf(begin + (index / segments.length) * period);
        const day = segment.day - Math.round((jstDayStart(now) - dayStart) / DAY_MS);
        return day < 0 ? [] : sectionsOf(now, { ...segment, day });
      });
    },
  };
}

/** Present and following; the sections are rebuilt when the guide announces a change. */
function presentCarousel(station: EventStation, kind: EitKind, seconds: number): Carousel {
  let made: { changes: number; sections: Uint8Array[] } | undefined;
  return momentCarousel(seconds, (at) => {
    const changes = station.guide.presentChanges(at);
    if (made?.changes !== changes) made = { changes, sections: presentFollowing(station, kind, at) };
    return made.sections;
  });
}

/** Present/following and schedule of one station. */
function eventCarousels(station: EventStation, kind: EitKind, cycles: EventCycles): Carousel[] {
  return [
    presentCarousel(station, kind, cycles.presentFollowing),
    ...[...partsOf(kind, 'basic', cycles.basic), ...partsOf(kind, 'extended', cycles.extended)].map((part) =>
      scheduleCarousel(station, part),
    ),
  ];
}

/**
 * All event tables of a channel: of its own stations, of those of its network (BS, CS) and of one-segment
 * ones. @param stationsOf the stations of a channel of this network with their guides, in order
 */
export function eventSources(
  scenario: Scenario,
  channel: ChannelPlace,
  stationsOf: (channel: ChannelPlan) => EventStation[],
): SectionSource[] {
  const { actual, other } = eventCycles(scenario, channel.plan.type);
  const others = networkOf(scenario, channel.plan).filter((other) => other !== channel.plan);
  const announcing = (plan: ChannelPlan): EventStation[] =>
    stationsOf(plan).filter(({ place }) => place.plan.programmes !== 'none');
  const stations = announcing(channel.plan);
  const partial = stations.filter(({ place }) => isPartialReception(place.plan));
  const own = stations.filter((station) => !partial.includes(station));
  const carousels = own.flatMap((station) => eventCarousels(station, 'actual', actual));
  if (other !== null) {
    for (const station of others.flatMap(announcing))
      carousels.push(...eventCarousels(station, 'other', other));
  }
  const sources = [new SectionSource(EIT_PID, carousels)];
  if (partial.length > 0) {
    const few = partial.map((station) => presentCarousel(station, 'actual', actual.presentFollowing));
    sources.push(new SectionSource(L_EIT_PID, few));
  }
  return sources;
}
