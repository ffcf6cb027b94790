import { expect, test } from 'bun:test';
import { isEndless, OpenStreams } from './open-streams.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function source() {
  const left: unknown[] = [];
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      feed = controller;
    },
    cancel: (reason) => {
      left.push(reason);
    },
  });
  const headers = { 'content-type': 'video/mp4', 'x-svc-mime': 'm' };
  return { response: new Response(body, { headers }), feed: () => feed, left };
}

test('a revoked stream is aborted and its source cancelled; others continue', async () => {
  const streams = new OpenStreams();
  const [mine, theirs] = [source(), source()];
  let isAllowed = true;
  const revoked = streams.watch(mine.response, () => isAllowed);
  const other = streams.watch(theirs.response, () => true);
  const [reader, otherReader] = [revoked.body?.getReader(), other.body?.getReader()];
  mine.feed()?.enqueue(bytes('a'));
  expect((await reader?.read())?.value).toEqual(bytes('a'));
  expect(revoked.headers.get('x-svc-mime')).toBe('m');
  streams.review();
  const next = reader?.read();
  isAllowed = false;
  streams.review();
  expect(next).rejects.toThrow('no longer let in');
  expect(mine.left).toEqual([undefined]);
  theirs.feed()?.enqueue(bytes('b'));
  expect((await otherReader?.read())?.value).toEqual(bytes('b'));
  theirs.feed()?.close();
  expect((await otherReader?.read())?.done).toBe(true);
  expect(streams.size).toBe(0);
});

test("a client's disconnect and a source's error are propagated, and the stream is forgotten", async () => {
  const streams = new OpenStreams();
  const [left, broken] = [source(), source()];
  await streams.watch(left.response, () => true).body?.cancel('gone');
  expect(left.left).toEqual(['gone']);
  const reader = streams.watch(broken.response, () => true).body?.getReader();
  broken.feed()?.error(new Error('lost'));
  expect(reader?.read()).rejects.toThrow('lost');
  await Bun.sleep(0);
  expect(streams.size).toBe(0);
});

test('a revoked connection is closed once, a closed one is forgotten', () => {
  const streams = new OpenStreams();
  const ended: string[] = [];
  let isAllowed = true;
  streams.hold(
    () => isAllowed,
    () => ended.push('revoked'),
  );
  streams.hold(
    () => true,
    () => ended.push('allowed'),
  );
  const forget = streams.hold(
    () => isAllowed,
    () => ended.push('closed'),
  );
  forget();
  streams.review();
  isAllowed = false;
  streams.review();
  streams.review();
  expect(ended).toEqual(['revoked']);
  expect(streams.size).toBe(1);
});

test('files and complete answers are not tracked', () => {
  const response = (headers: Record<string, string>, status = 200) => new Response('x', { headers, status });
  expect(isEndless(response({ 'content-type': 'text/event-stream' }))).toBe(true);
  expect(isEndless(response({ 'content-type': 'video/mp2t' }))).toBe(true);
  expect(isEndless(response({ 'content-type': 'video/mp2t', 'accept-ranges': 'bytes' }))).toBe(false);
  expect(isEndless(response({ 'content-type': 'video/mp2t', 'content-length': '1' }))).toBe(false);
  expect(isEndless(response({ 'content-type': 'video/mp2t' }, 206))).toBe(false);
  expect(isEndless(response({ 'content-type': 'application/json' }))).toBe(false);
});
