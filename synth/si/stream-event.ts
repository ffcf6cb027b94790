/**
 * Stream descriptors: event messages and NPT references in sections of table_id 0x3D. ISO/IEC 13818-6, ARIB STD-B24
 * vol. 3, 7; operated according to ARIB TR-B14 vol. 3.
 */
import { ByteWriter } from './bytes.ts';
import { descriptor } from './descriptors.ts';
import { longSection } from './section.ts';

export interface EventMessage {
  /** event_msg_group_id, 12 bits. */
  group: number;
  /** 33 bits; null: it fires when it arrives. */
  npt: number | null;
  type: number;
  id: number;
  version: number;
  data: Uint8Array;
}

interface NptReference {
  /** 33 bits, 90 kHz. */
  stc: number;
  npt: number;
  isRunning: boolean;
}

/** data_event_id 0xF in the upper 4 bits of table_id_extension. */
const DATA_EVENT = 0xf000;

function section(group: number, content: Uint8Array): Uint8Array {
  const header = { tableId: 0x3d, extension: DATA_EVENT | group, version: 0, number: 0, lastNumber: 0 };
  return longSection(header, content);
}

/** Seven reserved bits and 33 of time. */
function time(writer: ByteWriter, ticks: number): ByteWriter {
  return writer.u8(0xfe | (Math.floor(ticks / 2 ** 32) & 1)).u32(ticks % 2 ** 32);
}

/** General event descriptor 0x40. */
export function eventSection({ group, npt, type, id, version, data }: EventMessage): Uint8Array {
  const body = new ByteWriter().u16((group << 4) | 0xf).u8(npt === null ? 0 : 2);
  if (npt === null) body.bytes([0xff, 0xff, 0xff, 0xff, 0xff]);
  else time(body, npt);
  body.u8(type).u8(id).u8(version).bytes(data);
  return section(group, descriptor(0x40, body));
}

/** NPT reference descriptor 0x17. */
export function nptSection({ stc, npt, isRunning }: NptReference): Uint8Array {
  const body = new ByteWriter().u8(0x7f);
  time(body, stc).u24(0xffffff);
  time(body, npt)
    .u16(isRunning ? 1 : 0)
    .u16(1);
  return section(0, descriptor(0x17, body));
}
