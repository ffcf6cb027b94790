/**
 * Readers of a transport stream against bytes that no broadcaster would send: nothing throws, and memory and
 * time stay bounded. FUZZ_SEED=n repeats a run; the seed is part of every test's name.
 */
import { describe, expect, test } from 'bun:test';
import { pid, serviceId } from '../../lib/arib/ids.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { PesAssembler } from '../../lib/arib/ts/pes.ts';
import { ecmPids, parsePmt, programPids } from '../../lib/arib/ts/pmt.ts';
import { SectionAssembler, SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { StreamStatistics } from '../../lib/arib/ts/statistics.ts';
import { ProgrammeWatch, type UnwatchableSpan } from '../../src/reception/programme-watch.ts';
import { processorMs } from '../processor-time.ts';
import { longSection, patSection, pmtSection, StreamBuilder } from '../stream-builder.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const SIZE = 2_000_000;
/** A thousandth of the usual throughput, for busy or small machines: detects a hang or quadratic time. */
const SLOWEST_BYTES_PER_SECOND = 300_000;
const STATION = 1024;

/** xorshift32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function filled(make: (at: number) => number): Uint8Array {
  return Uint8Array.from({ length: SIZE }, (_, at) => make(at));
}

function repeated(packets: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(SIZE / packets.length) * packets.length);
  for (let at = 0; at < bytes.length; at += packets.length) bytes.set(packets, at);
  return bytes;
}

const PAT = patSection(1, [
  [0, 0x10],
  [STATION, 0x1f0],
]);

type Random = (below: number) => number;

/** Inputs that an attacker, a broken tuner or a bad aerial may produce. */
const INPUTS: Readonly<Record<string, (random: Random) => Uint8Array>> = {
  noise: (random) => filled(() => random(256)),
  'nothing but sync bytes': () => filled(() => 0x47),
  'sync bytes at a wrong distance': () => filled((at) => (at % 187 === 0 ? 0x47 : 0)),
  'noise in packets 192 octets apart': (random) => filled((at) => (at % 192 === 4 ? 0x47 : random(256))),
  'packets whose distance changes': (random) => {
    const packets = filled(() => random(256));
    let at = 0;
    while (at < packets.length) {
      const distance = [188, 192, 204][random(3)] ?? 188;
      for (let count = random(12); count > 0; count--, at += distance) packets[at] = 0x47;
    }
    return packets.subarray(0, SIZE);
  },
  'packets lost every few packets': (random) => {
    const packets = filled((at) => (at % 188 === 0 ? 0x47 : random(256)));
    for (let at = 0; at < packets.length; at += 188 * 3 + random(188)) packets[at] = 0;
    return packets;
  },
  'noise in packets of few PIDs': (random) =>
    filled((at) => [0x47, random(256) & 0xe0, random(3), random(256)][at % 188] ?? random(256)),
  'a section that never ends': () => {
    const builder = new StreamBuilder().packet(0, { start: true, payload: [0, 0x50, 0xbf, 0xfd] });
    for (let n = 0; n < 64; n++) builder.packet(0, { payload: new Uint8Array(184).fill(0xff) });
    return repeated(builder.bytes());
  },
  'a PES packet that never ends': () => {
    const builder = new StreamBuilder().packet(0, {
      start: true,
      payload: [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0],
    });
    for (let n = 0; n < 15; n++) builder.packet(0, { payload: new Uint8Array(184) });
    // Starts once and then continues endlessly, with a correct continuity counter.
    const bytes = repeated(builder.bytes());
    for (let at = builder.length * 188; at < bytes.length; at += 188) bytes[at + 1] = 0;
    return bytes;
  },
  'a packet full of PMTs': () => {
    const tables = Array.from({ length: 11 }, (_, version) =>
      pmtSection(STATION, { pcrPid: 0x1fff, streams: [] }, { version }),
    );
    const builder = new StreamBuilder().sections(0, PAT);
    for (let n = 0; n < 64; n++) builder.sections(0x1f0, ...tables);
    return repeated(builder.bytes());
  },
  'PMTs of every PID, one after the other': () => {
    const builder = new StreamBuilder().sections(0, PAT);
    for (let n = 0; n < 64; n++) {
      const streams = Array.from({ length: 190 }, (_, at) => ({ type: 2, pid: (n * 190 + at) % 0x1fff }));
      builder.sections(0x1f0, pmtSection(STATION, { pcrPid: n, streams }, { version: n & 31 }));
    }
    return repeated(builder.bytes());
  },
  'a PAT that moves the PMT every time': () => {
    const builder = new StreamBuilder();
    for (let n = 0; n < 256; n++) {
      builder.sections(0, patSection(n & 3, [[STATION, 0x100 + n]], { version: n & 31 }));
      builder.sections(
        0x100 + n,
        pmtSection(STATION, { pcrPid: 0x100, streams: [{ type: 2, pid: 0x100 + n }] }),
      );
    }
    return repeated(builder.bytes());
  },
  'a PAT of 256 sections that is never complete': () => {
    const builder = new StreamBuilder();
    for (let number = 0; number < 255; number++) {
      const programs = Array.from({ length: 250 }, (_, at) => [at + 1, 0x100] as const);
      builder.sections(0, patSection(1, programs, { number, lastNumber: 255 }));
    }
    return repeated(builder.bytes());
  },
  'tables of random content with a valid CRC': (random) => {
    const builder = new StreamBuilder();
    for (let n = 0; n < 400; n++) {
      const body = Array.from({ length: random(200) }, () => random(256));
      const table = { tableId: random(3), extension: random(2) * STATION, version: random(32), body };
      builder.sections(random(2) === 0 ? 0 : 0x1f0, longSection(table)).sections(0, PAT);
    }
    return repeated(builder.bytes());
  },
};

/** Every reader, fed in chunks. @returns the number of bytes that it emitted */
const READERS: Readonly<Record<string, (bytes: Uint8Array, random: Random) => number>> = {
  'framer and statistics': (bytes, random) => {
    const framer = new PacketFramer();
    const statistics = new StreamStatistics();
    let out = 0;
    for (const chunk of chunksOf(bytes, random)) {
      const packets = framer.feed(chunk);
      statistics.count(packets);
      out += packets.length;
    }
    out += framer.flush().length;
    expect(out + framer.skippedBytes).toBe(bytes.length);
    expect(statistics.pids().length).toBeLessThanOrEqual(0x2000);
    return out;
  },
  'sections and tables': (bytes, random) => {
    const framer = new PacketFramer();
    const memory = random(2) === 0 ? new SectionMemory() : undefined;
    const demux = new SectionDemux([0, 1, 2, 0x1f0].map(pid), memory);
    let out = 0;
    for (const chunk of chunksOf(bytes, random)) {
      for (const section of demux.feed(framer.feed(chunk))) {
        const map = parsePmt(section);
        if (map !== undefined) out += ecmPids(map).length + programPids(map).length;
        out += parsePat(section)?.programs.length ?? 0;
      }
    }
    return out;
  },
  'sections and PES without a framer': (bytes) => {
    const sections = new SectionAssembler();
    const pes = new PesAssembler(500_000);
    let out = 0;
    for (let at = 0; at + 188 <= bytes.length; at += 188) {
      out += sections.feed(bytes, at).length;
      for (const packet of pes.feed(bytes, at)) out += packet.data.length;
    }
    for (const packet of pes.flush()) out += packet.data.length;
    return out;
  },
  'programme watch': (bytes, random) => {
    const framer = new PacketFramer();
    const watch = new ProgrammeWatch();
    let out = 0;
    const count = (spans: readonly UnwatchableSpan[]): void => {
      expect(spans.length).toBeLessThanOrEqual(64);
      for (const { fromBeforeEndMs, toBeforeEndMs } of spans) {
        expect(toBeforeEndMs).toBeGreaterThanOrEqual(0);
        expect(fromBeforeEndMs).toBeGreaterThanOrEqual(toBeforeEndMs);
      }
      out += spans.length;
    };
    for (const chunk of chunksOf(bytes, random)) {
      watch.feed(framer.feed(chunk));
      if (random(8) === 0) count(watch.take());
      if (random(32) === 0) watch.pass(random(2_000));
    }
    watch.end();
    count(watch.take());
    return out;
  },
  'station filter': (bytes, random) => {
    const filter = new StationFilter(serviceId(STATION), { onProgramMap: () => {}, onAbsent: () => {} });
    let out = 0;
    for (const chunk of chunksOf(bytes, random)) {
      const kept = random(2) === 0 ? filter.feed(chunk) : filter.take(new OwnedBytes(chunk.slice()));
      expect(kept.length % 188).toBe(0);
      out += kept.length;
    }
    out += filter.flush().length;
    // A PMT that began in the middle of a packet may need one packet more than it arrived in.
    expect(out).toBeLessThanOrEqual(bytes.length * 2 + 4096);
    return out;
  },
};

function* chunksOf(bytes: Uint8Array, random: Random): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(random(4) === 0 ? 300 : 65_536);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe(`seed ${SEED}`, () => {
  for (const [input, make] of Object.entries(INPUTS)) {
    test(input, () => {
      const random = randomOf(SEED);
      const bytes = make(random);
      for (const [reader, read] of Object.entries(READERS)) {
        const start = processorMs();
        read(bytes, random);
        const seconds = (processorMs() - start) / 1000;
        if (seconds > bytes.length / SLOWEST_BYTES_PER_SECOND) throw new Error(`${reader} took ${seconds} s`);
      }
    });
  }

  test('memory is bounded, however much is read', () => {
    const random = randomOf(SEED);
    const inputs = ['noise in packets of few PIDs', 'a PES packet that never ends', 'noise'].map((name) =>
      (INPUTS[name] as (random: Random) => Uint8Array)(random),
    );
    const readers = Object.values(READERS);
    const round = (): void => {
      for (const bytes of inputs) for (const read of readers) read(bytes, random);
    };
    round();
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 4; n++) round();
    Bun.gc(true);
    // Twelve times 2 MB through five readers: retained data would be noticed.
    expect(process.memoryUsage().rss - before).toBeLessThan(64_000_000);
  });
});
