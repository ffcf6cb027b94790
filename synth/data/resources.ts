/**
 * Fills the data carousels of a station in addition to its document: modules of random resources, at the
 * rates that were measured for the components of a terrestrial station (1.7 Mbit/s in total).
 */
import type { StationPlace } from '../scenario/layout.ts';
import type { ChannelPlan } from '../scenario/model.ts';
import { type CarouselPlan, type Module, moduleType } from '../si/dsmcc.ts';

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

/** Bit rate of one component. */
function componentRate(channel: ChannelPlan, componentTag: number): number {
  const share = Math.min(1, channel.bitrate / MEASURED_BITRATE);
  return (RATES.get(componentTag) ?? 0) * share;
}

/** Bit rate of all data components of a station. */
export function dataRate(channel: ChannelPlan, { carousel, dataComponents }: StationPlace): number {
  return [...(carousel === null ? [] : [carousel]), ...dataComponents].reduce(
    (sum, { componentTag }) => sum + componentRate(channel, componentTag),
    0,
  );
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

/** The carousel of a document, filled up with resources. */
export function filledCarousel(
  channel: ChannelPlan,
  station: StationPlace,
  plan: CarouselPlan,
  seconds: number,
): CarouselPlan {
  if (station.carousel === null) return plan;
  const { componentTag } = station.carousel;
  const own = plan.modules.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const rate = componentRate(channel, componentTag) - (own * 8 * OVERHEAD) / seconds;
  const firstId = Math.max(...plan.modules.map(({ id }) => id)) + 1;
  const modules = resourceModules(Math.max(0, rate), seconds, seedOf(station, componentTag), firstId);
  return { ...plan, modules: [...plan.modules, ...modules] };
}

/** The carousel of a further component; null if its rate is too low to carry anything. */
export function resourceCarousel(
  channel: ChannelPlan,
  station: StationPlace,
  componentTag: number,
  seconds: number,
): CarouselPlan | null {
  const rate = componentRate(channel, componentTag);
  const modules = resourceModules(rate, seconds, seedOf(station, componentTag), 0);
  if (modules.length === 0) return null;
  return { downloadId: DOWNLOAD_ID, transaction: VERSION, modules };
}

/** Bit rate of the engineering service's component that is in use. */
const ENGINEERING_RATE = 10_000;

export function engineeringCarousel(seed: number, seconds: number): CarouselPlan {
  const modules = resourceModules(ENGINEERING_RATE, seconds, seed, 0);
  return { downloadId: DOWNLOAD_ID, transaction: VERSION, modules };
}
