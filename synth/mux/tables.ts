/** Which tables a channel sends, on which PID and how often. */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { TICKS_PER_SECOND } from '../clock.ts';
import { networkLogos } from '../logo/assignment.ts';
import {
  BIT_PID,
  CAT_PID,
  CDT_PID,
  type ChannelPlace,
  ENGINEERING_PMT_PID,
  NIT_PID,
  PAT_PID,
  SDT_PID,
  SDTT_PIDS,
  TOT_PID,
} from '../scenario/layout.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from '../scenario/model.ts';
import { bitSections, type SentCycles } from '../si/bit.ts';
import { cdtSections } from '../si/cdt.ts';
import { eventCycles } from '../si/cycles.ts';
import type { EventStation } from '../si/eit.ts';
import {
  namedSdtSections,
  namedStreamsOf,
  networkOf,
  nitSections,
  sdtSections,
  tdtSection,
  totSection,
} from '../si/network.ts';
import { catSection, dataPmtSection, engineeringPmtSection, patSection, pmtSection } from '../si/psi.ts';
import { logoSdtt, receiverSdtt } from '../si/sdtt.ts';
import { NO_CHANGES, type StateChanges, type StationState, StationStates } from '../station-state.ts';
import { constantCarousel, momentCarousel, STREAM_CYCLE, TABLE_CYCLE } from './carousels.ts';
import {
  type DataCarousels,
  dataServiceCarousels,
  dataSources,
  engineeringDataSource,
} from './data-sources.ts';
import { eventSources } from './event-carousels.ts';
import { type Carousel, SectionSource } from './section-source.ts';

/** The repetition cycles that a channel's tables announce. */
function sentCycles(scenario: Scenario, { type }: ChannelPlan): SentCycles {
  const events = eventCycles(scenario, type);
  if (type === 'GR') return { ...TABLE_CYCLE.GR, events };
  return { ...TABLE_CYCLE.satellite, events, others: TABLE_CYCLE.other };
}

/** Changes to the tables of a channel by faults. */
export interface Disturbance {
  /** Changes of the stations' states. */
  changes: StateChanges;
  /** Milliseconds by which the announced time is ahead. */
  timeOffset(at: BroadcastMs): number;
}

const NO_DISTURBANCE: Disturbance = { changes: NO_CHANGES, timeOffset: () => 0 };

/** The PMT of a station, rebuilt whenever its state changes. */
function mapCarousel(station: EventStation, changes: StateChanges): Carousel {
  const states = new StationStates(station, changes);
  let made: { state: StationState; sections: Uint8Array[] } | undefined;
  const { pat, partialMap } = TABLE_CYCLE.GR;
  const seconds = isPartialReception(station.place.plan) ? partialMap : pat;
  return momentCarousel(seconds, (at) => {
    const state = states.at(at);
    if (made?.state !== state)
      made = { state, sections: [pmtSection(station.channel, station.place, state)] };
    return made.sections;
  });
}

/** The time tables; satellites send the short one too. */
function timeCarousels(seconds: number, terrestrial: boolean, offset: Disturbance['timeOffset']): Carousel[] {
  const announced = (at: BroadcastMs) => broadcastMs(at + offset(at));
  const tot = momentCarousel(seconds, (at) => [totSection(announced(at))]);
  return terrestrial ? [tot] : [tot, momentCarousel(seconds, (at) => [tdtSection(announced(at))])];
}

/** Announcements of downloads: for one model of receivers, and of the logos in the stream. */
function downloadCarousels(channel: ChannelPlace, carousels: DataCarousels, seconds: number): Carousel[] {
  const announced = [...carousels].filter(([service]) => service.plan.carousel === 'logos');
  return [
    momentCarousel(seconds, (at) => [receiverSdtt(channel.plan, at)]),
    ...announced.map(([service, carousel]) =>
      constantCarousel(seconds, [logoSdtt(channel.plan, service, carousel)]),
    ),
  ];
}

/** The logos of a terrestrial channel, one size after another over the cycle. */
function logoSources(channel: ChannelPlan): SectionSource[] {
  const logos = channel.type === 'GR' ? networkLogos([channel]) : [];
  if (logos.length === 0) return [];
  const bursts = logos.flatMap(cdtSections).map((section) => () => [section()]);
  const period = TABLE_CYCLE.GR.cdt * TICKS_PER_SECOND;
  return [new SectionSource(CDT_PID, [{ period, bursts: () => bursts }])];
}

/** The map of the engineering service and the content of its only component in use. */
function engineeringSources(channel: ChannelPlan): SectionSource[] {
  if (channel.engineeringService !== true) return [];
  const pmt = constantCarousel(STREAM_CYCLE.engineering, [engineeringPmtSection()]);
  return [new SectionSource(ENGINEERING_PMT_PID, [pmt]), engineeringDataSource(channel)];
}

/**
 * @param stationsOf the stations of a channel of this network with their guides, in order @param disturbance
 * changes caused by faults
 */
export function tableSources(
  scenario: Scenario,
  channel: ChannelPlace,
  stationsOf: (channel: ChannelPlan) => EventStation[],
  { changes, timeOffset }: Disturbance = NO_DISTURBANCE,
): SectionSource[] {
  const terrestrial = channel.plan.type === 'GR';
  const cycle = terrestrial ? TABLE_CYCLE.GR : TABLE_CYCLE.satellite;
  const others = networkOf(scenario, channel.plan).filter((other) => other !== channel.plan);
  const carousels = dataServiceCarousels(scenario, channel);
  return [
    new SectionSource(PAT_PID, [constantCarousel(cycle.pat, [patSection(channel)])]),
    ...stationsOf(channel.plan).map(
      (station) => new SectionSource(station.place.pmtPid, [mapCarousel(station, changes)]),
    ),
    ...engineeringSources(channel.plan),
    ...channel.dataServices.map(
      (service) =>
        new SectionSource(service.pmtPid, [
          constantCarousel(cycle.pat, [dataPmtSection(channel.plan, service)]),
        ]),
    ),
    new SectionSource(CAT_PID, [constantCarousel(cycle.cat, [catSection(channel.plan)])]),
    new SectionSource(NIT_PID, [constantCarousel(cycle.nit, nitSections(scenario, channel.plan))]),
    new SectionSource(SDT_PID, [
      constantCarousel(cycle.sdt, sdtSections(channel.plan, true)),
      ...others.map((other) => constantCarousel(TABLE_CYCLE.other.sdt, sdtSections(other, false))),
      ...namedStreamsOf(scenario, channel.plan).map((other) =>
        constantCarousel(TABLE_CYCLE.other.sdt, namedSdtSections(other)),
      ),
    ]),
    new SectionSource(TOT_PID, timeCarousels(cycle.tot, terrestrial, timeOffset)),
    new SectionSource(BIT_PID, [
      constantCarousel(cycle.bit, bitSections(scenario, channel.plan, sentCycles(scenario, channel.plan))),
    ]),
    new SectionSource(
      SDTT_PIDS[terrestrial ? 'terrestrial' : 'satellite'],
      downloadCarousels(channel, carousels, cycle.sdtt),
    ),
    ...logoSources(channel.plan),
    ...dataSources(channel, carousels),
    ...eventSources(scenario, channel, stationsOf),
  ];
}
