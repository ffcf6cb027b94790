/** NIT, SDT and TOT: ARIB STD-B10 Part 2, 5.2.4, 5.2.6, 5.2.9; contents by ARIB TR-B14 and TR-B15. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { LOGO_VERSION, networkLogos } from '../logo/assignment.ts';
import { Random } from '../random.ts';
import { ENGINEERING_SERVICE } from '../scenario/layout.ts';
import {
  type ChannelPlan,
  dataServiceType,
  isPartialReception,
  logoKind,
  type NamedStream,
  type Scenario,
  type StationPlan,
} from '../scenario/model.ts';
import { fitText } from '../text/encode.ts';
import { ByteWriter } from './bytes.ts';
import {
  copyControl,
  descriptors,
  networkName,
  partialCopyControl,
  partialReception,
  satelliteDelivery,
  service,
  serviceList,
  systemManagement,
  terrestrialDelivery,
  tsInformation,
} from './descriptors.ts';
import { encodeJstTime } from './jst-time.ts';
import { plainSection, shortSection, tableSections } from './section.ts';
import { caContractInfo, logoInCdt, logoLetters, logoShared } from './service-descriptors.ts';

const VERSION = 1;

/** Area of all receivers in the region: the fictitious region uses the code for no single prefecture. */
const AREA_CODE = 0x34d;
const BROADCASTING_IDENTIFIER = { GR: 3, BS: 2, CS: 4 } as const;
/** Kinds of transmission in the TS information descriptor: all segments, one segment (ARIB TR-B14 vol. 4). */
const TRANSMISSION = { full: 0x0f, partial: 0xaf };

/** UHF channel 13 is 473 1/7 MHz, in units of 1/7 MHz; the next ones are 6 MHz apart. */
function terrestrialFrequency(channel: number): number {
  return 3_312 + 42 * (channel - 13);
}

/** Down-link frequency in units of 10 kHz, from the transponder's number. */
function satelliteFrequency(type: 'BS' | 'CS', channel: string): number {
  const transponder = Number(/^(?:BS|CS)(\d+)/.exec(channel)?.[1] ?? 1);
  return type === 'BS'
    ? 1_172_748 + 3_836 * ((transponder - 1) / 2)
    : 1_229_100 + 4_000 * (transponder / 2 - 1);
}

/** service_type of services for receivers only: ARIB STD-B10 Part 2, 6.2.13. */
const ENGINEERING_TYPE = 0xa4;

/** Every service of a transport stream with its service_type, those without picture last. */
export function servicesOf(channel: ChannelPlan): { serviceId: number; serviceType: number; name: string }[] {
  const data = (channel.dataServices ?? []).map((service) => ({
    serviceId: service.serviceId,
    serviceType: dataServiceType(service),
    name: service.name,
  }));
  return [...channel.stations, ...data];
}

function streamDescriptors(channel: ChannelPlan): Uint8Array {
  const services = servicesOf(channel);
  const hidden =
    channel.engineeringService === true
      ? [{ serviceId: ENGINEERING_SERVICE, serviceType: ENGINEERING_TYPE }]
      : [];
  const list = serviceList([...services, ...hidden]);
  if (channel.type !== 'GR') {
    return descriptors(list, satelliteDelivery(satelliteFrequency(channel.type, channel.channel)));
  }
  const partial: number[] = channel.stations.filter(isPartialReception).map(({ serviceId }) => serviceId);
  const full = services.map(({ serviceId }) => serviceId).filter((id) => !partial.includes(id));
  const hiddenIds = hidden.map(({ serviceId }) => serviceId);
  const transmissions = [{ kind: TRANSMISSION.full, services: [...full, ...hiddenIds] }];
  if (partial.length > 0) transmissions.push({ kind: TRANSMISSION.partial, services: partial });
  const own = Number(channel.channel.replace(/\D/g, ''));
  const parts = [
    list,
    terrestrialDelivery(AREA_CODE, [own, ...(channel.relays ?? [])].map(terrestrialFrequency)),
  ];
  if (partial.length > 0) parts.push(partialReception(partial));
  parts.push(tsInformation(channel.remoteControlKey ?? 0, channel.stations[0]?.name ?? '', transmissions));
  return descriptors(...parts);
}

/** The transport streams in this channel's tables: its own, or all of the satellite's network. */
export function networkOf(scenario: Scenario, channel: ChannelPlan): ChannelPlan[] {
  if (channel.type === 'GR') return [channel];
  return scenario.channels.filter((other) => other.networkId === channel.networkId);
}

/** The streams of a satellite network that are listed in addition to those that can be received. */
export function namedStreamsOf(scenario: Scenario, channel: ChannelPlan): NamedStream[] {
  if (channel.type === 'GR') return [];
  return (scenario.namedStreams ?? []).filter(({ networkId }) => networkId === channel.networkId);
}

function namedStreamDescriptors({ type, channel, services }: NamedStream): Uint8Array {
  return descriptors(serviceList(services), satelliteDelivery(satelliteFrequency(type, channel)));
}

