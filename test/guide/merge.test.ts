/**
 * Random histories of a station's schedule, in random order, damaged and contradictory: the stored result is
 * what the broadcaster sent last, no announced programme is lost, and nothing crashes.
 */
import type { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import type { VisitedStation } from '../../src/guide/guide-messages.ts';
import { GuideSession, KnownStations } from '../../src/guide/guide-session.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProgramStore } from '../../src/store/program-store.ts';
import { ProgramWriter } from '../../src/store/program-writer.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { encodeJstTime } from '../../synth/si/jst-time.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../fuzz/random.ts';
import { GuideSections } from '../guide-sections.ts';
import { longSection, StreamBuilder, u16 } from '../stream-builder.ts';

const SEED = fuzzSeed();
const MINUTE = 60_000;
/** 00:30 JST: all parts of the day are in the future, and midnight is not near. */
const NOW = Date.parse('2026-11-21T00:30:00+09:00');
const DAY = Date.parse('2026-11-21T00:00:00+09:00');
const SEGMENT = 180;

function station(service: number, network: number): VisitedStation {
  const [n, s] = [networkId(network), serviceId(service)];
  return { id: stationId(n, s), networkId: n, serviceId: s };
}
const HOME = station(101, 4);
const TWIN = station(101, 6);

interface Event {
  id: number;
  /** Minutes of the day. */
  start: number;
  minutes: number;
  name: string;
}

const bcd = (value: number): number => Math.floor(value / 10) * 16 + (value % 10);
const ascii = (text: string): number[] => [0x0e, ...[...text].map((letter) => letter.charCodeAt(0))];

function eventBytes({ id, start, minutes, name }: Event): number[] {
  const short = [0x6a, 0x70, 0x6e, ascii(name).length, ...ascii(name), 0];
  const descriptors = [0x4d, short.length, ...short];
  const time = encodeJstTime(broadcastMs(DAY + start * MINUTE));
  const duration = [bcd(Math.floor(minutes / 60)), bcd(minutes % 60), 0];
  return [...u16(id), ...time, ...duration, ...u16(descriptors.length), ...descriptors];
}

/** One part of the day as one section. */
function segmentSection(
  of: VisitedStation,
  segment: number,
  version: number,
  events: readonly Event[],
): Uint8Array {
  const number = segment * 8;
  const body = [...u16(1), ...u16(of.networkId), number, 0x50, ...events.flatMap(eventBytes)];
  return longSection({ tableId: 0x50, extension: of.serviceId, version, number, lastNumber: 7 * 8, body });
}

/** A guide merger without a worker. */
class Reader {
  readonly database: Database = openDatabase(':memory:');
  readonly programs = new ProgramStore(this.database);
  readonly #known = new KnownStations();
  readonly #writer = new ProgramWriter({
    database: this.database,
    elapsed: systemMonotonicClock,
    pause: async () => {},
  });
  readonly #stream = new StreamBuilder();
  #session: GuideSession;
  #sections = new GuideSections();

  constructor() {
    const stations = [HOME, TWIN].map((each) => ({
      ...each,
      ...{ type: 'BS' as const, transportStreamId: null, channel: 'BS01_0', name: '', serviceType: 1 },
      remoteControlKey: 1,
    }));
    new StationStore(this.database).apply({ put: stations, hide: [], retype: [] }, broadcastMs(0));
    this.#known.replace([HOME, TWIN]);
    this.#session = this.#open();
  }

  #open(): GuideSession {
    const events = { present: () => {}, clock: () => {}, repeat: () => this.#sections.repeat() };
    const session = new GuideSession(1, networkId(4), this.#known, events);
    // Schedules are only accepted once the time is known: sends a TDT.
    const time = Uint8Array.from([0x70, 0x70, 5, ...encodeJstTime(broadcastMs(NOW))]);
    this.#sections = new GuideSections();
    session.feed(this.#sections.feed(this.#stream.sections(0x14, time).take()), wallMs(NOW));
    return session;
  }

  /** Starts the next collection run: only stored state is kept. */
  again(): void {
    this.#session = this.#open();
  }

  async read(sections: readonly Uint8Array[], now = NOW): Promise<void> {
    this.feed(this.#stream.sections(0x12, ...sections).take(), now);
    await this.write(now);
  }

  feed(packets: Uint8Array, now = NOW): void {
    this.#session.feed(this.#sections.feed(packets), wallMs(now));
  }

  async write(now = NOW): Promise<void> {
    for (const change of this.#session.take()) {
      const { unplaced } = await this.#writer.write(change, wallMs(now));
      this.#session.putBack(change.stationId, unplaced);
    }
  }

  /** The stored data of a programme: id, start, length, name. */
  stored(of = HOME): Event[] {
    return this.programs.ofStation(of.id, broadcastMs(0)).map(({ eventId, startAt, endAt, name }) => ({
      id: eventId,
      start: (startAt - DAY) / MINUTE,
      minutes: (endAt - startAt) / MINUTE,
      name,
    }));
  }

  close(): void {
    this.database.close();
  }
}

/** A day's schedule: consecutive programmes with pauses, each with its own event id. */
const schedule = fc
  .array(fc.record({ id: fc.nat(60), minutes: fc.integer({ min: 5, max: 120 }), pause: fc.nat(40) }), {
    maxLength: 14,
  })
  .map((rows) => {
    const events = new Map<number, Event>();
    let start = 60;
    for (const { id, minutes, pause } of rows) {
      if (start + minutes >= 1440) break;
      if (!events.has(id)) events.set(id, { id, start, minutes, name: `P${id}L${minutes}` });
      start += minutes + pause;
    }
    return [...events.values()].sort((a, b) => a.start - b.start);
  });

function partsOf(events: readonly Event[]): Event[][] {
  return Array.from({ length: 8 }, (_, segment) =>
    events.filter(({ start }) => Math.floor(start / SEGMENT) === segment),
  );
}

describe(`schedules that change (seed ${SEED})`, () => {
  test('the version sent last is stored, in whatever order its sections arrive', async () => {
    const history = fc.array(
      fc.tuple(schedule, fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 })),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(history, fc.boolean(), async (days, visits) => {
        const reader = new Reader();
        try {
          for (const [version, [events, order]] of days.entries()) {
            if (visits) reader.again();
            const parts = partsOf(events);
            // A version is written once all its sections arrived: a programme that moves is never missing.
            await reader.read(
              order.map((segment) => segmentSection(HOME, segment, version, parts[segment] ?? [])),
            );
          }
          expect(reader.stored()).toEqual(days.at(-1)?.[0] ?? []);
        } finally {
          reader.close();
        }
      }),
      { seed: SEED, numRuns: fuzzRounds(60) },
    );
  });

  test('two networks with the same service number do not affect each other', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, schedule, async (mine, theirs) => {
        const reader = new Reader();
        try {
          const sections = (of: VisitedStation, events: Event[]) =>
            partsOf(events).map((part, segment) => segmentSection(of, segment, 1, part));
          await reader.read([...sections(HOME, mine), ...sections(TWIN, theirs)]);
          expect([reader.stored(HOME), reader.stored(TWIN)]).toEqual([mine, theirs]);
        } finally {
          reader.close();
        }
      }),
      { seed: SEED, numRuns: fuzzRounds(30) },
    );
  });

  test('contradictory versions that alternate end with the last one, and every shown hour has one programme', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, schedule, fc.integer({ min: 1, max: 9 }), async (one, other, turns) => {
        const reader = new Reader();
        try {
          for (let turn = 0; turn < turns; turn++) {
            const events = turn % 2 === 0 ? one : other;
            const parts = partsOf(events).map((part, segment) =>
              segmentSection(HOME, segment, turn % 2, part),
            );
            await reader.read(parts);
            expect(reader.stored()).toEqual(events);
          }
          const hidden = reader.database.query('SELECT count(*) AS n FROM programs WHERE hidden = 1').get();
          expect(hidden).toEqual({ n: 0 });
        } finally {
          reader.close();
        }
      }),
      { seed: SEED, numRuns: fuzzRounds(20) },
    );
  });

  test('overlapping programmes of one version are all stored, and one of them is shown at each of their times', async () => {
    const overlapping = fc.uniqueArray(
      fc.record({
        id: fc.nat(40),
        start: fc.integer({ min: 60, max: 1200 }),
        minutes: fc.integer({ min: 1, max: 200 }),
      }),
      { selector: ({ id }) => id, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(overlapping, async (rows) => {
        const reader = new Reader();
        try {
          const events = rows.map((row) => ({ ...row, name: `P${row.id}` }));
          await reader.read(partsOf(events).map((part, segment) => segmentSection(HOME, segment, 1, part)));
          expect(new Set(reader.stored().map(({ id }) => id))).toEqual(new Set(events.map(({ id }) => id)));
          for (const { start, minutes } of events) {
            expect(
              reader.programs.airingOn(HOME.id, broadcastMs(DAY + (start + minutes / 2) * MINUTE)),
            ).toBeDefined();
          }
        } finally {
          reader.close();
        }
      }),
      { seed: SEED, numRuns: fuzzRounds(30) },
    );
  });
});

