import { describe, expect, test } from 'bun:test';
import { asMpeg2, joinDualMono, joinPair } from './adts-frame.ts';

/** A mono frame as an encoder writes it: MPEG-4 ID, no CRC, one single channel element of `bits`, END. */
function mono(bits: string): Uint8Array {
  // id_syn_ele 000, element_instance_tag 0000, the channel, END 111.
  const payload = `0000000${bits}111`;
  const octets = (payload.padEnd(Math.ceil(payload.length / 8) * 8, '0').match(/.{8}/g) ?? []).map((octet) =>
    Number.parseInt(octet, 2),
  );
  const length = 7 + octets.length;
  return Uint8Array.from([
    ...[0xff, 0xf1, 0x4c, 0x40 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc],
    ...octets,
  ]);
}

function bitsOf(frame: Uint8Array): string {
  return [...frame].map((octet) => octet.toString(2).padStart(8, '0')).join('');
}

/** CRC-16 of a string of bits, polynomial 0x8005, by long division, with all ones as the initial value. */
function crcOf(bits: string): number {
  let rest = 0xffff;
  for (const bit of bits) {
    const top = rest >> 15;
    rest = ((rest << 1) & 0xffff) ^ (top === Number(bit) ? 0 : 0x8005);
  }
  return rest;
}

const LEFT = '10'.repeat(130);
const RIGHT = '1100'.repeat(20);

describe('without a CRC', () => {
  test('dual mono is two single channel elements and no channel configuration', () => {
    const frame = joinDualMono(mono(LEFT), mono(RIGHT), false);
    const bits = bitsOf(frame);
    // ID 1, layer 00, protection_absent 1.
    expect(bits.slice(12, 16)).toBe('1001');
    // channel_configuration.
    expect(bits.slice(23, 26)).toBe('000');
    expect(Number.parseInt(bits.slice(30, 43), 2)).toBe(frame.length);
    expect(bits.slice(56).replace(/0*$/, '')).toBe(`0000000${LEFT}0000001${RIGHT}111`);
  });

  test('a pair is one channel pair element without a common window', () => {
    const bits = bitsOf(joinPair(mono(LEFT), mono(RIGHT), false));
    expect(bits.slice(23, 26)).toBe('010');
    expect(bits.slice(56).replace(/0*$/, '')).toBe(`00100000${LEFT}${RIGHT}111`);
  });

  test('a frame of an encoder becomes MPEG-2', () => {
    const frame = mono(LEFT);
    expect([...asMpeg2(frame).subarray(0, 2)]).toEqual([0xff, 0xf9]);
    expect(frame[1]).toBe(0xf1);
  });
});

describe('with a CRC', () => {
  test('it covers the header and 192 bits of each single channel element, with zeros after its end', () => {
    const bits = bitsOf(joinDualMono(mono(LEFT), mono(RIGHT), true));
    expect(bits.slice(12, 16)).toBe('1000');
    const [first, second] = [`0000${LEFT}`, `0001${RIGHT}`];
    const covered = bits.slice(0, 56) + first.slice(0, 192) + second.padEnd(192, '0');
    expect(Number.parseInt(bits.slice(56, 72), 2)).toBe(crcOf(covered));
    expect(bits.slice(72).replace(/0*$/, '')).toBe(`000${first}000${second}111`);
  });

  test('for a pair it covers 192 bits, and 128 of the second channel', () => {
    const bits = bitsOf(joinPair(mono(LEFT), mono(RIGHT), true));
    const element = `00000${LEFT}${RIGHT}`;
    const covered = bits.slice(0, 56) + element.slice(0, 192) + RIGHT.padEnd(128, '0');
    expect(Number.parseInt(bits.slice(56, 72), 2)).toBe(crcOf(covered));
  });
});

test('a frame that is not mono is refused', () => {
  const pair = mono(LEFT);
  pair[7] = 0x20;
  expect(() => joinPair(pair, mono(RIGHT), false)).toThrow('not a mono AAC frame');
});
