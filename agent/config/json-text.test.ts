import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { JsonMistake, parseJson } from './json-text.ts';

/** The text and the position of its first error, line and column from 1. */
const MISTAKES: [string, number, number][] = [
  ['', 1, 1],
  ['[1,', 1, 4],
  ['[1,]', 1, 4],
  ['[1 2]', 1, 4],
  ['{"a":1,}', 1, 8],
  ['{a:1}', 1, 2],
  ['{"a" 1}', 1, 6],
  ['{"a":tru}', 1, 6],
  ['{"a":truest}', 1, 6],
  ['[\n  {\n    "a": 1\n    "b": 2\n  }\n]', 4, 5],
  ['[1]]', 1, 4],
  ['[1}', 1, 3],
  ['[01]', 1, 2],
  ["['a']", 1, 2],
  ['["a\nb"]', 1, 2],
  ['["\\x"]', 1, 2],
  ['// comment\n[]', 1, 1],
];

describe('parseJson reports the position of the first syntax error', () => {
  for (const [text, line, column] of MISTAKES) {
    test(JSON.stringify(text), () => {
      const error = (() => {
        try {
          return parseJson(text);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toBeInstanceOf(JsonMistake);
      expect(error).toMatchObject({ line, column });
    });
  }
});

test('a byte order mark is not an error', () => {
  expect(parseJson('\ufeff[1]')).toEqual([1]);
});

test('a truncated text has its error at its end', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, at) => {
      const cut = `[${json}`.slice(0, 1 + (at % (json.length + 1)));
      try {
        parseJson(cut);
      } catch (error) {
        if (!(error instanceof JsonMistake)) throw error;
        expect(error.column).toBeLessThanOrEqual(cut.length + 1);
        return;
      }
      throw new Error('taken as JSON');
    }),
    { verbose: true },
  );
});
