import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { scheduleKeys } from '../../lib/arib/conditional/multi2.ts';
import { pid } from '../../lib/arib/ids.ts';
import { encryptPayload } from '../../test/multi2.ts';
import { Multi2Decryptor, type SystemParameters } from './multi2-decryptor.ts';

const SYSTEM: SystemParameters = {
  systemKey: Uint8Array.from({ length: 32 }, (_, index) => index * 7),
  initialValue: Uint8Array.from([8, 7, 6, 5, 4, 3, 2, 1]),
};
const ODD = Uint8Array.from([1, 1, 2, 3, 5, 8, 13, 21]);
const EVEN = Uint8Array.from([34, 55, 89, 144, 233, 121, 98, 219]);

/** @param adaptation octets of the adaptation field with its length; 0 none */
function packet(pidNumber: number, fill: number, adaptation: number): Uint8Array {
  const bytes = Uint8Array.from({ length: 188 }, (_, index) => (index * fill) & 0xff);
  bytes.set([0x47, pidNumber >> 8, pidNumber & 0xff, adaptation === 0 ? 0x10 : 0x30]);
  if (adaptation > 0) bytes[4] = adaptation - 1;
  return bytes;
}

function scrambled(clear: Uint8Array, parity: 'odd' | 'even'): Uint8Array {
  const bytes = clear.slice();
  const flags = bytes[3] as number;
  const header = (flags & 0x20) !== 0 ? 5 + (bytes[4] as number) : 4;
  encryptPayload(
    bytes.subarray(header),
    scheduleKeys(SYSTEM.systemKey, parity === 'odd' ? ODD : EVEN),
    SYSTEM.initialValue,
  );
  bytes[3] = flags | (parity === 'odd' ? 0xc0 : 0x80);
  return bytes;
}

async function decryptorFor(pidNumber: number): Promise<Multi2Decryptor> {
  const decryptor = await Multi2Decryptor.create(SYSTEM);
  decryptor.assign(pid(pidNumber), 3);
  decryptor.setKeys(3, { odd: ODD, even: EVEN });
  return decryptor;
}

describe('Multi2Decryptor', () => {
  test('agrees with the scalar reference for every payload length and parity', async () => {
    const decryptor = await decryptorFor(0x111);
    const clear: Uint8Array[] = [];
    const sent: Uint8Array[] = [];
    for (let adaptation = 0; adaptation <= 184; adaptation += 1) {
      for (const parity of ['odd', 'even'] as const) {
        const one = packet(0x111, adaptation + 3, adaptation);
        clear.push(one);
        sent.push(scrambled(one, parity));
      }
    }
    const stream = new Uint8Array(Buffer.concat(sent));
    expect(decryptor.decrypt(stream)).toBe(sent.length);
    expect(Buffer.compare(stream, Buffer.concat(clear))).toBe(0);
  });

  test('decrypts more packets than the module holds at once', async () => {
    const decryptor = await decryptorFor(0x111);
    const clear = Array.from({ length: 2500 }, (_, index) => packet(0x111, index, 0));
    const stream = new Uint8Array(Buffer.concat(clear.map((one) => scrambled(one, 'even'))));
    expect(decryptor.decrypt(stream)).toBe(2500);
    expect(Buffer.compare(stream, Buffer.concat(clear))).toBe(0);
  });

  test('does not change other PIDs, clear packets and packets with an error', async () => {
    const decryptor = await decryptorFor(0x111);
    const foreign = scrambled(packet(0x112, 9, 0), 'odd');
    const plain = packet(0x111, 9, 0);
    const broken = scrambled(packet(0x111, 9, 0), 'odd');
    broken[1] = (broken[1] as number) | 0x80;
    const stream = new Uint8Array(Buffer.concat([foreign, plain, broken]));
    const before = stream.slice();
    expect(decryptor.decrypt(stream)).toBe(0);
    expect(stream).toEqual(before);
  });

  test('a cleared slot no longer decrypts', async () => {
    const decryptor = await decryptorFor(0x111);
    decryptor.clearKeys(3);
    expect(decryptor.decrypt(scrambled(packet(0x111, 5, 0), 'odd'))).toBe(0);
  });

  test('accepts any bytes', async () => {
    const decryptor = await decryptorFor(0x111);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000, size: 'max' }), (bytes) => {
        bytes[0] = 0x47;
        decryptor.decrypt(bytes);
      }),
    );
  });
});
