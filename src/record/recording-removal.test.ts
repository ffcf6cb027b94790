import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { systemWallClock } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { Leftover } from '../store/recycle-bin.ts';
import { isOwnName, RecordingRemoval } from './recording-removal.ts';

let root: string;
let lines: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-removal-'));
  lines = [];
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Rows of deleted recordings in memory instead of a store. */
class Rows {
  constructor(public files: Leftover[]) {}
  leftovers = (): Leftover[] => [...this.files];
  forgetFiles = (gone: readonly Leftover[]): void => {
    this.files = this.files.filter((one) => !gone.includes(one));
  };
}

function removal(recycleBin: Rows): RecordingRemoval {
  const log = createLog({ level: 'debug', now: systemWallClock, write: (line) => lines.push(line) });
  return new RecordingRemoval({ recycleBin, log, waitMs: 5_000 });
}

function leftover(path: string, stem: string | null = 'stem r1'): Leftover {
  return { recordingId: recordingId(1), path, stem };
}

test("only file names in the service's own format are its own", () => {
  const own = (path: string, stem: string | null): boolean => isOwnName({ path, stem });
  expect(own('/a/20260101-2100 題 (局) r7.part2.ts', '20260101-2100 題 (局) r7')).toBe(true);
  for (const [path, stem] of [
    ['/a/s r7.ts', null],
    ['/a/s r7.ts', ''],
    ['/a/s r77.ts', 's r7'],
    ['/a/other.ts', 's r7'],
    ['a/s r7.ts', 's r7'],
    ['/a/../b/s r7.ts', 's r7'],
    ['/a/s r7.ts/', 's r7'],
    ['/a//s r7.ts', 's r7'],
  ] as const) {
    expect([path, own(path, stem)]).toEqual([path, false]);
  }
});

describe('files of deleted recordings', () => {
  test('are removed with their rows; rows of missing files are deleted', async () => {
    const rows = new Rows([leftover(join(root, 'stem r1.ts')), leftover(join(root, 'stem r1.part2.ts'))]);
    writeFileSync(join(root, 'stem r1.ts'), 'x');
    writeFileSync(join(root, 'beside.ts'), 'x');
    await removal(rows).run();
    expect(readdirSync(root)).toEqual(['beside.ts']);
    expect(rows.files).toEqual([]);
  });

  test('keep their rows while their folder is unavailable, or empty like a mount point', async () => {
    const empty = join(root, 'empty');
    mkdirSync(empty);
    const files = [leftover(join(empty, 'stem r1.ts')), leftover(join(root, 'away', 'stem r1.ts'))];
    const rows = new Rows(files);
    await removal(rows).run();
    expect(rows.files).toEqual(files);
  });

  test('one that cannot be removed is tried again', async () => {
    const rows = new Rows([leftover(join(root, 'stem r1.ts'))]);
    const one = removal(rows);
    await one.close();
    writeFileSync(join(root, 'stem r1.ts'), 'x');
    await one.run();
    expect(rows.files.length).toBe(1);
    await removal(rows).run();
    expect(rows.files).toEqual([]);
  });

  test('a folder or link in place of a file is kept, and logged', async () => {
    const outside = join(root, 'outside.ts');
    writeFileSync(outside, 'x');
    mkdirSync(join(root, 'stem r1.ts'));
    symlinkSync(outside, join(root, 'stem r1.part2.ts'));
    const rows = new Rows([leftover(join(root, 'stem r1.ts')), leftover(join(root, 'stem r1.part2.ts'))]);
    await removal(rows).run();
    expect(readdirSync(root).sort()).toEqual(['outside.ts', 'stem r1.part2.ts', 'stem r1.ts']);
    expect(rows.files).toEqual([]);
    expect(lines.filter((line) => line.startsWith('ERROR')).length).toBe(2);
  });
});

/** Every path below, links not followed. */
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...walk(path)] : [path];
  });
}

const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Date.now() / 86_400_000));

test(`in any tree, only regular files with rows and names of the service are removed (FUZZ_SEED=${SEED})`, async () => {
  let state = SEED >>> 0 || 1;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  for (let round = 0; round < 60; round++) {
    const tree = mkdtempSync(join(root, 'tree-'));
    const folders = [tree];
    for (let at = 0; at < 30; at++) {
      const folder = folders[below(folders.length)] ?? tree;
      const stem = `s r${below(4)}`;
      const name =
        [`${stem}.ts`, `${stem}.part2.ts`, `${stem}0.ts`, 'family.jpg', `x${stem}.ts`][below(5)] ?? 'x';
      const path = join(folder, name);
      if (existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
      const kind = below(5);
      if (kind === 0) {
        mkdirSync(path);
        folders.push(path);
      } else if (kind === 1) {
        symlinkSync(
          join(folders[below(folders.length)] ?? tree, ['s r1.ts', 'family.jpg', ''][below(3)] ?? ''),
          path,
        );
      } else writeFileSync(path, 'x');
    }
    const all = walk(tree);
    const rows = Array.from({ length: 20 }, (_, index): Leftover => {
      const path = below(4) === 0 ? join(tree, `s r${below(4)}.gone.ts`) : (all[below(all.length)] ?? tree);
      const odd = below(6) === 0 ? path.replace(/\/([^/]*)$/, '/x/../$1') : path;
      return { recordingId: recordingId(index), path: odd, stem: below(8) === 0 ? null : `s r${below(4)}` };
    });
    const allowed = new Set(
      rows
        .filter((row) => isOwnName(row) && lstatSync(row.path, { throwIfNoEntry: false })?.isFile())
        .map(({ path }) => path),
    );
    await removal(new Rows(rows)).run();
    const left = new Set(walk(tree));
    const gone = all.filter((path) => !left.has(path));
    expect(gone.map((path) => relative(tree, path)).sort()).toEqual(
      [...allowed].map((path) => relative(tree, path)).sort(),
    );
  }
});
