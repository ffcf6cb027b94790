import { expect, test } from 'bun:test';
import { readDeviceName } from './device-routes.ts';

const rows: [what: string, given: string, name: string | undefined][] = [
  ['plain', '居間のテレビ', '居間のテレビ'],
  ['spaces around', '  寝室 \t', '寝室'],
  ['line breaks are spaces', 'a\r\nSet-Cookie: b', 'a Set-Cookie: b'],
  ['controls', 'a\u0000b\u001b[31mc\u007f', 'ab[31mc'],
  ['what turns the direction round', 'gnp\u202e.exe\u2066\u200f', 'gnp.exe'],
  ['zero-width characters', 'a\u200bb\u2060c', 'abc'],
  ['half a surrogate pair', 'a\ud83db', 'ab'],
  ['nothing', '', '名前のないテレビ'],
  ['nothing that shows', '\u200b\n', '名前のないテレビ'],
  ['40 characters', 'あ'.repeat(40), 'あ'.repeat(40)],
  ['40 characters beyond the BMP', '📺'.repeat(40), '📺'.repeat(40)],
  ['41 characters', 'あ'.repeat(41), undefined],
  ['41 characters beyond the BMP', '📺'.repeat(41), undefined],
  ['a megabyte', 'あ'.repeat(1_000_000), undefined],
];
for (const [what, given, name] of rows) {
  test(what, () => expect(readDeviceName(given)).toBe(name as string));
}
