import { describe, expect, test } from 'bun:test';
import {
  adaptation,
  caDescriptor,
  type PmtFields,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../../test/stream-builder.ts';
import { pid, serviceId } from '../ids.ts';
import { OwnedBytes, packetPcr, packetPid } from './packet.ts';
import { parsePat } from './pat.ts';
import { type ProgramMap, parsePmt } from './pmt.ts';
import { type Section, SectionAssembler } from './section.ts';
import { StationFilter } from './station-filter.ts';
import { StreamStatistics } from './statistics.ts';

const TSID = 0x7fe0;
/** Our station, its PMT's PID, and a neighbour. */
const OURS = 1024;
const OUR_PMT = 0x1f0;
const THEIRS = 1032;
const THEIR_PMT = 0x2f0;
const NULL = 0x1fff;

const PROGRAMS: readonly (readonly [number, number])[] = [
  [0, 0x10],
  [OURS, OUR_PMT],
  [THEIRS, THEIR_PMT],
];
const PAT = patSection(TSID, PROGRAMS, { version: 7 });
const OUR_STREAMS: PmtFields = {
  pcrPid: 0x1ff,
  descriptors: caDescriptor(5, 0x901),
  streams: [
    { type: 0x02, pid: 0x100, descriptors: streamIdentifier(0x00) },
    { type: 0x0f, pid: 0x110, descriptors: [...streamIdentifier(0x10), ...caDescriptor(5, 0x902)] },
    { type: 0x06, pid: 0x130, descriptors: [...streamIdentifier(0x30), ...caDescriptor(5, 0x1fff)] },
  ],
};
const PMT = pmtSection(OURS, OUR_STREAMS, { version: 3 });
const THEIR_STREAMS: PmtFields = { pcrPid: 0x200, streams: [{ type: 0x02, pid: 0x200 }] };
const THEIR_TABLE = pmtSection(THEIRS, THEIR_STREAMS);

const OUR_PIDS = [0x1ff, 0x100, 0x110, 0x130, 0x901, 0x902];
const SI = [
  0x01, 0x10, 0x11, 0x12, 0x13, 0x14, 0x1e, 0x1f, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2e,
];
let serial = 0;

/** A packet that differs from all others. */
function some(builder: StreamBuilder, ...pids: number[]): StreamBuilder {
  for (const each of pids) {
    serial++;
    const payload = new Uint8Array(184).fill(serial & 0x3f);
    payload[1] = (serial >> 6) & 0x3f;
    builder.packet(each, { payload });
  }
  return builder;
}

function begun(): StreamBuilder {
  return new StreamBuilder().sections(0, PAT).sections(OUR_PMT, PMT).sections(THEIR_PMT, THEIR_TABLE);
}

interface Narrowed {
  filter: StationFilter;
  bytes: Uint8Array;
  pids: number[];
  maps: ProgramMap[];
  absences: number;
}

function narrow(builder: StreamBuilder, chunk = 100_000, service = OURS): Narrowed {
  const maps: ProgramMap[] = [];
  let absences = 0;
  const filter = new StationFilter(serviceId(service), {
    onProgramMap: (map) => maps.push(map),
    onAbsent: () => absences++,
  });
  const input = builder.bytes();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < input.length; at += chunk) parts.push(filter.feed(input.subarray(at, at + chunk)));
  parts.push(filter.flush());
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
  return { filter, bytes, pids: pidsOf(bytes), maps, absences };
}

function pidsOf(bytes: Uint8Array): number[] {
  expect(bytes.length % 188).toBe(0);
  return Array.from({ length: bytes.length / 188 }, (_, n) => packetPid(bytes, n * 188));
}

function packetsOf(bytes: Uint8Array, ...pids: number[]): Uint8Array[] {
  const packets = Array.from({ length: bytes.length / 188 }, (_, n) => bytes.slice(n * 188, (n + 1) * 188));
  return packets.filter((packet) => pids.includes(packetPid(packet, 0)));
}

function sectionsOf(bytes: Uint8Array, from: number): Section[] {
  const assembler = new SectionAssembler();
  const sections = packetsOf(bytes, from).flatMap((packet) => [...assembler.feed(packet, 0)]);
  expect(assembler.invalidSections + assembler.incompleteSections).toBe(0);
  return sections;
}

function continuityErrors(bytes: Uint8Array): number {
  const statistics = new StreamStatistics();
  statistics.count(bytes);
  return statistics.continuityErrors;
}

