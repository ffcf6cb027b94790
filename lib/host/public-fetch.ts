/**
 * Requests to servers outside of the home. Which addresses are allowed is judged on the resolved address, never on the
 * name, and the connection goes to the judged address: a name that resolves differently a moment later (DNS rebinding)
 * changes nothing. Each redirect that is followed is judged like the first target. Answers are bounded.
 */
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { unlessAborted } from './deadline.ts';
import { parseAddress } from './networks.ts';

// One HTTP/1.1 request to a given address, for servers that are not trusted: headers, size and codings of the answer
// are bounded, and nothing is sent but what the caller names. The runtime's `fetch` always sends a User-Agent.

/** Ten times the headers of any normal server. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
/** Interim answers (1xx) before the final one. RFC 9110, 15.2. */
const MAX_INTERIM = 8;

interface Exchange {
  /** Determines scheme, path and Host. */
  url: URL;
  /** Where the connection goes. */
  place: { address: string; port: number };
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  /** Ends it at any time. */
  signal: AbortSignal;
  /** Of the decoded body, octets. */
  maxBytes: number;
  tls: { serverName: string; verify: boolean; ca?: string | undefined };
}

interface HttpAnswer {
  status: number;
  headers: Headers;
  /** Decoded. */
  body: Uint8Array<ArrayBuffer>;
}

/** `too_large`: more than `maxBytes`. `bad_answer`: not HTTP, too many headers, an unknown or broken coding. */
class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  constructor(
    readonly code: 'too_large' | 'bad_answer',
    message: string,
  ) {
    super(message);
  }
}

/** @throws ExchangeError, an error of the system, the signal's reason */
async function exchange(request: Exchange): Promise<HttpAnswer> {
  const { status, headers, body } = await send(request);
  return { status, headers, body: await decoded(body, headers.get('content-encoding'), request.maxBytes) };
}

function send({ url, place, method, headers, body, signal, maxBytes, tls }: Exchange): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const content = body === undefined ? undefined : Buffer.from(body);
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? https : http).request({
    host: place.address,
    port: place.port,
    method,
    path: url.pathname + url.search,
    // A connection of its own: one that was made without verification must not serve another request.
    agent: false,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      host: url.host,
      'accept-encoding': 'gzip, deflate, br',
      ...headers,
      ...(content === undefined ? {} : { 'content-length': String(content.length) }),
    },
    ...(isSecure
      ? {
          servername: tls.serverName,
          rejectUnauthorized: tls.verify,
          ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        }
      : {}),
  });
  const fail = (error: unknown): void => {
    reject(error);
    request.destroy();
  };
  const abort = (): void => fail(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM) fail(new ExchangeError('bad_answer', 'too many interim answers'));
  });
  request.on('error', (error) => fail(syntaxError(error) ?? error));
  request.on('response', (response) => {
    if (response.rawHeaders.length > 2 * MAX_HEADERS)
      return fail(new ExchangeError('bad_answer', 'too many headers'));
    const chunks: Uint8Array[] = [];
    let size = 0;
    response.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > maxBytes) fail(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    response.on('error', fail);
    response.on('close', () => fail(new ExchangeError('bad_answer', 'the answer is incomplete')));
    response.on('end', () => {
      const status = response.statusCode ?? 0;
      if (!response.complete) fail(new ExchangeError('bad_answer', 'the answer is incomplete'));
      else resolve({ status, headers: headersOf(response.rawHeaders), body: Buffer.concat(chunks) });
    });
  });
  request.end(content);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

/** Headers whose value no client would accept are left out. */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    try {
      headers.append(raw[at] ?? '', raw[at + 1] ?? '');
    } catch {}
  }
  return headers;
}

/** Errors of the runtime's parser (`HPE_…`). */
function syntaxError(error: Error): ExchangeError | undefined {
  const code = 'code' in error ? String(error.code) : '';
  return code.startsWith('HPE_') ? new ExchangeError('bad_answer', code) : undefined;
}

