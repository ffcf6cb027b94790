/** Sections of a channel other than its tables: data carousels, applications, messages for cards. */
import type { Pid } from '../../lib/arib/ids.ts';
import { TICKS_PER_SECOND } from '../clock.ts';
import { logoCarousel } from '../data/logo-modules.ts';
import { stationPages } from '../data/pages.ts';
import { engineeringCarousel, fillingModules, stationCarousel } from '../data/resources.ts';
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
import { type CarouselPlan, ddbSections, diiSection, type Module } from '../si/dsmcc.ts';
import { networkOf } from '../si/network.ts';
import { APPLICATION_FOLDER } from '../web/application.ts';
import { WEB_NAME } from '../web/pages.ts';
import { constantCarousel, momentCarousel, STREAM_CYCLE } from './carousels.ts';
import { type Burst, type Carousel, SectionSource } from './section-source.ts';

/** Made once per list, since most turns are alike. */
class Lists {
  #plan: CarouselPlan | undefined;
  #list: Uint8Array = new Uint8Array(0);
  #bursts: readonly Burst[] = [];
  readonly #blocks = new WeakMap<Module, Uint8Array[]>();

  constructor(private readonly planAt: (ticks: number) => CarouselPlan) {}

  at(ticks: number): { list: Uint8Array; bursts: readonly Burst[] } {
    const plan = this.planAt(ticks);
    if (this.#plan === undefined || !isSame(this.#plan, plan)) {
      this.#plan = plan;
      this.#list = diiSection(plan);
      const blocks = plan.modules.flatMap((module) => this.#blocksOf(plan.downloadId, module));
      this.#bursts = blocks.map((section) => () => [section]);
    }
    return { list: this.#list, bursts: this.#bursts };
  }

  #blocksOf(downloadId: number, module: Module): Uint8Array[] {
    const made = this.#blocks.get(module) ?? ddbSections(downloadId, module);
    this.#blocks.set(module, made);
    return made;
  }
}

function isSame(one: CarouselPlan, other: CarouselPlan): boolean {
  return (
    one.downloadId === other.downloadId &&
    one.modules.length === other.modules.length &&
    one.modules.every((module, index) => module === other.modules[index])
  );
}

/**
 * The list of a carousel's modules at its cycle, and its blocks distributed over theirs. @param planAt at a time of the
 * clock; modules that did not change are the same objects
 */
function moduleCarousels(planAt: (ticks: number) => CarouselPlan, seconds: number): Carousel[] {
  const lists = new Lists(planAt);
  const at = (carouselSeconds: number, take: (ticks: number) => readonly Burst[]): Carousel => {
    const period = carouselSeconds * TICKS_PER_SECOND;
    return { period, bursts: (turn) => take(turn * period) };
  };
  return [
    at(STREAM_CYCLE.dii, (ticks) => [() => [lists.at(ticks).list]]),
    at(seconds, (ticks) => lists.at(ticks).bursts),
  ];
}

/** Stream descriptors, repeated while they are valid. */
function eventCarousel(sectionsAt: (ticks: number) => readonly Uint8Array[]): Carousel {
  const period = STREAM_CYCLE.events * TICKS_PER_SECOND;
  return { period, bursts: (turn) => [() => sectionsAt(turn * period)] };
}

/** A carousel that never changes. */
function carouselSource(pid: Pid, plan: CarouselPlan, seconds: number): SectionSource {
  return new SectionSource(
    pid,
    moduleCarousels(() => plan, seconds),
  );
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
    base: `http://${WEB_NAME}${APPLICATION_FOLDER}`,
    path: 'index.html',
  };
}

function stationSources(channel: ChannelPlan, station: StationPlace): SectionSource[] {
  const { carousel, dataComponents, application, plan } = station;
  const pages = stationPages(channel, plan);
  const document = carousel === null || pages !== null ? null : bmlCarousel(channel.type, plan.name);
  const sources = [...(carousel === null ? [] : [carousel]), ...dataComponents].flatMap((place) => {
    const { componentTag } = place;
    const own = (ticks: number) =>
      pages?.modules(componentTag, ticks) ?? (place === carousel ? (document?.modules ?? []) : []);
    const filling = fillingModules(channel, station, componentTag, own(0), STREAM_CYCLE.bml);
    if (own(0).length + filling.length === 0) return [];
    const isEntry = place === carousel;
    const plan = (ticks: number) => stationCarousel([...own(ticks), ...filling], isEntry);
    const events =
      (pages?.events(componentTag, 0) ?? []).length === 0
        ? []
        : [eventCarousel((ticks) => pages?.events(componentTag, ticks) ?? [])];
    return new SectionSource(place.pid, [...moduleCarousels(plan, STREAM_CYCLE.bml), ...events]);
  });
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
