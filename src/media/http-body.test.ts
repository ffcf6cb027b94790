import { expect, test } from 'bun:test';
import type { PacketsFrame } from './frame.ts';
import { httpBody } from './http-body.ts';
import { ViewerQueue } from './viewer-queue.ts';

const FRAME_BYTES = 400_000;
const FRAMES = 60;

function newViewer(): ViewerQueue {
  const signal = new AbortController().signal;
  return new ViewerQueue({ maxBytes: FRAMES * FRAME_BYTES, signal, onLeft: () => {} });
}

function packets(fill: number, isExclusive: boolean): PacketsFrame {
  const bytes = new Uint8Array(FRAME_BYTES).fill(fill);
  return { kind: 'packets', bytes, ...(isExclusive ? { isExclusive } : {}) };
}

test('exclusive packets are freed when the next ones are read, shared ones and those of other readers are not', async () => {
  for (const [isExclusive, freesWritten, left] of [
    [true, true, 0],
    [false, true, FRAME_BYTES],
    [true, false, FRAME_BYTES],
  ] as const) {
    const viewer = newViewer();
    const reader = httpBody(viewer, { freesWritten }).getReader();
    const first = packets(1, isExclusive);
    viewer.push(first);
    viewer.push(packets(2, isExclusive));
    expect((await reader.read()).value).toHaveLength(FRAME_BYTES);
    expect(first.bytes).toHaveLength(FRAME_BYTES);
    expect((await reader.read()).value).toHaveLength(FRAME_BYTES);
    expect(first.bytes).toHaveLength(left);
    await reader.cancel();
  }
});

test('a slow client of a response gets every octet of packets that are freed', async () => {
  const viewer = newViewer();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(httpBody(viewer, { freesWritten: true })),
  });
  try {
    for (let at = 0; at < FRAMES; at += 1) viewer.push(packets(at + 1, true));
    viewer.end();
    const response = await fetch(server.url);
    let at = 0;
    for await (const part of response.body ?? []) {
      for (const octet of part) {
        if (octet !== 1 + Math.floor(at / FRAME_BYTES)) throw new Error(`octet ${at} is ${octet}`);
        at += 1;
      }
      await Bun.sleep(1);
    }
    expect(at).toBe(FRAMES * FRAME_BYTES);
  } finally {
    await server.stop(true);
  }
});
