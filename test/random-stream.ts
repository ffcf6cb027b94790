/**
 * Streams for property tests: broadcasts in which everything changes all the time, with every kind of fault.
 * A stream is a list of small steps, so that fast-check can shrink a failing one to the relevant steps.
 */
import fc from 'fast-check';
import { adaptation, caDescriptor, patSection, pmtSection, StreamBuilder } from './stream-builder.ts';

/** The station whose tables and packets the streams contain. */
export const STATION = 1024;
const PROGRAMS = [STATION, 1025, 1032];
/** Few PIDs, so that they are reused for everything. */
const PIDS = [0x100, 0x110, 0x111, 0x1f0, 0x1f1, 0x12, 0x1fff];

type Step = (builder: StreamBuilder) => void;

const anyPid = fc.constantFrom(...PIDS);
const version = fc.integer({ min: 0, max: 31 });
/** current_next_indicator, mostly true. */
const current = fc.constantFrom(true, true, true, false);

const pat: fc.Arbitrary<Step> = fc
  .record({
    programs: fc.array(fc.tuple(fc.constantFrom(0, ...PROGRAMS), anyPid), { maxLength: 4 }),
    transportStream: fc.constantFrom(1, 1, 1, 2),
    version,
    split: fc.boolean(),
    current,
  })
  .map(({ programs, transportStream, version, split, current }) => (builder) => {
    const parts = split ? [programs.slice(0, 1), programs.slice(1)] : [programs];
    const sections = parts.map((part, number) =>
      patSection(transportStream, part, { version, current, number, lastNumber: parts.length - 1 }),
    );
    builder.sections(0, ...sections);
  });

const pmt: fc.Arbitrary<Uint8Array> = fc
  .record({
    program: fc.constantFrom(...PROGRAMS),
    pcrPid: anyPid,
    streams: fc.array(fc.record({ type: fc.constantFrom(2, 15), pid: anyPid }), {
      maxLength: 60,
      size: 'max',
    }),
    ecm: fc.option(anyPid, { nil: undefined }),
    version,
    current,
  })
  .map(({ program, pcrPid, streams, ecm, version, current }) => {
    const descriptors = ecm === undefined ? [] : caDescriptor(5, ecm);
    return pmtSection(program, { pcrPid, streams, descriptors }, { version, current });
  });

const pmts: fc.Arbitrary<Step> = fc.tuple(anyPid, fc.array(pmt, { minLength: 1, maxLength: 3 })).map(
  ([pid, sections]) =>
    (builder) =>
      builder.sections(pid, ...sections),
);

/** A PAT and its PMTs: without such steps most streams would contain no station at all. */
const lineUp: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(0x1f0, 0x1f1), pmt, version)
  .map(([pid, section, n]) => {
    return (builder) => {
      const programs = [[0, 0x10] as const, [STATION, pid] as const];
      builder.sections(0, patSection(1, programs, { version: n }));
      builder.sections(pid, section);
    };
  });

const packet: fc.Arbitrary<Step> = fc
  .record({
    pid: anyPid,
    payload: fc.option(fc.uint8Array({ minLength: 1, maxLength: 184 }), { nil: undefined }),
    start: fc.boolean(),
    error: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    scrambling: fc.constantFrom(0, 0, 0, 2, 3),
    clock: fc.option(fc.integer({ min: 0, max: 2 ** 33 * 300 - 1 }), { nil: undefined }),
  })
  .map(({ pid, payload, start, error, scrambling, clock }) => (builder) => {
    const cut = clock === undefined ? payload : payload?.subarray(0, 176);
    const fields = clock === undefined ? {} : { adaptation: adaptation({ pcr: clock }) };
    builder.packet(pid, {
      ...(cut === undefined ? {} : { payload: cut }),
      start,
      error,
      scrambling,
      ...fields,
    });
  });

const jump: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(0, ...PIDS), fc.integer({ min: 0, max: 15 })).map(
  ([pid, counter]) =>
    (builder) =>
      builder.setCounter(pid, counter),
);

const repeat: fc.Arbitrary<Step> = fc.constant((builder) => builder.repeat());

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: lineUp },
  { weight: 1, arbitrary: pat },
  { weight: 2, arbitrary: pmts },
  { weight: 8, arbitrary: packet },
  { weight: 1, arbitrary: jump },
  { weight: 1, arbitrary: repeat },
);

/** Whole packets of a broadcast that violates operational rules, but not the syntax. */
export const wildStream: fc.Arbitrary<Uint8Array> = fc
  .array(step, { maxLength: 80, size: 'max' })
  .map((steps) => {
    const builder = new StreamBuilder();
    for (const each of steps) each(builder);
    return builder.bytes();
  });

/** A random stream with some wrong bytes and missing parts. */
export const damagedStream: fc.Arbitrary<Uint8Array> = fc
  .record({
    stream: wildStream,
    flips: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 20 }),
    cuts: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 400 })), { maxLength: 4 }),
  })
  .map(({ stream, flips, cuts }) => {
    let bytes = stream.slice();
    for (const [at, bits] of flips) {
      const index = at % Math.max(1, bytes.length);
      if (index < bytes.length) bytes[index] = (bytes[index] as number) ^ bits;
    }
    for (const [at, length] of cuts) {
      const index = at % Math.max(1, bytes.length);
      bytes = Uint8Array.from([...bytes.subarray(0, index), ...bytes.subarray(index + length)]);
    }
    return bytes;
  });

/** Sizes of the chunks in which a stream arrives, repeated. */
export const chunkSizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 6 });

/** Splits `bytes` into copies of such chunks. */
export function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? bytes.length;
    yield bytes.slice(at, at + size);
    at += size;
  }
}
