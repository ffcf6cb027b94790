/** Assigns logos to stations: logo_id is unique in a network, ARIB TR-B14 and TR-B15 vol. 4. */
import { type ChannelPlan, logoKind, type StationPlan } from '../scenario/model.ts';

/** Version of all logos of a scenario: none of them ever changes. */
export const LOGO_VERSION = 1;

/** The station whose picture a station shows; undefined if it has none. */
function logoOwner(channel: ChannelPlan, station: StationPlan): StationPlan | undefined {
  switch (logoKind(station)) {
    case 'picture':
      return station;
    case 'shared':
      return channel.stations.find((other) => logoKind(other) === 'picture');
    default:
      return undefined;
  }
}

export interface NetworkLogo {
  logoId: number;
  owner: StationPlan;
  channel: ChannelPlan;
  /** The owner and all stations that share its logo. */
  stations: { channel: ChannelPlan; station: StationPlan }[];
}

/** All pictures of a network, whose channels are `channels`. */
export function networkLogos(channels: readonly ChannelPlan[]): NetworkLogo[] {
  const logos: NetworkLogo[] = [];
  for (const channel of channels) {
    for (const station of channel.stations) {
      const owner = logoOwner(channel, station);
      if (owner === undefined) continue;
      const known = logos.find((logo) => logo.owner === owner);
      const entry = { channel, station };
      if (known !== undefined) known.stations.push(entry);
      else logos.push({ logoId: logos.length, owner, channel, stations: [entry] });
    }
  }
  return logos;
}
