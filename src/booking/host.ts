/**
 * The planning worker's side of `messages.ts`: holds the guide and the rules between plans (`Planning`), reads what
 * changed since the last one with a connection of its own, and answers plans and previews. It writes nothing.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { GuideProgram } from '../schedule/match/guide-index.ts';
import type { PlannedReservation } from '../schedule/plan/input.ts';
import { isRepeat, nextAiring } from '../schedule/plan/repeat.ts';
import { type PlanCircumstances, Planning } from '../schedule/planning.ts';
import type { PlanFile, RecordedRow } from '../store/plan-file.ts';
import type {
  FromPlanWorker,
  Planned,
  PlanOrder,
  Previewed,
  PreviewOrder,
  Repeat,
  ToPlanWorker,
} from './messages.ts';

const DAY_MS = 86_400_000;
/** What was recorded so lately counts for its episode; a day more, for programmes that were moved. */
const RECORDED_MS = 31 * DAY_MS;
/** The next airing is waited for so long: the reservation that says so is kept for longer. */
const REPEAT_MS = 13 * DAY_MS;

export interface PlanHostOptions {
  post: (message: FromPlanWorker) => void;
  openFile: (path: string) => PlanFile;
}

function guideProgram(record: ProgramRecord): GuideProgram {
  const { id, stationId, startAt, endAt, openEnd, name, description, extended, genres, ...rest } = record;
  const { isFree, copyNever, groups } = rest;
  return {
    id,
    stationId,
    startAt,
    endAt,
    openEnd,
    name,
    description,
    extended,
    genres,
    isFree,
    copyNever,
    groups,
  };
}

/** What was read of one moment. */
interface Moment {
  stamp: string;
  circumstances: PlanCircumstances;
  /** Recordings whose episodes may be booked again, by whomever they were booked. */
  released: readonly RecordedRow[];
  /** Damaged recordings that have a successor. */
  repeated: ReadonlySet<number>;
}

export class PlanHost {
  readonly #planning = new Planning();
  #file: PlanFile | undefined;
  #guideVersion = -1;
  /** Marks of the programmes that are held, by station. */
  readonly #marks = new Map<StationId, Map<ProgramId, number>>();
  #stations = '';
  #rules = '';
  #recordings = '';
  /** Kept as the same objects: what is read out of their texts is known by them. */
  #recorded = new Map<number, RecordedRow>();

  constructor(private readonly options: PlanHostOptions) {}

  take(message: ToPlanWorker): void {
    if (message.kind === 'open') {
      this.#file = this.options.openFile(message.path);
      return;
    }
    const { serial } = message;
    try {
      this.options.post(
        message.kind === 'plan'
          ? { kind: 'planned', serial, planned: this.#plan(message.order) }
          : { kind: 'previewed', serial, previewed: this.#preview(message.order) },
      );
    } catch (error) {
      const code = error instanceof Failure ? error.code : null;
      const text = error instanceof Error ? error.message : String(error);
      this.options.post({ kind: 'failed', serial, code, message: text });
    }
  }

  #plan(order: PlanOrder): Planned {
    const moment = this.#read(order);
    const { create, update, remove, openings } = this.#planning.plan(moment.circumstances);
    return {
      stamp: moment.stamp,
      create: create.map((planned) => ({ ...planned, repeats: this.#repeatedBy(planned, moment) })),
      update,
      remove,
      openings,
      faults: [...this.#planning.faults()],
      repeats: this.#repeats(moment),
    };
  }

  #preview({ draft, replaces, limit, ...order }: PreviewOrder): Previewed {
    const { circumstances } = this.#read(order);
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

  #read({ now, tuners, settings, airings }: PlanOrder): Moment {
    const file = this.#file;
    if (file === undefined) throw new Error('asked before the database was open');
    return file.reading(() => {
      this.#readStations(file);
      this.#readRules(file);
      this.#readGuide(file);
      this.#readRecordings(file, now);
      const reservations = file.reservations();
      const recorded = [...this.#recorded.values()];
      return {
        stamp: file.stamp,
        circumstances: {
          now,
          tuners,
          settings,
          airings,
          reservations,
          recorded: recorded.filter(({ released }) => !released),
          cancellations: file.cancellations(),
        },
        released: recorded.filter(({ released }) => released),
        repeated: new Set(reservations.flatMap(({ repeats }) => repeats ?? [])),
      };
    });
  }

  #readStations(file: PlanFile): void {
    const stations = file.stations();
    const text = JSON.stringify(stations);
    // Logos count as changes of stations: to match everything anew costs more than to compare.
    if (text === this.#stations) return;
    this.#planning.setStations(stations);
    this.#stations = text;
  }

  #readRules(file: PlanFile): void {
    const stamp = file.stampOf('rules');
    if (stamp === this.#rules) return;
    this.#planning.setRules(file.rules());
    this.#rules = stamp;
  }

  #readGuide(file: PlanFile): void {
    const version = file.guideVersion;
    if (version === this.#guideVersion) return;
    for (const station of file.changedSince(this.#guideVersion)) this.#readStation(file, station);
    this.#guideVersion = version;
  }

  #readStation(file: PlanFile, station: StationId): void {
    const before = this.#marks.get(station) ?? new Map<ProgramId, number>();
    const marks = new Map<ProgramId, number>();
    const put: GuideProgram[] = [];
    for (const { id, mark, record } of file.programs(station)) {
      marks.set(id, mark);
      if (before.get(id) !== mark) put.push(guideProgram(record()));
    }
    this.#planning.change(
      put,
      [...before.keys()].filter((id) => !marks.has(id)),
    );
    this.#marks.set(station, marks);
  }

  #readRecordings(file: PlanFile, now: number): void {
    const stamp = file.stampOf('recordings');
    if (stamp === this.#recordings) return;
    const before = this.#recorded;
    this.#recorded = new Map();
    for (const row of file.recorded(now - RECORDED_MS)) {
      const known = before.get(row.id);
      const isSame =
        known !== undefined &&
        known.released === row.released &&
        known.startAt === row.startAt &&
        known.ruleId === row.ruleId &&
        known.name === row.name;
      this.#recorded.set(row.id, isSame ? known : row);
    }
    this.#recordings = stamp;
  }

  /** The damaged recording that a reservation of a rule makes good. */
  #repeatedBy({ programId, ruleId }: PlannedReservation, { released }: Moment): number | null {
    const program = this.#planning.guide.get(programId);
    if (ruleId === null || program === undefined) return null;
    const repeated = released.find(
      (row) => row.programId !== programId && isRepeat(this.#planning.facts, row, program),
    );
    return repeated?.id ?? null;
  }

  /** What was booked by hand and recorded badly is booked again by itself, once. */
  #repeats({ circumstances, released, repeated }: Moment): Repeat[] {
    const { now, reservations } = circumstances;
    const waiting = released.filter(
      ({ id, ruleId, startAt }) => ruleId === null && !repeated.has(id) && startAt > now - REPEAT_MS,
    );
    if (waiting.length === 0) return [];
    const open = new Set(['scheduled', 'conflict']);
    const excluded = new Set(
      reservations.filter(({ state }) => !open.has(state)).map((one) => one.programId),
    );
    const { guide, facts } = this.#planning;
    return waiting.flatMap((row) => {
      const next = nextAiring(guide, facts, row, excluded, now);
      if (next === undefined) return [];
      const { id, stationId, name, description, startAt, endAt } = next;
      return [{ recordingId: row.id, program: { id, stationId, name, description, startAt, endAt } }];
    });
  }
}
