import { expect, test } from 'bun:test';
import { openDatabase } from './database.ts';
import { RecordingFolderStore } from './recording-folders.ts';

test('lists the files directly in a folder, the last recording first, and its mount point', () => {
  const database = openDatabase(':memory:');
  database.run('PRAGMA foreign_keys = OFF');
  const put = database.query(
    "INSERT INTO recording_files (recording_id, source, path, codec, created_at) VALUES (?, 'ts', ?, 'mpeg2', 0)",
  );
  const paths = ['/tv/1.ts', '/tv/deeper/2.ts', '/tvs/3.ts', '/tv/4.ts', '/tv/100%.ts', '/t/6.ts'];
  for (const [index, path] of paths.entries()) put.run(index + 1, path);
  const folders = new RecordingFolderStore(database);
  expect(folders.filesIn('/tv', 20)).toEqual(['/tv/100%.ts', '/tv/4.ts', '/tv/1.ts']);
  expect(folders.filesIn('/tv', 1)).toEqual(['/tv/100%.ts']);
  expect(folders.mountOf('/tv')).toBeUndefined();
  for (const mount of ['/', '/tv']) folders.rememberMount('/tv', mount);
  expect(folders.mountOf('/tv')).toBe('/tv');
  database.close();
});
