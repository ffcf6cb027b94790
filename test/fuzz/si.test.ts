import { expect, test } from 'bun:test';
import { applicationsOf, parseAit } from '../../lib/arib/application/section-ait.ts';
import { readApplicationDescriptors } from '../../lib/arib/descriptor/application-table.ts';
import { readDescriptors } from '../../lib/arib/descriptor/index.ts';
import { Reader } from '../../lib/arib/reader.ts';
import { CompleteTables } from '../../lib/arib/si/complete-tables.ts';
import { parseEcm } from '../../lib/arib/si/ecm.ts';
import { parseEit, parseTot } from '../../lib/arib/si/eit.ts';
import { broadcastEvent } from '../../lib/arib/si/event.ts';
import { completeLogo, logoSize, parseCdt, parseLogo, parseLogoModule } from '../../lib/arib/si/logo.ts';
import { ScheduleCoverage } from '../../lib/arib/si/schedule-coverage.ts';
import { parseBit, parseNit, parseSdt } from '../../lib/arib/si/service-tables.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { readSection, type Section } from '../../lib/arib/ts/section.ts';
import { longSection, u16 } from '../stream-builder.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(5000);

/** Tags with a parser, and some without. */
const TAGS = [
  0x09, 0x0d, 0x28, 0x2a, 0x40, 0x41, 0x43, 0x44, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50,
  0x51, 0x52, 0x53, 0x54, 0x55, 0x58, 0x63, 0x6f, 0x80, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8,
  0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xdc, 0xde, 0xe0, 0xf6, 0xf7, 0xf8,
  0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
];
const TABLE_IDS = [
  0x40, 0x41, 0x42, 0x46, 0x4a, 0x4e, 0x4f, 0x50, 0x58, 0x60, 0x6f, 0x74, 0x7f, 0x82, 0xc3, 0xc4, 0xc8,
];
/** Tags of application tables. */
const APPLICATION_TAGS = [0x00, 0x01, 0x02, 0x15, 0x16, 0x17, 0x30, 0x31, 0x32, 0x33];

/** Descriptors with random bodies; some with a wrong length. */
function loop(random: Random, tags: readonly number[] = TAGS): number[] {
  const octets: number[] = [];
  for (let count = random.below(8); count > 0; count--) {
    const body = random.bytes(random.below(40));
    // Short texts and small lengths are more likely to be valid.
    for (let at = 0; at < body.length; at++) if (random.below(3) === 0) body[at] = random.below(12);
    const lie = random.below(40) === 0 ? random.below(256) : body.length;
    octets.push(random.pick(tags), lie, ...body);
  }
  return octets;
}

/** Bytes after their 12-bit length; sometimes the length is wrong. */
function counted(random: Random, octets: readonly number[]): number[] {
  const length = random.below(30) === 0 ? random.below(4096) : octets.length;
  return [...u16(0xf000 | length), ...octets];
}

/** Entries of a table: `head` random bytes, then a counted descriptor loop. */
function entries(random: Random, head: number, tags?: readonly number[]): number[] {
  const octets: number[] = [];
  for (let count = random.below(4); count > 0; count--) {
    octets.push(...random.bytes(head), ...counted(random, loop(random, tags)));
  }
  return octets;
}

function body(random: Random, tableId: number): number[] {
  switch (tableId) {
    case 0x40:
    case 0x41:
    case 0x4a:
      return [...counted(random, loop(random)), ...counted(random, entries(random, 4))];
    case 0x42:
    case 0x46:
      return [...random.bytes(3), ...entries(random, 3)];
    case 0x74:
      return [
        ...counted(random, loop(random, APPLICATION_TAGS)),
        ...counted(random, entries(random, 7, APPLICATION_TAGS)),
      ];
    case 0x7f:
      return [...counted(random, loop(random)), ...entries(random, 2)];
    case 0x82:
      return [...random.bytes(random.below(100))];
    case 0xc3:
      return [...random.bytes(6), ...contents(random)];
    case 0xc4:
      return [...counted(random, loop(random)), ...entries(random, 1)];
    case 0xc8:
      return [...random.bytes(3), ...counted(random, loop(random)), ...random.bytes(random.below(200))];
    default:
      return [...random.bytes(6), ...entries(random, 10)];
  }
}