function tooLarge(maxBytes: number): ExchangeError {
  return new ExchangeError('too_large', `more than ${maxBytes} octets`);
}

type Decoder = (
  body: Uint8Array<ArrayBuffer>,
  options: { maxOutputLength: number },
) => Promise<Buffer<ArrayBuffer>>;

const inflate: Decoder = promisify(zlib.inflate);
const inflateRaw: Decoder = promisify(zlib.inflateRaw);
const gunzip: Decoder = promisify(zlib.gunzip);

/** RFC 9110, 8.4.1. Some servers send `deflate` without the zlib header. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: (body, options) => (((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, options),
  br: promisify(zlib.brotliDecompress),
};

/** Decoding stops at `maxBytes`, so that no small body becomes a large one. @throws ExchangeError */
async function decoded(
  body: Uint8Array<ArrayBuffer>,
  coding: string | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || body.length === 0) return body;
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decode === undefined) throw new ExchangeError('bad_answer', 'unknown content coding');
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(maxBytes);
    throw new ExchangeError('bad_answer', 'broken content coding');
  }
}

/** All addresses of a name. @throws if there is none */
export type ResolveName = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

export const resolveBySystem: ResolveName = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/** `refused`: the target is not allowed. `unreachable`: no name, no connection, no certificate, no answer in time. */
type PublicFetchFailure = 'refused' | 'unreachable' | 'too_large';

export class PublicFetchError extends Error {
  override readonly name = 'PublicFetchError';
  constructor(
    readonly code: PublicFetchFailure,
    message: string,
    /** The target at fault, which a redirect may have led to. */
    readonly target?: URL,
  ) {
    super(message);
  }
}

export interface PublicRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

export interface Place {
  address: string;
  port: number;
}

/** Which places may be reached. */
export interface PublicTargets {
  resolve: ResolveName;
  /** Whether addresses of the home may be reached too. */
  allowsPrivate: boolean;
  /** Further rules for a target, before its name is resolved. @returns why it is refused */
  refuses?: (url: URL) => string | undefined;
  /** A host whose connections go to a fixed place, which is not judged. */
  pinned?: (host: string) => Place | undefined;
  /** Further rules for a resolved address. */
  refusesAddress?: (address: string, signal: AbortSignal) => Promise<boolean>;
}

export interface PublicFetchOptions extends PublicTargets {
  /** For names, connections, answers and redirects together. */
  timeoutMs: number;
  /** Of the decoded answer, octets. */
  maxBytes: number;
  /** How many redirects are followed; 0, the default: a redirect is the answer. */
  redirects?: number;
  /** Ends the request early. */
  signal?: AbortSignal;
  /** Certificates accepted in addition to those of the system, PEM. */
  ca?: string;
  /** Any certificate is accepted. */
  acceptsAnyCertificate?: boolean;
}

export interface PublicAnswer extends HttpAnswer {
  /** Of the answer, after redirects. */
  url: URL;
}

/** Global unicast by the registries of IANA (RFC 6890): neither of the home nor of a translation into it. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return true;
  const bytes = address.toByteArray();
  // Of IPv6 only 2000::/3 is assigned; site-local addresses were withdrawn (RFC 3879).
  if (((bytes[0] ?? 0) & 0xe0) !== 0x20) return false;
  // An interface identifier of ISATAP contains the IPv4 address to which it is sent. RFC 5214, 6.1.
  return !(((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe);
}

/** @throws PublicFetchError */
export async function publicFetch(
  first: URL,
  asked: PublicRequest,
  options: PublicFetchOptions,
): Promise<PublicAnswer> {
  const { timeoutMs, maxBytes, redirects = 0, signal: ended, ca, acceptsAnyCertificate = false } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = ended === undefined ? late : AbortSignal.any([late, ended]);
  let url = first;
  let { method, headers, body }: PublicRequest = asked;
  for (let followed = 0; ; followed += 1) {
    const place = await judgedPlace(url, options, signal);
    const name = bareHost(url);
    let answer: HttpAnswer;
    try {
      const tls = {
        serverName: parseAddress(name) === undefined ? name : '',
        verify: !acceptsAnyCertificate,
        ca,
      };
      answer = await exchange({ url, place, method, headers, body, signal, maxBytes, tls });
    } catch (error) {
      throw failureOf(error, url, signal);
    }
    const next = redirects > 0 ? redirectOf(answer, url) : undefined;
    if (next === undefined) return { ...answer, url };
    if (followed >= redirects) throw new PublicFetchError('unreachable', 'too many redirects', next);
    url = next;
    if (isReadAfter(answer.status, method)) {
      method = 'GET';
      body = undefined;
      headers = withoutContent(headers);
    }
  }
}

