/**
 * An index of the guide's programmes, so that a rule finds its matches without a full scan. Each programme has a row.
 * Each letter, each pair of letters (`TextColumns`) and each attribute has a column with one bit per row. A rule
 * combines its columns and compares the remaining candidates in full. Texts are not kept: they are read from the
 * programme again when a comparison needs them.
 */
import type { ProgramId, StationId } from '../../../lib/arib/ids.ts';
import { matchText } from '../../model/search-text.ts';
import { detailText, NormalTexts, READ_AT_ONCE } from './normal-texts.ts';
import { type IndexedProgram, ProgramObjects, type ProgramRows } from './program-rows.ts';
import { BitSet, TextColumns } from './text-columns.ts';

/** At least this many are kept, at most twice as many. */
const REMEMBERED = 5000;

/** Log of changes in a guide, for invalidating caches derived from it. */
export class ChangeLog {
  readonly #changes: ProgramId[] = [];
  #version = 0;

  /** Counts changes. */
  get version(): number {
    return this.#version;
  }

  /** A programme was added, changed or removed. */
  note(id: ProgramId): void {
    this.#version++;
    this.#changes.push(id);
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED);
  }

  /** The log is incomplete before this moment: changes since earlier versions are unknown. */
  restart(): void {
    this.#version++;
    this.#changes.length = 0;
  }

  /** Programmes that changed since a version, some of them twice; undefined if the log does not reach back that far. */
  since(version: number): readonly ProgramId[] | undefined {
    const count = this.#version - version;
    if (version < 0 || count > this.#changes.length) return undefined;
    return count === 0 ? [] : this.#changes.slice(-count);
  }
}

/** A text has some 200 letters and pairs, so a fifth of the bits are set. For 60,000 programmes they take 8 MB. */
const TEXT_BITS = 1024;
/** Extended texts are longer. */
const DETAIL_BITS = 2048;

export class GuideIndex {
  readonly #log = new ChangeLog();
  /** Number of assigned rows. */
  #rows = 0;
  readonly #free: number[] = [];
  readonly #all = new BitSet();
  readonly #columns = new TextColumns(TEXT_BITS);
  /** For extended texts, which are long: built when a rule first needs them. */
  #details: TextColumns | undefined;
  readonly #stations = new Map<StationId, BitSet>();
  readonly #genres = Array.from({ length: 16 }, () => new BitSet());

  constructor(
    private readonly programs: ProgramRows = new ProgramObjects(),
    readonly texts = new NormalTexts(),
  ) {}

  get size(): number {
    return this.programs.size;
  }

  /** Implements `PlanGuide` with a guide that is in memory. */
  whole(): this {
    return this;
  }

  get version(): number {
    return this.#log.version;
  }

  changedSince(version: number): readonly ProgramId[] | undefined {
    return this.#log.since(version);
  }

  get(id: ProgramId): IndexedProgram | undefined {
    const row = this.programs.rowOf(id);
    return row === undefined ? undefined : this.programs.at(row);
  }

  at(row: number): IndexedProgram | undefined {
    return this.programs.at(row);
  }

  put(program: IndexedProgram): void {
    const before = this.programs.rowOf(program.id);
    if (before !== undefined) this.#clear(before, this.programs.at(before));
    const row = before ?? this.#free.pop() ?? this.#rows++;
    this.programs.put(row, program);
    this.#log.note(program.id);
    this.texts.forget(program.id);
    this.#all.add(row);
    this.#columns.set(row, `${matchText(program.name)}\n${matchText(program.description)}`);
    this.#details?.set(row, detailText(program));
    const station = this.#stations.get(program.stationId) ?? new BitSet();
    this.#stations.set(program.stationId, station);
    station.add(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.add(row);
  }

  remove(id: ProgramId): void {
    const row = this.programs.rowOf(id);
    if (row === undefined) return;
    this.#clear(row, this.programs.at(row));
    this.programs.clear(row);
    this.#free.push(row);
    this.#log.note(id);
    this.texts.forget(id);
  }

  /** Clears columns that adding a programme to a row sets again. */
  #clear(row: number, program: IndexedProgram | undefined): void {
    this.#all.delete(row);
    this.#columns.clear(row);
    this.#details?.clear(row);
    if (program === undefined) return;
    this.#stations.get(program.stationId)?.delete(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.delete(row);
  }

  /** A copy of all rows, to be narrowed. */
  all(): BitSet {
    return this.#all.copy();
  }

  /** Keeps candidates that may contain the word in name or description, or also in the extended text. */
  narrowByWord(rows: BitSet, word: string, extended: boolean): void {
    if (!extended) {
      this.#columns.narrow(rows, word);
      return;
    }
    const inDetails = rows.copy();
    this.#detailColumns().narrow(inDetails, word);
    this.#columns.narrow(rows, word);
    rows.or(inDetails);
  }

  narrowByStations(rows: BitSet, stations: Iterable<StationId>): void {
    const any = new BitSet();
    for (const id of stations) {
      const bits = this.#stations.get(id);
      if (bits !== undefined) any.or(bits);
    }
    rows.and(any);
  }

  narrowByGenres(rows: BitSet, majors: Iterable<number>): void {
    const any = new BitSet();
    for (const lv1 of majors) {
      const bits = this.#genres[lv1];
      if (bits !== undefined) any.or(bits);
    }
    rows.and(any);
  }

  /** The programmes of a station, in no order. */
  ofStation(id: StationId): IndexedProgram[] {
    const found: IndexedProgram[] = [];
    this.#stations.get(id)?.forEach((row) => {
      const program = this.programs.at(row);
      if (program !== undefined) found.push(program);
    });
    return found;
  }

  #detailColumns(): TextColumns {
    if (this.#details !== undefined) return this.#details;
    const details = new TextColumns(DETAIL_BITS);
    for (let from = 0; from < this.#rows; from += READ_AT_ONCE) {
      const rows = Array.from(
        { length: Math.min(READ_AT_ONCE, this.#rows - from) },
        (_, index) => from + index,
      );
      this.texts.readDetails(rows.flatMap((row) => this.programs.at(row) ?? []));
      for (const row of rows) {
        const program = this.programs.at(row);
        if (program !== undefined) details.set(row, this.texts.detail(program));
      }
    }
    this.#details = details;
    return details;
  }
}
