/**
 * The guide in the planning worker. Single programmes are read when a plan needs them, and kept while plans continue
 * to need them. The complete guide is read at the first search (matching a new rule, other airings of an episode) and
 * kept, in columns, until a while after the last one. From then on changes are tracked as long as they are requested,
 * so that search results stay current without another search.
 */
import { type ProgramId, type StationId, splitProgramId } from '../../lib/arib/ids.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { ChangeLog, GuideIndex } from '../schedule/match/guide-index.ts';
import { NormalTexts } from '../schedule/match/normal-texts.ts';
import type { IndexedProgram } from '../schedule/match/program-rows.ts';
import type { PlanGuide } from '../schedule/plan/plan-guide.ts';
import type { StoredProgram } from '../store/planning-database.ts';
import { CompactPrograms, Shared, type TextSource } from './compact-programs.ts';

/** Garbage collection after this many programmes: reading leaves several times as much garbage as is kept. */
const MANY_READ = 5_000;
/** While a rule is edited, searches follow each other with pauses. */
const KEPT_MS = 2 * 60_000;

/** The part of the database that programmes are read from. */
interface GuideSource extends TextSource {
  readonly guideVersion: number;
  changedSince(version: number): StationId[];
  programs(station: StationId): StoredProgram[];
  program(id: ProgramId): StoredProgram | undefined;
}

interface Whole {
  readonly index: GuideIndex;
  readonly held: CompactPrograms;
}

/** Programmes of each station: id and version, alternating. */
type Marks = Map<StationId, Float64Array>;

interface Single {
  readonly program: IndexedProgram;
  readonly mark: number;
}

/** What one plan requested while the complete guide was not in memory. */
class Asked {
  /** undefined: the guide has no such programme. */
  readonly programs = new Map<ProgramId, Single | undefined>();
  readonly stations = new Map<StationId, readonly Single[]>();
}

export class StoredGuide implements PlanGuide {
  readonly texts: NormalTexts;
  readonly #shared: Shared;
  readonly #log = new ChangeLog();
  /** Of the database. */
  #storedVersion = -1;
  #whole: Whole | undefined;
  /** undefined: changes are not compared. */
  #marks: Marks | undefined;
  #searchedAt = -Infinity;
  #followedAt = -Infinity;
  /** By the current plan, and by the previous one. */
  #asked = new Asked();
  #before = new Asked();
  /** Stations that changed since the previous plan. */
  #changed: ReadonlySet<StationId> = new Set();

