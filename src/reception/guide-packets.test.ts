import { expect, test } from 'bun:test';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { GuidePackets } from './guide-packets.ts';

function tap() {
  const batches: Uint8Array[] = [];
  let now = 0;
  const packets = new GuidePackets(
    (bytes) => batches.push(bytes),
    () => now,
  );
  return {
    batches,
    packets,
    pass: (ms: number) => {
      now += ms;
      packets.check();
    },
  };
}

const pids = (bytes: Uint8Array | undefined): number[] => {
  const found: number[] = [];
  for (let at = 0; at < (bytes?.length ?? 0); at += 188)
    found.push((((bytes?.[at + 1] ?? 0) & 0x1f) << 8) | (bytes?.[at + 2] ?? 0));
  return found;
};
const packet = { payload: new Uint8Array(184).fill(0xff) };

test('only the tables of the guide are copied, in batches', () => {
  const { batches, packets, pass } = tap();
  const stream = new StreamBuilder().nulls(5).packet(0x12, packet).packet(0x100, packet).packet(0x11, packet);
  packets.take(stream.nulls(5).take());
  expect(batches).toEqual([]);
  pass(500);
  expect(batches.map(pids)).toEqual([[0x12, 0x11]]);
  pass(500);
  expect(batches).toHaveLength(1);
});

test("the broadcast's clock is given at once", () => {
  const { batches, packets } = tap();
  packets.take(new StreamBuilder().packet(0x12, packet).packet(0x14, packet).nulls(5).take());
  expect(batches.map(pids)).toEqual([[0x12, 0x14]]);
});

test('a batch has a bound, and every piece of the stream is read', () => {
  const { batches, packets, pass } = tap();
  const stream = new StreamBuilder();
  for (let count = 0; count < 600; count++) stream.packet(0x12, packet);
  const bytes = stream.nulls(5).take();
  for (let at = 0; at < bytes.length; at += 1000) packets.take(bytes.subarray(at, at + 1000));
  pass(500);
  expect(batches.map((batch) => batch.length / 188)).toEqual([256, 256, 88]);
});
