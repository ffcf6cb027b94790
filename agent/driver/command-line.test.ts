import { describe, expect, test } from 'bun:test';
import { fillWords, splitWords } from './command-line.ts';

const ROWS: [string, string[]][] = [
  ['a b  c', ['a', 'b', 'c']],
  ['  a\tb ', ['a', 'b']],
  [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
  [`a'b'"c"d`, ['abcd']],
  [`a '' ""`, ['a', '', '']],
  [String.raw`a\ b \\ \"`, ['a b', '\\', '"']],
  [String.raw`a "b\"c\\d\e"`, ['a', String.raw`b"c\d\e`]],
  [String.raw`a 'b\c'`, ['a', String.raw`b\c`]],
  ['a $HOME *.ts ; b | c > d & `e`', ['a', '$HOME', '*.ts', ';', 'b', '|', 'c', '>', 'd', '&', '`e`']],
];

describe('splitWords', () => {
  for (const [line, words] of ROWS) test(line, () => expect(splitWords(line)).toEqual(words));
  for (const line of ['', '   ', "''", "a 'b", 'a "b', 'a\\']) {
    test(`refuses ${JSON.stringify(line)}`, () => expect(() => splitWords(line)).toThrow());
  }
});

describe('fillWords', () => {
  test('replaces placeholders inside words and leaves unknown ones', () => {
    expect(
      fillWords(['{type}/{channel}', '{other}', '{tsid}'], { type: 'GR', channel: 'T27', tsid: '0' }),
    ).toEqual(['GR/T27', '{other}', '0']);
  });

  test('does not replace names inherited from Object', () => {
    expect(fillWords(['{constructor}{toString}'], {})).toEqual(['{constructor}{toString}']);
  });

  test('a value is neither split nor replaced again', () => {
    expect(fillWords(['{a}'], { a: '{b} $& c', b: 'x' })).toEqual(['{b} $& c']);
  });
});
