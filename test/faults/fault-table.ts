/**
 * Faults of the air as a table: what each takes of a programme, and the cause that the verdict has to name. All rows
 * are recorded side by side by real processes, and judged by a reader of packets that knows nothing of the recorder.
 */
import { expect, test } from 'bun:test';
import type { RecordingVerdict } from '../../wire/recordings.ts';
import type { Fault } from '../record/test-broadcast.ts';
import { type FaultRoom, Household, LONG, type Show, until } from './household.ts';
import { missingOf, readStream, type StreamFacts, type TimeSpan } from './packet-reader.ts';

/** With `--long`: told and really missing within this. A busy machine's own lateness is no fault of the recorder. */
const APART_MS = LONG ? 500 : 2_000;
/** What verdicts tolerate. */
const TOLERANCE_MS = 500;
const SECONDS = LONG ? 60 : 20;

type Cause = RecordingVerdict['gaps'][number]['cause'];

interface Row {
  readonly name: string;
  /** Seconds of the programme during which it holds; undefined: always. */
  readonly faults: readonly {
    readonly fault: Omit<Fault, 'channel'>;
    readonly during?: readonly [number, number];
  }[];
  readonly level: RecordingVerdict['level'];
  /** Of every gap; undefined: there is none. */
  readonly cause?: Cause;
  /** The clock references are no measure of what is missing. */
  readonly clockJumps?: boolean;
  /** Runs without `--long` too. */
  readonly isCheap?: boolean;
}

const ELEMENTARY = [0x100, 0x110];

const ROWS: readonly Row[] = [
  { name: 'nothing', faults: [], level: 'complete', isCheap: true },
  {
    name: 'a stall of 4 s',
    faults: [{ fault: { kind: 'stall' }, during: [6, 10] }],
    level: 'damaged',
    cause: 'stalled',
    isCheap: true,
  },
  {
    name: '2 % loss',
    faults: [{ fault: { kind: 'loss', rate: 0.02, burst: 1, pids: ELEMENTARY } }],
    level: 'damaged',
    isCheap: true,
  },
  {
    name: 'a programme that must not be copied for some seconds',
    faults: [{ fault: { kind: 'copy_never' }, during: [8, 11] }],
    level: 'damaged',
    cause: 'copy_never',
    isCheap: true,
  },
  {
    name: 'an end of the stream',
    faults: [{ fault: { kind: 'end', exitCode: 1 }, during: [8, 10] }],
    level: 'damaged',
    cause: 'stream_ended',
  },
  {
    name: 'scrambling without a key',
    faults: [{ fault: { kind: 'scramble' }, during: [8, 13] }],
    level: 'damaged',
    cause: 'scrambled',
  },
  {
    name: 'packets with transport_error_indicator',
    faults: [{ fault: { kind: 'corrupt', rate: 0.002, flagged: true, sync: false }, during: [5, 12] }],
    level: 'damaged',
  },
  {
    name: 'a jump of the clock',
    faults: [{ fault: { kind: 'clock', offsetMs: 5_000, announced: true }, during: [8, 600] }],
    level: 'complete',
    clockJumps: true,
  },
  {
    name: 'sound that comes and goes',
    faults: [{ fault: { kind: 'pmt', audios: 0, everySec: 10, forSec: 5 } }],
    level: 'complete',
  },
];

/** What of the programme really is missing or cannot be watched. */
function really(facts: StreamFacts, programme: TimeSpan): TimeSpan[] {
  const missing = [
    ...missingOf(facts, programme, TOLERANCE_MS),
    ...facts.scrambled.filter(({ from, to }) => from >= programme.from && to <= programme.to),
  ];
  return missing.sort((a, b) => a.from - b.from);
}

export function faultTable(at: number): FaultRoom {
  const rows = ROWS.filter(({ isCheap = false }) => isCheap || LONG);
  const shows = rows.map(
    ({ name }, index): Show => ({
      ...{ channel: `T${30 + index}`, title: `障害の表 #${index + 1}「${name}」`, at, seconds: SECONDS },
      // Booked again where it is damaged.
      againAfter: 3600,
    }),
  );
  let house: Household;
  let ids: Map<Show, number>;

  const start = async (): Promise<void> => {
    house = await Household.start({
      shows,
      tuners: `GR:${shows.length}`,
      settings: { retryDamaged: 'damaged', marginAfter: 8_000 },
    });
    for (const [index, { faults }] of rows.entries()) {
      for (const { fault, during } of faults) {
        const window = during?.map((second) => at + second * 1000);
        house.air.fault({
          ...fault,
          ...{ kind: String(fault.kind), channel: `T${30 + index}` },
          ...(window === undefined ? {} : { from: window[0], to: window[1] }),
        });
      }
    }
    ids = await house.reserveAll();
  };

  const tests = (): void => {
    test.each(rows.map((row, index): [string, Row, number] => [row.name, row, index]))(
      '%s: the verdict tells what is really missing, and why',
      async (_, row, index) => {
        const show = shows[index];
        if (show === undefined) throw new Error('no such row');
        const { verdict, bytes, recording } = await house.judged(show, ids.get(show) ?? 0);
        const facts = readStream(bytes, at);
        const programme = { from: at, to: at + SECONDS * 1000 };
        expect(recording.state).toBe('recorded');
        expect({ unsynced: facts.unsynced, level: verdict.level }).toEqual({ unsynced: 0, level: row.level });
        expect([...new Set(verdict.gaps.map(({ cause }) => cause))]).toEqual(
          row.cause === undefined ? [] : [row.cause],
        );
        expect(verdict.drops).toBe(facts.breaks);
        if (row.clockJumps === true) return;
        const told = verdict.gaps.map(({ startMs, endMs }) => ({ from: at + startMs, to: at + endMs }));
        const missing = really(facts, programme);
        expect({ told, missing: missing.length }).toMatchObject({ missing: told.length });
        for (const [number, { from, to }] of missing.entries()) {
          const gap = told[number];
          expect(Math.abs(from - (gap?.from ?? 0))).toBeLessThan(APART_MS);
          expect(Math.abs(to - (gap?.to ?? 0))).toBeLessThan(APART_MS);
        }
        // It was recorded from before its begin to behind its end.
        expect(facts.span.from).toBeLessThan(programme.from);
        expect(facts.span.to).toBeGreaterThan(programme.to);
      },
    );

    test('the next airing of what was damaged is booked', async () => {
      const stalled = shows[1];
      const next = await until('the next airing is booked', async () =>
        (await house.reservations()).find(
          ({ startAt, title }) => startAt > at + 1_000_000 && title === stalled?.title,
        ),
      );
      expect(next.state).toBe('scheduled');
      expect(next.note ?? next.reason).toBeTruthy();
    });
  };

  return { start, tests, close: () => house?.close() };
}
