import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pts90k, pts90k } from '../../lib/arib/time.ts';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { LIVE_CHANNEL, liveFrame } from '../../lib/wire/live-frames.ts';
import type { SideItem } from '../reception/side-item.ts';
import { type LogEntry, MAGIC, MAX_ENTRIES } from './data-file-format.ts';
import { DataFileIndex } from './data-file-index.ts';
import { DataFileWriter } from './data-file-writer.ts';
import type { IndexPiece } from './recording-index.ts';

const PIECES = [{ from: 0, to: 1e6, pts: 0, start: 0, length: 900_000 }] as unknown as readonly IndexPiece[];

function item(key: string | null, message: object): SideItem {
  const frame = liveFrame(LIVE_CHANNEL.data, 0, new TextEncoder().encode(JSON.stringify(message)));
  return { key, size: frame.length, frame };
}
const list = (modules: number[]): SideItem =>
  item('40/list', { type: 'moduleListUpdated', componentId: 0x40, modules });
const module = (id: number, version = 1): SideItem =>
  item(`40/module/${id}`, { type: 'moduleDownloaded', moduleId: id, version, files: [] });
const at = (octet: number, stamp: Pts90k | undefined = pts90k(octet)) => ({ octet, stamp });

async function indexOf(frames: readonly Uint8Array[]): Promise<DataFileIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-writer-'));
  const path = join(folder, 'a');
  writeFileSync(path, Buffer.concat([MAGIC, ...frames]));
  const file = await open(path);
  try {
    const index = new DataFileIndex();
    await index.refresh(file);
    return index;
  } finally {
    await file.close();
    rmSync(folder, { recursive: true });
  }
}

/** Entries without their places. */
const entriesOf = ({ entries }: DataFileIndex): unknown[][] =>
  entries.map((entry: LogEntry) => entry.slice(2));

test('a message is written once, and what does not change is not written', async () => {
  const writer = new DataFileWriter();
  for (const one of [list([1, 2]), module(1), module(2), module(1), list([1, 2])]) writer.take(one, at(1));
  writer.take(module(1, 2), at(2));
  writer.take(module(1), at(3));
  const frames = writer.flush(9, PIECES, false);
  expect(writer.flush(10, PIECES, false)).toEqual([]);
  const index = await indexOf(frames);
  expect(index.blobs).toHaveLength(4);
  expect(entriesOf(index)).toEqual([
    ['s', '40/list', 0, 0],
    ['s', '40/module/1', 0, 1],
    ['s', '40/module/2', 0, 2],
    ['s', '40/module/1', 0, 3],
    ['s', '40/module/1', 0, 1],
  ]);
  // Continued by another process.
  const next = new DataFileWriter(index);
  for (const one of [list([1, 2]), module(2)]) next.take(one, at(9));
  expect(next.flush(9, PIECES, false)).toEqual([]);
  next.take(module(3), at(9));
  expect(next.hasData).toBe(true);
  expect(entriesOf(await indexOf([...frames, ...next.flush(20, PIECES, true)])).at(-1)).toEqual([
    's',
    '40/module/3',
    0,
    4,
  ]);
});

test('after a gap, the modules of another list and components that are gone are removed', async () => {
  const writer = new DataFileWriter();
  const map = (ids: number[]): SideItem =>
    item('pmt', { type: 'pmt', components: ids.map((componentId) => ({ componentId })) });
  const other = item('50/module/7', { type: 'moduleDownloaded', moduleId: 7, files: [] });
  for (const one of [map([0x40, 0x50]), list([1, 2]), module(1), module(2), other]) writer.take(one, at(1));
  writer.gap(2);
  for (const one of [map([0x40, 0x50]), list([1, 2]), module(1)]) writer.take(one, at(3));
  writer.gap(4);
  for (const one of [map([0x40]), list([1, 3]), module(1)]) writer.take(one, at(5));
  const after = entriesOf(await indexOf(writer.flush(9, PIECES, true))).slice(5);
  expect(after).toEqual([
    ['g'],
    ['g'],
    ['c', '50/module/7'],
    ['s', 'pmt', 0, 5],
    ['c', '40/module/2'],
    ['c', '40/module/1'],
    ['s', '40/list', 0, 6],
    ['s', '40/module/1', 0, 2],
  ]);
});

test('a list that changes without a gap keeps the other modules', async () => {
  const writer = new DataFileWriter();
  for (const one of [list([1, 2]), module(1), module(2), list([1, 2, 3])]) writer.take(one, at(1));
  expect(entriesOf(await indexOf(writer.flush(9, PIECES, true))).filter(([op]) => op === 'c')).toEqual([]);
});

test('the clock is written where it does not run on', async () => {
  const writer = new DataFileWriter();
  const clock = (time: number): SideItem =>
    item('currentTime', { type: 'currentTime', at: time } satisfies ResponseMessage);
  for (let second = 0; second < 60; second += 1)
    writer.take(clock(1_000 * second + (second % 3) * 100), at(second, pts90k(second * 90_000)));
  writer.take(clock(99_000), at(60, pts90k(60 * 90_000)));
  // Before the first clock of the stream nothing can be said.
  writer.take(clock(1), { octet: 61, stamp: undefined });
  writer.gap(62);
  writer.take(clock(101_000), at(62, pts90k(62 * 90_000)));
  expect(entriesOf(await indexOf(writer.flush(9, PIECES, true)))).toEqual([
    ['t', 0],
    ['t', 99_000],
    ['g'],
    ['t', 101_000],
  ]);
});

test('a file that is full ends with an empty state, and is complete nevertheless', async () => {
  const writer = new DataFileWriter();
  const frames: Uint8Array[] = [];
  writer.take(module(1), at(1));
  const event = item(null, { type: 'esEventUpdated', componentId: 0x40, dataEventId: 15, events: [] });
  for (let count = 0; count < MAX_ENTRIES + 10; count += 1) {
    writer.take(event, at(2));
    if (writer.isLoaded) frames.push(...writer.flush(3, PIECES, false));
  }
  writer.take(module(2), at(4));
  frames.push(...writer.flush(9, PIECES, true));
  const index = await indexOf(frames);
  expect([index.isFinal, index.entries.length, index.blobs.length]).toEqual([true, MAX_ENTRIES + 1, 2]);
  expect(entriesOf(index).at(-1)).toEqual(['c', '']);
});
