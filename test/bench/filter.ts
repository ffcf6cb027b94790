/**
 * The station filter compared with a peer and with an upper limit, on the same 256 MB in the same chunks:
 * `@chinachu/aribts`' TsStream narrowing to the same station, plain copying in steps of a packet, and, where a C
 * compiler is installed, the least that a native filter does (`streams/native-filter.c`). `bun test/bench/filter.ts
 * [megabytes]`. Ends with 1 when a ratio is under its limit.
 *
 * Chunks are of 16 to 64 KB, as the service reads them, and no multiples of a packet. Each lies in memory that
 * was just written, as after a read from a socket; that copy is not timed. Every row is the best of the rounds
 * of some seconds, the first of which warm up the compiler. Needs an idle machine.
 */

import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { serviceId } from '../../lib/arib/ids.ts';
import { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { StreamStatistics } from '../../lib/arib/ts/statistics.ts';
import { type Multiplex, SI_PIDS, satellite, terrestrial } from './streams/multiplex.ts';
import { nativeFilter } from './streams/native-filter.ts';

const PACKET = 188;
const MEGABYTE = 1_000_000;
const SMALLEST_CHUNK = 16_384;
const LARGEST_CHUNK = 65_536;
const PEER_RATIO = 10;
const COPY_RATIO = 0.4;
/** Every row gets the same time, and at least this many rounds. */
const ROW_SECONDS = 3;
const ROUNDS = 6;

interface PeerStream {
  on(event: 'data', listener: (data: Uint8Array) => void): void;
  once(event: 'drain' | 'end', listener: () => void): void;
  pipe(to: Writable): void;
  write(chunk: Uint8Array): boolean;
  end(): void;
}
const { TsStream } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsStream: new (options: object) => PeerStream;
};

interface Run {
  /**
   * Processes a chunk, whose memory is reused once this returns or resolves: the same bytes as the array that
   * a fetch gives and as the Buffer that a node stream gives.
   */
  chunk(bytes: Uint8Array, buffer: Buffer): void | Promise<void>;
  /** Number of output bytes. */
  out(): number;
}

interface Figure {
  readonly rate: number;
  readonly kept: number;
}

function chunkEnds(length: number): number[] {
  const ends: number[] = [];
  let seed = 7;
  for (let end = 0; end < length; ) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    end += SMALLEST_CHUNK + ((seed >>> 8) % (LARGEST_CHUNK - SMALLEST_CHUNK));
    ends.push(Math.min(end, length));
  }
  return ends;
}

async function measure(bytes: Uint8Array, start: () => Run): Promise<Figure> {
  const memory = new ArrayBuffer(LARGEST_CHUNK);
  const arrival = new Uint8Array(memory);
  const ends = chunkEnds(bytes.length);
  let best = Number.POSITIVE_INFINITY;
  let out = 0;
  const until = performance.now() + ROW_SECONDS * 1000;
  for (let round = 0; round < ROUNDS || performance.now() < until; round++) {
    const run = start();
    let spent = 0;
    let at = 0;
    for (const end of ends) {
      arrival.set(bytes.subarray(at, end));
      const chunk = new Uint8Array(memory, 0, end - at);
      const buffer = Buffer.from(memory, 0, end - at);
      const from = performance.now();
      const waiting = run.chunk(chunk, buffer);
      if (waiting !== undefined) await waiting;
      spent += performance.now() - from;
      at = end;
    }
    best = Math.min(best, spent);
    out = run.out();
  }
  return { rate: bytes.length / MEGABYTE / (best / 1000), kept: out / bytes.length };
}

function filtering(multiplex: Multiplex, way: 'feed' | 'take'): Run {
  const filter = new StationFilter(serviceId(multiplex.serviceId));
  let out = 0;
  return {
    chunk: (bytes) => {
      out += (way === 'feed' ? filter.feed(bytes) : filter.take(new OwnedBytes(bytes))).length;
    },
    out: () => out,
  };
}

function peer(multiplex: Multiplex, way: 'pipe' | 'data'): Run {
  const stream = new TsStream({
    transform: true,
    transPmtSids: [multiplex.serviceId],
    transPids: [...SI_PIDS],
  });
  let out = 0;
  const count = (data: Uint8Array): void => {
    out += data.length;
  };
  if (way === 'data') stream.on('data', count);
  else {
    const write = (data: Uint8Array, _: unknown, done: () => void): void => {
      count(data);
      done();
    };
    stream.pipe(new Writable({ write }));
  }
  return {
    chunk: (bytes) =>
      stream.write(bytes) ? undefined : new Promise<void>((resolve) => stream.once('drain', resolve)),
    out: () => out,
  };
}

