/**
 * Resolves names by given name servers instead of the system's resolver: A and AAAA over UDP, over TCP where the answer
 * was truncated. RFC 1035, RFC 3596. An answer counts only if it comes from the server that was asked, with the id and
 * question of the query, and its addresses only if they belong to the name or to an alias that leads to it.
 */
import dgram from 'node:dgram';
import net from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAddress } from './networks.ts';
import type { ResolveName } from './public-fetch.ts';
import type { Random } from './random.ts';

export interface DnsServer {
  address: string;
  port: number;
}

/** Of one server; then the next one is asked. */
const QUERY_LIMIT_MS = 2_000;
const MAX_ALIASES = 8;
/** RFC 1035, 2.3.4. */
const MAX_NAME_OCTETS = 255;
const MAX_LABEL_OCTETS = 63;
const HEADER_OCTETS = 12;

const TYPE = { a: 1, cname: 5, aaaa: 28 } as const;
const CLASS_IN = 1;
const RECURSION_DESIRED = 0x0100;
const RESPONSE = 0x8000;
const TRUNCATED = 0x0200;
const RCODE = 0x000f;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

/** @param text comma-separated addresses, each with an optional port: `192.0.2.1:5353`, `[2001:db8::1]:53` */
export function parseDnsServers(text: string): DnsServer[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, bracketed, plain, port = '53'] =
        /^(?:\[([^\]]+)\]|([^:]+|[^:]*:.*:[^:]*))(?::(\d{1,5}))?$/.exec(entry) ?? [
          undefined,
          undefined,
          entry,
        ];
      const address = parseAddress(bracketed ?? plain ?? '');
      if (address === undefined || Number(port) < 1 || Number(port) > 65_535)
        throw new Error(`"${entry}" is not the address of a name server`);
      return { address: address.toString(), port: Number(port) };
    });
}

/** @param servers asked in this order, until one answers */
export function resolveBy(servers: readonly DnsServer[], random: Random): ResolveName {
  return async (name, signal = AbortSignal.timeout(2 * QUERY_LIMIT_MS)) => {
    let failure: unknown = new Error('no name server');
    for (const server of servers) {
      signal.throwIfAborted();
      // A zone that fails for AAAA alone is still found.
      const answers = await Promise.allSettled([
        query(server, name, TYPE.a, random, signal),
        query(server, name, TYPE.aaaa, random, signal),
      ]);
      const addresses = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const refused = answers.find((one) => one.status === 'rejected');
      if (addresses.length > 0 || refused === undefined) return addresses;
      failure = refused.reason;
    }
    throw failure;
  };
}

/** @returns the addresses of one type; empty: the name does not exist, or has none */
async function query(
  server: DnsServer,
  name: string,
  type: number,
  random: Random,
  ended: AbortSignal,
): Promise<string[]> {
  const asked = encodeQuery(name, type, random(2));
  const signal = AbortSignal.any([ended, AbortSignal.timeout(QUERY_LIMIT_MS)]);
  const answer = await overUdp(server, asked, signal);
  if ((answer.readUInt16BE(2) & TRUNCATED) === 0) return readAddresses(answer, name, type);
  return readAddresses(await overTcp(server, asked, signal), name, type);
}

function encodeQuery(name: string, type: number, id: Uint8Array): Buffer {
  const labels = name
    .replace(/\.$/, '')
    .split('.')
    .map((label) => Buffer.from(label, 'latin1'));
  const octets = labels.reduce((sum, { length }) => sum + length + 1, 1);
  if (octets > MAX_NAME_OCTETS || labels.some(({ length }) => length === 0 || length > MAX_LABEL_OCTETS))
    throw new DnsError('not a name');
  const header = Buffer.alloc(HEADER_OCTETS);
  header.set(id.subarray(0, 2));
  header.writeUInt16BE(RECURSION_DESIRED, 2);
  // QDCOUNT
  header.writeUInt16BE(1, 4);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(type, 0);
  tail.writeUInt16BE(CLASS_IN, 2);
  return Buffer.concat([
    header,
    ...labels.flatMap((label) => [Buffer.of(label.length), label]),
    Buffer.of(0),
    tail,
  ]);
}

class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly code = 'DNS';
}

