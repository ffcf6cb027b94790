import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlFile } from './file.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-faults-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

test('a control file is read again when it changes, and an invalid one keeps the previous faults', () => {
  const path = join(FOLDER, 'faults.json');
  let now = 0;
  const complaints: string[] = [];
  const file = new ControlFile(
    path,
    () => now,
    (message) => complaints.push(message),
  );
  const kinds = (): string[] => {
    now += 100;
    return file.current.map(({ kind }) => kind);
  };
  expect(kinds()).toEqual([]);
  writeFileSync(path, '{"faults": [{"kind": "stall"}]}');
  expect(kinds()).toEqual(['stall']);
  writeFileSync(path, '{"faults": [{"kind": "stall"}, {"kind": "hail"}]}');
  expect(kinds()).toEqual(['stall']);
  expect(kinds()).toEqual(['stall']);
  expect(complaints.length).toBe(1);
  expect(complaints[0]).toContain('faults[1].kind');
  writeFileSync(path, '[{"kind": "time", "offsetMs": 5000}]');
  expect(kinds()).toEqual(['time']);
  rmSync(path);
  expect(kinds()).toEqual([]);
});