/**
 * Where the connection for a target goes.
 * @throws PublicFetchError `refused`: by a rule, or one of its addresses; `unreachable`: it has none
 */
export async function judgedPlace(url: URL, targets: PublicTargets, signal: AbortSignal): Promise<Place> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new PublicFetchError('refused', `not http: ${url.protocol}`, url);
  if (signal.aborted) throw new PublicFetchError('unreachable', 'ended', url);
  const why = targets.refuses?.(url);
  if (why !== undefined) throw new PublicFetchError('refused', why, url);
  const pinned = targets.pinned?.(bareHost(url));
  if (pinned !== undefined) return pinned;
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  try {
    return { address: await unlessAborted(checkedAddress(url, targets, signal), signal), port };
  } catch (error) {
    throw failureOf(error, url, signal);
  }
}

/** The first of the addresses, if all of them are allowed: a mixture is an attempt to reach the home. */
async function checkedAddress(
  url: URL,
  { resolve, allowsPrivate, refusesAddress }: PublicTargets,
  signal: AbortSignal,
): Promise<string> {
  const name = bareHost(url);
  const known = parseAddress(name);
  let addresses: readonly string[];
  try {
    addresses = known === undefined ? await resolve(name, signal) : [known.toString()];
  } catch (error) {
    throw new PublicFetchError('unreachable', `name not found: ${codeOf(error)}`, url);
  }
  const first = addresses[0];
  if (first === undefined) throw new PublicFetchError('unreachable', 'name without an address', url);
  if (allowsPrivate) return first;
  if (!addresses.every(isPublicAddress)) throw new PublicFetchError('refused', 'not a public address', url);
  for (const address of addresses) {
    if ((await refusesAddress?.(address, signal)) === true)
      throw new PublicFetchError('refused', 'an address of this home', url);
  }
  return first;
}

/** As in names and addresses: without brackets. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** RFC 9110, 15.4. @throws PublicFetchError for a target that is no address */
function redirectOf({ status, headers }: HttpAnswer, from: URL): URL | undefined {
  const location = REDIRECTS.has(status) ? headers.get('location') : null;
  if (location === null) return undefined;
  const next = URL.parse(location, from.href);
  if (next === null) throw new PublicFetchError('unreachable', 'a redirect without an address', from);
  return next;
}

/** Whether a redirect is followed by a GET, as browsers do. Fetch, 4.4, step 12. */
function isReadAfter(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function withoutContent(headers: PublicRequest['headers']): PublicRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('content-')),
  );
}

function failureOf(error: unknown, url: URL, signal: AbortSignal): PublicFetchError {
  if (error instanceof PublicFetchError) return error;
  if (signal.aborted) return new PublicFetchError('unreachable', 'no answer in time', url);
  if (error instanceof ExchangeError)
    return new PublicFetchError(error.code === 'too_large' ? 'too_large' : 'unreachable', error.message, url);
  return new PublicFetchError('unreachable', codeOf(error), url);
}

/** Without the address, which may contain a secret. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'request failed';
}