/** Whether it is the response to the query: the same id and question. Servers may change the case of the name. */
function isAnswerTo(message: Buffer, asked: Buffer): boolean {
  if (message.length < asked.length || (message.readUInt16BE(2) & RESPONSE) === 0) return false;
  if (message.readUInt16BE(0) !== asked.readUInt16BE(0) || message.readUInt16BE(4) !== 1) return false;
  const question = (one: Buffer) => one.toString('latin1', HEADER_OCTETS, asked.length).toLowerCase();
  return question(message) === question(asked);
}

async function overUdp({ address, port }: DnsServer, asked: Buffer, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  // The system chooses the source port, at random; a connected socket takes datagrams of its peer only.
  const socket = dgram.createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  socket.on('error', reject);
  socket.on('message', (message) => {
    if (isAnswerTo(message, asked)) resolve(message);
  });
  socket.connect(port, address, () => socket.send(asked));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.close();
  }
}

/** Each message is preceded by its length. RFC 1035, 4.2.2. */
async function overTcp({ address, port }: DnsServer, asked: Buffer, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = net.connect({ host: address, port });
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  let received = Buffer.alloc(0);
  socket.on('error', reject);
  socket.on('close', () => reject(new DnsError('no answer')));
  socket.on('connect', () => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(asked.length);
    socket.write(Buffer.concat([length, asked]));
  });
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, Buffer.from(bytes)]);
    if (received.length < 2) return;
    const length = received.readUInt16BE(0);
    if (received.length < 2 + length) return;
    const message = received.subarray(2, 2 + length);
    if (isAnswerTo(message, asked)) resolve(message);
    else reject(new DnsError('another answer'));
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

interface DnsRecord {
  owner: string;
  type: number;
  data: Buffer;
  /** For names within it, which may refer to the rest of the message. */
  dataAt: number;
}

/** @throws DnsError for a refusal of the server, and for a malformed message */
function readAddresses(message: Buffer, name: string, type: number): string[] {
  const code = message.readUInt16BE(2) & RCODE;
  if (code === NO_SUCH_NAME) return [];
  if (code !== NO_ERROR) throw new DnsError(`the name server refuses: ${code}`);
  const records = readRecords(message);
  const names = new Set([name.replace(/\.$/, '').toLowerCase()]);
  for (let hop = 0; hop < MAX_ALIASES; hop += 1) {
    const before = names.size;
    for (const { owner, type: kind, dataAt } of records)
      if (kind === TYPE.cname && names.has(owner)) names.add(readName(message, dataAt).name);
    if (names.size === before) break;
  }
  return records
    .filter((record) => record.type === type && names.has(record.owner))
    .filter(({ data }) => data.length === (type === TYPE.a ? 4 : 16))
    .map(({ data }) => ipaddr.fromByteArray([...data]).toString());
}

function readRecords(message: Buffer): DnsRecord[] {
  try {
    let at = readName(message, HEADER_OCTETS).end + 4;
    const records: DnsRecord[] = [];
    for (let left = message.readUInt16BE(6); left > 0; left -= 1) {
      const { name: owner, end } = readName(message, at);
      const [type, kind, length] = [0, 2, 8].map((offset) => message.readUInt16BE(end + offset));
      const dataAt = end + 10;
      const data = message.subarray(dataAt, dataAt + (length ?? 0));
      at = dataAt + (length ?? 0);
      if (at > message.length) throw new DnsError('malformed answer');
      if (kind === CLASS_IN) records.push({ owner, type: type ?? 0, data, dataAt });
    }
    return records;
  } catch (error) {
    if (error instanceof RangeError) throw new DnsError('malformed answer');
    throw error;
  }
}

/** A name with its pointers (RFC 1035, 4.1.4), which may only lead backwards, so that none is followed twice. */
function readName(message: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = from;
  let earliest = from;
  let end: number | undefined;
  let octets = 0;
  for (;;) {
    const length = message.readUInt8(at);
    if (length >= 0xc0) {
      const target = message.readUInt16BE(at) & 0x3fff;
      end ??= at + 2;
      // A chain of pointers would cost many steps for each record that begins with it.
      octets += 1;
      if (target >= earliest || octets > MAX_NAME_OCTETS) throw new DnsError('malformed answer');
      earliest = target;
      at = target;
      continue;
    }
    octets += length + 1;
    if (length > MAX_LABEL_OCTETS || octets > MAX_NAME_OCTETS) throw new DnsError('malformed answer');
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 };
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
}
