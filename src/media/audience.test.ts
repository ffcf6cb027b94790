import { describe, expect, test } from 'bun:test';
import { media90k, pts90k } from '../../arib/time.ts';
import { Audience } from './audience.ts';
import { Backlog } from './backlog.ts';
import type { CaptionFrame, FragmentFrame, Frame, InitFrame, PacketsFrame } from './frame.ts';
import { httpBody } from './http-body.ts';
import { ViewerQueue } from './viewer-queue.ts';

const packets = (...octets: number[]): PacketsFrame => ({
  kind: 'packets',
  bytes: Uint8Array.from(octets),
});
const init: InitFrame = { kind: 'init', bytes: Uint8Array.of(9), mime: 'video/mp4' };
const fragment = (octet: number, isSync: boolean, size = 1): FragmentFrame => ({
  kind: 'fragment',
  bytes: new Uint8Array(size).fill(octet),
  isSync,
  time: media90k(octet * 9000),
});
const caption = (language: number, text: string): CaptionFrame => ({
  kind: 'caption',
  superimpose: false,
  language,
  time: pts90k(1),
  json: JSON.stringify({ v: 1, text }),
});

function viewer(maxBytes = 100) {
  const abort = new AbortController();
  const seen = { left: 0, crowded: [] as boolean[] };
  const queue = new ViewerQueue({
    maxBytes,
    signal: abort.signal,
    onLeft: () => {
      seen.left += 1;
    },
    onCrowded: (isCrowded) => seen.crowded.push(isCrowded),
  });
  return { queue, seen, abort };
}

describe('ViewerQueue', () => {
  test('returns pushed frames in order, whether read before or after the push', async () => {
    const { queue, seen } = viewer();
    queue.push(packets(1));
    expect(await queue.next()).toEqual(packets(1));
    const waiting = queue.next();
    queue.push(caption(1, 'あ'));
    expect(await waiting).toEqual(caption(1, 'あ'));
    queue.push(packets(3));
    queue.end();
    expect(await queue.next()).toEqual(packets(3));
    expect(seen.left).toBe(0);
    expect(await queue.next()).toBeUndefined();
    expect(seen.left).toBe(1);
  });

  test('fails when it is full, with any kind of frame', async () => {
    const { queue, seen } = viewer(300);
    queue.push(packets(...new Array(200).fill(0)));
    queue.push(caption(1, 'い'.repeat(50)));
    expect(seen.left).toBe(1);
    await expect(queue.next()).rejects.toThrow('too slowly');
  });

  test('reports half full and drained, each once', async () => {
    const { queue, seen } = viewer(100);
    for (let index = 0; index < 9; index += 1) queue.push(packets(...new Array(10).fill(0)));
    expect(seen.crowded).toEqual([true]);
    for (let index = 0; index < 7; index += 1) await queue.next();
    expect(seen.crowded).toEqual([true, false]);
  });

  test('leaves once, on its own or by its signal, and is not crowded afterwards', async () => {
    const { queue, seen, abort } = viewer(10);
    queue.push(packets(1, 2, 3, 4, 5, 6));
    queue.leave();
    abort.abort();
    expect(seen).toEqual({ left: 1, crowded: [true, false] });
    const aborted = viewer();
    aborted.abort.abort();
    aborted.queue.push(packets(1));
    expect(await aborted.queue.next()).toBeUndefined();
    expect(aborted.seen.left).toBe(1);
  });

  test('a failure reaches a waiting reader and a late listener', async () => {
    const { queue } = viewer();
    const waiting = queue.next();
    queue.fail(new Error('the tuner is gone'));
    await expect(waiting).rejects.toThrow('the tuner is gone');
    const reasons: string[] = [];
    queue.onFailure(({ message }) => reasons.push(message));
    expect(reasons).toEqual(['the tuner is gone']);
  });
});

describe('Audience', () => {
  function audience(maxBytes = 10) {
    const seen = { empty: 0, crowded: [] as boolean[] };
    const made = new Audience({
      maxBytes,
      onEmpty: () => {
        seen.empty += 1;
      },
      onCrowded: (isCrowded) => seen.crowded.push(isCrowded),
    });
    return { audience: made, seen };
  }
  const { signal } = new AbortController();

  test('drops only the slow viewer and is empty when the last one left', async () => {
    const { audience: one, seen } = audience();
    const release = one.hold();
    const slow = one.admit(signal);
    const quick = one.admit(signal);
    release();
    for (let index = 0; index < 5; index += 1) {
      one.push(packets(1, 2, 3, 4));
      expect(await quick.next()).toEqual(packets(1, 2, 3, 4));
    }
    expect(one.size).toBe(1);
    await expect(slow.next()).rejects.toThrow('too slowly');
    expect(seen.empty).toBe(0);
    quick.leave();
    expect(seen.empty).toBe(1);
  });

  test('is crowded while any viewer is, so that a pausable source waits', async () => {
    const { audience: one, seen } = audience();
    const [first, second] = [one.admit(signal), one.admit(signal)];
    one.push(packets(1, 2, 3, 4, 5, 6));
    expect(seen.crowded).toEqual([true]);
    await first.next();
    expect(seen.crowded).toEqual([true]);
    await second.next();
    expect(seen.crowded).toEqual([true, false]);
  });

  test('a pending request keeps the session', () => {
    const { audience: one, seen } = audience();
    const first = one.hold();
    const second = one.hold();
    first();
    first();
    expect(seen.empty).toBe(0);
    second();
    expect(seen.empty).toBe(1);
  });
});

