/**
 * Parses the payload of a caption PES packet to one data group with a correct CRC: ARIB STD-B24 Vol. 3, 5
 * (independent PES) and Vol. 1 Part 3, 9.2 (data group).
 */
import { Reader } from '../reader.ts';
import { crc16 } from './crc16.ts';

export interface DataGroup {
  /** 'superimpose' for data_identifier 0x81. */
  readonly kind: 'caption' | 'superimpose';
  /** Broadcasters change the group when the management data changes: TR-B14 Vol. 3 Section 2. */
  readonly group: 'A' | 'B';
  /** 0: management data; 1 to 8: statement of that language. */
  readonly number: number;
  /** data_group_data. */
  readonly data: Uint8Array;
  /** Octets of the payload up to the end of the group. */
  readonly size: number;
}

const CAPTION = 0x80;
const SUPERIMPOSE = 0x81;
const PRIVATE_STREAM_ID = 0xff;
/** data_group_id, version, two link numbers, size. */
const HEADER = 5;
const CRC = 2;
const LANGUAGES = 8;

type DataGroupFailure = 'no-caption' | 'damaged';

/**
 * Reads the group at the start of `payload` (PES_packet_data_byte). 'no-caption': another kind of private data;
 * 'damaged': truncated, wrong CRC or a reserved data_group_id.
 */
export function readDataGroup(payload: Uint8Array): DataGroup | DataGroupFailure {
  const r = new Reader(payload);
  const identifier = r.u8();
  if (identifier !== CAPTION && identifier !== SUPERIMPOSE) return 'no-caption';
  if (r.u8() !== PRIVATE_STREAM_ID) return 'no-caption';
  r.skip(r.u8() & 0x0f); // PES_data_private_data_byte
  const start = payload.length - r.remaining;
  const id = r.u8() >> 2;
  r.skip(2); // data_group_link_number, last_data_group_link_number: always 0 in operation
  const size = r.u16();
  if (r.exhausted || r.remaining < size + CRC) return 'damaged';
  const end = start + HEADER + size;
  if (crc16(payload, start, end + CRC) !== 0) return 'damaged';
  const number = id & 0x1f;
  if (number > LANGUAGES) return 'damaged';
  return {
    kind: identifier === CAPTION ? 'caption' : 'superimpose',
    group: (id & 0x20) === 0 ? 'A' : 'B',
    number,
    data: payload.subarray(start + HEADER, end),
    size: end + CRC,
  };
}
