import type { NetworkId, ServiceId, TransportStreamId } from '../../ids.ts';
import type { Reader } from '../../reader.ts';

/** Transport protocol descriptor, tag 0x02 of an AIT: how an application is fetched. ETSI TS 102 809, 5.3.6. */
export interface TransportProtocolDescriptor {
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

export function parseTransportProtocol(r: Reader): TransportProtocolDescriptor {
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

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
