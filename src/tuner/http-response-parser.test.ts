import { expect, test } from 'bun:test';
import { fuzzRounds, fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { HttpResponseParser, HttpSyntaxError } from './http-response-parser.ts';

interface Read {
  status: number | undefined;
  body: string;
  isWhole: boolean;
}

function parse(pieces: readonly Uint8Array[], isClosed = false): Read {
  const read: Read = { status: undefined, body: '', isWhole: false };
  const parser = new HttpResponseParser({
    head: ({ status }) => {
      read.status = status;
    },
    body: (bytes) => {
      read.body += Buffer.from(bytes).toString('latin1');
    },
    end: () => {
      read.isWhole = true;
    },
  });
  for (const piece of pieces) parser.feed(piece);
  if (isClosed) parser.close();
  return read;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nT: 1\r\n\r\n';

test('a chunked body is the same for any split of its bytes', () => {
  const all = bytes(CHUNKED);
  for (let cut = 0; cut <= all.length; cut += 1) {
    expect(parse([all.subarray(0, cut), all.subarray(cut)])).toEqual({
      ...{ status: 200, body: 'abc0123456789', isWhole: true },
    });
  }
});

test('a body by length, by closing, and none', () => {
  expect(parse([bytes('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcd')]).body).toBe('abc');
  expect(parse([bytes('HTTP/1.0 200 OK\r\n\r\nabc')], true)).toMatchObject({ body: 'abc', isWhole: true });
  expect(parse([bytes('HTTP/1.1 204 None\r\n\r\n')])).toMatchObject({ body: '', isWhole: true });
  expect(parse([bytes('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 No\r\ncontent-length: 0\r\n\r\n')])).toEqual(
    {
      ...{ status: 409, body: '', isWhole: true },
    },
  );
  expect(() => parse([bytes(CHUNKED.slice(0, -4))], true)).toThrow(HttpSyntaxError);
});

test('any bytes give a response or a syntax error, in bounded memory', () => {
  const seed = fuzzSeed();
  console.info(`seed ${seed}`);
  const random = new Random(seed);
  const all = bytes(CHUNKED);
  for (let round = 0; round < fuzzRounds(400); round += 1) {
    const copy = all.slice();
    for (let change = 0; change < 3; change += 1) copy[random.below(copy.length)] = random.below(256);
    try {
      const { body } = parse([copy, random.bytes(random.below(5_000))], true);
      expect(body.length).toBeLessThanOrEqual(copy.length + 5_000);
    } catch (error) {
      expect(error).toBeInstanceOf(HttpSyntaxError);
    }
  }
});
