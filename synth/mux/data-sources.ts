/** Sections of a channel other than its tables: data carousels, applications, messages for cards. */
import type { Pid } from '../../arib/ids.ts';
import { TICKS_PER_SECOND } from '../clock.ts';
import { logoCarousel } from '../data/logo-modules.ts';
import { engineeringCarousel, filledCarousel, resourceCarousel } from '../data/resources.ts';
import { bmlCarousel } from '../data/startup.ts';
import { networkLogos } from '../logo/assignment.ts';
import {
  type ChannelPlace,
  type DataServicePlace,
  EMM_PID,
  ENGINEERING_DATA_PID,
  hasEntitlements,
  type StationPlace,
} from '../scenario/layout.ts';
import type { ChannelPlan, Scenario } from '../scenario/model.ts';
import { aitSection } from '../si/ait.ts';
import { ecmSection, emmSection, protectionEmmSection } from '../si/conditional.ts';
import { type CarouselPlan, ddbSections, diiSection } from '../si/dsmcc.ts';
import { networkOf } from '../si/network.ts';
import { constantCarousel, momentCarousel } from './carousels.ts';
import { type Carousel, SectionSource } from './section-source.ts';
import { STREAM_CYCLE } from './table-cycles.ts';

/** The list of a carousel's modules at its cycle, and its blocks distributed over theirs. */
function carouselSource(pid: Pid, plan: CarouselPlan, seconds: number): SectionSource {
  const blocks = plan.modules.flatMap((module) => ddbSections(plan.downloadId, module));
  const bursts = blocks.map((section) => () => [section]);
  const data: Carousel = { period: seconds * TICKS_PER_SECOND, bursts: () => bursts };
  return new SectionSource(pid, [constantCarousel(STREAM_CYCLE.dii, [diiSection(plan)]), data]);
}

/** The carousel of each data service. */
export type DataCarousels = ReadonlyMap<DataServicePlace, CarouselPlan>;

/** The engineering service carries the logos of the satellite's whole network. */
function carouselOf(scenario: Scenario, channel: ChannelPlan, { plan }: DataServicePlace): CarouselPlan {
  if (plan.carousel === 'bml' || channel.type === 'GR') return bmlCarousel(channel.type, plan.name);
  return logoCarousel(channel.type, networkLogos(networkOf(scenario, channel)));
}

export function dataServiceCarousels(scenario: Scenario, channel: ChannelPlace): DataCarousels {
  return new Map(
    channel.dataServices.map((service) => [service, carouselOf(scenario, channel.plan, service)]),
  );
}

function applicationOf(channel: ChannelPlan, { plan }: StationPlace) {
  return {
    organizationId: channel.networkId,
    applicationId: plan.serviceId & 0xffff,
    base: `http://hybridcast.station${plan.serviceId}.example/`,
    path: 'startup/index.html',
  };
}

function stationSources(channel: ChannelPlan, station: StationPlace): SectionSource[] {
  const { carousel, dataComponents, application, plan } = station;
  const sources: SectionSource[] = [];
  if (carousel !== null) {
    const document = bmlCarousel(channel.type, plan.name);
    const filled = filledCarousel(channel, station, document, STREAM_CYCLE.bml);
    sources.push(carouselSource(carousel.pid, filled, STREAM_CYCLE.bml));
  }
  for (const { pid, componentTag } of dataComponents) {
    const resources = resourceCarousel(channel, station, componentTag, STREAM_CYCLE.bml);
    if (resources !== null) sources.push(carouselSource(pid, resources, STREAM_CYCLE.bml));
  }
  if (application !== null) {
    const section = aitSection(applicationOf(channel, station));
    sources.push(new SectionSource(application.pid, [constantCarousel(STREAM_CYCLE.application, [section])]));
  }
  return sources;
}

/** Entitlement messages of a channel: control messages on each PID in a map, and management messages. */
function entitlementSources({ plan, stations }: ChannelPlace): SectionSource[] {
  const named = stations.flatMap(({ ecmPid, protectionEcmPid }) => [ecmPid, protectionEcmPid]);
  const pids = [...new Set(named.filter((pid) => pid !== null))];
  const sources = pids.map((pid) => {
    const ecm = momentCarousel(STREAM_CYCLE.ecm, (at) => [ecmSection(plan.transportStreamId, pid, at)]);
    return new SectionSource(pid, [ecm]);
  });
  if (!hasEntitlements(plan)) return sources;
  const terrestrial = plan.type === 'GR';
  const period = (terrestrial ? STREAM_CYCLE.protectionEmm : STREAM_CYCLE.emm) * TICKS_PER_SECOND;
  const make = terrestrial ? protectionEmmSection : emmSection;
  const bursts = (turn: number) => [() => [make(plan.networkId, turn)]];
  return [...sources, new SectionSource(EMM_PID, [{ period, bursts }])];
}

/** Data for receivers on a terrestrial channel: a few sections, on one of many components. */
export function engineeringDataSource(channel: ChannelPlan): SectionSource {
  const plan = engineeringCarousel(channel.transportStreamId, STREAM_CYCLE.engineeringData);
  return carouselSource(ENGINEERING_DATA_PID, plan, STREAM_CYCLE.engineeringData);
}

export function dataSources(channel: ChannelPlace, carousels: DataCarousels): SectionSource[] {
  const { plan, stations } = channel;
  const sources = stations.flatMap((station) => stationSources(plan, station));
  for (const [service, carousel] of carousels) {
    sources.push(carouselSource(service.carousel.pid, carousel, STREAM_CYCLE[service.plan.carousel]));
  }
  return [...sources, ...entitlementSources(channel)];
}
