import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { BrokenFile, JsonFile, JsonMistake, parseJson, SaveFailed } from './json-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-json-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const numbers = (value: unknown): number[] => {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value as number[];
};

test('a missing file is not an error', async () => {
  expect(await new JsonFile(join(folder, 'absent', 'x.json'), numbers).load()).toBeUndefined();
});

test('a saved value is loaded again, and the folder is created', async () => {
  const file = new JsonFile(join(folder, 'new', 'a.json'), numbers);
  await file.save([1, 2]);
  expect(await file.load()).toEqual([1, 2]);
  expect(readdirSync(join(folder, 'new'))).toEqual(['a.json']);
});

test('a broken file is reported with its path and position and left untouched', async () => {
  const path = join(folder, 'broken.json');
  writeFileSync(path, '[1,\n 2');
  const loading = new JsonFile(path, numbers).load();
  await expect(loading).rejects.toThrow(BrokenFile);
  await expect(loading).rejects.toThrow(`${path}: 2 行 3 文字目`);
  await loading.catch(() => {});
  expect(readFileSync(path, 'utf8')).toBe('[1,\n 2');
});

test('an invalid value is reported with the path of the file', async () => {
  const path = join(folder, 'unfit.json');
  writeFileSync(path, '{}');
  await expect(new JsonFile(path, numbers).load()).rejects.toThrow(`${path}: not a list`);
});

test('a folder in place of the file is reported', async () => {
  await expect(new JsonFile(folder, numbers).load()).rejects.toThrow(BrokenFile);
});

test('saving over a broken file keeps a backup of it', async () => {
  const path = join(folder, 'kept.json');
  writeFileSync(path, '[1,');
  const file = new JsonFile(path, numbers);
  await file.load().catch(() => {});
  await file.save([3]);
  await file.save([4]);
  expect(await file.load()).toEqual([4]);
  expect(readFileSync(`${path}.broken`, 'utf8')).toBe('[1,');
});

test('concurrent saves are serialised', async () => {
  const file = new JsonFile(join(folder, 'many.json'), numbers);
  await Promise.all([1, 2, 3, 4, 5].map((value) => file.save([value])));
  expect(await file.load()).toEqual([5]);
});

test('a failed save rejects and does not block the next', async () => {
  const blocker = join(folder, 'blocker');
  writeFileSync(blocker, '');
  const file = new JsonFile(join(blocker, 'a.json'), numbers);
  const failed = file.save([1]);
  await expect(failed).rejects.toThrow(SaveFailed);
  await expect(failed).rejects.toThrow(join(blocker, 'a.json'));
  await file.save([2]).catch(() => {});
  rmSync(blocker);
  await file.save([3]);
  expect(await file.load()).toEqual([3]);
});

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