function contents(random: Random): number[] {
  const octets: number[] = [];
  const count = random.below(3);
  for (let left = count; left > 0; left--) {
    const times = random.bytes(8 * random.below(3));
    const descriptors = loop(random);
    const length = times.length + descriptors.length;
    octets.push(...random.bytes(4), ...u16(length << 4), ...u16(times.length << 4), ...times, ...descriptors);
  }
  return [count, ...octets];
}

const PARSERS = [parseNit, parseSdt, parseBit, parseAit, parseEcm, parseTot];
/** Kept over all rounds, because their bounds must hold. */
const coverage = new ScheduleCoverage();
const tables = new CompleteTables();
const AT = broadcastMs(Date.UTC(2026, 10, 20));

/** Whether at least one parser accepted it. */
function parseAll(section: Section): boolean {
  const read = PARSERS.filter((parse) => parse(section) !== undefined).length;
  tables.add(section);
  const ait = parseAit(section);
  if (ait !== undefined) applicationsOf([ait]);
  const eit = parseEit(section);
  for (const event of eit?.events ?? []) broadcastEvent(event);
  if (eit !== undefined) {
    coverage.add(eit, AT);
    const { segments, completeSegments } = coverage.progress('basic', AT);
    if (completeSegments > segments || segments > 256) throw new Error('impossible progress');
  }
  const cdt = parseCdt(section);
  if (cdt !== undefined) {
    const picture = parseLogo(cdt.data)?.picture ?? cdt.data;
    completeLogo(picture);
    parseLogoModule(cdt.data);
  }
  return read > 0 || eit !== undefined || cdt !== undefined;
}

test(
  `sections of random content are parsed or refused without a crash (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    let read = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const tableId = random.pick(TABLE_IDS);
      const content = random.below(10) === 0 ? [...random.bytes(random.below(400))] : body(random, tableId);
      const section = readSection(longSection({ tableId, extension: random.below(65_536), body: content }));
      if (section === undefined) continue;
      if (parseAll(section)) read++;
    }
    // Otherwise no section would pass the check of the first length.
    expect(read).toBeGreaterThan(ROUNDS / 10);
  },
  FUZZ_TIMEOUT,
);

test(
  `short sections of random content are parsed as a clock or refused (FUZZ_SEED=${seed})`,
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
  `random descriptor loops yield no more than their bytes (FUZZ_SEED=${seed})`,
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
  `realistic sections with single bytes changed are parsed or refused (FUZZ_SEED=${seed})`,
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

test(
  `random application descriptors yield no more than their bytes (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 4);
    for (let round = 0; round < ROUNDS; round++) {
      const octets = Uint8Array.from(
        random.below(3) === 0 ? random.bytes(random.below(300)) : loop(random, APPLICATION_TAGS),
      );
      const descriptors = readApplicationDescriptors(new Reader(octets));
      if (descriptors.length > octets.length / 2) throw new Error(`too many: ${octets.toHex()}`);
    }
  },
  FUZZ_TIMEOUT,
);

/** The shortest chunks that a picture can have, with meaningless content. */
const PICTURE = Uint8Array.fromHex(
  '89504e470d0a1a0a0000000d494844520000003000000018080300000000000000' +
    '0000000449444154aabbccdd000000000000000049454e4400000000',
);

test(
  `pictures with changed bytes are completed or refused (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 5);
    expect(completeLogo(PICTURE)?.length).toBe(PICTURE.length + 12 + 384 + 12 + 128);
    for (let round = 0; round < ROUNDS; round++) {
      const changed = PICTURE.slice(0, random.below(4) === 0 ? random.below(PICTURE.length) : PICTURE.length);
      for (let count = random.below(4); count > 0 && changed.length > 0; count--) {
        changed[random.below(changed.length)] = random.below(256);
      }
      const whole = completeLogo(changed);
      if (whole !== undefined && logoSize(whole) === undefined) throw new Error(`broken: ${changed.toHex()}`);
    }
  },
  FUZZ_TIMEOUT,
);
