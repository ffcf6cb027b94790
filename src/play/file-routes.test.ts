import { expect, test } from 'bun:test';
import { isSameForRange, readRange } from './file-routes.ts';

test.each([
  [null, 'whole'],
  ['bytes=0-', { start: 0, end: 1000 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=100-199', { start: 100, end: 200 }],
  ['bytes=100-5000', { start: 100, end: 1000 }],
  ['bytes=999-', { start: 999, end: 1000 }],
  ['BYTES = 5 - 9', { start: 5, end: 10 }],
  ['bytes=-1', { start: 999, end: 1000 }],
  ['bytes=-5000', { start: 0, end: 1000 }],
  ['bytes=-0', 'outside'],
  ['bytes=1000-', 'outside'],
  ['bytes=99999999999999999999-', 'outside'],
  ['bytes=9-5', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['items=0-5', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
] as const)('%s of a thousand', (header, answer) => {
  expect(readRange(header, 1000)).toEqual(answer);
});

test('no range of an empty file can be satisfied', () => {
  expect([readRange('bytes=0-', 0), readRange('bytes=-5', 0)]).toEqual(['outside', 'outside']);
});

test('If-Range matches only an equal strong ETag', () => {
  expect(isSameForRange(null, null)).toBe(true);
  expect(isSameForRange('"a"', '"a"')).toBe(true);
  for (const tag of ['"b"', 'W/"a"', 'Tue, 01 Jan 2030 00:00:00 GMT', ''])
    expect(isSameForRange(tag, '"a"')).toBe(false);
  expect(isSameForRange('"a"', null)).toBe(false);
});
