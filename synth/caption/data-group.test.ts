import { expect, test } from 'bun:test';
import {
  captionPes,
  crc16,
  dataUnit,
  managementGroup,
  statementGroup,
  superimposePes,
  UNIT,
} from './data-group.ts';

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

test("CRC_16 equals XMODEM's", () => {
  // The check value in the catalogue of CRCs.
  expect(crc16(new TextEncoder().encode('123456789'))).toBe(0x31c3);
  expect(crc16(Uint8Array.of())).toBe(0);
});

test('management data of one language, group A', () => {
  const group = managementGroup('A', [{ code: 'jpn', displayMode: 0b1010 }]);
  expect(hex(group)).toBe(
    [
      '00', // data_group_id 0x00, data_group_version 0
      '0000', // data_group_link_number, last_data_group_link_number
      '000a', // data_group_size: ten bytes
      '3f', // TMD 00 (free), reserved
      '01', // num_languages
      '1a', // language_tag 0, reserved, DMF 1010 (chosen live and recorded)
      '6a706e', // "jpn"
      '80', // Format 8 (horizontal, 960x540), TCS 00 (8-unit code), rollup_mode 00
      '000000', // data_unit_loop_length
      'b078', // CRC_16
    ].join(''),
  );
});

test('management data of two languages, group B, shown always', () => {
  const group = managementGroup('B', [
    { code: 'jpn', displayMode: 0 },
    { code: 'eng', displayMode: 0b1010 },
  ]);
  expect(hex(group.subarray(0, -2))).toBe(
    [
      '80', // data_group_id 0x20
      '0000',
      '000f', // fifteen bytes
      '3f',
      '02', // two languages
      '10', // tag 0, DMF 0000
      '6a706e', // "jpn"
      '80',
      '3a', // tag 1, DMF 1010
      '656e67', // "eng"
      '80',
      '000000',
    ].join(''),
  );
  expect(crc16(group)).toBe(0);
});

test('a statement that erases the page of the second language', () => {
  const erase = dataUnit(UNIT.text, Uint8Array.of(0x0c));
  expect(hex(statementGroup('B', 1, [erase]).subarray(0, -2))).toBe(
    [
      '88', // data_group_id 0x22: group B, second language
      '0000',
      '000a',
      '3f', // TMD 00
      '000006', // data_unit_loop_length
      '1f', // unit_separator
      '20', // data_unit_parameter: statement body
      '000001', // data_unit_size
      '0c', // CS
    ].join(''),
  );
});

test('a synchronised PES packet carries its time stamp', () => {
  // 1 + 2^15 + 2^30, past the wrap of 33 bits.
  const pes = captionPes(2 ** 33 + 2 ** 30 + 2 ** 15 + 1, Uint8Array.of(0xaa));
  expect(hex(pes)).toBe(
    [
      '000001bd', // private_stream_1
      '000c', // PES_packet_length: twelve bytes follow
      '84', // '10', data_alignment_indicator
      '80', // PTS alone
      '05', // PES_header_data_length
      '23', // '0010', PTS[32..30] = 1, marker
      '0003', // PTS[29..15] = 1, marker
      '0003', // PTS[14..0] = 1, marker
      '80', // data_identifier: synchronised
      'ff', // private_stream_id
      'f0', // reserved, PES_data_packet_header_length 0
      'aa',
    ].join(''),
  );
});

test('an asynchronous one has no header', () => {
  expect(hex(superimposePes(Uint8Array.of(0xaa)))).toBe('000001bf' + '0004' + '81fff0' + 'aa');
});