describe('the station filter', () => {
  test('keeps the station, its PCR, its ECMs and the SI, and nothing else', () => {
    const builder = some(begun(), ...OUR_PIDS, ...SI, 0x200, 0xfff, 0x300, 0x1ff0).nulls(3);
    const { bytes, pids } = narrow(some(builder, ...OUR_PIDS));
    expect(pids).toEqual([0, OUR_PMT, ...OUR_PIDS, ...SI, ...OUR_PIDS]);
    const kept = [...OUR_PIDS, ...SI];
    expect(packetsOf(bytes, ...kept)).toEqual(packetsOf(builder.bytes(), ...kept));
  });

  test('keeps clock and ECM that stations of a channel share for each of them', () => {
    // As on BS朝日 and BSフジ.
    const shared = { pcrPid: 0x1ff, descriptors: caDescriptor(5, 0x901) };
    const theirs = pmtSection(THEIRS, { ...shared, streams: [{ type: 0x02, pid: 0x200 }] });
    const builder = new StreamBuilder().sections(0, PAT).sections(OUR_PMT, PMT).sections(THEIR_PMT, theirs);
    const packets = some(builder, 0x1ff, 0x901, 0x100, 0x200, 0x1ff, 0x901);
    expect(narrow(packets).pids).toEqual([0, OUR_PMT, 0x1ff, 0x901, 0x100, 0x1ff, 0x901]);
    expect(narrow(packets, 100_000, THEIRS).pids).toEqual([0, THEIR_PMT, 0x1ff, 0x901, 0x200, 0x1ff, 0x901]);
  });

  test('drops packets before the first PMT, except the SI', () => {
    const builder = some(new StreamBuilder(), 0x100, 0x11).sections(0, PAT);
    some(builder, 0x100, 0x12).sections(OUR_PMT, PMT);
    expect(narrow(some(builder, 0x100, 0x110)).pids).toEqual([0x11, 0, 0x12, OUR_PMT, 0x100, 0x110]);
  });

  test('replaces the PAT by one that lists only this station and the network', () => {
    const builder = some(begun(), 0x100, 0x100).sections(0, PAT);
    const { bytes, pids } = narrow(some(builder, 0x100));
    expect(pids).toEqual([0, OUR_PMT, 0x100, 0x100, 0, 0x100]);
    for (const section of sectionsOf(bytes, 0)) {
      expect(parsePat(section)).toEqual({
        transportStreamId: TSID as never,
        version: 7,
        networkPid: pid(0x10),
        programs: [{ programNumber: serviceId(OURS), pid: pid(OUR_PMT) }],
      });
    }
    expect(continuityErrors(bytes)).toBe(0);
  });

  test('sends the PMT unchanged', () => {
    const { bytes, filter, maps } = narrow(begun().sections(OUR_PMT, PMT));
    expect(sectionsOf(bytes, OUR_PMT).map((section) => section.bytes)).toEqual([PMT, PMT]);
    expect(maps).toHaveLength(1);
    expect(filter.programMap).toEqual(maps[0]);
    expect(filter.transportStreamId as unknown).toBe(TSID);
  });

  test('sends a PMT of several packets completely, however the stream is chunked', () => {
    const streams = Array.from({ length: 40 }, (_, n) => ({ type: 0x0d, pid: 0x140 + n }));
    const long = pmtSection(OURS, { pcrPid: 0x140, streams, descriptors: new Array(254).fill(0) });
    const builder = new StreamBuilder();
    for (let n = 0; n < 4; n++) some(builder.sections(0, PAT).sections(OUR_PMT, long), 0x140);
    for (const chunk of [1, 100, 188, 189, 376, 500, 10_000]) {
      const { bytes } = narrow(builder, chunk);
      expect(sectionsOf(bytes, OUR_PMT).map((section) => section.bytes)).toEqual([long, long, long, long]);
      expect(continuityErrors(bytes)).toBe(0);
    }
  });

  test('reads a PAT of several sections', () => {
    const halves = [PROGRAMS.slice(2), PROGRAMS.slice(0, 2)].map((programs, number) =>
      patSection(TSID, programs, { number, lastNumber: 1 }),
    );
    const builder = new StreamBuilder();
    for (let n = 0; n < 2; n++) for (const half of halves) builder.sections(0, half);
    builder.sections(OUR_PMT, PMT);
    const { bytes, pids } = narrow(some(builder, 0x100));
    expect(pids).toEqual([0, 0, OUR_PMT, 0x100]);
    expect(sectionsOf(bytes, 0)[0]).toMatchObject({ number: 0, lastNumber: 0 });
  });

  test('takes only its own PMT from a PID shared by several', () => {
    const shared = patSection(TSID, [
      [OURS, 0x1f0],
      [THEIRS, 0x1f0],
    ]);
    const builder = new StreamBuilder().sections(0, shared).sections(0x1f0, THEIR_TABLE, PMT);
    some(builder, 0x100, 0x200).sections(0x1f0, PMT).sections(0x1f0, THEIR_TABLE);
    const { bytes, pids } = narrow(some(builder, 0x110, 0x200));
    expect(pids).toEqual([0, 0x1f0, 0x100, 0x1f0, 0x110]);
    expect(sectionsOf(bytes, 0x1f0).map((section) => section.bytes)).toEqual([PMT, PMT]);
  });

  test('keeps a PCR that is sent on the PID of the PMT', () => {
    const own = pmtSection(OURS, { pcrPid: OUR_PMT, streams: [{ type: 2, pid: 0x100 }] });
    const padded = new Uint8Array(176).fill(0xff);
    padded.set([0, ...own]);
    const builder = new StreamBuilder().sections(0, PAT).sections(OUR_PMT, own);
    builder.packet(OUR_PMT, { adaptation: adaptation({ pcr: 27 }) });
    builder.packet(OUR_PMT, { payload: padded, start: true, adaptation: adaptation({ pcr: 54 }) });
    const { bytes } = narrow(builder.sections(OUR_PMT, own));
    const clocks = packetsOf(bytes, OUR_PMT).map((packet) => packetPcr(packet, 0));
    expect(clocks).toEqual([undefined, 27, undefined, 54, undefined]);
    expect(sectionsOf(bytes, OUR_PMT)).toHaveLength(3);
    expect(continuityErrors(bytes)).toBe(0);
  });

  test('continues the continuity counter of a PCR that shares the PID of the PMT', () => {
    const clock = pmtSection(OURS, { pcrPid: 0x1f0, streams: [] });
    const at = (pmtPid: number, version: number): Uint8Array =>
      patSection(TSID, [[OURS, pmtPid]], { version });
    const builder = new StreamBuilder().sections(0, at(0x1f1, 1)).sections(0x1f1, clock).setCounter(0x1f0, 3);
    some(builder, 0x1f0)
      .sections(0, at(0x1f0, 2))
      .packet(0x1f0, { adaptation: adaptation({ pcr: 1 }) });
    builder.packet(0x1f0, { adaptation: adaptation({ pcr: 2 }), error: true }).sections(0, at(0x1f1, 3));
    const { bytes } = narrow(some(builder.sections(0x1f1, clock), 0x1f0, 0x1f0));
    expect(packetsOf(bytes, 0x1f0).map((packet) => packet[3])).toEqual([0x13, 0x23, 0x14, 0x15]);
  });

  test('returns buffers that the caller may keep', () => {
    const input = some(begun(), ...OUR_PIDS).bytes();
    const before = input.slice();
    const kept = new StationFilter(serviceId(OURS)).feed(input);
    expect(input).toEqual(before);
    const copy = kept.slice();
    input.fill(0);
    expect(kept).toEqual(copy);
  });

  test('gives the same result when it may overwrite the chunk', () => {
    const input = some(some(begun(), 0x200, ...OUR_PIDS), 0x200, ...OUR_PIDS).bytes();
    const fed = new StationFilter(serviceId(OURS)).feed(input);
    const chunk = new OwnedBytes(input);
    expect(new StationFilter(serviceId(OURS)).take(chunk)).toEqual(fed);
    // Whoever reads the chunk now would get altered bytes.
    expect(() => chunk.readable).toThrow('handed over');
    expect(() => chunk.handOver()).toThrow('handed over');
  });

  test('counts the errors of the station', () => {
    const builder = some(begun(), 0x100, 0x110, 0x200);
    builder
      .packet(0x100, { payload: new Uint8Array(184), counter: 9 })
      .packet(0x110, { payload: [1], error: true });
    const { filter } = narrow(builder.packet(0x200, { payload: [1], counter: 9 }));
    expect(filter.statistics).toMatchObject({ packets: 6, continuityErrors: 1, transportErrors: 1 });
    expect(filter.statistics.pid(pid(0x100)).continuityErrors).toBe(1);
    expect(filter.syncErrors).toBe(0);
  });
});

