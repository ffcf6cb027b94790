import { expect, test } from 'bun:test';
import {
  CAPTION_SETS,
  EightUnitDecoder,
  type EightUnitSink,
  MACRO_EXPANSION_LIMIT,
  ONE_SEGMENT_SETS,
  SI_SETS,
} from '../../lib/arib/text/decoder.ts';
import { readPlainText } from '../../lib/arib/text/plain-text.ts';
import { decodeAnyText, decodeText, decodeWord } from '../../lib/arib/text/text.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(20_000);

/** Parts that lead deep into the state machine, which random bytes alone seldom do. */
const PIECES: readonly (readonly number[])[] = [
  [0x1b],
  [0x1b, 0x24],
  [0x1b, 0x28, 0x20],
  [0x1b, 0x24, 0x2b],
  [0x1b, 0x2b, 0x20, 0x70],
  [0x1b, 0x28, 0x32],
  [0x1b, 0x24, 0x29, 0x3a],
  [0x1b, 0x6f],
  [0x0e],
  [0x0f],
  [0x19],
  [0x1d],
  [0x1d, 0x61],
  [0x95, 0x40, 0x61],
  [0x95, 0x41, 0x61],
  [0x95, 0x4f],
  [0x9b],
  [0x9b, 0x31, 0x3b],
  [0x9d, 0x29],
  [0x9d, 0x20],
  [0x90, 0x20],
  [0x1c],
  [0x20, 0x40],
  [0x30, 0x21],
  [0xff],
  [0xa0],
];

function octets(random: Random): Uint8Array {
  if (random.below(4) === 0) return random.bytes(random.below(300));
  const whole: number[] = [];
  for (let pieces = random.below(60); pieces > 0; pieces--) {
    if (random.below(3) === 0) whole.push(random.below(256));
    else whole.push(...random.pick(PIECES));
  }
  return Uint8Array.from(whole);
}

/** The bound that `decodeText` guarantees. */
function mostUnits(length: number): number {
  return 2 * (length + MACRO_EXPANSION_LIMIT);
}

test(
  `any bytes decode to a text of bounded length (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = octets(random);
      const text = decodeText(bytes);
      if (text.length > mostUnits(bytes.length)) throw new Error(`too long: ${bytes.toHex()}`);
    }
  },
  FUZZ_TIMEOUT,
);

test('the longest possible text stays within the bound', () => {
  // A macro of 1024 bytes that prints (ob), four code units from two bytes, repeatedly, called many times in
  // a long text.
  const body = Array.from({ length: 512 }, () => [0x7c, 0x59]).flat();
  const calls = Array.from({ length: 50_000 }, () => [0x1d, 0x61]).flat();
  const bytes = Uint8Array.from([0x1b, 0x2b, 0x20, 0x70, 0x95, 0x40, 0x61, ...body, 0x95, 0x4f, ...calls]);
  const text = decodeText(bytes);
  expect(text.length).toBe(4 * 512 * 4);
  expect(text.length).toBeLessThanOrEqual(mostUnits(bytes.length));
});

/** Typical content of texts of the service information, and sometimes other bytes. */
const PLAIN_PIECES: readonly (readonly number[])[] = [
  [0x30, 0x21],
  [0x7a, 0x56],
  [0x7c, 0x59],
  [0xb0, 0xa1],
  [0x24],
  [0xa4],
  [0x20],
  [0xa0],
  [0x0d],
  [0x0e],
  [0x0f],
  [0x19, 0x24],
  [0x1d, 0xa4],
  [0x1d],
  [0x88],
  [0x89],
  [0x8a],
  [0x1b, 0x6e],
  [0x1b, 0x6f],
  [0x1b, 0x7c],
  [0x1b, 0x7d],
  [0x1b, 0x7e],
  [0x1b, 0x24, 0x3b],
  [0x1b, 0x24, 0x2b, 0x3a],
  [0x1b, 0x24, 0x29, 0x42],
  [0x1b, 0x28, 0x4a],
  [0x1b, 0x2a, 0x31],
  [0x1b, 0x2b, 0x49],
  [0x1b, 0x28, 0x35],
];

test(
  `the fast path gives the same result as the decoder (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 2);
    let plain = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const pieces = Array.from({ length: random.below(40) }, () => random.pick(PLAIN_PIECES)).flat();
      const bytes = random.below(3) === 0 ? octets(random) : Uint8Array.from(pieces);
      const start = random.below(bytes.length + 1);
      const expected = decodeAnyText(bytes, start);
      if (start < bytes.length && readPlainText(bytes, start, bytes.length) !== undefined) plain++;
      if (decodeText(bytes, start) !== expected || decodeWord(bytes, start, bytes.length) !== expected) {
        throw new Error(`read differently from ${start}: ${bytes.toHex()}`);
      }
    }
    expect(plain).toBeGreaterThan(ROUNDS / 5);
  },
  FUZZ_TIMEOUT,
);

/** Counts calls and checks the types of their arguments. */
class Bounds implements EightUnitSink {
  calls = 0;

  character(value: number, _set: unknown, code: number): void {
    this.calls++;
    if (!Number.isInteger(value) || value < 0x20) throw new Error(`not the value of a character: ${value}`);
    if (code < 0x21 || code > 0x7e7e) throw new Error(`not a code: ${code}`);
  }

  control(_code: number, p1: number, p2: number): void {
    this.calls++;
    if (!isParameter(p1) || !isParameter(p2)) throw new Error(`no parameters: ${p1} ${p2}`);
  }

  sequence(final: number, parameters: readonly number[]): void {
    this.calls++;
    if (final < 0x40 || parameters.length > 8) throw new Error(`not a sequence: ${final}`);
  }

  presentationTime(final: number, parameters: readonly number[]): void {
    this.sequence(final, parameters);
  }
}

function isParameter(value: number): boolean {
  return value === -1 || (value >= 0x20 && value < 0x80);
}

test(
  `a decoder reused for many texts stays within its bounds (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed + 1);
    for (const initial of [SI_SETS, CAPTION_SETS, ONE_SEGMENT_SETS]) {
      const sink = new Bounds();
      const decoder = new EightUnitDecoder(sink, initial);
      for (let round = 0; round < ROUNDS / 4; round++) {
        if (random.below(50) === 0) decoder.reset();
        const bytes = octets(random);
        sink.calls = 0;
        decoder.decode(bytes);
        if (sink.calls > bytes.length + MACRO_EXPANSION_LIMIT) throw new Error(`too many: ${bytes.toHex()}`);
      }
    }
  },
  FUZZ_TIMEOUT,
);
