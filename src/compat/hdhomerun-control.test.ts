import { afterAll, afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { fuzzRounds, fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { until } from '../../test/until.ts';
import { HdhrControl } from './hdhomerun-control.ts';
import { hdhrPacket, packetText, readHdhrPacket, textValue, u32Value } from './hdhomerun-packet.ts';
import type { HdhrStation } from './hdhomerun-tuner.ts';

const STATIONS = [
  {
    id: 1,
    type: 'GR',
    channel: 'T27',
    serviceId: 1024,
    transportStreamId: 0x7fe0,
    name: 'い',
    number: '1.1',
  },
  {
    id: 2,
    type: 'GR',
    channel: 'T27',
    serviceId: 1025,
    transportStreamId: 0x7fe0,
    name: 'ろ',
    number: '1.2',
  },
  {
    id: 3,
    type: 'BS',
    channel: 'BS01_0',
    serviceId: 101,
    transportStreamId: null,
    name: 'は',
    number: '101',
  },
] as unknown as readonly HdhrStation[];

class Client {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  isClosed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (piece: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
    });
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.on('error', () => {});
  }

  /** @returns the value, or the message of the error */
  async ask(name: string, value?: string, key = 0): Promise<string> {
    const values = [textValue(3, name, true)];
    if (value !== undefined) values.push(textValue(4, value, true));
    if (key !== 0) values.push(u32Value(0x15, key));
    this.#bytes = Buffer.alloc(0);
    this.socket.write(hdhrPacket({ type: 4, values }));
    await until('the answer', () => readHdhrPacket(this.#bytes) !== undefined);
    const answer = readHdhrPacket(this.#bytes);
    return packetText(answer?.values.find(({ tag }) => tag === 4 || tag === 5)?.value ?? new Uint8Array(0));
  }
}

let now = 0;
let isTrusted = true;
const opened: AbortSignal[] = [];
const control = new HdhrControl({
  ...{
    host: '127.0.0.1',
    port: 0,
    tuners: () => 2,
    stations: () => STATIONS,
    log: SILENT_LOG,
    monotonic: () => now,
  },
  isTrusted: () => isTrusted,
  open: async (_selection, signal) => {
    opened.push(signal);
    return new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  },
});
const clients: Client[] = [];
const client = (): Client => {
  const made = new Client(control.port ?? 0);
  clients.push(made);
  return made;
};

afterAll(() => control.close());

afterEach(() => {
  for (const one of clients.splice(0)) one.socket.destroy();
  isTrusted = true;
});

test('a lock keeps others out until it is released, forced or forgotten', async () => {
  const [mine, other] = [client(), client()];
  expect(await mine.ask('/tuner0/lockkey', '7')).toBe('7');
  expect(await other.ask('/tuner0/channel', 'auto:27')).toBe('ERROR: resource locked by 127.0.0.1');
  expect(await other.ask('/tuner0/lockkey', '8')).toBe('ERROR: resource locked by 127.0.0.1');
  expect(await other.ask('/tuner0/lockkey')).toBe('127.0.0.1');
  expect(await mine.ask('/tuner0/channel', 'auto:27', 7)).toBe('auto:27');
  expect(await mine.ask('/tuner0/lockkey', 'none', 7)).toBe('none');
  expect(await other.ask('/tuner0/lockkey', '8')).toBe('8');
  now += 61_000;
  expect(await mine.ask('/tuner0/lockkey')).toBe('none');
  expect(await mine.ask('/tuner0/lockkey', '9')).toBe('9');
  expect(await other.ask('/tuner0/lockkey', 'force')).toBe('none');
});

test.each([
  ['auto:557142857', ['1024: 1.1 い', '1025: 1.2 ろ', 'tsid=0x7FE0']],
  ['auto6t:557000000', ['1024: 1.1 い', '1025: 1.2 ろ', 'tsid=0x7FE0']],
  ['27', ['1024: 1.1 い', '1025: 1.2 ろ', 'tsid=0x7FE0']],
  ['auto:BS01_0', ['101: 101 は']],
  ['auto:563142857', ['none']],
  ['none', ['none']],
])('channel %s has its stations', async (channel, lines) => {
  const one = client();
  expect(await one.ask('/tuner1/channel', channel)).toBe(channel);
  expect((await one.ask('/tuner1/streaminfo')).trimEnd().split('\n')).toEqual(lines);
});

test('packets go to the asking client only, and a changed channel ends them', async () => {
  const one = client();
  await one.ask('/tuner1/channel', 'none');
  expect(await one.ask('/tuner1/target', 'udp://127.0.0.1:5')).toBe('ERROR: no channel is set');
  await one.ask('/tuner1/vchannel', '1.2');
  for (const wrong of [
    'udp://10.0.0.1:5',
    'udp://127.0.0.1:0',
    'http://127.0.0.1:5',
    'udp://127.0.0.1:99999',
  ])
    expect(await one.ask('/tuner1/target', wrong)).toBe('ERROR: invalid target');
  const target = 'rtp://127.0.0.1:40000';
  expect(await one.ask('/tuner1/target', target)).toBe(target);
  await until('it is opened', () => opened.length === 1);
  expect(await one.ask('/tuner1/channel', 'auto:27')).toBe('auto:27');
  expect(opened[0]?.aborted).toBe(true);
  expect(await one.ask('/tuner1/target')).toBe('none');
});

test('clients that are not trusted, and too many of them, are disconnected', async () => {
  isTrusted = false;
  const outside = client();
  await until('it is disconnected', () => outside.isClosed);
  isTrusted = true;
  const many = Array.from({ length: 33 }, client);
  await until('one is disconnected', () => many.some(({ isClosed }) => isClosed));
  expect(many.filter(({ isClosed }) => isClosed)).toHaveLength(1);
});

test('any bytes end the connection or are answered, and others are served', async () => {
  const seed = fuzzSeed();
  console.info(`seed ${seed}`);
  const random = new Random(seed);
  for (let round = 0; round < fuzzRounds(60); round += 1) {
    const one = client();
    const packet = hdhrPacket({
      type: random.below(8),
      values: [{ tag: random.below(32), value: random.bytes(random.below(300)) }],
    });
    one.socket.write(round % 2 === 0 ? packet : random.bytes(random.below(6_000)));
    one.socket.end();
    await until('it is disconnected', () => one.isClosed);
  }
  expect(await client().ask('/sys/model')).toBe('svc_isdbt');
});

test('a packet in pieces is one packet, and values of more than 127 octets are read', async () => {
  const one = client();
  const long = 'x'.repeat(300);
  const packet = hdhrPacket({ type: 4, values: [textValue(3, `/sys/${long}`, true)] });
  for (const part of [packet.slice(0, 3), packet.slice(3, 10)]) {
    one.socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answered = new Promise<Buffer>((resolve) => one.socket.once('data', resolve));
  one.socket.write(packet.slice(10));
  expect(readHdhrPacket(await answered)?.type).toBe(5);
});
