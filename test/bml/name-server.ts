/**
 * A name server for tests, by RFC 1035, over UDP and TCP of one port. It answers as it is told, also wrongly, and counts the
 * queries. Shares no code with the product's client.
 */
import dgram from 'node:dgram';
import net from 'node:net';

/** IPv4 (A), IPv6 (AAAA, eight groups) or `=name` (CNAME), for a name other than the asked one after `@`. */
type ZoneRecord = string;

export interface Zone {
  readonly records?: readonly ZoneRecord[];
  /** `truncate`: the records over TCP only. `other-id`, `other-question`, `other-socket`: of another query. */
  readonly fault?: 'hang' | 'truncate' | 'other-id' | 'other-question' | 'other-socket' | 'loop' | 'cut';
  readonly rcode?: number;
  /** Of the answer for AAAA alone. */
  readonly rcodeV6?: number;
}

const TYPES = { a: 1, cname: 5, aaaa: 28 } as const;

function wireName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]),
    Buffer.of(0),
  ]);
}

function wireRecord(record: ZoneRecord, asked: string): { type: number; bytes: Buffer } {
  const [value = '', owner = asked] = record.split('@');
  const type = value.startsWith('=') ? TYPES.cname : value.includes(':') ? TYPES.aaaa : TYPES.a;
  const data = {
    [TYPES.a]: () => Buffer.from(value.split('.').map(Number)),
    [TYPES.cname]: () => wireName(value.slice(1)),
    [TYPES.aaaa]: () =>
      Buffer.concat(value.split(':').map((group) => Buffer.from(group.padStart(4, '0'), 'hex'))),
  }[type]();
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  // The TTL stays 0.
  head.writeUInt16BE(data.length, 8);
  return { type, bytes: Buffer.concat([wireName(owner), head, data]) };
}

export class NameServer {
  /** Names of the queries so far, with their type: `a.example A`. */
  readonly asked: string[] = [];
  readonly #udp = dgram.createSocket('udp4');
  readonly #tcp = net.createServer((socket) => this.#serveTcp(socket));
  readonly #sockets = new Set<net.Socket>();
  port = 0;
  /** Changes an answer before it is sent. */
  damage: (bytes: Buffer) => void = () => {};

  /** @param zones by name; asked for at each query */
  constructor(private readonly zones: (name: string, count: number) => Zone | undefined) {}

  async start(address = '127.0.0.1', port = 0): Promise<void> {
    this.#udp.on('message', (query, from) => {
      const answer = this.#answer(query, false);
      if (answer === undefined) return;
      if (answer.fault !== 'other-socket') return this.#udp.send(answer.bytes, from.port, from.address);
      const other = dgram.createSocket('udp4');
      other.send(answer.bytes, from.port, from.address, () => other.close());
    });
    await new Promise<void>((resolve) => this.#tcp.listen(port, address, resolve));
    this.port = (this.#tcp.address() as net.AddressInfo).port;
    await new Promise<void>((resolve) => this.#udp.bind(this.port, address, resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
    this.#udp.close();
  }

  #serveTcp(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.once('data', (bytes) => {
      const answer = this.#answer(Buffer.from(bytes).subarray(2), true);
      if (answer === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.bytes.length);
      // In two parts, as a network may deliver it.
      socket.write(Buffer.concat([length, answer.bytes.subarray(0, 5)]));
      setTimeout(() => socket.write(answer.bytes.subarray(5)), 20);
    });
  }

  #answer(query: Buffer, isTcp: boolean): { bytes: Buffer; fault: Zone['fault'] } | undefined {
    const labels: string[] = [];
    let at = 12;
    while ((query[at] ?? 0) > 0) {
      const length = query[at] ?? 0;
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.');
    const line = `${name} ${type === TYPES.a ? 'A' : 'AAAA'}`;
    this.asked.push(line);
    const count = this.asked.filter((one) => one === line).length;
    const zone: Zone = this.zones(name, count) ?? { rcode: 3 };
    const { records = [], fault } = zone;
    const rcode = (type === TYPES.aaaa ? zone.rcodeV6 : undefined) ?? zone.rcode ?? 0;
    if (fault === 'hang') return undefined;
    const isTruncated = fault === 'truncate' && !isTcp;
    const answers = isTruncated
      ? []
      : records
          .map((record) => wireRecord(record, name))
          .filter((one) => one.type === type || one.type === TYPES.cname);
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0) ^ (fault === 'other-id' ? 1 : 0), 0);
    header.writeUInt16BE(0x8180 | rcode | (isTruncated ? 0x0200 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(fault === 'loop' ? 1 : answers.length, 6);
    const other = Buffer.concat([wireName('other.example'), query.subarray(at + 1, at + 5)]);
    const question = fault === 'other-question' ? other : query.subarray(12, at + 5);
    const tail = fault === 'loop' ? [Buffer.of(0xc0, at + 5, 0, 1)] : answers.map(({ bytes }) => bytes);
    const whole = Buffer.concat([header, question, ...tail]);
    this.damage(whole);
    return { bytes: fault === 'cut' ? whole.subarray(0, whole.length - 3) : whole, fault };
  }
}
