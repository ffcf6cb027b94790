/** Invariants of the station filter for any broadcast, also one that breaks the rules of operation. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { chunkSizes, chunksOf, damagedStream, STATION, wildStream } from '../../../test/random-stream.ts';
import { serviceId } from '../ids.ts';
import { OwnedBytes, packetPid } from './packet.ts';
import { parsePat } from './pat.ts';
import { parsePmt } from './pmt.ts';
import { SectionDemux } from './section.ts';
import { StationFilter } from './station-filter.ts';
import { StreamStatistics } from './statistics.ts';

type Way = 'feed' | 'take';

function narrow(chunks: Iterable<Uint8Array>, way: Way = 'feed'): { bytes: Uint8Array; events: string[] } {
  const events: string[] = [];
  const filter = new StationFilter(serviceId(STATION), {
    onProgramMap: (map) => events.push(`map ${map.version} ${map.streams.map((stream) => stream.pid)}`),
    onAbsent: () => events.push('absent'),
  });
  const parts: Uint8Array[] = [];
  for (const chunk of chunks) {
    parts.push(way === 'feed' ? filter.feed(chunk) : filter.take(new OwnedBytes(chunk)));
  }
  parts.push(filter.flush());
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, events };
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a.buffer, a.byteOffset, a.length).equals(Buffer.from(b.buffer, b.byteOffset, b.length));
}

test('the output does not depend on how the stream is chunked', () => {
  fc.assert(
    fc.property(damagedStream, chunkSizes, fc.constantFrom<Way>('feed', 'take'), (stream, sizes, way) => {
      const whole = narrow([stream]);
      const split = narrow(chunksOf(stream, sizes), way);
      expect(same(split.bytes, whole.bytes)).toBe(true);
      expect(split.events).toEqual(whole.events);
    }),
    { numRuns: 150 },
  );
});

test('a narrowed stream stays the same when it is narrowed again', () => {
  fc.assert(
    fc.property(wildStream, chunkSizes, (stream, sizes) => {
      const once = narrow([stream]).bytes;
      expect(same(narrow(chunksOf(once, sizes), 'take').bytes, once)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test('a narrowed stream has one programme, no null packets and the unchanged SI', () => {
  fc.assert(
    fc.property(wildStream, (stream) => {
      const { bytes } = narrow([stream]);
      const demux = new SectionDemux([0 as never]);
      for (let at = 0; at < bytes.length; at += 188) {
        expect(packetPid(bytes, at)).not.toBe(0x1fff as never);
        for (const section of demux.feed(bytes.subarray(at, at + 188))) {
          const programs = parsePat(section)?.programs ?? [];
          expect(programs.map((program) => program.programNumber as number)).toEqual([STATION]);
        }
      }
      const si = (input: Uint8Array): Uint8Array[] => {
        const packets = Array.from({ length: input.length / 188 }, (_, n) =>
          input.slice(n * 188, n * 188 + 188),
        );
        return packets.filter((packet) => packetPid(packet, 0) === 0x12);
      };
      expect(si(bytes)).toEqual(si(stream));
    }),
    { numRuns: 150 },
  );
});

test('the PMT PID carries no PMT of another station', () => {
  fc.assert(
    fc.property(wildStream, (stream) => {
      const { bytes } = narrow([stream]);
      const pat = new SectionDemux([0 as never]);
      let demux = new SectionDemux();
      let pmtPid: number | undefined;
      for (let at = 0; at < bytes.length; at += 188) {
        const packet = bytes.subarray(at, at + 188);
        for (const section of pat.feed(packet)) {
          const pid = parsePat(section)?.programs[0]?.pid;
          if (pid === undefined || pid === pmtPid) continue;
          pmtPid = pid;
          demux = new SectionDemux([pid]);
        }
        for (const section of demux.feed(packet)) {
          expect(parsePmt(section)?.programNumber as number).toBe(STATION);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('narrowing adds no continuity error', () => {
  fc.assert(
    fc.property(wildStream, (stream) => {
      const before = new StreamStatistics();
      before.count(stream);
      const after = new StreamStatistics();
      after.count(narrow([stream]).bytes);
      expect(after.continuityErrors).toBeLessThanOrEqual(before.continuityErrors);
    }),
    { numRuns: 150 },
  );
});
