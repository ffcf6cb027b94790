import { describe, expect, test } from 'bun:test';
import { Consumer, type LeaveReason, StreamFailure } from './consumer.ts';

function create(more: { lagLimitBytes?: number; drainMs?: number; flushMs?: number } = {}) {
  const left: LeaveReason[] = [];
  const consumer = new Consumer({
    id: 1,
    use: 'x',
    priority: 0,
    lagLimitBytes: 100,
    drainMs: 20,
    flushMs: 5,
    onLeave: (_consumer, why) => left.push(why),
    ...more,
  });
  return { consumer, left };
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe('Consumer', () => {
  test('delivers chunks in order, without copying', async () => {
    const { consumer } = create();
    const [first, second] = [bytes(1), bytes(2)];
    consumer.push(first);
    consumer.push(second);
    const reader = consumer.body.getReader();
    expect((await reader.read()).value).toBe(first);
    expect((await reader.read()).value).toBe(second);
    const waiting = reader.read();
    const third = bytes(3);
    consumer.push(third);
    expect((await waiting).value).toBe(third);
    expect(consumer.lagBytes).toBe(0);
  });

  test('counts the queued bytes', async () => {
    const { consumer } = create();
    consumer.push(bytes(1, 2, 3));
    consumer.push(bytes(4, 5));
    expect(consumer.lagBytes).toBe(5);
    await consumer.body.getReader().read();
    expect(consumer.lagBytes).toBe(2);
  });

  test('is started by its first bytes', async () => {
    const { consumer } = create();
    consumer.push(bytes());
    consumer.push(bytes(1));
    await consumer.started;
  });

  test('over its limit it is disconnected once, and its queue is freed', async () => {
    const { consumer, left } = create();
    for (let index = 0; index < 20; index += 1) consumer.push(new Uint8Array(10));
    expect(left).toEqual(['lagged']);
    expect(consumer.lagBytes).toBe(0);
    await expect(consumer.body.getReader().read()).rejects.toThrow(StreamFailure);
  });

  test('queues exactly up to its limit', () => {
    const { consumer, left } = create();
    for (let index = 0; index < 10; index += 1) consumer.push(new Uint8Array(10));
    expect(left).toEqual([]);
    consumer.push(new Uint8Array(1));
    expect(left).toEqual(['lagged']);
  });

  test('a handover ends it cleanly after the queued chunks', async () => {
    const { consumer, left } = create();
    consumer.push(bytes(1));
    consumer.end();
    consumer.push(bytes(2));
    expect(left).toEqual(['ended']);
    expect(await new Response(consumer.body).bytes()).toEqual(bytes(1));
  });

  test('a clean end whose queue is not drained in time becomes a failure', async () => {
    const { consumer } = create({ drainMs: 1 });
    consumer.push(bytes(1));
    consumer.end();
    await Bun.sleep(5);
    await expect(consumer.body.getReader().read()).rejects.toThrow(StreamFailure);
  });

  test('a failure aborts it after the queued chunks', async () => {
    const { consumer } = create();
    consumer.push(bytes(1));
    consumer.fail('gone');
    const reader = consumer.body.getReader();
    expect((await reader.read()).value).toEqual(bytes(1));
    await expect(reader.read()).rejects.toThrow('gone');
  });

  test('a failure aborts it only when its last chunk was written, that is when more is wanted', async () => {
    const { consumer } = create({ flushMs: 1, drainMs: 100_000 });
    consumer.push(bytes(1));
    consumer.fail('gone');
    const reader = consumer.body.getReader();
    expect((await reader.read()).value).toEqual(bytes(1));
    // Long after the time for sending, and nothing was wanted yet.
    let isClosed = false;
    reader.closed.catch(() => {
      isClosed = true;
    });
    await Bun.sleep(20);
    expect(isClosed).toBe(false);
    await expect(reader.read()).rejects.toThrow('gone');
  });

  test('a failure aborts a waiting reader', async () => {
    const { consumer } = create();
    consumer.push(bytes(1));
    const reader = consumer.body.getReader();
    await reader.read();
    const waiting = reader.read();
    consumer.fail('gone');
    await expect(waiting).rejects.toThrow('gone');
  });

  test('a failure before the first bytes rejects `started`', async () => {
    const { consumer } = create();
    consumer.fail('no signal');
    await expect(consumer.started).rejects.toThrow('no signal');
  });

  test('a closed connection frees the queue, and later ends have no effect', async () => {
    const { consumer, left } = create();
    consumer.push(bytes(1));
    await consumer.body.cancel();
    consumer.push(bytes(2));
    consumer.end();
    consumer.fail('late');
    consumer.leave();
    expect(left).toEqual(['gone']);
    expect(await consumer.left).toBe('gone');
    expect(consumer.lagBytes).toBe(0);
  });

  test('a closed connection ends a body that is still being read', async () => {
    const { consumer } = create();
    const waiting = consumer.body.getReader().read();
    consumer.leave();
    await expect(waiting).rejects.toThrow(StreamFailure);
  });

  test('a connection closed while it drains ends the drain', async () => {
    const { consumer, left } = create({ drainMs: 1 });
    consumer.push(bytes(1));
    consumer.fail('x');
    await consumer.body.cancel();
    await Bun.sleep(5);
    expect(left).toEqual(['ended']);
  });

  test('a long queue keeps its order while it is compacted', async () => {
    const { consumer } = create({ lagLimitBytes: 10_000, drainMs: 1_000 });
    const reader = consumer.body.getReader();
    const got: number[] = [];
    for (let index = 0; index < 1_500; index += 1) {
      consumer.push(Uint8Array.of(index >> 8, index & 0xff));
      if (index % 3 === 0) {
        const { value } = await reader.read();
        got.push(((value?.[0] ?? 0) << 8) | (value?.[1] ?? 0));
      }
    }
    consumer.end();
    for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
      got.push(((part.value[0] ?? 0) << 8) | (part.value[1] ?? 0));
    }
    expect(got).toEqual(Array.from({ length: 1_500 }, (_, index) => index));
  });
});