describe('Backlog', () => {
  test('keeps the initialisation segment, the clock and everything since the last key frame', () => {
    const backlog = new Backlog();
    const clock: Frame = { kind: 'clock', media: media90k(0), pts: pts90k(5), at: undefined };
    backlog.keep(fragment(1, false));
    expect(backlog.isReady).toBe(false);
    for (const frame of [init, clock, fragment(2, true), packets(7), fragment(3, false)]) backlog.keep(frame);
    expect(backlog.frames()).toEqual([init, clock, fragment(2, true), fragment(3, false)]);
    backlog.keep(fragment(4, true));
    expect(backlog.frames()).toEqual([init, clock, fragment(4, true)]);
  });

  test('keeps everything for the first viewer, whose request may arrive late', () => {
    const backlog = new Backlog();
    for (const frame of [init, fragment(1, true), fragment(2, false), fragment(3, true)]) backlog.keep(frame);
    expect(backlog.frames()).toEqual([init, fragment(1, true), fragment(2, false), fragment(3, true)]);
    backlog.keep(fragment(4, true));
    expect(backlog.frames()).toEqual([init, fragment(4, true)]);
  });

  test('keeps the current caption page of each language, sixteen at most', () => {
    const backlog = new Backlog();
    for (const text of ['前', '今']) backlog.keep(caption(1, text));
    backlog.keep(caption(2, 'now'));
    expect(backlog.frames()).toEqual([caption(1, '今'), caption(2, 'now')]);
    for (let language = 0; language < 100; language += 1) backlog.keep(caption(language, ''));
    expect(backlog.frames()).toHaveLength(16);
  });

  test('drops an endless group of pictures and waits for the next key frame', () => {
    const backlog = new Backlog();
    backlog.keep(init);
    backlog.keep(fragment(1, true));
    for (let index = 0; index < 9; index += 1) backlog.keep(fragment(2, false, 1024 * 1024));
    expect(backlog.isReady).toBe(false);
    backlog.keep(fragment(5, true));
    expect(backlog.frames()).toEqual([init, fragment(5, true)]);
  });
});

describe('an HTTP body', () => {
  test('contains the initialisation segment, fragments and packets; other frames are omitted', async () => {
    const { queue } = viewer(10_000);
    const other: Frame[] = [
      caption(1, 'う'),
      { kind: 'notice', notice: 'software_encoder' },
      { kind: 'data', json: '{}' },
    ];
    for (const frame of [init, ...other, fragment(2, true), packets(3)]) queue.push(frame);
    queue.end();
    expect(new Uint8Array(await new Response(httpBody(queue)).arrayBuffer())).toEqual(Uint8Array.of(9, 2, 3));
  });

  test('drops a client that reads nothing within the limit, but not one that waits for frames', async () => {
    const [idle, eager] = [viewer(), viewer()];
    const [idleReader, eagerReader] = [idle, eager].map(({ queue }) =>
      httpBody(queue, { abandonedAfterMs: 40 }).getReader(),
    );
    const waiting = eagerReader?.read();
    idle.queue.push(packets(1));
    expect((await idleReader?.read())?.value).toEqual(Uint8Array.of(1));
    await expect(idleReader?.closed).rejects.toThrow('does not read');
    expect([idle.seen.left, eager.seen.left]).toEqual([1, 0]);
    eager.queue.push(packets(2));
    expect((await waiting)?.value).toEqual(Uint8Array.of(2));
    await eagerReader?.cancel();
  });

  test('errors for a client that reads nothing, and frees the viewer when it is cancelled', async () => {
    const slow = viewer(2);
    const body = httpBody(slow.queue);
    slow.queue.push(packets(1, 2, 3));
    await expect(body.getReader().read()).rejects.toThrow('too slowly');
    const { queue, seen } = viewer();
    const reader = httpBody(queue).getReader();
    const waiting = reader.read();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    expect(seen.left).toBe(1);
  });
});