  /** @param source in the read transaction of a plan */
  constructor(
    private readonly source: () => GuideSource,
    private readonly now = systemMonotonicClock,
  ) {
    this.#shared = new Shared({
      texts: (id) => source().texts(id),
      extended: (id) => source().extended(id),
      textsOf: (ids) => source().textsOf(ids),
      extendedOf: (ids) => source().extendedOf(ids),
    });
    this.texts = new NormalTexts(this.#shared);
  }

  get version(): number {
    return this.#log.version;
  }

  changedSince(version: number): readonly ProgramId[] | undefined {
    this.#followedAt = this.now();
    return this.#marks === undefined ? undefined : this.#log.since(version);
  }

  /** Begins a plan: applies the changes since the last one. */
  follow(): void {
    const source = this.source();
    const version = source.guideVersion;
    const changed = version === this.#storedVersion ? [] : source.changedSince(this.#storedVersion);
    this.#before = this.#asked;
    this.#asked = new Asked();
    this.#changed = new Set(changed);
    if (this.#marks !== undefined) this.#readChanges(changed, this.#marks);
    // Set last: after an error the same changes are read again.
    this.#storedVersion = version;
  }

  get(id: ProgramId): IndexedProgram | undefined {
    if (this.#whole !== undefined) return this.#whole.index.get(id);
    const { programs } = this.#asked;
    if (!programs.has(id)) programs.set(id, this.#single(id));
    return programs.get(id)?.program;
  }

  ofStation(id: StationId): readonly IndexedProgram[] {
    if (this.#whole !== undefined) return this.#whole.index.ofStation(id);
    const { programs, stations } = this.#asked;
    const known = stations.get(id) ?? this.#station(id);
    stations.set(id, known);
    for (const single of known) programs.set(single.program.id, single);
    return known.map(({ program }) => program);
  }

  whole(): GuideIndex {
    this.#searchedAt = this.now();
    this.#whole ??= this.#readWhole();
    return this.#whole.index;
  }

  /** Called between plans. The next garbage collection frees what is not needed. */
  release(): void {
    const isOver = (at: number): boolean => this.now() - at > KEPT_MS;
    if (isOver(this.#searchedAt)) {
      this.#whole = undefined;
      if (isOver(this.#followedAt)) this.#marks = undefined;
    }
    this.#before = new Asked();
  }

  /** After a garbage collection. */
  sweep(): void {
    this.#whole?.held.sweep();
  }

  #readWhole(): Whole {
    const held = new CompactPrograms(this.#shared);
    const index = new GuideIndex(held, this.texts);
    const marks: Marks = new Map();
    const collected = collectingGarbage();
    for (const station of this.source().changedSince(-1)) {
      const stored = this.source().programs(station);
      for (const program of stored) index.put(this.#shared.values(program));
      marks.set(station, marksOf(stored));
      collected(stored.length);
    }
    // Changes compared until now are in the log.
    if (this.#marks === undefined) this.#log.restart();
    this.#marks = marks;
    this.#asked = new Asked();
    this.#before = new Asked();
    return { index, held };
  }

  #single(id: ProgramId): Single | undefined {
    const { programs } = this.#before;
    const station = splitProgramId(id)?.stationId;
    const isSame = station !== undefined && !this.#changed.has(station);
    if (isSame && programs.has(id)) return programs.get(id);
    const stored = this.source().program(id);
    return stored === undefined ? undefined : this.#singleOf(stored);
  }

  #station(id: StationId): readonly Single[] {
    const known = this.#before.stations.get(id);
    if (known !== undefined && !this.#changed.has(id)) return known;
    return this.source()
      .programs(id)
      .map((stored) => this.#singleOf(stored));
  }

  /** The same object as before if nothing changed: facts derived from its texts stay cached. */
  #singleOf(stored: StoredProgram): Single {
    const known = this.#asked.programs.get(stored.id) ?? this.#before.programs.get(stored.id);
    if (known?.mark === stored.mark) return known;
    this.texts.forget(stored.id);
    return { program: this.#shared.program(stored), mark: stored.mark };
  }

  /** Updates the complete guide, if it is in memory, and logs the changes. */
  #readChanges(stations: readonly StationId[], marks: Marks): void {
    const collected = collectingGarbage();
    for (const station of stations) {
      const known = marks.get(station) ?? new Float64Array();
      const before = new Map<number, number>();
      for (let at = 0; at < known.length; at += 2) before.set(known[at] ?? 0, known[at + 1] ?? 0);
      const stored = this.source().programs(station);
      const put = stored.filter(({ id, mark }) => before.get(id) !== mark);
      for (const { id } of stored) before.delete(id);
      for (const id of before.keys()) this.#remove(id as ProgramId);
      for (const program of put) this.#put(program);
      marks.set(station, marksOf(stored));
      collected(put.length);
    }
  }

  #put(stored: StoredProgram): void {
    if (this.#whole === undefined) this.#asked.programs.set(stored.id, this.#singleOf(stored));
    else this.#whole.index.put(this.#shared.program(stored));
    this.#log.note(stored.id);
  }

  #remove(id: ProgramId): void {
    if (this.#whole === undefined) this.#asked.programs.set(id, undefined);
    else this.#whole.index.remove(id);
    this.#log.note(id);
  }
}

function marksOf(stored: readonly StoredProgram[]): Float64Array {
  return Float64Array.from(stored.flatMap(({ id, mark }) => [id, mark]));
}

/** @returns a callback for the number of programmes read */
function collectingGarbage(): (count: number) => void {
  let read = 0;
  return (count) => {
    read += count;
    if (read < MANY_READ) return;
    Bun.gc(true);
    read = 0;
  };
}
