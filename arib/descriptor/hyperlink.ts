import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Hyperlink descriptor, tag 0xC5: from an event to related content. ARIB STD-B10 Part 2, 6.2.29. */
export interface HyperlinkDescriptor {
  readonly kind: 'hyperlink';
  /** hyper_linkage_type: 1 combined data, 2 combined stream, 3 content to index, 4 index to content, 5 guide data. */
  readonly linkageType: number;
  readonly destination: LinkDestination;
  readonly privateData: Uint8Array;
}

type LinkDestination =
  | ({ readonly to: 'service' } & LinkedService)
  | ({ readonly to: 'event'; readonly eventId: EventId } & LinkedService)
  | ({ readonly to: 'module'; readonly eventId: EventId } & LinkedService & LinkedModule)
  | ({ readonly to: 'content'; readonly contentId: number } & LinkedService)
  | ({ readonly to: 'content-module'; readonly contentId: number } & LinkedService & LinkedModule)
  | ErtNode
  | { readonly to: 'stored-content'; readonly uri: string }
  | { readonly to: 'unknown'; readonly destinationType: number; readonly selector: Uint8Array };

interface LinkedService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

interface LinkedModule {
  readonly componentTag: number;
  readonly moduleId: number;
}

/** A node of an event relation table. */
interface ErtNode {
  readonly to: 'node';
  readonly informationProviderId: number;
  readonly eventRelationId: number;
  readonly nodeId: number;
}

/** Undefined if the selector is shorter than its destination requires. */
export function parseHyperlink(r: Reader): HyperlinkDescriptor | undefined {
  const linkageType = r.u8();
  const destinationType = r.u8();
  const selector = r.slice(r.u8());
  const destination = readDestination(destinationType, selector);
  if (selector.exhausted) return undefined;
  return { kind: 'hyperlink', linkageType, destination, privateData: r.rest() };
}

function readDestination(destinationType: number, r: Reader): LinkDestination {
  switch (destinationType) {
    case 1:
      return { to: 'service', ...readService(r) };
    case 2:
      return { to: 'event', ...readService(r), eventId: r.u16() as EventId };
    case 3:
      return { to: 'module', ...readService(r), eventId: r.u16() as EventId, ...readModule(r) };
    case 4:
      return { to: 'content', ...readService(r), contentId: r.u32() };
    case 5:
      return { to: 'content-module', ...readService(r), contentId: r.u32(), ...readModule(r) };
    case 6:
      return { to: 'node', informationProviderId: r.u16(), eventRelationId: r.u16(), nodeId: r.u16() };
    case 7:
      return { to: 'stored-content', uri: String.fromCharCode(...r.rest()) };
    default:
      return { to: 'unknown', destinationType, selector: r.rest() };
  }
}

function readService(r: Reader): LinkedService {
  return {
    originalNetworkId: r.u16() as NetworkId,
    transportStreamId: r.u16() as TransportStreamId,
    serviceId: r.u16() as ServiceId,
  };
}

function readModule(r: Reader): LinkedModule {
  return { componentTag: r.u8(), moduleId: r.u16() };
}
