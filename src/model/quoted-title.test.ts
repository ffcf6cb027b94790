import { expect, test } from 'bun:test';
import { quotedTitle } from './quoted-title.ts';

test('a title is quoted without broadcast symbols and wide spaces, in quotation marks that differ from its own', () => {
  expect(quotedTitle('[字]ニュースの目　　特集')).toBe('「ニュースの目 特集」');
  expect(quotedTitle('邦画「白い橋」　　吹替版[吹]')).toBe('『邦画「白い橋」 吹替版』');
});
