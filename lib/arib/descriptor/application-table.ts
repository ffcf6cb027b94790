/**
 * The descriptors of application information tables: their union and the loop that reads them. Their tags have other
 * meanings than in all other tables. ARIB STD-B24 Vol. 4, 4 (ETSI TS 102 809, 5.3), IPTVFJ STD-0010.
 */
import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import { latin1, Reader } from '../reader.ts';
import { readText } from '../text/text.ts';
import { type RawDescriptor, rawDescriptor } from './data.ts';

/** Application descriptor, tag 0x00 of an AIT. ETSI TS 102 809, 5.3.5.3. */
interface ApplicationDescriptor {
  readonly kind: 'application';
  readonly profiles: readonly ApplicationProfile[];
  /** service_bound_flag: it ends when another service is selected. */
  readonly serviceBound: boolean;
  /** visibility, 2 bits: 0 hidden, 1 visible to other applications, 3 visible to all. */
  readonly visibility: number;
  /** application_priority, 8 bits. */
  readonly priority: number;
  /** transport_protocol_label: how to fetch it, see `TransportProtocolDescriptor`. */
  readonly transportLabels: readonly number[];
}

interface ApplicationProfile {
  /** application_profile, 16 bits. */
  readonly profile: number;
  readonly version: readonly [major: number, minor: number, micro: number];
}

function parseApplication(r: Reader): ApplicationDescriptor {
  const loop = r.slice(r.u8());
  const profiles: ApplicationProfile[] = [];
  while (loop.remaining > 4)
    profiles.push({ profile: loop.u16(), version: [loop.u8(), loop.u8(), loop.u8()] });
  // service_bound_flag 1, visibility 2, reserved 5
  const flags = r.u8();
  return {
    kind: 'application',
    profiles,
    serviceBound: (flags & 0x80) !== 0,
    visibility: (flags >> 5) & 0x03,
    priority: r.u8(),
    transportLabels: [...r.rest()],
  };
}

/** Application name descriptor, tag 0x01 of an AIT. ETSI TS 102 809, 5.3.5.6.1. */
interface ApplicationNameDescriptor {
  readonly kind: 'application_name';
  readonly names: readonly ApplicationName[];
}

interface ApplicationName {
  readonly language: string;
  readonly name: string;
}

function parseApplicationName(r: Reader): ApplicationNameDescriptor {
  const names: ApplicationName[] = [];
  while (r.remaining > 0) names.push({ language: r.language(), name: readText(r, r.u8()) });
  return { kind: 'application_name', names };
}

/** Transport protocol descriptor, tag 0x02 of an AIT: how an application is fetched. ETSI TS 102 809, 5.3.6. */
interface TransportProtocolDescriptor {
  readonly kind: 'transport_protocol';
  /** transport_protocol_label, used by applications to refer to it. */
  readonly label: number;
  readonly transport: ApplicationTransport;
}

type ApplicationTransport =
  | {
      readonly protocol: 'carousel';
      readonly source: RemoteService | undefined;
      readonly componentTag: number;
    }
  | { readonly protocol: 'http'; readonly urls: readonly ApplicationUrl[] }
  | { readonly protocol: 'unknown'; readonly protocolId: number; readonly selector: Uint8Array };

/** The service with the carousel, if it is another one. */
interface RemoteService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

interface ApplicationUrl {
  readonly base: string;
  /** URL_extension: permitted paths after the base, besides the simple location. */
  readonly extensions: readonly string[];
}

const OBJECT_CAROUSEL = 0x0001;
const HTTP = 0x0003;
const DATA_CAROUSEL = 0x0004;

function parseTransportProtocol(r: Reader): TransportProtocolDescriptor {
  const protocolId = r.u16();
  const label = r.u8();
  return { kind: 'transport_protocol', label, transport: readTransport(protocolId, r) };
}

function readTransport(protocolId: number, r: Reader): ApplicationTransport {
  if (protocolId === HTTP) {
    const urls: ApplicationUrl[] = [];
    while (r.remaining > 0) urls.push(readUrl(r));
    return { protocol: 'http', urls };
  }
  if (protocolId === OBJECT_CAROUSEL || protocolId === DATA_CAROUSEL) {
    // remote_connection 1, reserved 7
    const remote = (r.u8() & 0x80) !== 0;
    return { protocol: 'carousel', source: remote ? readService(r) : undefined, componentTag: r.u8() };
  }
  return { protocol: 'unknown', protocolId, selector: r.rest() };
}

