/**
 * BIT: ARIB STD-B10 Part 2, 5.2.13. Its SI parameter descriptors list the actual cycles of the tables, in the
 * layouts of ARIB TR-B14 vol. 4 (terrestrial) and TR-B15 vol. 4 (BS, CS).
 */
import { DAY_MS, SCHEDULE_DAYS } from '../guide/programme.ts';
import type { ChannelPlan, Scenario } from '../scenario/model.ts';
import { ByteWriter } from './bytes.ts';
import type { NetworkCycles, ScheduleCycles } from './cycles.ts';
import { descriptors, serviceList } from './descriptors.ts';
import { toBcd } from './jst-time.ts';
import { namedStreamsOf, networkOf, servicesOf } from './network.ts';
import { tableSections } from './section.ts';
import { broadcasterName, extendedBroadcaster, siParameter } from './service-descriptors.ts';

/** Seconds between repetitions. */
export interface SentCycles {
  nit: number;
  sdt: number;
  bit: number;
  sdtt: number;
  cdt: number;
  events: NetworkCycles;
  /** Of the other streams of the network; absent on terrestrial networks. */
  others?: { sdt: number };
}

const VERSION = 1;
/** Modified Julian date of the day from which the cycles are valid: 2025-01-01. */
const VALID_FROM = 40_587 + Date.UTC(2025, 0, 1) / DAY_MS;
const TELEVISION = 1;
/** broadcaster_id of terrestrial networks, which have one broadcaster each. */
const ONLY_BROADCASTER = 0xff;

type Parameter = { tableId: number; parameters: Uint8Array };

function cycle(tableId: number, seconds: number): Parameter {
  return { tableId, parameters: Uint8Array.of(toBcd(seconds)) };
}

function longCycle(tableId: number, seconds: number): Parameter {
  const parameters = Uint8Array.of(toBcd(Math.floor(seconds / 100)), toBcd(seconds % 100));
  return { tableId, parameters };
}

/** Three BCD digits. */
function baseCycle(seconds: number): number {
  return (Math.floor(seconds / 100) << 8) | toBcd(seconds % 100);
}

/** A schedule of television. @param others also that of other transport streams */
function schedule(tableId: number, { base, groups }: ScheduleCycles, others: boolean): Parameter {
  const body = new ByteWriter()
    // media_type, pattern 0, EIT_other_flag, reserved 3; schedule_range.
    .u8((TELEVISION << 6) | (others ? 0x08 : 0) | 0x07)
    .u8(toBcd(SCHEDULE_DAYS))
    // base_cycle 12, reserved 2, cycle_group_count 2.
    .u16((baseCycle(base) << 4) | 0x0c | groups.length);
  for (const { segments, seconds } of groups) body.u8(toBcd(segments)).u8(toBcd(seconds));
  return { tableId, parameters: body.done() };
}

/** EIT present/following of terrestrial networks: H, M and L cycle, events of M and L. */
function terrestrialPresentFollowing(seconds: number): Parameter {
  return { tableId: 0x4e, parameters: Uint8Array.of(toBcd(seconds), 0xff, toBcd(seconds), 0x02) };
}

function scheduleParameters({ events: { actual, other } }: SentCycles): Parameter[] {
  const hasOthers = other !== null;
  const own = [schedule(0x50, actual.basic, hasOthers), schedule(0x58, actual.extended, hasOthers)];
  return other === null ? own : [...own, schedule(0x60, other.basic, true)];
}

function networkParameters(cycles: SentCycles): Parameter[] {
  const { others, events } = cycles;
  const { actual, other } = events;
  const list = [cycle(0x40, cycles.nit), cycle(0x42, cycles.sdt)];
  if (others === undefined || other === null)
    return [...list, terrestrialPresentFollowing(actual.presentFollowing), cycle(0xc4, cycles.bit)];
  return [
    ...list,
    cycle(0x46, others.sdt),
    cycle(0x4e, actual.presentFollowing),
    cycle(0x4f, other.presentFollowing),
    longCycle(0xc3, cycles.sdtt),
    cycle(0xc4, cycles.bit),
  ];
}

function parameters(list: readonly Parameter[]): Uint8Array {
  return siParameter(VERSION, VALID_FROM, list);
}

/** Broadcasters of a satellite network: one for each of its streams, numbered from 1. */
function satelliteBroadcasters(scenario: Scenario, channel: ChannelPlan, cycles: SentCycles): Uint8Array[] {
  const own = networkOf(scenario, channel).map((stream) => ({
    name: stream.stations[0]?.name ?? stream.networkName,
    services: servicesOf(stream),
  }));
  const named = namedStreamsOf(scenario, channel).map(({ services }) => ({
    name: services[0]?.name ?? channel.networkName,
    services,
  }));
  return [...own, ...named].map(({ name, services }, index) => {
    const loop = descriptors(
      broadcasterName(name),
      serviceList(services),
      parameters(scheduleParameters(cycles)),
    );
    return new ByteWriter()
      .u8(index + 1)
      .counted12(0xf, loop)
      .done();
  });
}

function terrestrialBroadcaster(channel: ChannelPlan, cycles: SentCycles): Uint8Array {
  const local = [longCycle(0xc3, cycles.sdtt), longCycle(0xc8, cycles.cdt)];
  const loop = descriptors(
    broadcasterName(channel.stations[0]?.name ?? channel.networkName),
    serviceList(servicesOf(channel)),
    parameters([...scheduleParameters(cycles), ...local]),
    extendedBroadcaster(channel.networkId, [channel.remoteControlKey ?? 0]),
  );
  return new ByteWriter().u8(ONLY_BROADCASTER).counted12(0xf, loop).done();
}

export function bitSections(scenario: Scenario, channel: ChannelPlan, cycles: SentCycles): Uint8Array[] {
  const terrestrial = channel.type === 'GR';
  const network = parameters(networkParameters(cycles));
  // broadcast_view_propriety: viewers know broadcasters on satellites, and stations on terrestrial networks.
  const reserved = terrestrial ? 0xe : 0xf;
  return tableSections({
    header: { tableId: 0xc4, extension: channel.networkId, version: VERSION },
    head: (first) => new ByteWriter().counted12(reserved, first ? network : new Uint8Array(0)).done(),
    elements: terrestrial
      ? [terrestrialBroadcaster(channel, cycles)]
      : satelliteBroadcasters(scenario, channel, cycles),
    counted: false,
  });
}
