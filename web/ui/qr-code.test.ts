import { expect, test } from 'bun:test';
import { qrCode } from './qr-code.ts';

/** Length of the text and digest of its code: versions 1 to 10, each read by zbar (Debian's zbar-tools) as its text. */
const READ: readonly (readonly [number, string])[] = [
  [5, '273ziqtn9mgen'],
  [20, '3lph31l5ocwdn'],
  [40, '1khek75qmrrcc'],
  [60, '2tf0wv1vlje09'],
  [80, '1uo8opvg8i3y9'],
  [100, '1bkuga6lvmebi'],
  [120, '3fx5iu4yx14uw'],
  [150, '1waukn04737wq'],
  [178, 'dyk0s302rq9o'],
  [210, '1gdooitvdxjai'],
];

const textOf = (length: number): string =>
  `http://192.168.1.10:25250/tv/${'AbC-_9'.repeat(60)}`.slice(0, length);

test('codes of every version are those that a reader of another project reads', () => {
  for (const [length, digest] of READ) {
    const rows = qrCode(textOf(length))?.map((row) => row.map((dark) => (dark ? 1 : 0)).join('')) ?? [];
    expect([length, Bun.hash(rows.join('\n')).toString(36)]).toEqual([length, digest]);
  }
});

test('a text that is too long has none', () => {
  expect(qrCode(textOf(213))).toHaveLength(57);
  expect(qrCode(textOf(214))).toBeUndefined();
});
