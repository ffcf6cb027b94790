/**
 * The fault table against real processes: each household records all of its rows at the same time, and each
 * verdict is compared with the findings of a packet reader that is independent of the recorder.
 */
import { expect, test } from 'bun:test';
import { INVENTED_REGION, terrestrialNetwork, terrestrialService } from '../../synth/scenario/identity.ts';
import type { RealTime } from '../real-time.ts';
import { until } from '../until.ts';
import { startBooked } from './booked-household.ts';
import { expectMatchesFile } from './fault-comparison.ts';
import { type HouseholdSetup, setUp } from './fault-households.ts';
import { FAULT_ROWS, type FaultRow, type HouseholdName, type Seconds } from './fault-rows.ts';
import { type FaultSuite, type Household, type HouseholdOptions, LONG, type Show } from './household.ts';
import { readStream } from './packet-reader.ts';

const CHANNELS = {
  GR: (index: number) => `T${20 + index}`,
  BS: (index: number) => `BS${pair(1 + 2 * index)}_0`,
};
/** `FAULT_ROWS=pictures` runs the rows with matching names only. */
const CHOSEN = new RegExp(process.env.FAULT_ROWS ?? '');
const pair = (number: number): string => String(number).padStart(2, '0');

function channelOf({ type = 'GR' }: FaultRow, index: number): string {
  return type === 'CS' ? 'CS02' : CHANNELS[type](index);
}

/** As in the scenario: stations are numbered by their place in the list. */
function relayOf({ relayTo }: FaultRow, rows: readonly FaultRow[]): Record<string, unknown> {
  const index = rows.findIndex(({ name }) => name === relayTo);
  if (index < 0) return {};
  const networkId = terrestrialNetwork(INVENTED_REGION, index);
  return { relayTo: { networkId, serviceId: terrestrialService(INVENTED_REGION, index, 'tv', 0) } };
}

/** One household at its evening. */
export class FaultEvening {
  readonly shows: readonly Show[];
  readonly tuners: string;
  #household: Household | undefined;
  #events: Promise<unknown> = Promise.resolve();

