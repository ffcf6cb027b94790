import { expect, test } from 'bun:test';
import { readDescriptors } from '../../arib/descriptor/index.ts';
import { Reader } from '../../arib/reader.ts';
import { parseEit } from '../../arib/si/eit.ts';
import { broadcastEvent } from '../../arib/si/event.ts';
import { parseNit } from '../../arib/si/nit.ts';
import { parseSdt } from '../../arib/si/sdt.ts';
import { parseTot } from '../../arib/si/tot.ts';
import { readSection, type Section } from '../../arib/ts/section.ts';
import { longSection, u16 } from '../stream-builder.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(5000);

/** Tags that have a parser, and some that have none. */
const TAGS = [
  0x09, 0x0d, 0x28, 0x2a, 0x40, 0x41, 0x43, 0x44, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50,
  0x51, 0x52, 0x53, 0x54, 0x55, 0x58, 0x63, 0x6f, 0x80, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8,
  0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xdc, 0xde, 0xe0, 0xf6, 0xf7, 0xf8,
  0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
];
const TABLE_IDS = [0x40, 0x41, 0x42, 0x46, 0x4e, 0x4f, 0x50, 0x58, 0x60, 0x6f];

/** Descriptors whose bodies are random; now and then a length that lies. */
function loop(random: Random): number[] {
  const octets: number[] = [];
  for (let count = random.below(8); count > 0; count--) {
    const body = random.bytes(random.below(40));
    // Short texts and lengths are likelier to make sense.
    for (let at = 0; at < body.length; at++) if (random.below(3) === 0) body[at] = random.below(12);
    const lie = random.below(40) === 0 ? random.below(256) : body.length;
    octets.push(random.pick(TAGS), lie, ...body);
  }
  return octets;
}

function body(random: Random, tableId: number): number[] {
  const lengthOf = (octets: readonly number[]): number =>
    random.below(30) === 0 ? random.below(4096) : octets.length;
  if (tableId === 0x40 || tableId === 0x41) {
    const network = loop(random);
    const stream = loop(random);
    const entry = [...random.bytes(4), ...u16(0xf000 | lengthOf(stream)), ...stream];
    return [...u16(0xf000 | lengthOf(network)), ...network, ...u16(0xf000 | lengthOf(entry)), ...entry];
  }
  const fixed = tableId < 0x4e ? 3 : 6;
  const head = tableId < 0x4e ? 3 : 10;
  const octets = [...random.bytes(fixed)];
  for (let count = random.below(4); count > 0; count--) {
    const descriptors = loop(random);
    octets.push(...random.bytes(head), ...u16(lengthOf(descriptors)), ...descriptors);
  }
  return octets;
}

function parseAll(section: Section): void {
  parseNit(section);
  parseSdt(section);
  parseTot(section);
  for (const event of parseEit(section)?.events ?? []) broadcastEvent(event);
}

test(
  `sections of random content are read or refused, never more (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    let read = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const tableId = random.pick(TABLE_IDS);
      const content = random.below(10) === 0 ? [...random.bytes(random.below(400))] : body(random, tableId);
      const section = readSection(longSection({ tableId, extension: random.below(65_536), body: content }));
      if (section === undefined) continue;
      parseAll(section);
      if (parseNit(section) ?? parseSdt(section) ?? parseEit(section)) read++;
    }
    // Otherwise the test makes nothing that gets past the first length.
    expect(read).toBeGreaterThan(ROUNDS / 10);
  },
  FUZZ_TIMEOUT,
);

test(
  `short sections of random content are a clock or none (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 1);
    for (let round = 0; round < ROUNDS; round++) {
      const content = random.bytes(random.below(30));
      const bytes = Uint8Array.from([0x70, 0x70, content.length, ...content]);
      const section = readSection(bytes);
      if (section !== undefined) parseAll(section);
    }
  },
  FUZZ_TIMEOUT,
);

test(
  `random descriptor loops hold no more than their octets (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 2);
    for (let round = 0; round < ROUNDS; round++) {
      const octets = Uint8Array.from(random.below(3) === 0 ? random.bytes(random.below(300)) : loop(random));
      const descriptors = readDescriptors(new Reader(octets));
      if (descriptors.length > octets.length / 2) throw new Error(`too many: ${octets.toHex()}`);
    }
  },
  FUZZ_TIMEOUT,
);

test(
  `recorded-like sections with single octets changed are read or refused (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 3);
    for (let round = 0; round < ROUNDS / 50; round++) {
      const tableId = random.pick(TABLE_IDS);
      const content = body(random, tableId);
      for (let change = 0; change < 40 && content.length > 0; change++) {
        const changed = content.slice();
        changed[random.below(changed.length)] = random.below(256);
        const section = readSection(longSection({ tableId, extension: 1, body: changed }));
        if (section !== undefined) parseAll(section);
      }
    }
  },
  FUZZ_TIMEOUT,
);
