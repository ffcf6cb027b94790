/**
 * The first fill of the guide, as the guide worker does it: how much is written for how large a database, in how many
 * writes, and how long one transaction holds the write lock. The write-ahead log is checkpointed as in the service.
 * In a process of its own: `/proc/self/io` counts everything that a process writes. Other work beside it, which slows
 * it down, counts as slowness of the machine.
 * `bun test/bench/guide/first-fill.ts` prints JSON; `test/bench/guide.ts` runs it.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, programId } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { monotonicMs, systemMonotonicClock, wallMs } from '../../../lib/host/clock.ts';
import type { StationChange } from '../../../src/model/guide-change.ts';
import type { ProgramRecord } from '../../../src/model/program.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { ProgramWriter } from '../../../src/store/program-writer.ts';
import { pendingPrograms } from '../../../src/store/search-index.ts';
import { WalCheckpointer } from '../../../src/store/wal-checkpointer.ts';
import { until } from '../../until.ts';
import { putStations, stretch } from './bench-database.ts';
import { benchStations } from './bench-stations.ts';
import { quantile } from './figures.ts';
import { MachineClock } from './machine.ts';

/** Data of each station that a transponder sends between two writes of the guide worker. */
const PORTION = 60;
const STATIONS_A_CHANNEL = 8;
const PROGRAMS_A_STATION = 170;
const CHECK_LOG_MS = 2_000;
const INDEX_DELAY_MS = 5_000;
/** Pauses between two measurements of the machine's speed, which take 1 ms. */
const PAUSES_A_LOOK = 20;

export interface FirstFill {
  readonly programs: number;
  readonly seconds: number;
  readonly databaseBytes: number;
  readonly writtenBytes: number;
  readonly writes: number;
  /** Processor time of the transactions, ms of the reference machine. */
  readonly heldP99: number;
  readonly heldWorst: number;
}

function written(): { bytes: number; writes: number } {
  const text = readFileSync('/proc/self/io', 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(text)?.[1]);
  return { bytes: of('wchar'), writes: of('syscw') };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The announcements of a channel's stations in portions: first their programmes, then the extended texts of
 * these.
 */
function* changes(now: number): Generator<StationChange> {
  const stations = benchStations();
  for (let first = 0; first < stations.length; first += STATIONS_A_CHANNEL) {
    const channel = stations.slice(first, first + STATIONS_A_CHANNEL).map((station) => ({
      station,
      programs: stretch(station, now, PROGRAMS_A_STATION).map(
        (one, index): ProgramRecord => ({
          id: programId(station.id, eventId(index)),
          stationId: station.id,
          eventId: eventId(index),
          startAt: one.startAt,
          endAt: broadcastMs(one.startAt + one.durationMs),
          openEnd: false,
          name: one.title,
          description: one.description,
          extended: Object.fromEntries(one.items.map(({ heading, text }) => [heading, text])),
          genres: one.genres.map(([lv1, lv2]) => ({ lv1, lv2 })),
          audios: [],
          videoType: 'mpeg2',
          videoResolution: '1080i',
          isFree: one.isFree,
          copyNever: one.copyControl === 'never',
          groups: [],
          series: null,
        }),
      ),
    }));
    for (let at = 0; at < PROGRAMS_A_STATION; at += PORTION) {
      for (const { station, programs } of channel) {
        const portion = programs.slice(at, at + PORTION);
        const base = { stationId: station.id, windows: [], presentFollowing: undefined };
        yield {
          ...base,
          programs: portion.map((one) => ({ ...one, extended: null })),
          extended: new Map(),
        };
        yield { ...base, programs: [], extended: new Map(portion.map((one) => [one.eventId, one.extended])) };
      }
    }
  }
}

async function fill(): Promise<FirstFill> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-fill-'));
  const path = join(folder, 'svc.db');
  const database = openDatabase(path);
  const now = Date.now();
  putStations(database, benchStations(), now);
  const checkpointer = new WalCheckpointer(path, systemMonotonicClock);
  const checking = setInterval(() => checkpointer.look(), CHECK_LOG_MS);
  const held: number[] = [];
  const machine = new MachineClock();
  let pauses = 0;
  const changesOf = database.query<{ n: number }, []>('SELECT total_changes() AS n');
  let began = processorMs();
  let stored = 0;
  /** What was prepared without a transaction does not count. */
  const note = (): void => {
    const total = changesOf.get()?.n ?? 0;
    if (total !== stored) held.push(processorMs() - began);
    stored = total;
  };
  const writer = new ProgramWriter({
    database,
    // Processor time, so that other load does not make transactions smaller.
    elapsed: () => monotonicMs(processorMs()),
    indexDelayMs: INDEX_DELAY_MS,
    pause: async (ms) => {
      note();
      if (pauses++ % PAUSES_A_LOOK === 0) machine.look();
      await Bun.sleep(ms);
      began = processorMs();
    },
  });
  const all = [...changes(now)];
  const before = written();
  const start = performance.now();
  let programs = 0;
  try {
    for (const change of all) {
      began = processorMs();
      await writer.write(change, wallMs(now));
      note();
      programs += change.programs.length;
    }
    await until('everything is indexed', async () =>
      pendingPrograms(database, 1).length === 0 ? true : undefined,
    );
    checkpointer.look();
  } finally {
    clearInterval(checking);
    checkpointer.close();
    database.close();
  }
  const after = written();
  const slowness = machine.factor();
  const databaseBytes = statSync(path).size;
  rmSync(folder, { recursive: true });
  return {
    programs,
    seconds: (performance.now() - start) / 1000,
    databaseBytes,
    writtenBytes: after.bytes - before.bytes,
    writes: after.writes - before.writes,
    heldP99: quantile(held, 0.99) / slowness,
    heldWorst: Math.max(...held) / slowness,
  };
}

console.log(JSON.stringify(await fill()));
