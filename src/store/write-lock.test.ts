/** In one thread; across threads, with SQLite: `test/service/busy-writer.test.ts`. */
import { expect, test } from 'bun:test';
import { holding, holdingNow, WriteLock } from './write-lock.ts';

test('a worker waits for the main thread, and goes on as soon as that has written', async () => {
  const lock = new WriteLock();
  const worker = lock.share();
  const leave = lock.want();
  const alsoLeave = lock.want();
  expect(holdingNow(worker, () => 'now')).toBeUndefined();
  let isDone = false;
  const waiting = holding(worker, () => {
    isDone = true;
    return lock.freeBlocking(0);
  });
  leave();
  leave();
  await Bun.sleep(5);
  expect(isDone).toBe(false);
  const began = performance.now();
  alsoLeave();
  expect(await waiting).toBe(false);
  expect(performance.now() - began).toBeLessThan(800);
  expect(lock.freeBlocking(0)).toBe(true);
});

test('a main thread that always writes delays a worker by a second at most', async () => {
  const lock = new WriteLock();
  const leave = lock.want();
  const began = performance.now();
  expect(await holding(lock.share(), () => 'stored')).toBe('stored');
  expect(performance.now() - began).toBeGreaterThan(900);
  leave();
});

test('workers exclude each other; the lock is released when a transaction fails', async () => {
  const lock = new WriteLock();
  const [one, other] = [lock.share(), lock.share()];
  expect(await holding(one, () => holdingNow(other, () => 'other') ?? 'alone')).toBe('alone');
  const failing = (): never => {
    throw new Error('disk full');
  };
  expect(holding(one, failing)).rejects.toThrow('disk full');
  expect(await lock.free(100)).toBe(true);
  expect(() => holdingNow(other, failing)).toThrow('disk full');
  expect(holdingNow(one, () => 'one')).toBe('one');
});

test('a worker that never returns the lock stops neither the others nor the main thread', async () => {
  const lock = new WriteLock();
  const [lost, next] = [lock.share(), lock.share()];
  holdingNow(lost, () => {
    expect(lock.freeBlocking(20)).toBe(false);
    lock.revoke(next);
    expect(lock.freeBlocking(0)).toBe(false);
    lock.revoke(lost);
    expect(lock.freeBlocking(0)).toBe(true);
    // Its own return comes too late, and has no effect on the one that holds it now.
    expect(holdingNow(next, () => 'next')).toBe('next');
  });
  expect(lock.freeBlocking(0)).toBe(true);
});

test('waiting for the lock ends with its limit', async () => {
  const lock = new WriteLock();
  let waited: Promise<boolean> | undefined;
  const began = performance.now();
  holdingNow(lock.share(), () => {
    waited = lock.free(30);
    Bun.sleepSync(60);
  });
  // Freed meanwhile.
  expect(await waited).toBe(true);
  expect(performance.now() - began).toBeLessThan(2_000);
});
