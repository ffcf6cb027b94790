import { describe, expect, test } from 'bun:test';
import { media90k } from '../../lib/arib/time.ts';
import type { SideItem } from '../reception/side-item.ts';
import { Audience } from './audience.ts';
import { Backlog } from './backlog.ts';
import type { FragmentFrame, Frame, InitFrame, PacketsFrame, SideFrame } from './frame.ts';
import { httpBody } from './http-body.ts';
import { defineSideRow } from './side-row.ts';
import { captionRow } from './side-rows.ts';
import { SideState } from './side-state.ts';
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
const side = (item: Partial<SideItem>, row = captionRow): SideFrame => ({
  kind: 'side',
  row,
  item: { key: null, size: 0, ...item },
});
const onDemand = defineSideRow({
  name: 'test',
  channels: [0x7f],
  source: { output: undefined as never },
  when: 'demand',
});
const demanded = (key: string, size = 0): SideFrame => side({ key, size }, onDemand);

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
    queue.push(side({ key: 'あ' }));
    expect(await waiting).toEqual(side({ key: 'あ' }));
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
    queue.push(side({ size: 100 }));
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

describe('side data on demand', () => {
  function viewerOf(state: () => SideFrame[]) {
    const calls: boolean[] = [];
    const queue = new ViewerQueue({
      maxBytes: 1000,
      signal: new AbortController().signal,
      onLeft: () => {},
      onDemand: (on) => calls.push(on),
      demanded: state,
    });
    return { queue, calls };
  }

  test('begin with their current state, and wait for media', async () => {
    const { queue, calls } = viewerOf(() => [demanded('a'), demanded('b')]);
    queue.push(demanded('before'));
    queue.demand(true);
    queue.demand(true);
    queue.push(demanded('c'));
    queue.push(packets(1));
    const got: unknown[] = [];
    for (let count = 0; count < 4; count += 1) got.push(await queue.next());
    expect(got).toEqual([packets(1), demanded('a'), demanded('b'), demanded('c')]);
    queue.push(demanded('d'));
    const media = queue.next(false);
    queue.push(packets(2));
    expect(await media).toEqual(packets(2));
    expect(await queue.next()).toEqual(demanded('d'));
    queue.leave();
    expect(calls).toEqual([true, false]);
  });

  test('of any size do not drop a viewer, who gets the current state if they are taken too slowly', async () => {
    let state = [demanded('old', 6_000_000)];
    const { queue } = viewerOf(() => state);
    queue.demand(true);
    state = [demanded('new', 6_000_000)];
    for (let count = 0; count < 10; count += 1) queue.push(demanded(`${count}`, 1_000_000));
    expect(await queue.next()).toEqual(demanded('new', 6_000_000));
    expect(await queue.next()).toEqual(demanded('9', 1_000_000));
    queue.demand(false);
    queue.push(demanded('unasked'));
    queue.end();
    expect(await queue.next()).toBeUndefined();
  });

  test('are read while at least one viewer asks', () => {
    const calls: boolean[] = [];
    const feed = { current: () => [], demand: (on: boolean) => calls.push(on) };
    const audience = new Audience({ maxBytes: 10, onEmpty: () => {}, side: () => feed });
    const { signal } = new AbortController();
    const [one, other] = [audience.admit(signal), audience.admit(signal)];
    one.demand(true);
    other.demand(true);
    one.demand(false);
    expect(calls).toEqual([true]);
    other.leave();
    expect(calls).toEqual([true, false]);
  });
});

describe('SideState', () => {
  test('keeps the last frame of each key, in order of rank and arrival, until it is obsolete', () => {
    const state = new SideState(1_000);
    const frames = [
      side({ key: 'page/1', rank: 1 }),
      side({ key: 'page/2', rank: 1 }),
      side({ key: 'other' }),
      side({ key: 'page/1', rank: 1, size: 1 }),
      side({ key: null }),
    ];
    for (const frame of frames) state.keep(frame);
    expect(state.frames()).toEqual([2, 1, 3].map((index) => frames[index] as SideFrame));
    state.keep(side({ key: 'other', clears: 'page/' }));
    expect(state.frames()).toEqual([side({ key: 'other', clears: 'page/' })]);
  });

  test('is bounded in octets', () => {
    const state = new SideState(1_000);
    for (let index = 0; index < 100; index += 1) state.keep(side({ key: `${index}`, size: 36 }));
    expect(state.frames()).toHaveLength(10);
    state.keep(side({ key: '0', size: 900 }));
    expect(state.frames()).toHaveLength(9);
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
  test('keeps the initialisation segment and everything since the last key frame, after current side data', () => {
    const backlog = new Backlog();
    const clock = side({ key: 'clock' });
    backlog.keep(fragment(1, false));
    expect(backlog.isReady).toBe(false);
    for (const frame of [init, clock, fragment(2, true), packets(7), fragment(3, false)]) backlog.keep(frame);
    expect(backlog.frames([clock])).toEqual([init, clock, fragment(2, true), fragment(3, false)]);
    backlog.keep(fragment(4, true));
    expect(backlog.frames([])).toEqual([init, fragment(4, true)]);
  });

  test('keeps everything for the first viewer, whose request may arrive late', () => {
    const backlog = new Backlog();
    for (const frame of [init, fragment(1, true), fragment(2, false), fragment(3, true)]) backlog.keep(frame);
    expect(backlog.frames([])).toEqual([init, fragment(1, true), fragment(2, false), fragment(3, true)]);
    backlog.keep(fragment(4, true));
    expect(backlog.frames([])).toEqual([init, fragment(4, true)]);
  });

  test('drops an endless group of pictures and waits for the next key frame', () => {
    const backlog = new Backlog();
    backlog.keep(init);
    backlog.keep(fragment(1, true));
    for (let index = 0; index < 9; index += 1) backlog.keep(fragment(2, false, 1024 * 1024));
    expect(backlog.isReady).toBe(false);
    backlog.keep(fragment(5, true));
    expect(backlog.frames([])).toEqual([init, fragment(5, true)]);
  });
});

describe('an HTTP body', () => {
  test('contains the initialisation segment, fragments and packets; other frames are omitted', async () => {
    const { queue } = viewer(10_000);
    const other: Frame[] = [side({ key: 'う' }), { kind: 'notice', notice: 'software_encoder' }];
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
