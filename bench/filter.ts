/**
 * The station filter against its peer and against its limit, on the same 256 MB: `@chinachu/aribts`' TsStream
 * narrowing the same stream, and plain copying in steps of a packet. `bun bench/filter.ts [megabytes]`.
 * Ends with 1 when a ratio is under what docs/testing.md promises.
 */
import { createRequire } from 'node:module';
import { serviceId } from '../arib/ids.ts';
import { StationFilter } from '../arib/ts/station-filter.ts';
import { StreamStatistics } from '../arib/ts/statistics.ts';
import { type Multiplex, satellite, terrestrial } from './multiplex.ts';

const PACKET = 188;
const MEGABYTE = 1_000_000;
/** What the service reads at a time in production: 16 to 64 KB, here no multiple of a packet. */
const CHUNKS = [16_384, 65_536];
const PEER_RATIO = 10;
const COPY_RATIO = 0.4;
const ROUNDS = 5;

interface PeerStream {
  on(event: 'data', listener: (data: Uint8Array) => void): void;
  once(event: 'drain' | 'end', listener: () => void): void;
  write(chunk: Uint8Array): boolean;
  end(): void;
}
const { TsStream } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsStream: new (options: object) => PeerStream;
};

interface Figure {
  readonly megabytesPerSecond: number;
  readonly out: number;
}

/** The best of some rounds: the one that other programs disturbed least. */
async function measure(size: number, run: () => number | Promise<number>, rounds = ROUNDS): Promise<Figure> {
  let best = Number.POSITIVE_INFINITY;
  let out = 0;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    out = await run();
    best = Math.min(best, performance.now() - start);
  }
  return { megabytesPerSecond: size / MEGABYTE / (best / 1000), out };
}

function chunksOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

function filterAll(chunks: readonly Uint8Array[], multiplex: Multiplex): number {
  const filter = new StationFilter(serviceId(multiplex.serviceId));
  let out = 0;
  for (const chunk of chunks) out += filter.feed(chunk).length;
  return out;
}

async function peerAll(chunks: readonly Uint8Array[], multiplex: Multiplex): Promise<number> {
  const si = [0x01, 0x10, 0x11, 0x12, 0x14, 0x24, 0x27, 0x29];
  const options = { transform: true, transPmtSids: [multiplex.serviceId], transPids: si };
  const stream = new TsStream(options);
  let out = 0;
  stream.on('data', (data) => {
    out += data.length;
  });
  for (const chunk of chunks) {
    if (!stream.write(chunk)) await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
  const ended = new Promise<void>((resolve) => stream.once('end', resolve));
  stream.end();
  await ended;
  return out;
}

/** Ways to copy a chunk packet by packet into a buffer that is reused, the limit of any filter of packets. */
const COPIES: Readonly<Record<string, (from: Buffer, to: Buffer) => void>> = {
  'out.set(chunk.subarray(at, at + 188), at)': (from, to) => {
    for (let at = 0; at + PACKET <= from.length; at += PACKET) to.set(from.subarray(at, at + PACKET), at);
  },
  'Uint8Array, the same': (from, to) => {
    const source = new Uint8Array(from.buffer, from.byteOffset, from.length);
    const target = new Uint8Array(to.buffer, to.byteOffset, to.length);
    for (let at = 0; at + PACKET <= source.length; at += PACKET) {
      target.set(source.subarray(at, at + PACKET), at);
    }
  },
  'chunk.copy(out, at, at, at + 188)': (from, to) => {
    for (let at = 0; at + PACKET <= from.length; at += PACKET) from.copy(to, at, at, at + PACKET);
  },
};

function line(name: string, figure: Figure, size: number, note = ''): void {
  const rate = figure.megabytesPerSecond.toFixed(0).padStart(6);
  const kept = ((100 * figure.out) / size).toFixed(1).padStart(5);
  console.log(`  ${name.padEnd(46)}${rate} MB/s  ${kept} % out  ${note}`);
}

/** The filter's own output must be whole: speed of a filter that loses packets would mean nothing. */
function verify(chunks: readonly Uint8Array[], multiplex: Multiplex): void {
  const filter = new StationFilter(serviceId(multiplex.serviceId));
  const statistics = new StreamStatistics();
  for (const chunk of chunks) statistics.count(filter.feed(chunk));
  if (statistics.continuityErrors > 0 || statistics.packets === 0) {
    throw new Error(`filtered stream is broken: ${statistics.continuityErrors} continuity errors`);
  }
}

async function run(multiplex: Multiplex, size: number): Promise<boolean> {
  const bytes = multiplex.bytes(size);
  console.log(`\n${multiplex.name}: ${(bytes.length / MEGABYTE).toFixed(0)} MB`);
  verify(chunksOf(bytes, 65_536), multiplex);
  const peer = await measure(bytes.length, () => peerAll(chunksOf(bytes, 65_536), multiplex), 1);
  line('peer: @chinachu/aribts TsStream', peer, bytes.length);
  let copy = 0;
  const target = Buffer.alloc(65_536);
  const sources = chunksOf(bytes, 65_424).map((c) => Buffer.from(c.buffer, c.byteOffset, c.length));
  for (const [name, way] of Object.entries(COPIES)) {
    const figure = await measure(bytes.length, () => {
      for (const source of sources) way(source, target);
      return bytes.length;
    });
    line(`copy: ${name}`, figure, bytes.length);
    copy = Math.max(copy, figure.megabytesPerSecond);
  }
  let good = true;
  for (const size of CHUNKS) {
    const chunks = chunksOf(bytes, size);
    const figure = await measure(bytes.length, () => filterAll(chunks, multiplex));
    const toPeer = figure.megabytesPerSecond / peer.megabytesPerSecond;
    const toCopy = figure.megabytesPerSecond / copy;
    const ratios = `${toPeer.toFixed(1)} x peer (>= ${PEER_RATIO})  ${toCopy.toFixed(2)} x fastest copy (>= ${COPY_RATIO})`;
    line(`filter, chunks of ${size}`, figure, bytes.length, ratios);
    good &&= toPeer >= PEER_RATIO && toCopy >= COPY_RATIO;
  }
  return good;
}

const size = Number(process.argv[2] ?? 256) * MEGABYTE;
let good = true;
for (const multiplex of [terrestrial, satellite]) good = (await run(multiplex, size)) && good;
if (!good) {
  console.log('\na ratio is below its limit');
  process.exitCode = 1;
}
