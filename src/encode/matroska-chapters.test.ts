import { expect, test } from 'bun:test';
import { chapterOctets } from './matroska-chapters.ts';

const ONE = [{ start: 1_000, end: 2_500, title: 'CM' }];
const NEEDED = chapterOctets(ONE, 1_000).indexOf(0xec);

test('chapters and the rest of their space fill it exactly', () => {
  for (let length = 2; length < 300; length += 1) {
    const octets = chapterOctets(ONE, length);
    expect([length, octets.length]).toEqual([length, length]);
    // An element of one byte does not exist: a single remaining byte becomes part of the size field.
    expect([length, octets[0]]).toEqual([length, length < NEEDED ? 0xec : 0x10]);
  }
});

test('chapters that need more than their space are dropped, and an empty list is a Void element', () => {
  const many = Array.from({ length: 20 }, (_, index) => ({
    ...ONE[0],
    start: index,
    end: index + 1,
    title: 'CM',
  }));
  expect([...chapterOctets(many, 200)].filter((octet) => octet !== 0).length).toBeLessThan(4);
  expect([...chapterOctets([], 4)]).toEqual([0xec, 0x82, 0, 0]);
});
