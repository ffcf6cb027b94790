/**
 * HTTP/1.1 as used on the share port: requests with no or a short body, one after the other on a connection. Both
 * sides limit the lengths; anything else is an error and ends the connection. RFC 9112.
 */
import { dlopen, ptr } from 'bun:ffi';
import type { KeyFailureCode } from '../../lib/wire/key-failure.ts';

/** CA_system_id of the shared card; default for peers: B-CAS. */
export const CA_SYSTEM_HEADER = 'x-svc-ca-system';
export const INIT_PATH = '/agent/card/init';
export const ECM_PATH = '/agent/card/ecm';
/** 32 octets system key, 8 octets initial CBC value. */
export const INIT_BYTES = 40;
/** 8 octets odd key, 8 octets even key. */
export const KEYS_BYTES = 16;

const MAX_HEAD_BYTES = 4 * 1024;
export const MAX_BODY_BYTES = 1024;
const HEAD_END = '\r\n\r\n';

export interface ShareMessage {
  /** Request line or status line. */
  readonly first: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

export class BadMessage extends Error {
  override readonly name = 'BadMessage';
}

/** Reassembles the messages of one connection. */
export class MessageReader {
  #held = Buffer.alloc(0);

  /** @throws BadMessage if it is too long or not HTTP; the connection is unusable then */
  *feed(bytes: Uint8Array): Generator<ShareMessage> {
    this.#held = Buffer.concat([this.#held, bytes]);
    for (;;) {
      const end = this.#held.indexOf(HEAD_END);
      if (end < 0) {
        if (this.#held.length > MAX_HEAD_BYTES) throw new BadMessage('head too long');
        return;
      }
      if (end > MAX_HEAD_BYTES) throw new BadMessage('head too long');
      const [first = '', ...lines] = this.#held.subarray(0, end).toString('latin1').split('\r\n');
      const headers = readHeaders(lines);
      const length = bodyLength(headers);
      const start = end + HEAD_END.length;
      if (this.#held.length < start + length) return;
      const body = new Uint8Array(this.#held.subarray(start, start + length));
      this.#held = this.#held.subarray(start + length);
      yield { first, headers, body };
    }
  }
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new BadMessage('header without a name');
    const name = line.slice(0, colon).toLowerCase();
    if (headers.has(name)) throw new BadMessage(`header ${name} twice`);
    headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function bodyLength(headers: ReadonlyMap<string, string>): number {
  if (headers.has('transfer-encoding')) throw new BadMessage('transfer-encoding is not taken');
  const text = headers.get('content-length') ?? '0';
  if (!/^\d{1,6}$/.test(text)) throw new BadMessage('bad content-length');
  const length = Number(text);
  if (length > MAX_BODY_BYTES) throw new BadMessage('body too long');
  return length;
}

export function requestBytes(
  method: 'GET' | 'POST',
  path: string,
  host: string,
  body?: Uint8Array,
): Uint8Array {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/octet-stream', `Content-Length: ${body.length}`]),
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}${HEAD_END}`, 'latin1'), body ?? new Uint8Array()]);
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  503: 'Service Unavailable',
};

export function responseBytes(
  status: number,
  type: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(status === 200 ? [] : ['Connection: close']),
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}${HEAD_END}`, 'latin1'), body]);
}

/** Every error body of the agent is `{message}`; `code` says why there is no key. */
export function errorBytes(status: number, message: string, code?: KeyFailureCode): Uint8Array {
  const body = JSON.stringify({ message, ...(code === undefined ? {} : { code }) });
  return responseBytes(status, 'application/json', new TextEncoder().encode(body));
}

/** Message and code of an error body; the text itself from an agent that sends plain text. */
export function readError(body: Uint8Array): { readonly message: string; readonly code: unknown } {
  const text = new TextDecoder().decode(body);
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: unknown };
    return { message: String(message), code };
  } catch {
    return { message: text, code: text };
  }
}

/** Undefined if the message does not have a status line. */
export function statusOf(message: ShareMessage): number | undefined {
  const match = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(message.first);
  return match === null ? undefined : Number(match[1]);
}

const SYMBOLS = {
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
} as const;

const IPPROTO_IP = 0;
const IP_TTL = 2;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** `tcpi_rtt` of `struct tcp_info`: microseconds, 32 bits. */
const RTT_OFFSET = 68;
const TCP_INFO_BYTES = 104;

let library: ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'] | undefined;

function libc(): NonNullable<typeof library> {
  library ??= dlopen('libc.so.6', SYMBOLS).symbols;
  return library;
}

/**
 * Options and statistics of TCP sockets that the runtime does not offer, with libc. Linux numbers.
 * Time to live, or hop limit, of packets sent by the socket; accepted sockets inherit it.
 */
export function setHopLimit(fd: number, family: 'ipv4' | 'ipv6', hops: number): boolean {
  const value = new Int32Array([hops]);
  const [level, name] = family === 'ipv4' ? [IPPROTO_IP, IP_TTL] : [IPPROTO_IPV6, IPV6_UNICAST_HOPS];
  return libc().setsockopt(fd, level, name, ptr(value), 4) === 0;
}

/** The kernel's smoothed round-trip time, ms; undefined if there is no measurement yet. */
export function roundTripMs(fd: number): number | undefined {
  const info = new Uint8Array(TCP_INFO_BYTES);
  const length = new Uint32Array([info.length]);
  if (libc().getsockopt(fd, IPPROTO_TCP, TCP_INFO, ptr(info), ptr(length)) !== 0) return undefined;
  if ((length[0] as number) < RTT_OFFSET + 4) return undefined;
  const microseconds = new DataView(info.buffer).getUint32(RTT_OFFSET, true);
  return microseconds === 0 ? undefined : microseconds / 1000;
}
