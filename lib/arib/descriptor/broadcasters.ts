/** Descriptors of broadcasters, in a BIT. */
import type { NetworkId } from '../ids.ts';
import { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';
import { type BroadcastMs, jstTime } from '../time.ts';

/** Broadcaster name descriptor, tag 0xD8, of a BIT. ARIB STD-B10 Part 2, 6.2.36. */
interface BroadcasterNameDescriptor {
  readonly kind: 'broadcaster_name';
  readonly name: string;
}

export function parseBroadcasterName(r: Reader): BroadcasterNameDescriptor {
  return { kind: 'broadcaster_name', name: readText(r, r.remaining) };
}

/** Extended broadcaster descriptor, tag 0xCE, of terrestrial BITs. ARIB STD-B10 Part 2, 6.2.43. */
type ExtendedBroadcasterDescriptor = TerrestrialBroadcaster | OtherBroadcaster;

interface TerrestrialBroadcaster {
  readonly kind: 'extended_broadcaster';
  readonly type: 'television' | 'sound';
  /** terrestrial_broadcaster_id (terrestrial_sound_broadcaster_id), 16 bits. */
  readonly broadcasterId: number;
  /** affiliation_id: the station networks that it belongs to. */
  readonly affiliations: readonly number[];
  /** Broadcasters of other networks that are the same broadcaster. */
  readonly broadcasters: readonly NetworkBroadcaster[];
  readonly privateData: Uint8Array;
}

interface NetworkBroadcaster {
  readonly originalNetworkId: NetworkId;
  readonly broadcasterId: number;
}

interface OtherBroadcaster {
  readonly kind: 'extended_broadcaster';
  readonly type: 'unknown';
  /** broadcaster_type as sent, 4 bits. */
  readonly broadcasterType: number;
  readonly data: Uint8Array;
}

const TYPES: readonly (TerrestrialBroadcaster['type'] | undefined)[] = [undefined, 'television', 'sound'];

export function parseExtendedBroadcaster(r: Reader): ExtendedBroadcasterDescriptor {
  const kind = 'extended_broadcaster';
  // broadcaster_type 4, reserved 4
  const broadcasterType = r.u8() >> 4;
  const type = TYPES[broadcasterType];
  if (type === undefined) return { kind, type: 'unknown', broadcasterType, data: r.rest() };
  const broadcasterId = r.u16();
  // number_of_affiliation_id_loop 4, number_of_broadcaster_id_loop 4
  const counts = r.u8();
  const affiliations = [...r.take(counts >> 4)];
  const broadcasters: NetworkBroadcaster[] = [];
  for (let left = counts & 0x0f; left > 0; left--) {
    broadcasters.push({ originalNetworkId: r.u16() as NetworkId, broadcasterId: r.u8() });
  }
  return { kind, type, broadcasterId, affiliations, broadcasters, privateData: r.rest() };
}

/** SI parameter descriptor, tag 0xD7, of a BIT: how often tables are sent. ARIB STD-B10 Part 2, 6.2.35. */
interface SiParameterDescriptor {
  readonly kind: 'si_parameter';
  /** parameter_version, 8 bits. */
  readonly parameterVersion: number;
  /** update_time: start (JST) of the day from which the parameters apply. */
  readonly updateDate: BroadcastMs | undefined;
  readonly tables: readonly TableParameter[];
}

/** Cycles are in seconds; undefined if the number is not BCD (0xFF: none). ARIB TR-B14, TR-B15 Vol. 4. */
export type TableParameter = CycleParameter | PresentFollowingParameter | ScheduleParameter | OtherParameter;

interface CycleParameter {
  readonly kind: 'cycle';
  readonly tableId: number;
  readonly cycle: number | undefined;
}

/** EIT present/following of a terrestrial network. */
interface PresentFollowingParameter {
  readonly kind: 'present-following';
  readonly tableId: number;
  readonly hCycle: number | undefined;
  readonly mCycle: number | undefined;
  readonly lCycle: number | undefined;
  /** Events of M-EIT and L-EIT, 4 bits each. */
  readonly mEvents: number;
  readonly lEvents: number;
}

/** EIT schedule, by type of service. */
interface ScheduleParameter {
  readonly kind: 'schedule';
  readonly tableId: number;
  readonly media: readonly ScheduleMedia[];
}

interface ScheduleMedia {
  /** media_type, 2 bits: 1 television, 2 sound, 3 data. */
  readonly mediaType: number;
  /** pattern, 2 bits. */
  readonly pattern: number;
  /** EIT_other_flag: also for other transport streams (BS and CS). */
  readonly other: boolean;
  /** schedule_range, in days. */
  readonly days: number | undefined;
  /** base_cycle, for days that are in no group. */
  readonly baseCycle: number | undefined;
  /** Nearer days that are sent more often. */
  readonly groups: readonly ScheduleGroup[];
}

interface ScheduleGroup {
  /** num_of_segment: segments of three hours. */
  readonly segments: number | undefined;
  readonly cycle: number | undefined;
}

interface OtherParameter {
  readonly kind: 'unknown';
  readonly tableId: number;
  readonly data: Uint8Array;
}

type ParameterReader = (tableId: number, r: Reader) => TableParameter | undefined;

/** table_id to layout. */
const LAYOUTS: readonly (readonly [first: number, last: number, read: ParameterReader])[] = [
  [0x40, 0x40, cycle8],
  [0x42, 0x42, cycle8],
  [0x46, 0x46, cycle8],
  [0x4e, 0x4e, presentFollowing],
  [0x4f, 0x4f, cycle8],
  [0x50, 0x6f, schedule],
  [0xc3, 0xc3, cycle16],
  [0xc4, 0xc6, cycle8],
  [0xc7, 0xc8, cycle16],
];

export function parseSiParameter(r: Reader): SiParameterDescriptor {
  const parameterVersion = r.u8();
  const updateDate = jstTime(r.u16(), 0, 0, 0);
  const tables: TableParameter[] = [];
  while (r.remaining > 0) tables.push(readTable(r.u8(), r.take(r.u8())));
  return { kind: 'si_parameter', parameterVersion, updateDate, tables };
}

function readTable(tableId: number, data: Uint8Array): TableParameter {
  const layout = LAYOUTS.find(([first, last]) => tableId >= first && tableId <= last);
  if (layout !== undefined) {
    const r = new Reader(data);
    const parameter = layout[2](tableId, r);
    if (parameter !== undefined && !r.exhausted) return parameter;
  }
  return { kind: 'unknown', tableId, data };
}

function cycle8(tableId: number, r: Reader): TableParameter {
  return { kind: 'cycle', tableId, cycle: r.bcd(1) };
}

function cycle16(tableId: number, r: Reader): TableParameter {
  return { kind: 'cycle', tableId, cycle: r.bcd(2) };
}

/** One octet on BS and CS, four on terrestrial networks. */
function presentFollowing(tableId: number, r: Reader): TableParameter {
  if (r.remaining === 1) return cycle8(tableId, r);
  const hCycle = r.bcd(1);
  const mCycle = r.bcd(1);
  const lCycle = r.bcd(1);
  // num_of_M-EIT_event 4, num_of_L-EIT_event 4
  const events = r.u8();
  const kind = 'present-following';
  return { kind, tableId, hCycle, mCycle, lCycle, mEvents: events >> 4, lEvents: events & 0x0f };
}

function schedule(tableId: number, r: Reader): TableParameter {
  const media: ScheduleMedia[] = [];
  while (r.remaining > 0) media.push(readMedia(r));
  return { kind: 'schedule', tableId, media };
}

function readMedia(r: Reader): ScheduleMedia {
  // media_type 2, pattern 2, EIT_other_flag 1, reserved 3
  const flags = r.u8();
  const days = r.bcd(1);
  // base_cycle 12 (three digits), reserved 2, cycle_group_count 2
  const base = r.u16();
  const groups: ScheduleGroup[] = [];
  for (let left = base & 0x03; left > 0; left--) groups.push({ segments: r.bcd(1), cycle: r.bcd(1) });
  return {
    mediaType: flags >> 6,
    pattern: (flags >> 4) & 0x03,
    other: (flags & 0x08) !== 0,
    days,
    baseCycle: threeDigits(base >> 4),
    groups,
  };
}

function threeDigits(value: number): number | undefined {
  const digits = [value >> 8, (value >> 4) & 0x0f, value & 0x0f];
  if (digits.some((digit) => digit > 9)) return undefined;
  return digits.reduce((sum, digit) => sum * 10 + digit, 0);
}
