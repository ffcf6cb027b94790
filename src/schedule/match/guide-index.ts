/**
 * An index of the guide's programmes, so that a rule finds its matches without a full scan. A programme has a
 * row; of every letter, every pair of letters (`TextColumns`) and every attribute there is a column of bits, one a row.
 * A rule combines its columns and compares the remaining candidates in full.
 * Texts are not kept: they are read from the programme again when a comparison needs them.
 */
import type { ProgramId, StationId } from '../../../arib/ids.ts';
import { matchText } from '../../model/search-text.ts';
import { BitSet } from './bit-set.ts';
import type { GuideProgram } from './guide-program.ts';
import { LruCache } from './lru-cache.ts';
import { ProgramObjects, type ProgramRows } from './program-rows.ts';
import { TextColumns } from './text-columns.ts';

export type { GuideProgram } from './guide-program.ts';

/** A text has some 200 letters and pairs: a fifth of them are set. Of 60,000 programmes they take 8 MB. */
const TEXT_BITS = 1024;
/** Extended texts are longer. */
const DETAIL_BITS = 2048;
/** Cached texts of frequent candidates: 300 rules have some ten thousand. Up to 5 MB. */
const RECENT_TEXTS = 4096;
/** Rarely asked for, and long. */
const RECENT_DETAILS = 1024;

export interface GuideRow {
  readonly row: number;
  readonly program: GuideProgram;
}

/** A programme was put, or removed. */
interface GuideChange {
  readonly id: ProgramId;
  /** The previous object, if still referenced. */
  readonly before: GuideProgram | undefined;
}

/** Log of changes for dependent caches. */
const REMEMBERED = 5000;

export class GuideIndex {
  readonly #changes: GuideChange[] = [];
  /** Counts what was put and removed. */
  #version = 0;
  /** Rows that were given out. */
  #rows = 0;
  readonly #free: number[] = [];
  readonly #all = new BitSet();
  readonly #columns = new TextColumns(TEXT_BITS);
  readonly #titles = new LruCache<number, string>(RECENT_TEXTS);
  readonly #descriptions = new LruCache<number, string>(RECENT_TEXTS);
  /** Of extended texts, which are long: made when a rule first asks. */
  #details: TextColumns | undefined;
  readonly #detailTexts = new LruCache<number, string>(RECENT_DETAILS);
  readonly #stations = new Map<StationId, BitSet>();
  readonly #genres = Array.from({ length: 16 }, () => new BitSet());

  constructor(private readonly programs: ProgramRows = new ProgramObjects()) {}

  get size(): number {
    return this.programs.size;
  }

  /** As a `PlanGuide` that is in memory. */
  whole(): this {
    return this;
  }

  get version(): number {
    return this.#version;
  }

  /** Changes since a version; undefined: the log does not reach back so far. */
  changedSince(version: number): readonly GuideChange[] | undefined {
    const count = this.#version - version;
    if (version < 0 || count > this.#changes.length) return undefined;
    return count === 0 ? [] : this.#changes.slice(-count);
  }

  get(id: ProgramId): GuideProgram | undefined {
    const row = this.programs.rowOf(id);
    return row === undefined ? undefined : this.programs.at(row);
  }

  row(id: ProgramId): GuideRow | undefined {
    const row = this.programs.rowOf(id);
    return row === undefined ? undefined : this.at(row);
  }

  at(row: number): GuideRow | undefined {
    const program = this.programs.at(row);
    return program === undefined ? undefined : { row, program };
  }

  put(program: GuideProgram): void {
    const before = this.programs.rowOf(program.id);
    const held = before === undefined ? undefined : this.programs.held(before);
    if (before !== undefined) this.#clear(before, this.programs.at(before));
    const row = before ?? this.#free.pop() ?? this.#rows++;
    this.programs.put(row, program);
    this.#note({ id: program.id, before: held });
    this.#all.add(row);
    // Changed programmes are matched against every rule next; those of the first read mostly are not.
    const title = matchText(program.name);
    const description = matchText(program.description);
    if (before !== undefined) {
      this.#titles.set(row, title);
      this.#descriptions.set(row, description);
    }
    this.#columns.set(row, `${title}\n${description}`);
    this.#details?.set(row, detailOf(program));
    const station = this.#stations.get(program.stationId) ?? new BitSet();
    this.#stations.set(program.stationId, station);
    station.add(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.add(row);
  }

  remove(id: ProgramId): void {
    const row = this.programs.rowOf(id);
    if (row === undefined) return;
    const before = this.programs.held(row);
    this.#clear(row, this.programs.at(row));
    this.programs.clear(row);
    this.#titles.delete(row);
    this.#descriptions.delete(row);
    this.#free.push(row);
    this.#note({ id, before });
  }

  /** Columns that putting a programme into a row sets again. */
  #clear(row: number, program: GuideProgram | undefined): void {
    this.#all.delete(row);
    this.#columns.clear(row);
    this.#details?.clear(row);
    this.#detailTexts.delete(row);
    if (program === undefined) return;
    this.#stations.get(program.stationId)?.delete(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.delete(row);
  }

  #note(change: GuideChange): void {
    this.#version++;
    this.#changes.push(change);
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED);
  }

  /** In normal form. */
  title({ row, program }: GuideRow): string {
    return this.#titles.of(row, () => matchText(program.name));
  }

  /** In normal form. */
  description({ row, program }: GuideRow): string {
    return this.#descriptions.of(row, () => matchText(program.description));
  }

  /** Headings and bodies of the extended text, in normal form, a line each. */
  detailText({ row, program }: GuideRow): string {
    return this.#detailTexts.of(row, () => detailOf(program));
  }

  /** A copy of all rows, to be narrowed. */
  all(): BitSet {
    return this.#all.copy();
  }

  /** Keeps candidates for the word, in name or description, or also in the extended text. */
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
  ofStation(id: StationId): GuideProgram[] {
    const found: GuideProgram[] = [];
    this.#stations.get(id)?.forEach((row) => {
      const program = this.programs.at(row);
      if (program !== undefined) found.push(program);
    });
    return found;
  }

  #detailColumns(): TextColumns {
    if (this.#details !== undefined) return this.#details;
    const details = new TextColumns(DETAIL_BITS);
    for (let row = 0; row < this.#rows; row++) {
      const program = this.programs.at(row);
      if (program !== undefined) details.set(row, detailOf(program));
    }
    this.#details = details;
    return details;
  }
}

function detailOf({ extended }: GuideProgram): string {
  return Object.entries(extended ?? {})
    .flat()
    .map(matchText)
    .join('\n');
}
