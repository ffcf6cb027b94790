import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { decryptPayload, encryptBlock, encryptPayload } from '../../../test/multi2.ts';
import { tomcryptMulti2 } from '../../../test/tomcrypt.ts';
import { scheduleKeys } from './multi2.ts';

const SAMPLES = join(import.meta.dir, '..', '..', '..', 'shared', 'samples', 'multi2', 'multi2_vectors.json');

interface Vectors {
  kat_ecb: (Record<'plain' | 'cipher' | 'key40(system32+data8)', string> & { elementary_rounds: number })[];
  derived_isdb_mode: {
    system_key: string;
    init_cbc: string;
    data_key: string;
    cases: { len: number; plain: string; cipher: string }[];
  };
}

const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex);

describe.skipIf(!existsSync(SAMPLES))('published vectors', () => {
  const vectors = (): Vectors => JSON.parse(readFileSync(SAMPLES, 'utf8')) as Vectors;

  test('single blocks give the known results', () => {
    for (const one of vectors().kat_ecb) {
      const key = bytes(one['key40(system32+data8)']);
      const work = scheduleKeys(key.subarray(0, 32), key.subarray(32));
      expect(encryptBlock(bytes(one.plain), work, one.elementary_rounds).toHex()).toBe(one.cipher);
    }
  });

  test('payloads of complete and partial blocks give the known results', () => {
    const { system_key, init_cbc, data_key, cases } = vectors().derived_isdb_mode;
    const work = scheduleKeys(bytes(system_key), bytes(data_key));
    for (const one of cases) {
      const payload = bytes(one.plain);
      encryptPayload(payload, work, bytes(init_cbc));
      expect(payload.toHex()).toBe(one.cipher);
      decryptPayload(payload, work, bytes(init_cbc));
      expect(payload.toHex()).toBe(one.plain);
    }
  });
});

describe('MULTI2', () => {
  test.skipIf(tomcryptMulti2(new Uint8Array(40), new Uint8Array(8)) === undefined)(
    'agrees with libtomcrypt on random keys and payloads of complete blocks',
    () => {
      for (let round = 0; round < 200; round += 1) {
        const [system, data, initial] = [32, 8, 8].map((length) =>
          crypto.getRandomValues(new Uint8Array(length)),
        ) as [Uint8Array, Uint8Array, Uint8Array];
        const cipher = crypto.getRandomValues(new Uint8Array(8 * (1 + (round % 23))));
        const plain = new Uint8Array(cipher.length);
        tomcryptMulti2(Uint8Array.of(...system, ...data), initial)?.decrypt(cipher, plain);
        decryptPayload(cipher, scheduleKeys(system, data), initial);
        expect(cipher).toEqual(plain);
      }
    },
  );

  const octets = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

  test('decryption undoes encryption at every length up to a packet', () => {
    fc.assert(
      fc.property(
        octets(32),
        octets(8),
        octets(8),
        fc.uint8Array({ maxLength: 184 }),
        (system, data, initial, plain) => {
          const work = scheduleKeys(system, data);
          const payload = plain.slice();
          encryptPayload(payload, work, initial);
          if (plain.length >= 8) expect(payload).not.toEqual(plain);
          decryptPayload(payload, work, initial);
          expect(payload).toEqual(plain);
        },
      ),
    );
  });

  test('keys of a wrong length are rejected', () => {
    expect(() => scheduleKeys(new Uint8Array(31), new Uint8Array(8))).toThrow(RangeError);
    expect(() => scheduleKeys(new Uint8Array(32), new Uint8Array(7))).toThrow(RangeError);
  });
});
