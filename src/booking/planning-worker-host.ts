/**
 * The planning worker: keeps the rules (`IncrementalPlanner`) and what it needs of the guide (`StoredGuide`) between plans,
 * reads what changed since the last plan with a connection of its own, and answers plans and previews. It writes nothing.
 */
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { IncrementalPlanner, type PlanCircumstances } from '../schedule/incremental-planner.ts';
import { isRepeat, nextAiring } from '../schedule/plan/airings.ts';
import type { PlannedReservation } from '../schedule/plan/plan-types.ts';
import type { PlanningDatabase, RecordedRow } from '../store/planning-database.ts';
import type { Planned, PlanOrder, Previewed, PreviewOrder, Repeat } from './planning-worker-messages.ts';
import { StoredGuide } from './stored-guide.ts';

/** Recordings of this period count for their episode, plus a day for moved programmes. */
const RECORDED_MS = 31 * DAY_MS;
/** How far ahead the next airing of a damaged recording is searched. */
const REPEAT_MS = 13 * DAY_MS;
/** Delay of a garbage collection without requests: a plan leaves as much garbage as is kept. */
const QUIET_MS = 3_000;

interface PlanningWorkerHostOptions {
  openFile: (path: string) => PlanningDatabase;
}

/** Data of one read transaction. */
interface Moment {
  stamp: string;
  circumstances: PlanCircumstances;
  /** Recordings whose episodes may be booked again, manual or by a rule. */
  released: readonly RecordedRow[];
  /** Damaged recordings that have a successor, and when that begins, epoch ms. */
  repeated: ReadonlyMap<RecordingId, number>;
}

export class PlanningWorkerHost {
  #file: PlanningDatabase | undefined;
  readonly #guide = new StoredGuide(() => this.#opened);
  readonly #planning = new IncrementalPlanner(this.#guide);
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #stations = '';
  #rules = '';
  #recordings = '';
  /** Kept as the same objects, which are keys of cached text facts. */
  #recorded = new Map<RecordingId, RecordedRow>();
  /** Recordings that block their episode, and those that do not. */
  #kept: readonly RecordedRow[] = [];
  #released: readonly RecordedRow[] = [];

  constructor(private readonly options: PlanningWorkerHostOptions) {}

  /** @throws Error before the first message */
  get #opened(): PlanningDatabase {
    if (this.#file === undefined) throw new Error('asked before the database was open');
    return this.#file;
  }

  open(path: string): void {
    this.#file = this.options.openFile(path);
  }

  plan(order: PlanOrder): Planned {
    return this.#answer(order, (moment) => this.#plan(moment));
  }

  /** @throws Failure for a rule that cannot be used */
  preview(order: PreviewOrder): Previewed {
    return this.#answer(order, (moment) => this.#preview(order, moment));
  }

