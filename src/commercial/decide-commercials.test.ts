import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Candidate, NO_SILENCE } from './boundary-candidates.ts';
import { decideCommercials } from './decide-commercials.ts';
import { mainEvidence } from './main-evidence.ts';

const SPOT = (450 * 1001) / 30;
const NOTHING = { modes: [], captions: [] };

/** A cut in a pause of the sound. */
const place = (atMs: number, before = 250, behind = 250): Candidate => ({
  ...{ atMs, isCut: true, quiet: 1, isBlackEdge: false },
  silence: { before, behind },
});
const sure = (atMs: number): Candidate => place(atMs);
const loud = (atMs: number): Candidate => ({ ...place(atMs), quiet: 0, silence: NO_SILENCE });
const still = (atMs: number): Candidate => ({ ...place(atMs), isCut: false });

/** A logo that is absent in some stretches, sampled every half second. */
function logo(durationMs: number, away: readonly [number, number][]) {
  const samples = Array.from({ length: Math.floor(durationMs / 500) }, (_, index) => ({
    timeMs: index * 500,
    pixels: new Uint8Array(0),
  }));
  const evidence = Float32Array.from(samples, ({ timeMs }) =>
    away.some(([from, to]) => from <= timeMs && timeMs < to) ? -1 : 1,
  );
  return { samples, evidence };
}

function decide(
  durationMs: number,
  candidates: readonly Candidate[],
  away?: readonly [number, number][],
  blacks: readonly { fromMs: number; toMs: number }[] = [],
) {
  const found = away === undefined ? undefined : logo(durationMs, away);
  const evidence = mainEvidence({ ...NOTHING, durationMs }, found);
  return decideCommercials({ candidates, blacks, evidence, durationMs });
}

const spans = (breaks: readonly { startMs: number; endMs: number }[]) =>
  breaks.map(({ startMs, endMs }) => [Math.round(startMs), Math.round(endMs)]);
const START = 100_000;
const chain = (count: number): number[] =>
  Array.from({ length: count + 1 }, (_, index) => START + index * SPOT);
const END = START + 4 * SPOT;