describe('a PMT change', () => {
  const next = pmtSection(
    OURS,
    { pcrPid: 0x1ff, streams: [0x100, 0x111].map((each) => ({ type: 0x0f, pid: each })) },
    { version: 4 },
  );

  test('adds and drops PIDs at once', () => {
    const builder = some(begun(), 0x100, 0x110, 0x111).sections(OUR_PMT, next);
    const { pids, maps } = narrow(some(builder, 0x100, 0x110, 0x111, 0x901));
    expect(pids).toEqual([0, OUR_PMT, 0x100, 0x110, OUR_PMT, 0x100, 0x111]);
    expect(maps.map((map) => map.version)).toEqual([3, 4]);
  });

  test('is followed even if the version is unchanged', () => {
    const same = pmtSection(OURS, { pcrPid: 0x1ff, streams: [{ type: 2, pid: 0x111 }] }, { version: 3 });
    const { pids, maps } = narrow(some(begun().sections(OUR_PMT, same), 0x100, 0x111));
    expect(pids).toEqual([0, OUR_PMT, OUR_PMT, 0x111]);
    expect(maps).toHaveLength(2);
  });

  test('that is only announced is ignored', () => {
    const streams = [{ type: 2, pid: 0x111 }];
    const announced = pmtSection(OURS, { pcrPid: 0x1ff, streams }, { version: 4, current: false });
    const { pids, maps } = narrow(some(begun().sections(OUR_PMT, announced), 0x100, 0x111));
    expect(pids).toEqual([0, OUR_PMT, 0x100]);
    expect(maps).toHaveLength(1);
  });

  test('in a damaged, errored or scrambled packet is ignored', () => {
    for (const change of [
      { at: 100, bits: 0x01 },
      { at: 1, bits: 0x80 },
      { at: 3, bits: 0x80 },
    ]) {
      const packet = new StreamBuilder().setCounter(OUR_PMT, 1).sections(OUR_PMT, next).bytes();
      packet[change.at] = (packet[change.at] ?? 0) ^ change.bits;
      if (change.at === 100) packet[20] = (packet[20] ?? 0) ^ 1;
      const { pids } = narrow(some(begun().raw(packet), 0x100, 0x111));
      expect(pids).toEqual([0, OUR_PMT, 0x100]);
    }
  });

  test('releases a PID that now belongs to another station', () => {
    const theirs = pmtSection(THEIRS, { pcrPid: 0x110, streams: [{ type: 2, pid: 0x110 }] }, { version: 1 });
    const builder = some(begun(), 0x110).sections(OUR_PMT, next).sections(THEIR_PMT, theirs);
    expect(narrow(some(builder, 0x110, 0x100)).pids).toEqual([0, OUR_PMT, 0x110, OUR_PMT, 0x100]);
  });

  test('that restores a PID continues its continuity counter', () => {
    const builder = some(begun(), 0x110, 0x110, 0x110).sections(OUR_PMT, next);
    // Meanwhile the PID is used otherwise, and its counter differs.
    some(builder.setCounter(0x110, 9), 0x110, 0x110).sections(OUR_PMT, PMT).packet(0x110, {});
    const { bytes } = narrow(some(builder, 0x110, 0x110).sections(OUR_PMT, PMT));
    expect(packetsOf(bytes, 0x110).map((packet) => (packet[3] ?? 0) & 0x0f)).toEqual([0, 1, 2, 2, 3, 4]);
    expect(continuityErrors(bytes)).toBe(0);
  });

  test('that restores a PID does not hide later losses', () => {
    const builder = some(begun(), 0x110).sections(OUR_PMT, next).sections(OUR_PMT, PMT);
    const { bytes } = narrow(some(some(builder.setCounter(0x110, 7), 0x110).setCounter(0x110, 12), 0x110));
    expect(continuityErrors(bytes)).toBe(1);
  });
});

