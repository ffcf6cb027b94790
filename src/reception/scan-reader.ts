/**
 * Identifies a stream by its own NIT and SDT, which must be complete and consistent. Pure; damaged sections are
 * dropped before. ARIB STD-B10 Part 2, 5.2.4 and 5.2.6; TR-B14 Vol. 4, TR-B15 Vol. 4.
 */
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import { type BroadcastType, broadcastTypeOf, type TransportStreamId } from '../../lib/arib/ids.ts';
import { CompleteTables } from '../../lib/arib/si/complete-tables.ts';
import {
  type DescribedService,
  type DescribedStream,
  NIT_PID,
  type Nit,
  SDT_PID,
  type Sdt,
} from '../../lib/arib/si/service-tables.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import { defineReader } from './reader-kind.ts';
import type { ScannedService, ScannedStream, SurveyFindings } from './survey-types.ts';

/** `findings` so far; the last one is posted before the reader ends. */
export const scanReader = defineReader<{ type: BroadcastType }, never, SurveyFindings>({
  name: 'scan',
  start: ({ type }, context) => {
    const reader = new ScanReader(type);
    context.select([NIT_PID, SDT_PID]);
    return {
      feed: (packets) => {
        reader.feed(packets);
        if (reader.complete) context.finish();
      },
      close: () => context.post(reader.findings()),
    };
  },
});

export class ScanReader {
  readonly #demux = new SectionDemux([NIT_PID, SDT_PID]);
  readonly #tables = new CompleteTables();
  #nit: Nit | undefined;
  #sdt: Sdt | undefined;
  #stream: ScannedStream | undefined;

  constructor(private readonly type: BroadcastType) {}

  get complete(): boolean {
    return this.#stream !== undefined;
  }

  /** Takes whole, aligned packets. */
  feed(packets: Uint8Array): void {
    for (const section of this.#demux.feed(packets)) {
      const table = this.#tables.add(section);
      if (table?.kind === 'nit' && table.table.actual) this.#nit = table.table;
      else if (table?.kind === 'sdt' && table.table.actual) this.#sdt = table.table;
      else continue;
      // A tuner may first deliver data of the previous channel: inconsistent tables are skipped.
      if (this.#contradiction === undefined) this.#stream ??= this.#read();
    }
  }

  findings(): SurveyFindings {
    if (this.#stream !== undefined) return { stream: this.#stream };
    const contradiction = this.#contradiction;
    return contradiction === undefined ? {} : { contradiction };
  }

  get #contradiction(): string | undefined {
    if (this.#nit === undefined || this.#sdt === undefined) return undefined;
    const type = broadcastTypeOf(this.#nit.networkId);
    if (type !== this.type) return '別の種類の放送でした';
    return this.#own() === undefined ? 'NIT と SDT が別の放送を指しています' : undefined;
  }

  /** The NIT's entry for the stream that the SDT describes. */
  #own(): DescribedStream | undefined {
    const { transportStreamId, originalNetworkId } = this.#sdt ?? {};
    return this.#nit?.transportStreams.find(
      (stream) =>
        stream.transportStreamId === transportStreamId && stream.originalNetworkId === originalNetworkId,
    );
  }

  #read(): ScannedStream | undefined {
    const own = this.#own();
    if (this.#nit === undefined || this.#sdt === undefined || own === undefined) return undefined;
    return {
      networkId: this.#nit.networkId,
      transportStreamId: own.transportStreamId,
      remoteControlKey: findDescriptor(own.descriptors, 'ts_information')?.remoteControlKeyId ?? null,
      services: this.#sdt.services.map(readService).filter((service) => service !== undefined),
      transponder: transponderOf(own, this.#nit),
    };
  }
}

/** Undefined for a service without a service descriptor. */
function readService({ serviceId, descriptors }: DescribedService): ScannedService | undefined {
  const service = findDescriptor(descriptors, 'service');
  if (service === undefined) return undefined;
  return { serviceId, name: service.name.trim(), serviceType: service.serviceType };
}

function frequencyOf(stream: DescribedStream): number | undefined {
  return findDescriptor(stream.descriptors, 'satellite_delivery')?.frequency;
}

function transponderOf(own: DescribedStream, nit: Nit): TransportStreamId[] {
  const frequency = frequencyOf(own);
  if (frequency === undefined) return [];
  return nit.transportStreams
    .filter((stream) => frequencyOf(stream) === frequency)
    .map((stream) => stream.transportStreamId);
}
