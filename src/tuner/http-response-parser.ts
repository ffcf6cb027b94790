/**
 * Parses one HTTP/1.1 response from the bytes of a socket, in any pieces. Pure. Supports what an endless body needs:
 * the head, the chunked transfer coding, a content length, and a body that ends with the connection. RFC 9112.
 *
 * Body bytes are passed as views of the input, never copied. Every line has a limit, so that no response fills
 * memory; other data than HTTP is an error at the first byte that cannot belong to it.
 */

export class HttpSyntaxError extends Error {
  override readonly name = 'HttpSyntaxError';
}

export interface HttpHead {
  status: number;
  /** By lower-case name; the first one if repeated. */
  headers: ReadonlyMap<string, string>;
}

interface HttpResponseHandlers {
  head(head: HttpHead): void;
  /** A view of the input: valid during the call, unless the caller of `feed` does not reuse the buffer. */
  body(bytes: Uint8Array): void;
  /** The response is complete. */
  end(): void;
}

/** Ten times the head of any normal server. */
const MAX_HEAD_BYTES = 16 * 1024;
/** A chunk's size with extensions, or one trailer line. */
const MAX_LINE_BYTES = 1024;
const MAX_TRAILER_LINES = 64;
/** Interim responses (1xx) before the final one. */
const MAX_INTERIM = 8;
/** 2^40 octets: no chunk of a stream is larger. */
const MAX_CHUNK_DIGITS = 10;

const CR = 0x0d;
const LF = 0x0a;

type State = 'head' | 'size' | 'data' | 'data-end' | 'trailer' | 'length' | 'rest' | 'over';

export class HttpResponseParser {
  #state: State = 'head';
  #line: number[] = [];
  #lines: string[] = [];
  #headBytes = 0;
  #interim = 0;
  #trailers = 0;
  /** Remaining octets of the chunk or of the body. */
  #left = 0;

  constructor(private readonly handlers: HttpResponseHandlers) {}

  /** Processes the next bytes. Bytes after the end are ignored. @throws HttpSyntaxError; nothing may be fed after it */
  feed(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'over') return;
      if (this.#state === 'data' || this.#state === 'length') at = this.#counted(bytes, at);
      else if (this.#state === 'rest') {
        this.handlers.body(at === 0 ? bytes : bytes.subarray(at));
        return;
      } else at = this.#readLine(bytes, at);
    }
  }

  /** The connection was closed. @throws HttpSyntaxError if the response is incomplete */
  close(): void {
    if (this.#state === 'over') return;
    if (this.#state !== 'rest') throw new HttpSyntaxError('the connection was closed in mid-response');
    this.#end();
  }

  #counted(bytes: Uint8Array, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#left -= to - at;
    this.handlers.body(bytes.subarray(at, to));
    if (this.#left === 0) {
      if (this.#state === 'data') this.#state = 'data-end';
      else this.#end();
    }
    return to;
  }

  /** Collects one line; returns the position of the next one. */
  #readLine(bytes: Uint8Array, from: number): number {
    const limit = this.#state === 'head' ? MAX_HEAD_BYTES - this.#headBytes : MAX_LINE_BYTES;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte !== LF) {
        if (this.#line.length >= limit) throw new HttpSyntaxError('a line of the response is too long');
        this.#line.push(byte);
        continue;
      }
      if (this.#line.at(-1) === CR) this.#line.pop();
      const line = String.fromCharCode(...this.#line);
      this.#headBytes += this.#line.length + 2;
      this.#line = [];
      this.#take(line);
      return at + 1;
    }
    return bytes.length;
  }

  #take(line: string): void {
    switch (this.#state) {
      case 'head':
        this.#headLine(line);
        break;
      case 'size':
        this.#size(line);
        break;
      case 'data-end':
        if (line !== '') throw new HttpSyntaxError('a chunk is longer than its size');
        this.#state = 'size';
        break;
      default:
        this.#trailers += 1;
        if (line === '') this.#end();
        else if (this.#trailers > MAX_TRAILER_LINES) throw new HttpSyntaxError('too many trailers');
    }
  }

  #headLine(line: string): void {
    if (line !== '') {
      if (this.#lines.length === 0 && !/^HTTP\/1\.[01] [1-5]\d\d(?: |$)/.test(line))
        throw new HttpSyntaxError('not an HTTP response');
      this.#lines.push(line);
      return;
    }
    const [first, ...rest] = this.#lines;
    if (first === undefined) throw new HttpSyntaxError('not an HTTP response');
    this.#lines = [];
    this.#headBytes = 0;
    const status = Number(first.slice(9, 12));
    if (status < 200) {
      this.#interim += 1;
      if (status === 101 || this.#interim > MAX_INTERIM)
        throw new HttpSyntaxError(`unexpected status ${status}`);
      return;
    }
    const headers = new Map<string, string>();
    for (const header of rest) addHeader(headers, header);
    this.#enterBody(status, headers);
    this.handlers.head({ status, headers });
    if (this.#state === 'length' && this.#left === 0) this.#end();
  }

  /** RFC 9112 6.3. */
  #enterBody(status: number, headers: ReadonlyMap<string, string>): void {
    const coding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    this.#left = 0;
    if (status === 204 || status === 304) this.#state = 'length';
    else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked') throw new HttpSyntaxError('unknown transfer coding');
      this.#state = 'size';
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) throw new HttpSyntaxError('content-length is not a number');
      this.#left = Number(length);
      this.#state = 'length';
    } else this.#state = 'rest';
  }

  #size(line: string): void {
    const digits = /^([0-9a-fA-F]+)[ \t]*(?:;.*)?$/.exec(line)?.[1];
    if (digits === undefined || digits.length > MAX_CHUNK_DIGITS)
      throw new HttpSyntaxError('a chunk has no size');
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
  }

  #end(): void {
    this.#state = 'over';
    this.handlers.end();
  }
}

/** @throws HttpSyntaxError */
function addHeader(headers: Map<string, string>, line: string): void {
  const match = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
  if (match === null) throw new HttpSyntaxError('a header is not one');
  const [, name = '', value = ''] = match;
  const key = name.toLowerCase();
  const known = headers.get(key);
  // Two lengths are the usual way to smuggle one response into another: RFC 9112 6.3.
  if (known !== undefined && known !== value && (key === 'content-length' || key === 'transfer-encoding'))
    throw new HttpSyntaxError(`two different ${key}`);
  if (known === undefined) headers.set(key, value);
}
