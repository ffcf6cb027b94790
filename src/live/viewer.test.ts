import { describe, expect, test } from 'bun:test';
import { Audience } from './audience.ts';
import { Backlog } from './backlog.ts';
import { Viewer } from './viewer.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

function viewer(maxQueuedBytes = 100): { viewer: Viewer; left: () => number; abort: AbortController } {
  let count = 0;
  const abort = new AbortController();
  const made = new Viewer({
    maxQueuedBytes,
    signal: abort.signal,
    left: () => {
      count += 1;
    },
  });
  return { viewer: made, left: () => count, abort };
}

describe('Viewer', () => {
  test('gets what was pushed, in order, before and after it asks', async () => {
    const { viewer: one, left } = viewer();
    one.push(bytes(1));
    const reader = one.body.getReader();
    expect((await reader.read()).value).toEqual(bytes(1));
    const waiting = reader.read();
    one.push(bytes(2));
    expect((await waiting).value).toEqual(bytes(2));
    one.push(bytes(3));
    one.end();
    expect((await reader.read()).value).toEqual(bytes(3));
    expect((await reader.read()).done).toBe(true);
    expect(left()).toBe(1);
  });

  test('is cut with an error when its queue is full', async () => {
    const { viewer: slow, left } = viewer(10);
    slow.push(new Uint8Array(8));
    slow.push(new Uint8Array(8));
    expect(left()).toBe(1);
    expect(slow.body.getReader().read()).rejects.toThrow('too slowly');
  });

  test('leaves once, by cancelling or by its signal', async () => {
    const cancelled = viewer();
    await cancelled.viewer.body.cancel();
    cancelled.abort.abort();
    expect(cancelled.left()).toBe(1);
    const aborted = viewer();
    aborted.abort.abort();
    aborted.viewer.push(bytes(1));
    expect(aborted.left()).toBe(1);
  });

  test('a failure reaches a reader that waits', async () => {
    const { viewer: one } = viewer();
    const waiting = one.body.getReader().read();
    one.fail(new Error('the tuner is gone'));
    expect(waiting).rejects.toThrow('the tuner is gone');
  });
});

describe('Audience', () => {
  test('cuts a slow viewer alone and is empty when the last one went', async () => {
    let empty = 0;
    const audience = new Audience(10, () => {
      empty += 1;
    });
    const release = audience.hold();
    const signal = new AbortController().signal;
    const slow = audience.admit(signal);
    const quick = audience.admit(signal);
    release();
    const reader = quick.body.getReader();
    for (let index = 0; index < 5; index += 1) {
      audience.push(new Uint8Array(4));
      expect((await reader.read()).value?.length).toBe(4);
    }
    expect(audience.size).toBe(1);
    expect(slow.body.getReader().read()).rejects.toThrow('too slowly');
    expect(empty).toBe(0);
    await reader.cancel();
    expect(empty).toBe(1);
  });

  test('a request on its way keeps the session', () => {
    let empty = 0;
    const audience = new Audience(10, () => {
      empty += 1;
    });
    const first = audience.hold();
    const second = audience.hold();
    first();
    first();
    expect(empty).toBe(0);
    second();
    expect(empty).toBe(1);
  });
});

describe('Backlog', () => {
  test('holds the initialisation segment and everything since the last key frame', () => {
    const backlog = new Backlog();
    backlog.add(bytes(1), false);
    expect(backlog.ready).toBe(false);
    backlog.setInit(bytes(9));
    backlog.add(bytes(2), true);
    backlog.add(bytes(3), false);
    expect(backlog.pieces()).toEqual([bytes(9), bytes(2), bytes(3)]);
    backlog.add(bytes(4), true);
    expect(backlog.pieces()).toEqual([bytes(9), bytes(4)]);
  });

  test('forgets a group without end and waits for the next key frame', () => {
    const backlog = new Backlog();
    backlog.setInit(bytes(9));
    backlog.add(bytes(1), true);
    for (let index = 0; index < 9; index += 1) backlog.add(new Uint8Array(1024 * 1024), false);
    expect(backlog.ready).toBe(false);
    backlog.add(bytes(5), true);
    expect(backlog.pieces()).toEqual([bytes(9), bytes(5)]);
  });
});
