import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Mosaic descriptor, tag 0x51: a picture composed of several services. ARIB STD-B10 Part 2, 6.2.9. */
export interface MosaicDescriptor {
  readonly kind: 'mosaic';
  /** mosaic_entry_point: this is the first of several mosaic services. */
  readonly entryPoint: boolean;
  /** Elementary cells across, 1 to 8. */
  readonly columns: number;
  /** Elementary cells down, 1 to 8. */
  readonly rows: number;
  readonly cells: readonly LogicalCell[];
}

interface LogicalCell {
  /** logical_cell_id, 6 bits. */
  readonly id: number;
  /** logical_cell_presentation_info, 3 bits: 1 video, 2 still picture, 3 graphics or text. */
  readonly presentation: number;
  /** elementary_cell_id, from the upper left. */
  readonly elementaryCells: readonly number[];
  readonly link: CellLink;
}

/** cell_linkage_info; 'guide' is an event, 'mosaic' another mosaic service. */
type CellLink =
  | { readonly to: 'none' }
  | { readonly to: 'bouquet'; readonly bouquetId: number }
  | ({ readonly to: 'service' | 'mosaic' } & CellService)
  | ({ readonly to: 'event'; readonly eventId: EventId } & CellService);

interface CellService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

export function parseMosaic(r: Reader): MosaicDescriptor {
  // mosaic_entry_point 1, horizontal cells 3, reserved 1, vertical cells 3
  const head = r.u8();
  const cells: LogicalCell[] = [];
  while (r.remaining > 0) {
    // logical_cell_id 6, reserved 7, logical_cell_presentation_info 3
    const flags = r.u16();
    const fields = r.slice(r.u8());
    const elementaryCells: number[] = [];
    while (fields.remaining > 0) elementaryCells.push(fields.u8() & 0x3f);
    cells.push({ id: flags >> 10, presentation: flags & 0x07, elementaryCells, link: readLink(r) });
  }
  return {
    kind: 'mosaic',
    entryPoint: (head & 0x80) !== 0,
    columns: ((head >> 4) & 0x07) + 1,
    rows: (head & 0x07) + 1,
    cells,
  };
}

function readLink(r: Reader): CellLink {
  switch (r.u8()) {
    case 1:
      return { to: 'bouquet', bouquetId: r.u16() };
    case 2:
      return { to: 'service', ...readService(r) };
    case 3:
      return { to: 'mosaic', ...readService(r) };
    case 4:
      return { to: 'event', ...readService(r), eventId: r.u16() as EventId };
    default:
      return { to: 'none' };
  }
}

function readService(r: Reader): CellService {
  return {
    originalNetworkId: r.u16() as NetworkId,
    transportStreamId: r.u16() as TransportStreamId,
    serviceId: r.u16() as ServiceId,
  };
}