  close(): void {
    clearTimeout(this.#quiet);
    this.#file?.close();
    this.#file = undefined;
  }

  /** Texts that are read later during the plan come from the same snapshot. */
  #answer<T>(order: PlanOrder, make: (moment: Moment) => T): T {
    clearTimeout(this.#quiet);
    try {
      const file = this.#opened;
      return file.reading(() => make(this.#read(order, file)));
    } finally {
      this.#quiet = setTimeout(() => this.#releaseMemory(), QUIET_MS);
      this.#quiet.unref();
    }
  }

  #releaseMemory(): void {
    this.#file?.shrink();
    this.#guide.release();
    Bun.gc(true);
    this.#guide.sweep();
    Bun.shrink();
    Bun.gc(true);
  }

  #plan(moment: Moment): Planned {
    const { create, update, remove, openings } = this.#planning.plan(moment.circumstances);
    return {
      stamp: moment.stamp,
      create: create.map((planned) => ({ ...planned, repeats: this.#repeatedBy(planned, moment) })),
      update,
      remove,
      openings,
      faults: [...this.#planning.faults()],
      repeats: this.#repeats(moment),
      crowded: [...this.#planning.crowded()],
    };
  }

  #preview({ draft, replaces, limit }: PreviewOrder, { circumstances }: Moment): Previewed {
    const { programs, fault } = this.#planning.preview(draft, circumstances, replaces);
    return {
      total: programs.length,
      fault,
      programs: programs.slice(0, limit).map(({ program, ...rest }) => {
        const { id, stationId, name, startAt, endAt } = program;
        return { id, stationId, name, startAt, endAt, ...rest };
      }),
    };
  }

  #read(order: PlanOrder, file: PlanningDatabase): Moment {
    const {
      now,
      tuners,
      judged = [],
      runningSince = broadcastMs(Number.NEGATIVE_INFINITY),
      isTimeSure = true,
      settings,
      airings,
    } = order;
    this.#readStations(file);
    this.#readRules(file);
    this.#guide.follow();
    this.#readRecordings(file, now);
    const reservations = file.reservations();
    return {
      stamp: file.stamp,
      circumstances: {
        now,
        tuners,
        judged,
        runningSince,
        isTimeSure,
        settings,
        airings,
        reservations,
        recorded: this.#kept,
        cancellations: file.cancellations(),
      },
      released: this.#released,
      repeated: new Map(
        reservations.flatMap(({ repeats, startAt }) =>
          repeats === null ? [] : [[repeats, startAt] as const],
        ),
      ),
    };
  }

  #readStations(file: PlanningDatabase): void {
    const stations = file.stations();
    const text = JSON.stringify(stations);
    // Logo changes count as changes of stations; comparing is cheaper than matching everything again.
    if (text === this.#stations) return;
    this.#planning.setStations(stations);
    this.#stations = text;
  }

  #readRules(file: PlanningDatabase): void {
    const stamp = file.stampOf('rules');
    if (stamp === this.#rules) return;
    this.#planning.setRules(file.rules());
    this.#rules = stamp;
  }

  #readRecordings(file: PlanningDatabase, now: BroadcastMs): void {
    const stamp = file.stampOf('recordings');
    if (stamp === this.#recordings) return;
    const before = this.#recorded;
    this.#recorded = new Map();
    for (const row of file.recorded(plusMs(now, -RECORDED_MS))) {
      const known = before.get(row.id);
      const isSame =
        known !== undefined &&
        known.released === row.released &&
        known.startAt === row.startAt &&
        known.ruleId === row.ruleId &&
        known.name === row.name;
      this.#recorded.set(row.id, isSame ? known : row);
    }
    const rows = [...this.#recorded.values()];
    this.#kept = rows.filter(({ released }) => !released);
    this.#released = rows.filter(({ released }) => released);
    this.#recordings = stamp;
  }

  /** The damaged recording that a rule's reservation replaces. */
  #repeatedBy({ programId, ruleId }: PlannedReservation, { released }: Moment): RecordingId | null {
    const program = this.#planning.guide.get(programId);
    if (ruleId === null || program === undefined) return null;
    const repeated = released.find(
      (row) => row.programId !== programId && isRepeat(this.#planning.facts, row, program),
    );
    return repeated?.id ?? null;
  }

  /** Books the next airing after a damaged manual recording, once. */
  #repeats({ circumstances, released, repeated }: Moment): Repeat[] {
    const { now, reservations } = circumstances;
    const { guide, facts } = this.#planning;
    // It also replaces all earlier damaged recordings of the episode.
    const isRepeated = (row: RecordedRow): boolean =>
      released.some(
        (other) => (repeated.get(other.id) ?? -Infinity) > row.startAt && isRepeat(facts, other, row),
      );
    const waiting = released.filter(
      (row) =>
        row.ruleId === null && !repeated.has(row.id) && row.startAt > now - REPEAT_MS && !isRepeated(row),
    );
    if (waiting.length === 0) return [];
    const open = new Set(['scheduled', 'conflict']);
    const excluded = new Set(
      reservations.filter(({ state }) => !open.has(state)).map((one) => one.programId),
    );
    const taken = new Set<ProgramId>();
    return waiting.flatMap((row) => {
      const next = nextAiring(guide, facts, row, excluded, now);
      if (next === undefined || taken.has(next.id)) return [];
      taken.add(next.id);
      const { id, stationId, name, description, startAt, endAt } = next;
      return [{ recordingId: row.id, program: { id, stationId, name, description, startAt, endAt } }];
    });
  }
}