function readService(r: Reader): RemoteService {
  return {
    originalNetworkId: r.u16() as NetworkId,
    transportStreamId: r.u16() as TransportStreamId,
    serviceId: r.u16() as ServiceId,
  };
}

function readUrl(r: Reader): ApplicationUrl {
  const base = latin1(r.take(r.u8()));
  const extensions: string[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) extensions.push(latin1(r.take(r.u8())));
  return { base, extensions };
}

/** Simple application location descriptor, tag 0x15 of an AIT. ETSI TS 102 809, 5.3.7. */
interface SimpleLocationDescriptor {
  readonly kind: 'simple_application_location';
  /** initial_path: after the URL base of the transport. */
  readonly path: string;
}

function parseSimpleLocation(r: Reader): SimpleLocationDescriptor {
  return { kind: 'simple_application_location', path: String.fromCharCode(...r.rest()) };
}

/** Simple application boundary descriptor, tag 0x17 of an AIT: further URLs of an application. ETSI TS 102 809, 5.3.8. */
interface SimpleBoundaryDescriptor {
  readonly kind: 'simple_application_boundary';
  /** boundary_extension: URL prefixes. */
  readonly urls: readonly string[];
}

function parseSimpleBoundary(r: Reader): SimpleBoundaryDescriptor {
  const urls: string[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) urls.push(String.fromCharCode(...r.take(r.u8())));
  return { kind: 'simple_application_boundary', urls };
}

/**
 * Application boundary and permission descriptor, tag 0x30 of an AIT: URLs that an application may open, and its
 * permissions there. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010.
 */
interface BoundaryPermissionDescriptor {
  readonly kind: 'application_boundary_and_permission';
  readonly permissions: readonly BoundaryPermission[];
}

interface BoundaryPermission {
  /** permission_bitmap, 16 bits each. */
  readonly bitmaps: readonly number[];
  /** managed_URL: prefixes that the bitmaps apply to; none: all. */
  readonly urls: readonly string[];
}

function parseBoundaryPermission(r: Reader): BoundaryPermissionDescriptor {
  const permissions: BoundaryPermission[] = [];
  while (r.remaining > 0) {
    const bitmaps: number[] = [];
    for (let left = r.u8(); left > 0 && !r.exhausted; left--) bitmaps.push(r.u16());
    const urls: string[] = [];
    for (let left = r.u8(); left > 0 && !r.exhausted; left--)
      urls.push(String.fromCharCode(...r.take(r.u8())));
    permissions.push({ bitmaps, urls });
  }
  return { kind: 'application_boundary_and_permission', permissions };
}

/** Autostart priority descriptor, tag 0x31 of an AIT. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010. */
interface AutostartPriorityDescriptor {
  readonly kind: 'autostart_priority';
  /** The highest starts. */
  readonly priority: number;
}

function parseAutostartPriority(r: Reader): AutostartPriorityDescriptor {
  return { kind: 'autostart_priority', priority: r.u8() };
}

export type ApplicationTableDescriptor = ReturnType<(typeof PARSERS)[number][1]> | RawDescriptor;

const PARSERS = [
  [0x00, parseApplication],
  [0x01, parseApplicationName],
  [0x02, parseTransportProtocol],
  [0x15, parseSimpleLocation],
  [0x17, parseSimpleBoundary],
  [0x30, parseBoundaryPermission],
  [0x31, parseAutostartPriority],
] as const;

/** Like `readDescriptors`: a truncated descriptor ends the parsing, unknown or too short ones stay raw. */
export function readApplicationDescriptors(r: Reader): ApplicationTableDescriptor[] {
  const descriptors: ApplicationTableDescriptor[] = [];
  while (r.remaining > 0) {
    const tag = r.u8();
    const data = r.take(r.u8());
    if (r.exhausted) break;
    const body = new Reader(data);
    const parsed = PARSERS.find(([own]) => own === tag)?.[1](body);
    descriptors.push(parsed === undefined || body.exhausted ? rawDescriptor(tag, data) : parsed);
  }
  return descriptors;
}