export function nitSections(scenario: Scenario, channel: ChannelPlan): Uint8Array[] {
  const network = descriptors(
    networkName(channel.networkName),
    systemManagement(BROADCASTING_IDENTIFIER[channel.type]),
  );
  const streams = [
    ...networkOf(scenario, channel).map((stream) => ({ stream, loop: streamDescriptors(stream) })),
    ...namedStreamsOf(scenario, channel).map((stream) => ({ stream, loop: namedStreamDescriptors(stream) })),
  ];
  return tableSections({
    header: { tableId: 0x40, extension: channel.networkId, version: VERSION },
    head: (first) => new ByteWriter().counted12(0xf, first ? network : new Uint8Array(0)).done(),
    elements: streams.map(({ stream, loop }) =>
      new ByteWriter().u16(stream.transportStreamId).u16(stream.networkId).counted12(0xf, loop).done(),
    ),
    counted: true,
  });
}

/** EIT_user_defined_flags, EIT_schedule_flag and EIT_present_following_flag of a station. */
function eitFlags(channel: ChannelPlan, partial: boolean): number {
  if (channel.type !== 'GR') return 0xff;
  // Reserved 3, H-EIT, M-EIT, L-EIT, schedule, present/following.
  return partial ? 0xe5 : 0xf3;
}

/** For a service without event tables. */
const WITHOUT_EVENTS = { GR: 0xe0, BS: 0xfc, CS: 0xfc } as const;

/** For a logo of letters, ARIB TR-B14 vol. 4. */
const LOGO_LETTERS_BYTES = 12;

/**
 * Terrestrial stations state the location of their logo; those of satellite stations are listed by the
 * carousel of all logos.
 */
function logoDescriptors(channel: ChannelPlan, station: StationPlan): Uint8Array[] {
  if (logoKind(station) === 'text') return [logoLetters(fitText(station.name, LOGO_LETTERS_BYTES))];
  if (channel.type !== 'GR') return [];
  const logo = networkLogos([channel]).find(({ stations }) =>
    stations.some((each) => each.station === station),
  );
  if (logo === undefined) return [];
  if (logo.owner !== station) return [logoShared(logo.logoId)];
  return [logoInCdt(logo.logoId, LOGO_VERSION, station.serviceId)];
}

/** Tags of the default components, in the map's order. */
const DEFAULT_COMPONENTS = [0x00, 0x10];
/**
 * contract_verification_info is for the card only; its content does not matter for a card that does not
 * exist.
 */
const VERIFICATION_BYTES = 20;

function feeDescriptors(station: StationPlan): Uint8Array[] {
  if (station.pay !== true) return [];
  const random = new Random('contract', station.serviceId);
  const verification = Uint8Array.from({ length: VERIFICATION_BYTES }, () => random.below(0x100));
  return [caContractInfo(DEFAULT_COMPONENTS, verification, '')];
}

interface ServiceEntry {
  serviceId: number;
  /** Reserved bits and EIT flags. */
  flags: number;
  pay: boolean;
  loop: Uint8Array;
}

function stationEntry(stream: ChannelPlan, station: StationPlan): ServiceEntry {
  const loop = descriptors(
    service(station.serviceType, '', station.name),
    isPartialReception(station) ? partialCopyControl() : copyControl('once'),
    ...logoDescriptors(stream, station),
    ...feeDescriptors(station),
  );
  const flags = eitFlags(stream, isPartialReception(station));
  return { serviceId: station.serviceId, flags, pay: station.pay === true, loop };
}

function serviceSections(
  stream: Pick<ChannelPlan, 'networkId' | 'transportStreamId'>,
  actual: boolean,
  services: readonly ServiceEntry[],
): Uint8Array[] {
  return tableSections({
    header: { tableId: actual ? 0x42 : 0x46, extension: stream.transportStreamId, version: VERSION },
    head: () => new ByteWriter().u16(stream.networkId).u8(0xff).done(),
    elements: services.map(({ serviceId, flags, pay, loop }) =>
      // running_status 0, free_CA_mode.
      new ByteWriter()
        .u16(serviceId)
        .u8(flags)
        .counted12(pay ? 1 : 0, loop)
        .done(),
    ),
    counted: false,
  });
}

/** The SDT of a transport stream. @param actual whether it is the one that carries the table */
export function sdtSections(stream: ChannelPlan, actual: boolean): Uint8Array[] {
  const data = (stream.dataServices ?? []).map(
    (plan): ServiceEntry => ({
      serviceId: plan.serviceId,
      flags: WITHOUT_EVENTS[stream.type],
      pay: false,
      loop: service(dataServiceType(plan), '', plan.name),
    }),
  );
  const stations = stream.stations.map((station) => stationEntry(stream, station));
  return serviceSections(stream, actual, [...stations, ...data]);
}

/** The SDT of a stream that is only listed. */
export function namedSdtSections(stream: NamedStream): Uint8Array[] {
  const entries = stream.services.map(
    ({ serviceId, serviceType, name }): ServiceEntry => ({
      serviceId,
      flags: WITHOUT_EVENTS[stream.type],
      pay: false,
      loop: service(serviceType, '', name),
    }),
  );
  return serviceSections(stream, false, entries);
}

/** Time and date table, which has no CRC. */
export function tdtSection(at: BroadcastMs): Uint8Array {
  return plainSection(0x70, Uint8Array.from(encodeJstTime(at)));
}

/** Time offset table without descriptors. */
export function totSection(at: BroadcastMs): Uint8Array {
  return shortSection(0x73, new ByteWriter().bytes(encodeJstTime(at)).u16(0xf000).done());
}
