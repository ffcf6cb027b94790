import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { openDatabase } from './database.ts';
import { RecordingPartRows } from './recording-part-rows.ts';

test('a recording stores at most a thousand seams, even if the layout changes constantly', () => {
  const database = openDatabase(':memory:');
  // This test does not create the recordings.
  database.run('PRAGMA foreign_keys = OFF');
  const rows = new RecordingPartRows(database);
  const note = (id: number, count: number): void => {
    for (let index = 0; index < count; index += 1)
      rows.seam(recordingId(id), {
        path: '/a.ts',
        position: index * 188,
        kind: 'layout',
        at: broadcastMs(index),
      });
  };
  note(1, 11_000);
  note(2, 3);
  const counts = database
    .query('SELECT recording_id AS id, count(*) AS n FROM recording_seams GROUP BY recording_id')
    .all();
  expect(counts).toEqual([
    { id: 1, n: 1_000 },
    { id: 2, n: 3 },
  ]);
  database.close();
});
