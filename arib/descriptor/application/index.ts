/**
 * The descriptors of application information tables: their union and the loop that reads them. Their tags have other
 * meanings than in all other tables. ARIB STD-B24 Vol. 4, 4 (ETSI TS 102 809, 5.3), IPTVFJ STD-0010.
 */
import { Reader } from '../../reader.ts';
import { type RawDescriptor, rawDescriptor } from '../raw.ts';
import { type ApplicationDescriptor, parseApplication } from './application.ts';
import { type AutostartPriorityDescriptor, parseAutostartPriority } from './autostart-priority.ts';
import { type BoundaryPermissionDescriptor, parseBoundaryPermission } from './boundary-permission.ts';
import { type CacheControlDescriptor, parseCacheControl } from './cache-control.ts';
import { type ApplicationNameDescriptor, parseApplicationName } from './name.ts';
import { parseRandomizedLatency, type RandomizedLatencyDescriptor } from './randomized-latency.ts';
import { parseSimpleLocation, type SimpleLocationDescriptor } from './simple-location.ts';
import { parseTransportProtocol, type TransportProtocolDescriptor } from './transport-protocol.ts';
import { type ApplicationUsageDescriptor, parseApplicationUsage } from './usage.ts';

type KnownApplicationDescriptor =
  | ApplicationDescriptor
  | ApplicationNameDescriptor
  | TransportProtocolDescriptor
  | SimpleLocationDescriptor
  | ApplicationUsageDescriptor
  | BoundaryPermissionDescriptor
  | AutostartPriorityDescriptor
  | CacheControlDescriptor
  | RandomizedLatencyDescriptor;

export type ApplicationTableDescriptor = KnownApplicationDescriptor | RawDescriptor;

const PARSERS: ReadonlyMap<number, (body: Reader) => KnownApplicationDescriptor> = new Map<
  number,
  (body: Reader) => KnownApplicationDescriptor
>([
  [0x00, parseApplication],
  [0x01, parseApplicationName],
  [0x02, parseTransportProtocol],
  [0x15, parseSimpleLocation],
  [0x16, parseApplicationUsage],
  [0x30, parseBoundaryPermission],
  [0x31, parseAutostartPriority],
  [0x32, parseCacheControl],
  [0x33, parseRandomizedLatency],
]);

/** Like `readDescriptors`: a truncated descriptor ends the parsing, unknown or too short ones stay raw. */
export function readApplicationDescriptors(r: Reader): ApplicationTableDescriptor[] {
  const descriptors: ApplicationTableDescriptor[] = [];
  while (r.remaining > 0) {
    const tag = r.u8();
    const data = r.take(r.u8());
    if (r.exhausted) break;
    const body = new Reader(data);
    const parsed = PARSERS.get(tag)?.(body);
    descriptors.push(parsed === undefined || body.exhausted ? rawDescriptor(tag, data) : parsed);
  }
  return descriptors;
}
