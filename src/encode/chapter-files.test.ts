import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { wallMs } from '../../lib/wire/times.ts';
import type { RunFailure } from '../media/job/job-kind.ts';
import { ChapterFiles } from './chapter-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-chapter-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the version of its row is written, also without chapters; an absent disk is not logged', async () => {
  const path = join(folder, 'a.mkv');
  writeFileSync(path, new Uint8Array(200).fill(0xff));
  const lines: string[] = [];
  const versions: number[] = [];
  let isAbsent = true;
  const stale = { recordingId: recordingId(1), source: 'alt', path, durationMs: 1_000, version: 3 } as const;
  const chapters = new ChapterFiles({
    files: {
      staleChapters: () => [{ ...stale, room: { at: 0, length: 200 } }],
      putChapterVersion: (_id, _source, _path, version) => versions.push(version),
    },
    // A correction that was removed.
    chapters: () => undefined,
    room: async () => (isAbsent ? undefined : 1e9),
    log: createLog({ level: 'warn', now: () => wallMs(0), write: (line) => lines.push(line) }),
  });
  const job = chapters.next(new Set());
  if (job === undefined) throw new Error('none is due');
  expect([job.id, chapters.next(new Set([job.id])), chapters.next(new Set([`0 ${path}`]))?.id]).toEqual([
    `3 ${path}`,
    undefined,
    `3 ${path}`,
  ]);
  const failure: RunFailure = { meaning: 'later', attempts: 0, retryMs: 1 };
  await expect(chapters.run(job)).rejects.toThrow('応答しません');
  chapters.failed(job, new Error('absent'), failure);
  expect([versions, lines]).toEqual([[], []]);
  chapters.failed(job, new Error('broken'), { ...failure, meaning: 'fault' });
  expect(lines.join()).toContain('broken');
  isAbsent = false;
  await chapters.run(job);
  expect(versions).toEqual([3]);
  // An empty list is a Void element.
  expect(readFileSync(path)[0]).toBe(0xec);
});