describe(`hostile tables (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const octets = (count: number): number[] => Array.from({ length: count }, () => random.below(256));

  /** Valid form and CRC, invalid content. */
  function hostileSection(): Uint8Array {
    const tableId = [0x4e, 0x4f, 0x50, 0x51, 0x58, 0x60, 0x68][random.below(7)] ?? 0x50;
    const events: number[] = [];
    for (let left = random.below(4); left > 0; left--) {
      const time =
        random.below(3) === 0 ? octets(5) : [...encodeJstTime(broadcastMs(NOW + random.below(2 ** 31)))];
      const duration = [[0xff, 0xff, 0xff], [0, 0, 0], [0x99, 0x59, 0x59], octets(3)][random.below(4)] ?? [];
      const long = [0x4e, 250, ...octets(250)];
      const descriptors =
        random.below(2) === 0 ? Array.from({ length: 3 }, () => long).flat() : octets(random.below(60));
      events.push(...u16(random.below(8)), ...time, ...duration, ...u16(descriptors.length), ...descriptors);
    }
    const number = random.below(256);
    const body = [...u16(1), ...u16([4, 6, 7][random.below(3)] ?? 4), number, tableId, ...events];
    return longSection({
      tableId,
      extension: [101, 102][random.below(2)] ?? 101,
      version: random.below(32),
      number,
      lastNumber: Math.min(255, number + random.below(8)),
      body,
    });
  }

  test(
    'do not crash, keep memory bounded, and valid tables after them are stored',
    async () => {
      const reader = new Reader();
      for (let round = 0; round < fuzzRounds(40); round++) {
        await reader.read(Array.from({ length: 20 }, hostileSection));
      }
      reader.again();
      const events = [{ id: 1000, start: 600, minutes: 30, name: 'VALID' }];
      await reader.read(partsOf(events).map((part, segment) => segmentSection(HOME, segment, 7, part)));
      expect(reader.stored()).toContainEqual(events[0] as Event);
      expect(reader.programs.find((HOME.id * 100_000 + 1000) as never)?.name).toBe('VALID');
      const { rows } = reader.database.query('SELECT count(*) AS rows FROM programs').get() as {
        rows: number;
      };
      expect(rows).toBeLessThan(2 * 10 + 1);
      reader.close();
    },
    FUZZ_TIMEOUT,
  );

  test(
    'a flood of ever new events, versions and unknown stations leaves what was sent last',
    async () => {
      const reader = new Reader();
      let id = 0;
      let last: Event[] = [];
      for (let round = 0; round < fuzzRounds(60); round++) {
        last = Array.from({ length: 48 }, (_, index) => {
          id = (id + 1) % 0x10000;
          return { id, start: 60 + index * 20, minutes: 20, name: `F${id}` };
        });
        const strange = station(1_000 + round, 4);
        const sections = [HOME, strange].flatMap((of) =>
          partsOf(last).map((part, segment) => segmentSection(of, segment, round % 32, part)),
        );
        // In any order.
        for (let place = sections.length - 1; place > 0; place--) {
          const other = random.below(place + 1);
          const [one, two] = [sections[place] as Uint8Array, sections[other] as Uint8Array];
          [sections[place], sections[other]] = [two, one];
        }
        await reader.read(sections);
        const { rows } = reader.database.query('SELECT count(*) AS rows FROM programs').get() as {
          rows: number;
        };
        expect([round, rows]).toEqual([round, 48]);
      }
      expect(reader.stored()).toEqual(last);
      reader.close();
    },
    FUZZ_TIMEOUT,
  );

  test(
    'tables in damaged packets are stored when they are repeated intact',
    async () => {
      const reader = new Reader();
      const events = Array.from({ length: 10 }, (_, id) => ({
        id,
        start: 60 + id * 60,
        minutes: 60,
        name: `P${id}`,
      }));
      const sections = partsOf(events).map((part, segment) => segmentSection(HOME, segment, 1, part));
      const stream = new StreamBuilder();
      for (let round = 0; round < fuzzRounds(30); round++) {
        const packets = stream.sections(0x12, ...sections).take();
        for (let hits = 5; hits > 0; hits--) packets[random.below(packets.length)] = random.below(256);
        reader.feed(packets);
      }
      reader.feed(stream.sections(0x12, ...sections).take());
      reader.feed(stream.sections(0x12, ...sections).take());
      await reader.write();
      expect(reader.stored()).toEqual(events);
      reader.close();
    },
    FUZZ_TIMEOUT,
  );
});
