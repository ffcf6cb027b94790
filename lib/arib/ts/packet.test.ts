import { describe, expect, test } from 'bun:test';
import { adaptation, StreamBuilder } from '../../../test/stream-builder.ts';
import {
  continuityCounter,
  hasPayload,
  hasTransportError,
  isDiscontinuity,
  packetPcr,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from './packet.ts';

/** The given octets, padded to a packet with 0xff. */
function packet(...octets: number[]): Uint8Array {
  const bytes = new Uint8Array(188).fill(0xff);
  bytes.set(octets);
  return bytes;
}

/** A packet of PID 0x0111 with all header fields in use. */
const FULL = packet(
  0x47, // sync_byte
  0xc1, // transport_error_indicator 1, payload_unit_start_indicator 1, priority 0, PID high 0x01
  0x11, // PID low
  0xbb, // scrambling 10 (even key), adaptation_field_control 11, continuity_counter 11
  0x07, // adaptation_field_length
  0xd0, // discontinuity 1, random_access 1, priority 0, PCR_flag 1, no OPCR, splice, private data, extension
  0x80, // program_clock_reference_base, bits 32 to 25
  0x00,
  0x00,
  0x00, // bits 8 to 1
  0xff, // bit 0 = 1, six reserved bits, extension bit 8 = 1
  0x2b, // extension bits 7 to 0: 0x12b = 299
);

describe('the packet header', () => {
  test('is read field by field', () => {
    expect(packetPid(FULL, 0)).toBe(0x111 as never);
    expect(hasTransportError(FULL, 0)).toBe(true);
    expect(startsUnit(FULL, 0)).toBe(true);
    expect(scramblingControl(FULL, 0)).toBe(2);
    expect(continuityCounter(FULL, 0)).toBe(11);
    expect(payloadStart(FULL, 0)).toBe(12);
  });

  test('is read at any offset', () => {
    const stream = new Uint8Array(3 * 188);
    stream.set(FULL, 188);
    expect(packetPid(stream, 188)).toBe(0x111 as never);
    expect(payloadStart(stream, 188)).toBe(200);
    expect(packetPcr(stream, 188)).toBe((2 ** 32 + 1) * 300 + 299);
  });

  test('without an adaptation field gives 184 octets of payload', () => {
    const plain = packet(0x47, 0x1f, 0xff, 0x10);
    expect(packetPid(plain, 0)).toBe(0x1fff as never);
    expect(payloadStart(plain, 0)).toBe(4);
    expect(packetPcr(plain, 0)).toBeUndefined();
    expect(isDiscontinuity(plain, 0)).toBe(false);
  });
});

describe('the adaptation field', () => {
  test('has the discontinuity indicator and the PCR', () => {
    expect(isDiscontinuity(FULL, 0)).toBe(true);
    expect(packetPcr(FULL, 0)).toBe((2 ** 32 + 1) * 300 + 299);
  });

  test('may be empty: one octet of stuffing', () => {
    const stuffed = packet(0x47, 0x01, 0x00, 0x30, 0x00, 0x90);
    expect(packetPcr(stuffed, 0)).toBeUndefined();
    expect(isDiscontinuity(stuffed, 0)).toBe(false);
    expect(payloadStart(stuffed, 0)).toBe(5);
  });

  test('is ignored, like the payload, when it is longer than the packet', () => {
    const damaged = packet(0x47, 0x01, 0x00, 0x30, 0xf0, 0x10);
    expect(packetPcr(damaged, 0)).toBeUndefined();
    expect(payloadStart(damaged, 0)).toBe(188);
  });

  test('has no PCR when it is too short for the one its flag announces', () => {
    expect(packetPcr(packet(0x47, 0x01, 0x00, 0x20, 0x06, 0x10), 0)).toBeUndefined();
  });

  test('fills a packet without payload', () => {
    const [only] = [
      new StreamBuilder().packet(0x1ff, { adaptation: adaptation({ pcr: 27_000_000 * 3600 }) }),
    ];
    const bytes = only?.bytes() ?? new Uint8Array();
    expect(hasPayload(bytes, 0)).toBe(false);
    expect(payloadStart(bytes, 0)).toBe(188);
    expect(packetPcr(bytes, 0)).toBe(27_000_000 * 3600);
  });

  test('carries every PCR value', () => {
    for (const pcr of [0, 299, 300, 2 ** 33 * 300 - 1, 1_234_567_890_123]) {
      const bytes = new StreamBuilder().packet(0x1ff, { adaptation: adaptation({ pcr }) }).bytes();
      expect(packetPcr(bytes, 0)).toBe(pcr);
    }
  });
});
