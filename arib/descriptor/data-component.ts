import type { Reader } from '../reader.ts';

/** Data component descriptor, tag 0xFD. ARIB STD-B10 Part 2, 6.2.20. */
export interface DataComponentDescriptor {
  readonly kind: 'data_component';
  /** data_component_id, 16 bits: 0x0008 caption, 0x0012 one-segment caption, 0x0007/0x000C/0x000D BML. */
  readonly dataComponentId: number;
  /** additional_data_component_info, whose layout depends on the id. */
  readonly additionalInfo: Uint8Array;
}

export function parseDataComponent(r: Reader): DataComponentDescriptor {
  return { kind: 'data_component', dataComponentId: r.u16(), additionalInfo: r.rest() };
}
