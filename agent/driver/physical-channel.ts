/** Tuning parameters of a physical channel: frequency, and the stream of a satellite transponder. */
import type { BroadcastType } from '../../lib/arib/ids.ts';

/** First centre frequency of UHF channel 13 and the channel spacing, Hz; ARIB STD-B31. */
const UHF_FIRST_CHANNEL = 13;
const UHF_FIRST_HZ = 473_142_857;
const UHF_STEP_HZ = 6_000_000;

/** First intermediate frequencies after the antenna's converter and the spacing, kHz; ARIB STD-B21. */
const BS_FIRST_KHZ = 1_049_480;
const BS_STEP_KHZ = 38_360;
const CS_FIRST_KHZ = 1_613_000;
const CS_STEP_KHZ = 40_000;

export type ChannelFrequency =
  | { readonly system: 'terrestrial'; readonly channel: number; readonly hertz: number }
  | {
      readonly system: 'satellite';
      /** 0 for BS-1, 1 for BS-3 …; for CS 0 for ND2, 1 for ND4 … */
      readonly transponder: number;
      readonly kilohertz: number;
      /** Relative stream number in the transponder; CS transponders have one stream. */
      readonly slot: number;
    };

/** @param channel a name that `parseChannelName` accepts */
export function channelFrequency(type: BroadcastType, channel: string): ChannelFrequency {
  const [, digits = '', slot = '0'] = /(\d{2})(?:_(\d))?$/.exec(channel) ?? [];
  const number = Number(digits);
  if (type === 'GR') {
    const hertz = UHF_FIRST_HZ + (number - UHF_FIRST_CHANNEL) * UHF_STEP_HZ;
    return { system: 'terrestrial', channel: number, hertz };
  }
  const transponder = type === 'BS' ? (number - 1) / 2 : (number - 2) / 2;
  const kilohertz =
    type === 'BS' ? BS_FIRST_KHZ + BS_STEP_KHZ * transponder : CS_FIRST_KHZ + CS_STEP_KHZ * transponder;
  return { system: 'satellite', transponder, kilohertz, slot: Number(slot) };
}
