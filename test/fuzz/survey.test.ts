/** The survey readers on streams of random bytes with valid CRCs: no exception, no unbounded work. */
import { expect, test } from 'bun:test';
import { networkId, serviceId } from '../../lib/arib/ids.ts';
import { LogoReader } from '../../src/reception/logo-reader.ts';
import { ScanReader } from '../../src/reception/scan-reader.ts';
import { ddbSections, diiSection, nameInfo } from '../carousel-builder.ts';
import { crcOf, longSection, patSection, pmtSection, StreamBuilder, u16 } from '../stream-builder.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(150);

const loop = (bytes: readonly number[]): number[] => [...u16(0xf000 | bytes.length), ...bytes];
const descriptor = (tag: number, bytes: ArrayLike<number>): number[] => [
  tag,
  bytes.length,
  ...Array.from(bytes),
];

function descriptors(random: Random): number[] {
  const all: number[] = [];
  for (let count = random.below(4); count > 0; count--) {
    all.push(
      ...descriptor(random.pick([0x41, 0x43, 0x48, 0xcd, 0xcf, 0x52]), random.bytes(random.below(20))),
    );
  }
  return all;
}

/** An almost valid section: a table that surveys read, with random content. */
function section(random: Random): [pid: number, bytes: Uint8Array] {
  const few = (limit: number) => random.below(limit);
  const module = {
    id: few(3),
    version: few(2),
    data: Uint8Array.from(random.bytes(few(300))),
    info: random.below(2) === 0 ? nameInfo('LOGO-05') : [...nameInfo('CS_LOGO-05'), ...random.bytes(7)],
  };
  const blocks = ddbSections(1, module, 100);
  switch (random.below(7)) {
    case 0: {
      const body = [
        ...loop(descriptors(random)),
        ...loop([...u16(few(3)), ...u16(4), ...loop(descriptors(random))]),
      ];
      return [0x10, longSection({ tableId: 0x40 + few(2), extension: 4, lastNumber: few(2), body })];
    }
    case 1: {
      const body = [...u16(4), 0xff, ...u16(few(3)), 0xfd, ...loop(descriptors(random))];
      return [0x11, longSection({ tableId: random.pick([0x42, 0x46]), extension: few(3), body })];
    }
    case 2: {
      const logo = [few(7), 0xfe, few(3), 0xf0, few(3), ...u16(few(200)), ...random.bytes(few(200))];
      const body = [...u16(random.pick([4, 0x7fe8])), few(3), ...loop(descriptors(random)), ...logo];
      return [
        0x29,
        longSection({ tableId: 0xc8, extension: few(3), number: few(6), lastNumber: few(6), body }),
      ];
    }
    case 3:
      return [
        0,
        patSection(few(3), [
          [0, 0x10],
          [few(3), 0x100 + few(3)],
          [few(9), random.pick([0x29, 0x300])],
        ]),
      ];
    case 4: {
      const streams = [
        { type: 0x0d, pid: random.pick([0x300, 0x29, 0, 0x100]), descriptors: [0x52, 1, 0x79] },
      ];
      return [0x100 + few(3), pmtSection(few(3), { pcrPid: 0x1fff, streams })];
    }
    case 5:
      return [0x300, diiSection({ downloadId: 1, transactionId: few(3), blockSize: 100, modules: [module] })];
    default:
      return [
        0x300,
        random.pick([...blocks, diiSection({ downloadId: 1, transactionId: 1, modules: [module] })]),
      ];
  }
}

function forged(random: Random, bytes: Uint8Array): Uint8Array {
  if (random.below(3) > 0) return bytes;
  const copy = bytes.slice();
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    copy[3 + random.below(Math.max(1, copy.length - 7))] = random.below(256);
  }
  const crc = crcOf(copy.subarray(0, -4));
  copy.set([crc >>> 24, (crc >>> 16) & 0xff, (crc >>> 8) & 0xff, crc & 0xff], copy.length - 4);
  return copy;
}

test(
  `surveys of hostile streams (seed ${seed})`,
  () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const builder = new StreamBuilder();
      for (let count = 40; count > 0; count--) {
        const [pid, bytes] = section(random);
        builder.sections(pid, forged(random, bytes));
        if (random.below(10) === 0) builder.packet(0x10, { payload: random.bytes(184), start: true });
      }
      const wanted = [0, 1, 2].flatMap((id) =>
        [4, 0x7fe8].map((network) => ({ networkId: networkId(network), serviceId: serviceId(id) })),
      );
      const logos = new LogoReader(wanted);
      const scan = new ScanReader('BS');
      const packets = builder.bytes();
      logos.feed(packets);
      scan.feed(packets);
      // Fed twice, so that late announcements are matched too.
      logos.feed(packets);
      const found = logos.takeLogos(true);
      for (const logo of found) {
        expect(
          wanted.some((one) => one.serviceId === logo.serviceId && one.networkId === logo.networkId),
        ).toBe(true);
      }
      const { stream } = scan.findings();
      expect(stream === undefined).toBe(!scan.complete);
      expect((stream?.services ?? []).every(({ serviceId: id }) => id >= 0 && id <= 0xffff)).toBe(true);
      expect(typeof logos.complete).toBe('boolean');
    }
  },
  FUZZ_TIMEOUT,
);
