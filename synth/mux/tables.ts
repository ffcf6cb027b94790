/** Which tables a channel sends, on which packet identifier and how often. */
import { type EpochMs, epochMs } from '../../arib/time.ts';
import { CAT_PID, type ChannelPlace, NIT_PID, PAT_PID, SDT_PID, TOT_PID } from '../scenario/layout.ts';
import type { ChannelPlan, Scenario } from '../scenario/model.ts';
import type { EventStation } from '../si/eit.ts';
import { networkOf, nitSection, sdtSection, totSection } from '../si/network.ts';
import { catSection, patSection, pmtSection } from '../si/psi.ts';
import { NO_CHANGES, type StateChanges, type StationState, StationStates } from '../station-state.ts';
import { constantCarousel, momentCarousel } from './carousels.ts';
import { eventSources } from './event-carousels.ts';
import { type Carousel, SectionSource } from './section-source.ts';

/**
 * Seconds from repetition to repetition. Programme association and maps as MPEG decoders want them; the rest
 * within what ARIB TR-B14 (terrestrial) and TR-B15 (satellite) allow.
 */
const CYCLE = {
  GR: { pat: 0.1, cat: 1, nit: 1, sdt: 1, tot: 5 },
  satellite: { pat: 0.1, cat: 1, nit: 5, sdt: 5, tot: 5 },
  other: { sdt: 10 },
} as const;

/** What faults change in the tables of a channel. */
export interface Disturbance {
  /** In the stations' states. */
  changes: StateChanges;
  /** Milliseconds that the announced time is ahead. */
  timeOffset(at: EpochMs): number;
}

const NO_DISTURBANCE: Disturbance = { changes: NO_CHANGES, timeOffset: () => 0 };

/** The map of a station, made anew whenever its state changes. */
function mapCarousel(seconds: number, station: EventStation, changes: StateChanges): Carousel {
  const states = new StationStates(station, changes);
  let made: { state: StationState; sections: Uint8Array[] } | undefined;
  return momentCarousel(seconds, (at) => {
    const state = states.at(at);
    if (made?.state !== state) made = { state, sections: [pmtSection(station.place, state)] };
    return made.sections;
  });
}

/**
 * @param stationsOf the stations of a channel of this network with their guides, in order.
 * @param disturbance what faults lay over it.
 */
export function tableSources(
  scenario: Scenario,
  channel: ChannelPlace,
  stationsOf: (channel: ChannelPlan) => EventStation[],
  { changes, timeOffset }: Disturbance = NO_DISTURBANCE,
): SectionSource[] {
  const terrestrial = channel.plan.type === 'GR';
  const cycle = terrestrial ? CYCLE.GR : CYCLE.satellite;
  const others = networkOf(scenario, channel.plan).filter((other) => other !== channel.plan);
  return [
    new SectionSource(PAT_PID, [constantCarousel(cycle.pat, [patSection(channel)])]),
    ...stationsOf(channel.plan).map(
      (station) => new SectionSource(station.place.pmtPid, [mapCarousel(cycle.pat, station, changes)]),
    ),
    new SectionSource(CAT_PID, [constantCarousel(cycle.cat, [catSection()])]),
    new SectionSource(NIT_PID, [constantCarousel(cycle.nit, [nitSection(scenario, channel.plan)])]),
    new SectionSource(SDT_PID, [
      constantCarousel(cycle.sdt, [sdtSection(channel.plan, true)]),
      ...others.map((other) => constantCarousel(CYCLE.other.sdt, [sdtSection(other, false)])),
    ]),
    new SectionSource(TOT_PID, [
      momentCarousel(cycle.tot, (at) => [totSection(epochMs(at + timeOffset(at)))]),
    ]),
    ...eventSources(scenario, channel, stationsOf),
  ];
}
