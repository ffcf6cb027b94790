import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { md5 } from './drcs.ts';

test('MD5 of every length up to three blocks', () => {
  for (let length = 0; length < 200; length++) {
    const message = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 0xff);
    expect(md5(message)).toBe(createHash('md5').update(message).digest('hex'));
  }
});
