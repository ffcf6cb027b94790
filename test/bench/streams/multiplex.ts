/**
 * Bytes that look like a broadcast to a packet filter: PIDs in the proportions and order in which
 * multiplexers send them, real PAT and PMT, random payloads. It cannot be decoded; `synth/` makes decodable
 * streams.
 */
import {
  adaptation,
  caDescriptor,
  PACKET,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../stream-builder.ts';

export interface Multiplex {
  readonly name: string;
  /** The station to narrow to. */
  readonly serviceId: number;
  /** About `size` bytes, whole packets, with correct continuity counters. */
  bytes(size: number): Uint8Array;
}

interface Flow {
  readonly pid: number;
  /** kbit/s. */
  readonly rate: number;
  /** Sent repeatedly instead of random payloads. */
  readonly section?: Uint8Array;
  /** Number of packets between two PCRs. */
  readonly pcrEvery?: number;
}

/** Length of the repeated pattern: every flow sends a multiple of 16 packets in it. */
const PATTERN_SECONDS = 4;

function station(id: number, base: number, video: number, extra: readonly Flow[] = []): Flow[] {
  const streams = [
    { type: 0x02, pid: base, descriptors: streamIdentifier(0x00) },
    { type: 0x0f, pid: base + 0x10, descriptors: streamIdentifier(0x10) },
    { type: 0x06, pid: base + 0x30, descriptors: streamIdentifier(0x30) },
    ...extra.map(({ pid }) => ({ type: 0x0d, pid, descriptors: streamIdentifier(0x40) })),
  ];
  const descriptors = caDescriptor(5, base + 0x80);
  return [
    { pid: base + 0xf0, rate: 15, section: pmtSection(id, { pcrPid: base, descriptors, streams }) },
    { pid: base, rate: video, pcrEvery: 300 },
    { pid: base + 0x10, rate: 200 },
    { pid: base + 0x30, rate: 10 },
    { pid: base + 0x80, rate: 30 },
    ...extra,
  ];
}

const SI: readonly Flow[] = [
  { pid: 0x01, rate: 3 },
  { pid: 0x10, rate: 5 },
  { pid: 0x11, rate: 5 },
  { pid: 0x12, rate: 350 },
  { pid: 0x14, rate: 2 },
  { pid: 0x24, rate: 2 },
  { pid: 0x29, rate: 5 },
];

/** All packets of a pattern, each flow evenly distributed. */
function pattern(flows: readonly Flow[]): Uint8Array {
  const due: { at: number; flow: Flow; index: number }[] = [];
  for (const flow of flows) {
    const wanted = (flow.rate * 1000 * PATTERN_SECONDS) / 8 / PACKET;
    const count = Math.max(16, Math.round(wanted / 16) * 16);
    for (let index = 0; index < count; index++)
      due.push({ at: (index + (flow.pid % 97) / 97) / count, flow, index });
  }
  due.sort((a, b) => a.at - b.at);
  const builder = new StreamBuilder();
  let seed = 1;
  for (const { flow, index, at } of due) {
    if (flow.section !== undefined) {
      builder.sections(flow.pid, flow.section);
      continue;
    }
    const withPcr = flow.pcrEvery !== undefined && index % flow.pcrEvery === 0;
    const payload = new Uint8Array(withPcr ? 176 : 184);
    for (let octet = 0; octet < payload.length; octet++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      payload[octet] = seed >>> 24;
    }
    const pcr = Math.round(at * PATTERN_SECONDS * 27_000_000);
    builder.packet(flow.pid, { payload, ...(withPcr ? { adaptation: adaptation({ pcr }) } : {}) });
  }
  return builder.bytes();
}

function multiplex(name: string, serviceId: number, flows: readonly Flow[]): Multiplex {
  return {
    name,
    serviceId,
    bytes(size) {
      const once = pattern(flows);
      const times = Math.ceil(size / once.length);
      const all = new Uint8Array(times * once.length);
      for (let n = 0; n < times; n++) all.set(once, n * once.length);
      return all;
    },
  };
}

const T_PAT = patSection(0x7fe0, [
  [0, 0x10],
  [1024, 0x1f0],
  [1025, 0x3f0],
  [1408, 0x1fc8],
]);

/** PIDs of the SI in these streams, for readers that need them as parameters. */
export const SI_PIDS: readonly number[] = SI.map((flow) => flow.pid);

/** One HD station with data broadcast, a one-segment service, little other traffic: most packets are kept. */
export const terrestrial = multiplex('terrestrial, one HD station of two services', 1024, [
  { pid: 0x00, rate: 15, section: T_PAT },
  ...SI,
  ...station(1024, 0x100, 13_000, [
    { pid: 0x140, rate: 1200 },
    { pid: 0x141, rate: 300 },
  ]),
  {
    pid: 0x1fc8,
    rate: 8,
    section: pmtSection(1408, { pcrPid: 0x581, streams: [{ type: 0x1b, pid: 0x581 }] }),
  },
  { pid: 0x581, rate: 330 },
  { pid: 0x583, rate: 60 },
  { pid: 0x1fff, rate: 900 },
]);

const S_PAT = patSection(0x40f1, [
  [0, 0x10],
  [101, 0x1f0],
  [102, 0x2f0],
  [103, 0x3f0],
]);

/** Three stations of a satellite stream: about a third of the packets are kept. */
export const satellite = multiplex('satellite, one of three stations', 101, [
  { pid: 0x00, rate: 15, section: S_PAT },
  ...SI,
  ...station(101, 0x100, 8_000),
  ...station(102, 0x200, 8_000),
  ...station(103, 0x300, 8_000),
  { pid: 0x1fff, rate: 1_000 },
]);