  constructor(
    readonly name: string,
    readonly rows: readonly FaultRow[],
    readonly setup: HouseholdSetup,
    /** Epoch ms of its second 0. */
    readonly at: number,
  ) {
    this.shows = rows.map((row, index) => this.#show(row, index));
    this.tuners = setup.tuners ?? `GR:${rows.length}`;
  }

  get household(): Household {
    if (this.#household === undefined) throw new Error(`${this.name} has not started`);
    return this.#household;
  }

  get events(): Promise<unknown> {
    return this.#events;
  }

  /** The household's options, and what is reserved by hand. */
  get booking(): { options: HouseholdOptions; booked: readonly Show[] } {
    const { rows, setup, shows, tuners } = this;
    const others = (setup.others ?? []).map(
      (other, index): Show => ({
        ...{ ...other, title: `${this.name}の別の番組${index}`, at: this.at, seconds: 60 },
      }),
    );
    const options = {
      shows: [...shows, ...others],
      tuners,
      environment: setup.environment ?? {},
      ...(setup.reach === undefined ? {} : { reach: setup.reach }),
      // A converted recording could not be compared any more.
      settings: { retryDamaged: 'damaged', marginAfter: 6_000, encode: 'none', ...setup.settings },
    };
    return {
      options,
      booked: shows.filter((_, index) => rows[index]?.isBookedBySomethingElse !== true),
    };
  }

  /** Everything is reserved: faults and events take their course. */
  begin(household: Household): void {
    this.#household = household;
    for (const [index, { faults = [] }] of this.rows.entries()) {
      const channel = this.shows[index]?.channel ?? '';
      for (const { fault, during } of faults) {
        const window = during === undefined ? undefined : this.span(during);
        household.air.fault({ ...fault, kind: String(fault.kind), channel, ...window });
      }
    }
    this.#events = this.#happen();
    // The error is thrown by the test that waits for it.
    this.#events.catch(() => {});
  }

  span([from, to]: Seconds): { from: number; to: number } {
    return { from: this.#moment(from), to: this.#moment(to) };
  }

  async close(): Promise<void> {
    await this.#household?.close();
  }

  async #happen(): Promise<void> {
    for (const { at, act } of this.setup.events ?? []) {
      await Bun.sleep(this.#moment(at) - Date.now());
      await act(this.household, this.tuners);
    }
  }

  #moment(second: number): number {
    return this.at + second * 1000;
  }

  #show(row: FaultRow, index: number): Show {
    const { type, programme, fields, fieldsBefore, isBookedAgain = false } = row;
    const { from, to } = this.span(programme);
    return {
      ...(type === undefined ? {} : { type }),
      ...{ channel: channelOf(row, index), title: `障害の表 ${this.name} ${index + 1}`, at: from },
      seconds: (to - from) / 1000,
      fields: { ...fields, ...relayOf(row, this.rows) },
      ...(fieldsBefore === undefined ? {} : { fieldsBefore }),
      ...(isBookedAgain ? { againAfter: 3600 } : {}),
    };
  }
}

/** @throws Error if the machine is too busy to reserve everything in time */
export async function startEvening(
  name: string,
  rows: readonly FaultRow[],
  setup: HouseholdSetup,
): Promise<FaultEvening> {
  // Programmes before second 0 need an evening that begins later.
  const first = Math.min(0, ...rows.map(({ programme }) => programme[0])) * 1000;
  const eveningAt = (begin: number): FaultEvening => new FaultEvening(name, rows, setup, begin - first);
  const { household, at } = await startBooked(name, (begin) => eveningAt(begin).booking);
  const evening = eveningAt(at);
  evening.begin(household);
  return evening;
}

export function faultTable(
  name: HouseholdName,
  { inTime, lateness }: Pick<RealTime, 'inTime' | 'lateness'>,
): FaultSuite {
  const own = FAULT_ROWS.filter((row) => row.household === name && (LONG || row.isLong !== true));
  const rows = own.filter((row) => CHOSEN.test(row.name));
  const setup = setUp(name);
  let evening: FaultEvening;

  const start = async (): Promise<void> => {
    if (setup === undefined) return;
    evening = await startEvening(name, rows, setup);
  };

  const judgedRow = async (row: FaultRow, show: Show): Promise<void> => {
    const { recording, verdict, bytes } = await evening.household.judgedByTitle(show);
    const aired = evening.span(row.aired ?? row.programme);
    const { level, mayBeComplete, isShort, mayLast, clockJumps, brief } = row;
    const { drops, gaps } = verdict;
    const causes = (row.causes ?? []).filter(
      (cause) => cause !== brief || gaps.some((gap) => gap.cause === cause),
    );
    if (row.isAllMissing === true || bytes.length === 0) {
      const all = { startMs: 0, endMs: aired.to - aired.from };
      expect({ level: verdict.level, gaps }).toEqual({
        ...{ level, gaps: causes.map((cause) => ({ ...all, cause })) },
      });
    } else if (clockJumps !== undefined) {
      const { holes, jumps, breaks, unsynced } = readStream(bytes, evening.at);
      expect({ level: verdict.level, drops, gaps }).toEqual({ level, drops: 0, gaps: [] });
      expect({ holes, breaks, unsynced, jumps }).toEqual({
        ...{ holes: [], breaks: 0, unsynced: 0, jumps: clockJumps },
      });
    } else {
      const expected = {
        level,
        causes,
        mayBeComplete,
        isShort,
        mayLast,
        lateMs: name === 'files' ? lateness().lateMs : 0,
      };
      const apart = expectMatchesFile(verdict, bytes, aired, expected);
      if (LONG) console.log(`${row.name}: reported and missing time are ${Math.round(apart)} ms apart`);
    }
    expect(recording.state).toBe(verdict.level === 'lost' ? 'failed' : 'recorded');
  };

  const tests = (): void => {
    test
      .skipIf(setup === undefined)
      .each(rows.map((row, index): [string, FaultRow, number] => [row.name, row, index]))(
      '%s: the verdict reports the actual losses with their causes',
      (_, row, index) =>
        inTime(async () => {
          const show = evening.shows[index];
          if (show === undefined) throw new Error('no such row');
          const { household, at } = evening;
          await household.explained(() => judgedRow(row, show));
          if (row.isBookedAgain !== true) return;
          const next = await until('the next airing is reserved', async () =>
            (await household.reservations()).find(
              ({ startAt, title }) => startAt > at + 1_000_000 && title === show.title,
            ),
          );
          expect(next.state).toBe('scheduled');
          expect(next.note ?? next.reason).toBeTruthy();
        }),
    );
    test.skipIf(setup?.events === undefined)('everything happened as planned', () =>
      inTime(async () => void (await evening.events)),
    );
  };

  const close = async (): Promise<void> => {
    await evening?.close();
    setup?.close?.();
  };
  return { start, tests, close };
}
