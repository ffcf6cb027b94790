import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readAdtsHeader } from './adts.ts';
import { CONFIG_LENGTH, DualMonoConfigurer, isBareDualMono, twoChannelConfig } from './dual-mono.ts';

/** ADTS header without CRC, AAC-LC, 48 kHz. */
function frame(channelConfiguration: number, payload: readonly number[], crc = false): Uint8Array {
  const headerLength = crc ? 9 : 7;
  const length = headerLength + payload.length;
  return Uint8Array.from([
    0xff, // syncword
    crc ? 0xf8 : 0xf9, // syncword, ID 1 (MPEG-2), layer 00, protection_absent
    0x4c | (channelConfiguration >> 2), // profile 01, sampling_frequency_index 0011, private_bit 0, channel (1)
    ((channelConfiguration & 3) << 6) | (length >> 11), // channel (2), original, home, copyright (2), length (2)
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f, // length (3), buffer fullness (5)
    0xfc, // buffer fullness (6), number_of_raw_data_blocks_in_frame 00
    ...(crc ? [0x12, 0x34] : []),
    ...payload,
  ]);
}

/** id_syn_ele 000 (single channel element), tag 0, then arbitrary audio data. */
const SINGLE = [0x01, 0xaa, 0xbb, 0xcc];
/** id_syn_ele 101 (program_config_element). */
const CONFIGURED = [0xa0, 0xaa, 0xbb, 0xcc];
/** id_syn_ele 001 (channel pair element). */
const PAIR = [0x20, 0xaa, 0xbb, 0xcc];

function rewrite(stream: Uint8Array, sizes: readonly number[] = [stream.length]): Uint8Array {
  const configurer = new DualMonoConfigurer();
  const out: number[] = [];
  let at = 0;
  for (let index = 0; at < stream.length; index += 1) {
    const size = Math.max(1, sizes[index % sizes.length] ?? 1);
    out.push(...configurer.feed(stream.subarray(at, at + size)));
    at += size;
  }
  return Uint8Array.from(out);
}

test('the configuration declares two front channels in seven octets', () => {
  // 101 0000 01 0011 0010 0000 0000 00 000 0000 000 00000 00001 0 | 00000000
  expect([...twoChannelConfig(1, 3)]).toEqual([0xa0, 0x99, 0x00, 0x00, 0x00, 0x02, 0x00]);
});

describe('frames', () => {
  test('of two single channel elements without a configuration get one, and their length is adjusted', () => {
    const out = rewrite(frame(0, SINGLE));
    expect(readAdtsHeader(out, 0)).toMatchObject({
      channelConfiguration: 0,
      frameLength: 7 + CONFIG_LENGTH + 4,
    });
    expect([...out.subarray(7, 14)]).toEqual([...twoChannelConfig(1, 3)]);
    expect([...out.subarray(14)]).toEqual(SINGLE);
    expect(isBareDualMono(frame(0, SINGLE), 0)).toBe(true);
    expect(isBareDualMono(out, 0)).toBe(false);
  });

  test('lose their CRC, which would no longer match the changed content', () => {
    const out = rewrite(frame(0, SINGLE, true));
    expect(readAdtsHeader(out, 0)).toMatchObject({ headerLength: 7, frameLength: 7 + CONFIG_LENGTH + 4 });
    expect([...out.subarray(14)]).toEqual(SINGLE);
  });

  test.each([
    ['stereo', frame(2, PAIR)],
    ['mono', frame(1, SINGLE)],
    ['5.1', frame(6, PAIR)],
    ['configured by itself', frame(0, CONFIGURED)],
  ])('%s pass unchanged', (_name, bytes) => {
    expect([...rewrite(bytes)]).toEqual([...bytes]);
  });

  test('are found again after bytes that are not ADTS', () => {
    const noise = [0x00, 0xff, 0x00, 0xff, 0xf9, 0xff, 0x47];
    const stream = Uint8Array.from([...noise, ...frame(0, SINGLE), ...frame(2, PAIR)]);
    const out = rewrite(stream);
    expect([...out.subarray(0, noise.length)]).toEqual(noise);
    expect(out.length).toBe(stream.length + CONFIG_LENGTH);
  });
});

test('chunks of any size give the same stream', () => {
  const frames = [
    frame(0, SINGLE),
    frame(2, PAIR),
    frame(0, SINGLE, true),
    frame(0, CONFIGURED),
    frame(0, SINGLE),
  ];
  const stream = Uint8Array.from(frames.flatMap((one) => [...one]));
  const whole = rewrite(stream);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sizes) => {
      expect([...rewrite(stream, sizes)]).toEqual([...whole]);
    }),
  );
});

test('any bytes are preserved, with at most one configuration added per frame', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
      const out = rewrite(bytes, [size]);
      // Each configuration is inserted in a frame of at least eight octets.
      expect(out.length).toBeLessThanOrEqual(bytes.length * 2);
      expect(out.length).toBeGreaterThanOrEqual(bytes.length - 10 - 2 * Math.ceil(bytes.length / 9));
    }),
  );
});
