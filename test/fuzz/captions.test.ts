import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { crc16 } from '../../lib/arib/caption/data-group.ts';
import { CaptionDecoder, type CaptionEvent } from '../../lib/arib/caption/decoder.ts';
import { pts90k } from '../../lib/arib/time.ts';
import { processorMs } from '../processor-time.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(500);

/**
 * Building blocks of texts, including those that fill the screen: sizes, repetition, filled lines, waits,
 * scrolling.
 */
const PIECES: readonly (readonly number[])[] = [
  [0x0c],
  [0x1c, 0x47, 0x40],
  [0x1c, 0x7f, 0x7f],
  [0x9b, 0x37, 0x20, 0x53],
  [0x9b, 0x38, 0x20, 0x53],
  [0x9b, 0x30, 0x3b, 0x30, 0x20, 0x57],
  [0x9b, 0x30, 0x20, 0x58],
  [0x9b, 0x30, 0x20, 0x59],
  [0x9b, 0x39, 0x39, 0x39, 0x39, 0x3b, 0x39, 0x39, 0x39, 0x39, 0x20, 0x56],
  [0x9b, 0x33, 0x20, 0x67],
  [0x9b, 0x36, 0x36, 0x20, 0x6e],
  [0x98, 0x40],
  [0x98, 0x7f],
  [0x18],
  [0x3b, 0x7a],
  [0x22, 0x7e],
  [0x20],
  [0x7f],
  [0x9d, 0x20, 0x41],
  [0x88],
  [0x89],
  [0x8b, 0x60],
  [0x90, 0x20, 0x44],
  [0x97, 0x4f],
  [0x0d],
  [0x08],
  [0x0b],
  [0x1b, 0x28, 0x20, 0x41],
  [0x1b, 0x24, 0x28, 0x20, 0x40],
  [0x1d, 0x61],
  [0x95, 0x41, 0x61],
  [0x95, 0x4f],
];

function body(random: Random): number[] {
  const whole: number[] = [];
  for (let pieces = random.below(200); pieces > 0; pieces--) {
    if (random.below(8) === 0) whole.push(random.below(256));
    else whole.push(...random.pick(PIECES));
  }
  return whole;
}

function unit(parameter: number, data: readonly number[]): number[] {
  return [0x1f, parameter, (data.length >> 16) & 255, (data.length >> 8) & 255, data.length & 255, ...data];
}

/** A payload with a valid CRC, so that its content is parsed. */
function payload(id: number, data: readonly number[]): Uint8Array {
  const group = [id << 2, 0, 0, (data.length >> 8) & 255, data.length & 255, ...data];
  const crc = crc16(Uint8Array.from(group));
  return Uint8Array.of(0x80, 0xff, 0xf0, ...group, crc >> 8, crc);
}

function loop(units: readonly number[]): number[] {
  return [0x3f, (units.length >> 16) & 255, (units.length >> 8) & 255, units.length & 255, ...units];
}

function drcs(random: Random): number[] {
  const data = [random.below(4), 0x41, 0x21, random.below(3), random.below(4), random.below(256)];
  return [...data, random.below(40), random.below(40), ...random.bytes(random.below(400))];
}

/** The limits of a page that the decoder guarantees. */
function check(events: readonly CaptionEvent[]): void {
  if (events.length > 8 * 17) throw new Error(`${events.length} events`);
  for (const event of events) {
    if (event.kind !== 'page') continue;
    const { runs, duration, drcs: images } = event.page;
    const characters = runs.reduce((sum, { text }) => sum + text.length, 0);
    if (runs.length > 2049 || characters > 2049 * 8) throw new Error(`${runs.length} runs`);
    if (duration !== null && !(Number.isSafeInteger(duration) && duration > 0)) throw new Error('duration');
    for (const run of runs) {
      const numbers = [run.x, run.y, run.w, run.h, run.fx, run.fy, run.size, run.scaleX];
      if (!numbers.every((value) => Number.isFinite(value))) throw new Error('no number');
      if (run.w <= 0 || run.h <= 0 || run.size <= 0 || run.scaleX <= 0) throw new Error('no size');
      if (run.text === '' || !/^#[0-9a-f]{8}$/.test(run.fg) || !/^#[0-9a-f]{8}$/.test(run.bg)) {
        throw new Error('no colour');
      }
      if (run.drcs !== undefined && images?.[run.drcs] === undefined) throw new Error('no image');
    }
  }
}

test(
  `any statement is parsed to its end, into a bounded number of pages (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    for (const profile of ['A', 'C'] as const) {
      const decoder = new CaptionDecoder(profile);
      for (let round = 0; round < ROUNDS; round++) {
        const at = pts90k(random.below(2 ** 31) * 4);
        const languages = [random.below(10), ...random.bytes(random.below(50)), 0, 0, 0];
        const data =
          random.below(10) === 0
            ? [0x3f, ...languages]
            : loop([...unit(0x30 + random.below(2), drcs(random)), ...unit(0x20, body(random))]);
        const id = random.below(10) === 0 ? 0 : random.below(0x40);
        const bytes = payload(id, data);
        if (random.below(20) === 0) bytes[random.below(bytes.length)] = random.below(256);
        check(decoder.feed(bytes, at));
        check(decoder.expire(at));
        if (random.below(200) === 0) decoder.reset();
      }
    }
  },
  FUZZ_TIMEOUT,
);

test('any bytes are parsed as a caption or rejected', () => {
  const decoder = new CaptionDecoder();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (bytes, at) => {
      check(decoder.feed(bytes, pts90k(at)));
      check(decoder.feed(payload(bytes[0] ?? 0, [...bytes]), pts90k(at)));
    }),
    { seed, numRuns: 2_000 },
  );
});

test('a statement truncated anywhere keeps the text before the cut', () => {
  const text = [0x3b, 0x7a, 0x4b, 0x6b, 0x32, 0x3b];
  for (let length = 0; length <= text.length; length++) {
    // The unit's length claims that the whole text is present.
    const units = unit(0x20, text).slice(0, 5 + length);
    const [event] = new CaptionDecoder().feed(payload(1, loop(units)), pts90k(0));
    const shown = event?.kind === 'page' ? event.page.runs.map((run) => run.text).join('') : '';
    expect(shown).toBe('字幕音'.slice(0, length >> 1));
  }
});

test('the largest statements take milliseconds', () => {
  // 64 KB that fill the screen with each byte, then 64 KB that start a page with each.
  const fill = [0x9b, 0x31, 0x3b, 0x31, 0x20, 0x57, 0x9b, 0x30, 0x20, 0x58, 0x9b, 0x30, 0x20, 0x59];
  const worst = [
    [...fill, ...new Array(60_000).fill(0x18)],
    [
      ...fill,
      ...Array.from({ length: 20_000 }, () => [0x18, 0x9d, 0x20, 0x41])
        .flat()
        .slice(0, 60_000),
    ],
    [
      ...fill,
      ...Array.from({ length: 30_000 }, () => [0x98, 0x40, 0x20])
        .flat()
        .slice(0, 60_000),
    ],
    [0x9b, 0x33, 0x20, 0x67, ...Array.from({ length: 15_000 }, () => [0x0d, 0x3b, 0x7a]).flat()],
  ];
  for (const one of worst) {
    const decoder = new CaptionDecoder();
    const begun = processorMs();
    check(decoder.feed(payload(1, loop(unit(0x20, one))), pts90k(0)));
    // Less than a tenth of a second on an idle machine; without the limits these take many seconds.
    expect(processorMs() - begun).toBeLessThan(2_000);
  }
});
