import { expect, test } from 'bun:test';
import { BufferCollection } from './reception-host.ts';

const MB = 1024 * 1024;

test('collects once after every 12 MB of packets', () => {
  let collected = 0;
  const collection = new BufferCollection(() => {
    collected += 1;
  });
  for (let mb = 1; mb < 12; mb += 1) collection.received(MB);
  expect(collected).toBe(0);
  collection.received(MB);
  expect(collected).toBe(1);
  for (let mb = 0; mb < 24; mb += 1) collection.received(MB);
  expect(collected).toBe(3);
});

test('frees unreferenced buffers', () => {
  const collection = new BufferCollection();
  const before = process.memoryUsage().arrayBuffers;
  for (let mb = 0; mb < 96; mb += 1) collection.received(new Uint8Array(MB).fill(1).length);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(13 * MB);
});