describe('commercials', () => {
  test('chains of spots without the logo are commercials, and certain', () => {
    const breaks = decide(300_000, [sure(50_000), ...chain(4).map(sure), sure(250_000)], [[START, END]]);
    expect(spans(breaks)).toEqual([[START, END]]);
    expect(breaks[0]?.isSure).toBe(true);
  });

  test('commercials found by pauses and lengths alone are not certain', () => {
    const breaks = decide(300_000, [sure(50_000), ...chain(4).map(sure), sure(250_000)]);
    expect(spans(breaks)).toEqual([[START, END]]);
    expect(breaks[0]?.isSure).toBe(false);
  });

  test('without pauses, commercials are found where the logo changes together with cuts, and are not certain', () => {
    const cuts = [40_000, 61_000, ...chain(4), 230_000, 250_000].map(loud);
    const breaks = decide(300_000, cuts, [[START, END]]);
    expect(spans(breaks)).toEqual([[START, END]]);
    expect(breaks[0]?.isSure).toBe(false);
  });

  test('the black between commercials and programme belongs to the commercials', () => {
    const blacks = [
      { fromMs: START - 500, toMs: START },
      { fromMs: END, toMs: END + 500 },
    ];
    const edges = [START - 500, END + 500].map((atMs) => ({ ...sure(atMs), isBlackEdge: true }));
    const all = [...edges, ...chain(4).map(sure)].sort((a, b) => a.atMs - b.atMs);
    expect(spans(decide(300_000, all, [[START - 500, END + 500]], blacks))).toEqual([
      [START - 500, END + 500],
    ]);
    expect(spans(decide(300_000, all, undefined, blacks))).toEqual([[START - 500, END + 500]]);
  });

  test('pauses and cuts inside a programme are not commercials', () => {
    const pauses = [20_000, 31_000, 47_000, 90_000, 131_000, 171_000, 208_000].map(sure);
    expect(decide(300_000, pauses, [])).toEqual([]);
    expect(decide(300_000, pauses)).toEqual([]);
    // Two cuts a quarter minute apart, once: too little evidence without a logo.
    expect(decide(300_000, [sure(100_000), sure(100_000 + SPOT)])).toEqual([]);
    // Pauses without a cut are no evidence at all.
    expect(decide(300_000, chain(4).map(still))).toEqual([]);
  });

  test('spots keep to the prescribed silence throughout where most of them do', () => {
    // Each end has half a second; the programme's ends have less.
    const spots = [place(START, 200, 520), place(START + SPOT, 520, 520), place(START + 2 * SPOT, 520, 520)];
    const end = START + 3 * SPOT;
    const both = [...spots, place(end, 520, 180)];
    // The programme pauses a spot's length after the break, away from the middle of the silence.
    expect(spans(decide(300_000, [...both, place(end + SPOT, 300, 60)]))).toEqual([[START, Math.round(end)]]);
    // A cut half a second before the join, within its silence, is not the join.
    const early = place(START + SPOT - 480, 40, 1_000);
    expect(spans(decide(300_000, [both[0] as Candidate, early, ...both.slice(1)]))).toEqual([
      [START, Math.round(end)],
    ]);
    // A part of the programme of exactly four quarter minutes between two breaks is not a spot.
    const later = end + 4 * SPOT;
    const second = [place(later, 200, 520), place(later + SPOT, 520, 520), place(later + 2 * SPOT, 520, 200)];
    expect(spans(decide(400_000, [...both, ...second]))).toEqual([
      [START, Math.round(end)],
      [Math.round(later), Math.round(later + 2 * SPOT)],
    ]);
    // A gap of a fading logo up to a cut during sound is not a spot either.
    const faded: [number, number][] = [
      [START, end],
      [250_000, 270_000],
    ];
    expect(spans(decide(300_000, [...both, loud(250_000)], faded))).toEqual([[START, Math.round(end)]]);
  });

  test('a logo that only fades is not a commercial break', () => {
    const cuts = [12_000, 33_000, 57_000, 104_000, 143_000, 201_000].map(loud);
    expect(decide(300_000, cuts, [[70_000, 95_000]])).toEqual([]);
    // Beside a pause a spot's length away it is at least uncertain.
    const breaks = decide(300_000, [sure(70_500), sure(70_500 + SPOT)], [[69_000, 83_000]]);
    expect(breaks.filter(({ isSure }) => isSure)).toEqual([]);
  });

  test('commercials are not certain where the logo is visible in them', () => {
    const away: [number, number][] = [
      [START, START + SPOT],
      [START + SPOT + 3_000, END],
    ];
    const breaks = decide(300_000, chain(4).map(sure), away);
    expect(breaks.every(({ isSure }) => !isSure)).toBe(true);
  });

  test('an incomplete spot at the beginning is a commercial', () => {
    const breaks = decide(200_000, [sure(8_000), sure(8_000 + SPOT)], [[0, 8_000 + SPOT]]);
    expect(spans(breaks)).toEqual([[0, Math.round(8_000 + SPOT)]]);
    // Recordings begin before their programme; without a logo this is not certain, and needs another break as evidence.
    const without = decide(300_000, [sure(8_000), ...chain(4).map(sure)]);
    expect(spans(without)).toEqual([
      [0, 8_000],
      [START, END],
    ]);
    expect(without.some(({ isSure }) => isSure)).toBe(false);
    expect(decide(200_000, [sure(8_000)])).toEqual([]);
    expect(spans(decide(300_000, [sure(2_000), ...chain(4).map(sure)]))).toEqual([[START, END]]);
    // A logo that appears with a cut is evidence without a pause.
    expect(spans(decide(200_000, [loud(6_000), loud(60_000)], [[0, 6_000]]))).toEqual([[0, 6_000]]);
    // Before complete spots it may be the programme.
    const spots = [12_000, 12_000 + SPOT, 12_000 + 2 * SPOT].map(sure);
    expect(spans(decide(100_000, spots))).toEqual([[12_000, Math.round(12_000 + 2 * SPOT)]]);
  });
});

test('for any input, breaks are in order, inside the recording, and never certain without evidence', () => {
  const candidate = fc.record({
    atMs: fc.integer({ min: 0, max: 400_000 }),
    isCut: fc.boolean(),
    quiet: fc.constantFrom(0, 0.7, 1),
    isBlackEdge: fc.boolean(),
    silence: fc.record({
      before: fc.integer({ min: 0, max: 900 }),
      behind: fc.integer({ min: 0, max: 900 }),
    }),
  });
  const away = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 0, max: 400_000 })),
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(candidate, { selector: ({ atMs }) => atMs, maxLength: 60 }),
      fc.option(away, { nil: undefined }),
      fc.integer({ min: 1, max: 400_000 }),
      (unordered, stretches, durationMs) => {
        const all = [...unordered].sort((a, b) => a.atMs - b.atMs);
        const breaks = decide(durationMs, all, stretches);
        let last = 0;
        for (const { startMs, endMs, isSure, confidence } of breaks) {
          expect(startMs).toBeGreaterThanOrEqual(last);
          expect(endMs).toBeGreaterThan(startMs);
          expect(endMs).toBeLessThanOrEqual(durationMs);
          expect(confidence).toBeWithin(0, 1.001);
          if (stretches === undefined) expect(isSure).toBe(false);
          last = endMs;
        }
      },
    ),
    { numRuns: 200 },
  );
});
