import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { BodyTooLarge, type RequestBody, readBody } from './guards.ts';

const LIMIT = 100;

/** The body read from a request sent as these octets; `leave` disconnects before its end. */
async function readOf(text: string, { timeMs = 20_000, leave = false } = {}): Promise<RequestBody | 'gone'> {
  const read = Promise.withResolvers<RequestBody | 'gone'>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = await readBody(request, LIMIT, timeMs);
      // A stream ends with its connection.
      const whole = body instanceof ReadableStream ? new Response(body).arrayBuffer() : body;
      await Promise.resolve(whole).then(read.resolve, read.reject);
      return new Response();
    },
  });
  const socket = connect(server.port ?? 0, '127.0.0.1', () => {
    socket.write(text);
    if (leave) setTimeout(() => socket.destroy(), 20);
  });
  socket.on('error', () => {});
  try {
    return await read.promise;
  } finally {
    socket.destroy();
    await server.stop(true);
  }
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const text = (body: RequestBody | 'gone') =>
  body instanceof ArrayBuffer ? new TextDecoder().decode(body) : body;

test('a body is read, declared or in chunks', async () => {
  expect(text(await readOf(`${HEAD}Content-Length: 3\r\n\r\nabc`))).toBe('abc');
  expect(text(await readOf(`${CHUNKED}3\r\nabc\r\n0\r\n\r\n`))).toBe('abc');
});

test('a request without a body has none', async () => {
  expect(await readOf('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBeNull();
});

test('a body that does not arrive in time, or whose client disconnected, is abandoned', async () => {
  const half = `${HEAD}Content-Length: 50\r\n\r\nabc`;
  expect(await readOf(half, { timeMs: 30 })).toBe('gone');
  expect(await readOf(half, { leave: true })).toBe('gone');
});

test('chunks beyond the limit are an error, however many follow', async () => {
  const chunk = `40\r\n${'x'.repeat(64)}\r\n`;
  await expect(readOf(`${CHUNKED}${chunk}${chunk}0\r\n\r\n`)).rejects.toBeInstanceOf(BodyTooLarge);
});
