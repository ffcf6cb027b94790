/**
 * Fills the data carousels of a station in addition to its document: modules of random resources, at the
 * rates that were measured for the components of a terrestrial station (1.7 Mbit/s in total).
 */
import { hasFewComponents, type StationPlace } from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import { type CarouselPlan, type Module, moduleType, returnToEntry } from '../si/dsmcc.ts';
import { stationPages } from './pages.ts';

/** Bit rate by component_tag. */
const RATES: ReadonlyMap<number, number> = new Map([
  [0x40, 210_000],
  [0x60, 940_000],
  [0x61, 79_000],
  [0x62, 81_000],
  [0x70, 175_000],
  [0x71, 191_000],
  [0x72, 3_000],
  [0x80, 53_000],
  [0x89, 1_500],
  [0x8b, 25_000],
]);
/** Bit rate of the stream in which they were measured; in a smaller one they take the same share. */
const MEASURED_BITRATE = 16_850_000;
/** Ratio including packet headers and section headers. */
const OVERHEAD = 1.04;
const MODULE_BYTES = 65_536;
const DOWNLOAD_ID = 0xffff_ffff;
const VERSION = 1;
const MEDIA_TYPE = 'application/octet-stream';

/** Bit rate of one component; pages may need more. */
function componentRate(channel: ChannelPlan, { plan }: StationPlace, componentTag: number): number {
  if (hasFewComponents(plan)) return 0;
  const share = Math.min(1, channel.bitrate / MEASURED_BITRATE);
  return (RATES.get(componentTag) ?? 0) * share;
}

function rateOf(modules: readonly Module[], seconds: number): number {
  return (modules.reduce((sum, { bytes }) => sum + bytes.length, 0) * 8 * OVERHEAD) / seconds;
}

/** Bit rate of all data components of a station. @param seconds cycle of its carousels */
export function dataRate(channel: ChannelPlan, station: StationPlace, seconds: number): number {
  const { carousel, dataComponents, plan } = station;
  const pages = stationPages(channel, plan);
  return [...(carousel === null ? [] : [carousel]), ...dataComponents].reduce((sum, { componentTag }) => {
    const own = pages === null ? 0 : rateOf(pages.modules(componentTag, 0), seconds);
    return sum + Math.max(own, componentRate(channel, station, componentTag));
  }, 0);
}

/** Incompressible bytes from a linear congruential generator, which is fast enough for this amount. */
function resource(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Modules from `firstId` on that fill a component if all are sent once every `seconds`. */
function resourceModules(rate: number, seconds: number, seed: number, firstId: number): Module[] {
  const total = Math.floor((rate * seconds) / 8 / OVERHEAD);
  return Array.from({ length: Math.ceil(total / MODULE_BYTES) }, (_, index): Module => {
    const length = Math.min(MODULE_BYTES, total - index * MODULE_BYTES);
    const id = firstId + index;
    return { id, version: VERSION, bytes: resource(length, seed ^ id), info: moduleType(MEDIA_TYPE) };
  });
}

function seedOf({ plan }: StationPlace, componentTag: number): number {
  return (plan.serviceId << 8) | componentTag;
}

/** Modules that fill a component up to its bit rate; their ids follow those of its own modules. */
export function fillingModules(
  channel: ChannelPlan,
  station: StationPlace,
  componentTag: number,
  own: readonly Module[],
  seconds: number,
): Module[] {
  const rate = componentRate(channel, station, componentTag) - rateOf(own, seconds);
  const firstId = Math.max(-1, ...own.map(({ id }) => id)) + 1;
  return resourceModules(Math.max(0, rate), seconds, seedOf(station, componentTag), firstId);
}

/** The carousel of one component. @param isEntry its documents are those to begin with */
export function stationCarousel(modules: readonly Module[], isEntry: boolean): CarouselPlan {
  // Another list has another number.
  const transaction = modules.reduce(
    (sum, { id, version }) => (sum * 31 + id * 7 + version) % 2 ** 30,
    VERSION,
  );
  const privateData = isEntry ? returnToEntry() : new Uint8Array(0);
  return { downloadId: DOWNLOAD_ID, transaction, modules, privateData };
}

/** Bit rate of the engineering service's component that is in use. */
const ENGINEERING_RATE = 10_000;

export function engineeringCarousel(seed: number, seconds: number): CarouselPlan {
  const modules = resourceModules(ENGINEERING_RATE, seconds, seed, 0);
  return stationCarousel(modules, false);
}
