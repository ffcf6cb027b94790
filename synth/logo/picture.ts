/** The pictures of a station's logo in the six sizes that receivers use: ARIB STD-B21; TR-B14 vol. 4. */
import { hash } from '../random.ts';
import type { ChannelPlan, StationPlan } from '../scenario/model.ts';
import { drawEmblem, type Emblem, SHAPES } from './draw.ts';
import { palettelessPng } from './png.ts';

/** Width and height by logo_type: small 4:3, 16:9 and HD, large 4:3, 16:9 and HD. */
const SIZES = [
  [48, 24],
  [36, 24],
  [48, 27],
  [72, 36],
  [54, 36],
  [64, 36],
] as const;

/** The number that viewers use for a station: its remote control key, or on satellites its service_id. */
function calledBy(channel: ChannelPlan, station: StationPlan): string {
  return String(channel.remoteControlKey ?? station.serviceId % 1000);
}

function emblemOf(channel: ChannelPlan, station: StationPlan): Emblem {
  const shape = SHAPES[hash(`${channel.networkId}/${station.serviceId}`) % SHAPES.length] ?? 'disc';
  return { shape, hue: station.hue, digits: calledBy(channel, station) };
}

/** Number of sizes. */
export const LOGO_TYPES = SIZES.length;

/** @throws RangeError for an invalid logo_type */
export function logoPicture(channel: ChannelPlan, station: StationPlan, logoType: number): Uint8Array {
  const size = SIZES[logoType];
  if (size === undefined) throw new RangeError(`logo_type ${logoType}`);
  const [width, height] = size;
  return palettelessPng(width, height, drawEmblem(emblemOf(channel, station), width, height));
}
