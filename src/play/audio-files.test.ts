import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { until } from '../../test/until.ts';
import { AudioFiles } from './audio-files.ts';
import { RecordingCache } from './recording-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-audio-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ID = recordingId(7);
const files = new AudioFiles({ cache: new RecordingCache({ folder }), log: SILENT_LOG });

/** An extraction that the test continues. */
function source() {
  const controller = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  let asked = 0;
  return {
    extract: async () => {
      asked += 1;
      return new ReadableStream<Uint8Array>({ start: (one) => controller.resolve(one) });
    },
    controller: controller.promise,
    asked: () => asked,
  };
}

test('readers share one extraction, from its beginning, and later ones get the file', async () => {
  const { extract, controller, asked } = source();
  const first = (await files.start(ID, 'a.aac', extract)).body();
  const writing = await controller;
  writing.enqueue(Uint8Array.of(1, 2));
  const reader = first.getReader();
  expect((await reader.read()).value).toEqual(Uint8Array.of(1, 2));
  expect(await files.find(ID, 'a.aac')).toBeUndefined();
  const second = new Response((await files.start(ID, 'a.aac', extract)).body()).bytes();
  writing.enqueue(Uint8Array.of(3));
  writing.close();
  expect((await reader.read()).value).toEqual(Uint8Array.of(3));
  expect((await reader.read()).done).toBe(true);
  expect(await second).toEqual(Uint8Array.of(1, 2, 3));
  const path = await until('the file is complete', () => files.find(ID, 'a.aac'));
  expect(await Bun.file(path).bytes()).toEqual(Uint8Array.of(1, 2, 3));
  const again = await files.start(ID, 'a.aac', extract);
  expect(await new Response(again.body()).bytes()).toEqual(Uint8Array.of(1, 2, 3));
  expect(asked()).toBe(1);
});

test('a failed extraction aborts its readers and leaves no file; at most four run at once', async () => {
  const { extract, controller } = source();
  const failing = await files.start(ID, 'b.aac', extract);
  const body = new Response(failing.body()).bytes();
  body.catch(() => {});
  (await controller).error(new Error('unreadable'));
  await expect(body).rejects.toThrow('unreadable');
  await expect(failing.done).rejects.toThrow('unreadable');
  expect(await files.find(ID, 'b.aac')).toBeUndefined();
  const more = Array.from({ length: 4 }, source);
  for (const [index, one] of more.entries()) await files.start(ID, `${index}.aac`, one.extract);
  await expect(files.start(ID, 'fifth.aac', source().extract)).rejects.toMatchObject({ code: 'busy' });
  for (const one of more) (await one.controller).close();
  await files.close();
});