describe('a PAT change', () => {
  const moved = patSection(
    TSID,
    [
      [OURS, 0x3f0],
      [THEIRS, OUR_PMT],
    ],
    { version: 8 },
  );

  test('moves the PMT to another PID', () => {
    const after = pmtSection(OURS, { pcrPid: 0x1ff, streams: [{ type: 2, pid: 0x100 }] }, { version: 4 });
    const builder = some(begun(), 0x100)
      .sections(0, moved)
      .sections(OUR_PMT, THEIR_TABLE)
      .sections(0x3f0, after);
    const { bytes, pids } = narrow(some(builder, 0x100, 0x110, OUR_PMT));
    expect(pids).toEqual([0, OUR_PMT, 0x100, 0, 0x3f0, 0x100]);
    expect(sectionsOf(bytes, 0).map((section) => section.version)).toEqual([7, 8]);
    expect(parsePmt(sectionsOf(bytes, 0x3f0)[0] as Section)?.version).toBe(4);
  });

  test('moves the PMT to the PID of a stream, and back', () => {
    const swapped = patSection(TSID, [[OURS, 0x110]], { version: 8 });
    const after = pmtSection(OURS, { pcrPid: 0x1ff, streams: [{ type: 2, pid: 0x100 }] });
    const builder = some(begun(), 0x110).sections(0, swapped).sections(0x110, after);
    some(builder, 0x100).sections(0x110, after);
    const { bytes, pids } = narrow(some(builder, 0x100).sections(0, PAT).sections(OUR_PMT, PMT));
    expect(pids).toEqual([0, OUR_PMT, 0x110, 0, 0x110, 0x100, 0x110, 0x100, 0, OUR_PMT]);
    expect(continuityErrors(bytes)).toBe(0);
  });

  test('that concerns only other stations does not change the output', () => {
    const fewer = patSection(TSID, PROGRAMS.slice(0, 2), { version: 8 });
    const { bytes } = narrow(begun().sections(0, fewer));
    const [before, after] = sectionsOf(bytes, 0);
    expect(after?.bytes).toEqual(before?.bytes as Uint8Array);
  });

  test('that is only announced, or errored, is ignored', () => {
    const announced = patSection(TSID, [[THEIRS, THEIR_PMT]], { version: 8, current: false });
    const errored = new StreamBuilder().setCounter(0, 1).sections(0, patSection(TSID, [])).bytes();
    errored[1] = (errored[1] ?? 0) | 0x80;
    const { pids, absences } = narrow(some(begun().raw(errored).sections(0, announced), 0x100));
    expect(pids).toEqual([0, OUR_PMT, 0x100]);
    expect(absences).toBe(0);
  });

  test('without the station is reported once and leaves the SI unchanged', () => {
    const gone = patSection(TSID, [[THEIRS, THEIR_PMT]], { version: 8 });
    const builder = some(begun(), 0x100).sections(0, gone).sections(0, gone).sections(OUR_PMT, PMT);
    const { pids, absences, filter } = narrow(some(builder, 0x100, 0x11));
    expect(pids).toEqual([0, OUR_PMT, 0x100, 0x11]);
    expect(absences).toBe(1);
    expect(filter.programMap).toBeUndefined();
  });

  test('that restores the station is followed', () => {
    const gone = patSection(TSID, [[THEIRS, THEIR_PMT]], { version: 8 });
    const builder = some(begun(), 0x100).sections(0, gone);
    some(builder, 0x100).sections(0, PAT).sections(OUR_PMT, PMT);
    const { bytes, pids, maps } = narrow(some(builder, 0x100));
    expect(pids).toEqual([0, OUR_PMT, 0x100, 0, OUR_PMT, 0x100]);
    expect(maps).toHaveLength(2);
    expect(continuityErrors(bytes)).toBe(0);
  });

  test('to another transport stream drops the PIDs of the old one', () => {
    const other = patSection(0x7fe1, PROGRAMS, { version: 7 });
    const { pids, filter } = narrow(some(begun().sections(0, other), 0x100));
    expect(pids).toEqual([0, OUR_PMT, 0]);
    expect(filter.transportStreamId as unknown).toBe(0x7fe1);
    expect(filter.programMap).toBeUndefined();
  });

  test('to a PID that cannot carry a PMT makes the station absent', () => {
    for (const wrong of [0, 0x12, NULL]) {
      const { pids, absences } = narrow(
        some(new StreamBuilder().sections(0, patSection(1, [[OURS, wrong]])), 0x12),
      );
      expect(pids).toEqual([0x12]);
      expect(absences).toBe(1);
    }
  });
});

test('a PMT that names PAT, SI, null or its own PID as streams changes nothing for them', () => {
  const streams = [0, 0x12, OUR_PMT, NULL, 0x100].map((each) => ({ type: 2, pid: each }));
  const odd = pmtSection(OURS, { pcrPid: NULL, streams, descriptors: caDescriptor(5, 0) });
  const builder = new StreamBuilder().sections(0, PAT).sections(OUR_PMT, odd);
  some(builder, 0x12, 0x100).nulls().sections(0, PAT).sections(OUR_PMT, odd);
  const without = pmtSection(OURS, { pcrPid: NULL, streams: [] }, { version: 4 });
  const { pids } = narrow(some(builder.sections(OUR_PMT, without), 0x12, 0x100).sections(0, PAT));
  expect(pids).toEqual([0, OUR_PMT, 0x12, 0x100, 0, OUR_PMT, OUR_PMT, 0x12, 0]);
});