const target = Buffer.alloc(LARGEST_CHUNK);
/** Copying packet by packet into reused memory: the upper limit of any packet filter. */
const COPIES: Readonly<Record<string, (from: Buffer) => void>> = {
  'target.set(chunk.subarray(at, at + 188), at)': (from) => {
    const source = new Uint8Array(from.buffer, from.byteOffset, from.length);
    for (let at = 0; at + PACKET <= source.length; at += PACKET)
      target.set(source.subarray(at, at + PACKET), at);
  },
  'octet by octet': (from) => {
    for (let at = 0; at + PACKET <= from.length; at += PACKET) {
      for (let octet = at; octet < at + PACKET; octet++) target[octet] = from[octet] as number;
    }
  },
  'Buffer: chunk.copy(target, at, at, at + 188)': (from) => {
    for (let at = 0; at + PACKET <= from.length; at += PACKET) from.copy(target, at, at, at + PACKET);
  },
};

function copying(way: (from: Buffer) => void): Run {
  let out = 0;
  return {
    chunk: (_, buffer) => {
      way(buffer);
      out += buffer.length;
    },
    out: () => out,
  };
}

function show(name: string, { rate, kept }: Figure, note = ''): void {
  const columns = [
    name.padEnd(52),
    `${rate.toFixed(0).padStart(6)} MB/s`,
    `${(100 * kept).toFixed(1).padStart(5)} % out`,
  ];
  console.log(`  ${columns.join('  ')}  ${note}`);
}

/** Checks the output: the speed of a filter that loses packets is meaningless. */
function verify(bytes: Uint8Array, multiplex: Multiplex): void {
  const filter = new StationFilter(serviceId(multiplex.serviceId));
  const statistics = new StreamStatistics();
  let at = 0;
  for (const end of chunkEnds(bytes.length)) {
    statistics.count(filter.feed(bytes.subarray(at, end)));
    at = end;
  }
  if (statistics.continuityErrors > 0 || statistics.packets === 0) {
    throw new Error(`the filtered stream is broken: ${statistics.continuityErrors} continuity errors`);
  }
}

async function compare(multiplex: Multiplex, size: number): Promise<boolean> {
  const bytes = multiplex.bytes(size);
  console.log(`\n${multiplex.name}: ${(bytes.length / MEGABYTE).toFixed(0)} MB`);
  verify(bytes, multiplex);
  const piped = await measure(bytes, () => peer(multiplex, 'pipe'));
  show('peer: TsStream piped into a Writable, as documented', piped);
  show("peer: TsStream with a 'data' listener", await measure(bytes, () => peer(multiplex, 'data')));
  let copy = 0;
  for (const [name, way] of Object.entries(COPIES)) {
    const figure = await measure(bytes, () => copying(way));
    show(`copy: ${name}`, figure);
    copy = Math.max(copy, figure.rate);
  }
  const own = await measure(bytes, () => filtering(multiplex, 'take'));
  show('filter: take (narrows the chunk where it lies)', own);
  // After the other, so that the compiler has seen this stream: alone it takes hundreds of megabytes to reach its speed.
  show('filter: feed (leaves the chunk as it is)', await measure(bytes, () => filtering(multiplex, 'feed')));
  const native = nativeFilter(new StationFilter(serviceId(multiplex.serviceId)).feed(bytes), LARGEST_CHUNK);
  if (native !== undefined) {
    const figure = await measure(bytes, () => {
      native.reset();
      let out = 0;
      return {
        chunk: (chunk) => {
          out += native.filter(chunk);
        },
        out: () => out,
      };
    });
    show(
      'native: chosen PIDs copied by C',
      figure,
      `filter ${(own.rate / figure.rate).toFixed(2)} times as fast`,
    );
  }
  const toPeer = own.rate / piped.rate;
  const toCopy = own.rate / copy;
  console.log(`  ${toPeer.toFixed(1)} times the peer (at least ${PEER_RATIO})`);
  console.log(`  ${toCopy.toFixed(2)} times the fastest copy (at least ${COPY_RATIO})`);
  return toPeer >= PEER_RATIO && toCopy >= COPY_RATIO;
}

const size = Number(process.argv[2] ?? 256) * MEGABYTE;
for (const multiplex of [terrestrial, satellite]) {
  if (await compare(multiplex, size)) continue;
  console.log('  a ratio is under its limit');
  process.exitCode = 1;
}
