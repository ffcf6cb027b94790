/** Which tables a channel sends, on which packet identifier and how often. */
import { type EpochMs, jstDayStart } from '../../arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import { DAY_MS } from '../guide/programme.ts';
import {
  CAT_PID,
  type ChannelPlace,
  EIT_PID,
  L_EIT_PID,
  NIT_PID,
  PAT_PID,
  SDT_PID,
  TOT_PID,
} from '../scenario/layout.ts';
import { isPartialReception, type Scenario } from '../scenario/model.ts';
import {
  type EitKind,
  type EventStation,
  liveSegments,
  presentFollowing,
  type ScheduleKind,
  type Segment,
  scheduleSections,
} from '../si/eit.ts';
import { networkOf, nitSection, sdtSection, totSection } from '../si/network.ts';
import { catSection, patSection, pmtSection } from '../si/psi.ts';
import { type Burst, type Carousel, SectionSource } from './section-source.ts';

/**
 * Seconds from repetition to repetition. Programme association and maps as MPEG decoders want them; the rest
 * within what ARIB TR-B14 (terrestrial) and TR-B15 (satellite) allow.
 */
const CYCLE = {
  GR: { pat: 0.1, cat: 1, nit: 1, sdt: 1, tot: 5, presentFollowing: 1, near: 10, far: 30, extended: 30 },
  satellite: {
    pat: 0.1,
    cat: 1,
    nit: 5,
    sdt: 5,
    tot: 5,
    presentFollowing: 2,
    near: 10,
    far: 60,
    extended: 60,
  },
  other: { sdt: 10, presentFollowing: 4, near: 60, far: 60, extended: 120 },
} as const;

/** Segments of the schedule that are repeated at the near cycle: those of the next 24 hours. */
const NEAR_SEGMENTS = 8;

function constantCarousel(seconds: number, sections: readonly Uint8Array[]): Carousel {
  const bursts = [() => sections];
  return { period: seconds * TICKS_PER_SECOND, bursts: () => bursts };
}

/** Made anew each turn for the moment at which it is sent. */
function momentCarousel(seconds: number, make: (at: EpochMs) => Uint8Array[]): Carousel {
  const period = seconds * TICKS_PER_SECOND;
  return { period, bursts: (turn) => [() => make(momentOf(turn * period))] };
}

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

/** The schedule of one station; a segment's sections are made when first sent, and again on the next day. */
function scheduleCarousel(station: EventStation, cycle: ScheduleCycle): Carousel {
  const period = cycle.seconds * TICKS_PER_SECOND;
  let madeFor: EpochMs | undefined;
  const made = new Map<string, Uint8Array[]>();
  const sectionsOf = (dayStart: EpochMs, segment: Segment): Uint8Array[] => {
    if (madeFor !== dayStart) {
      made.clear();
      madeFor = dayStart;
    }
    const key = `${segment.day}/${segment.index}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const sections = scheduleSections(station, cycle, dayStart, segment);
    made.set(key, sections);
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
        const today = jstDayStart(momentOf(begin + (index / segments.length) * period));
        const day = segment.day - Math.round((today - dayStart) / DAY_MS);
        return day < 0 ? [] : sectionsOf(today, { ...segment, day });
      });
    },
  };
}

interface EventCycles {
  presentFollowing: number;
  near: number;
  far: number;
  extended: number;
}

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
 * @param stationsOf the stations of a channel of this network with their guides, in order.
 */
export function tableSources(
  scenario: Scenario,
  channel: ChannelPlace,
  stationsOf: (channel: ChannelPlace['plan']) => EventStation[],
): SectionSource[] {
  const terrestrial = channel.plan.type === 'GR';
  const cycle = terrestrial ? CYCLE.GR : CYCLE.satellite;
  const others = networkOf(scenario, channel.plan).filter((other) => other !== channel.plan);
  const stations = stationsOf(channel.plan);
  const full = stations.filter(({ place }) => !isPartialReception(place.plan));
  const partial = stations.filter(({ place }) => isPartialReception(place.plan));
  const sources = [
    new SectionSource(PAT_PID, [constantCarousel(cycle.pat, [patSection(channel)])]),
    ...channel.stations.map(
      (station) => new SectionSource(station.pmtPid, [constantCarousel(cycle.pat, [pmtSection(station)])]),
    ),
    new SectionSource(CAT_PID, [constantCarousel(cycle.cat, [catSection()])]),
    new SectionSource(NIT_PID, [constantCarousel(cycle.nit, [nitSection(scenario, channel.plan)])]),
    new SectionSource(SDT_PID, [
      constantCarousel(cycle.sdt, [sdtSection(channel.plan, true)]),
      ...others.map((other) => constantCarousel(CYCLE.other.sdt, [sdtSection(other, false)])),
    ]),
    new SectionSource(TOT_PID, [momentCarousel(cycle.tot, (at) => [totSection(at)])]),
    new SectionSource(EIT_PID, [
      ...full.flatMap((station) => eventCarousels(station, 'actual', cycle)),
      ...others.flatMap(stationsOf).flatMap((station) => eventCarousels(station, 'other', CYCLE.other)),
    ]),
  ];
  if (partial.length > 0) {
    const carousels = partial.map((station) =>
      momentCarousel(cycle.presentFollowing, (at) => presentFollowing(station, 'actual', at)),
    );
    sources.push(new SectionSource(L_EIT_PID, carousels));
  }
  return sources;
}
