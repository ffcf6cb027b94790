/**
 * The programmes of the guide, held so that a rule finds its own without looking at all of them. A programme has a
 * row; of every letter, every pair of letters (`TextColumns`) and every attribute there is a column of bits, one a row.
 * A rule puts its columns together and looks closely at what is left, which may hold programmes that do not match.
 * Texts are not kept: they are read out of the programme again where one is looked at.
 */
import type { ProgramId, StationId } from '../../../arib/ids.ts';
import type { ProgramRecord } from '../../model/program.ts';
import { searchText } from '../../model/search-text.ts';
import { Bits } from './bits.ts';
import { Recent } from './recent.ts';
import { TextColumns } from './text-columns.ts';

/** What rules and the plan need of a programme. Never changed: another one takes its place. */
export type GuideProgram = Readonly<
  Pick<
    ProgramRecord,
    | 'id'
    | 'stationId'
    | 'startAt'
    | 'endAt'
    | 'openEnd'
    | 'name'
    | 'description'
    | 'extended'
    | 'genres'
    | 'isFree'
    | 'copyNever'
    | 'groups'
  >
>;

/** A text has some 200 letters and pairs: a fifth of them are set. Of 60,000 programmes they take 8 MB. */
const TEXT_BITS = 1024;
/** Extended texts are longer. */
const DETAIL_BITS = 2048;
/** What rules look at closely again and again; 300 of them at some ten thousand. They take up to 5 MB. */
const RECENT_TEXTS = 4096;
/** Rarely asked for, and long. */
const RECENT_DETAILS = 1024;

export interface GuideRow {
  readonly row: number;
  readonly program: GuideProgram;
}

/** In normal form. */
export interface RowText {
  readonly title: string;
  readonly description: string;
}

/** Changes that are remembered for those who keep something up. */
const REMEMBERED = 5000;

export class GuideIndex {
  readonly #changes: GuideProgram[] = [];
  /** Counts what was put and removed. */
  #version = 0;
  readonly #programs: (GuideProgram | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #rows = new Map<ProgramId, number>();
  readonly #all = new Bits();
  readonly #columns = new TextColumns(TEXT_BITS);
  readonly #texts = new Recent<number, RowText>(RECENT_TEXTS);
  /** Of extended texts, which are long: made when a rule first asks. */
  #details: TextColumns | undefined;
  readonly #detailTexts = new Recent<number, string>(RECENT_DETAILS);
  readonly #stations = new Map<StationId, Bits>();
  readonly #genres = Array.from({ length: 16 }, () => new Bits());

  get size(): number {
    return this.#rows.size;
  }

  get version(): number {
    return this.#version;
  }

  /** What was put and what was removed since a version; undefined: too much to tell. */
  changedSince(version: number): readonly GuideProgram[] | undefined {
    const count = this.#version - version;
    if (version < 0 || count > this.#changes.length) return undefined;
    return count === 0 ? [] : this.#changes.slice(-count);
  }

  get(id: ProgramId): GuideProgram | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : this.#programs[row];
  }

  row(id: ProgramId): GuideRow | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : this.at(row);
  }

  at(row: number): GuideRow | undefined {
    const program = this.#programs[row];
    return program === undefined ? undefined : { row, program };
  }

  put(program: GuideProgram): void {
    const isChange = this.#rows.has(program.id);
    this.remove(program.id);
    const row = this.#free.pop() ?? this.#programs.length;
    this.#programs[row] = program;
    this.#rows.set(program.id, row);
    this.#note(program);
    this.#all.add(row);
    // What changes is held against every rule next; what is read at first mostly is not.
    const { title, description } = isChange ? this.text({ row, program }) : textOf(program);
    this.#columns.set(row, `${title}\n${description}`);
    this.#details?.set(row, detailOf(program));
    const station = this.#stations.get(program.stationId) ?? new Bits();
    this.#stations.set(program.stationId, station);
    station.add(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.add(row);
  }

  remove(id: ProgramId): void {
    const row = this.#rows.get(id);
    const program = row === undefined ? undefined : this.#programs[row];
    if (row === undefined || program === undefined) return;
    this.#rows.delete(id);
    this.#programs[row] = undefined;
    this.#all.delete(row);
    this.#columns.clear(row);
    this.#texts.delete(row);
    this.#details?.clear(row);
    this.#detailTexts.delete(row);
    this.#stations.get(program.stationId)?.delete(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.delete(row);
    this.#free.push(row);
    this.#note(program);
  }

  #note(program: GuideProgram): void {
    this.#version++;
    this.#changes.push(program);
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED);
  }

  text({ row, program }: GuideRow): RowText {
    return this.#texts.of(row, () => textOf(program));
  }

  /** Headings and bodies of the extended text, in normal form, a line each. */
  detailText({ row, program }: GuideRow): string {
    return this.#detailTexts.of(row, () => detailOf(program));
  }

  /** A copy of all rows, to be narrowed. */
  all(): Bits {
    return this.#all.copy();
  }

  /** Leaves what may contain the word, in name or description, or also in the extended text. */
  narrowByWord(rows: Bits, word: string, extended: boolean): void {
    if (!extended) {
      this.#columns.narrow(rows, word);
      return;
    }
    const inDetails = rows.copy();
    this.#detailColumns().narrow(inDetails, word);
    this.#columns.narrow(rows, word);
    rows.or(inDetails);
  }

  narrowByStations(rows: Bits, stations: Iterable<StationId>): void {
    const any = new Bits();
    for (const id of stations) {
      const bits = this.#stations.get(id);
      if (bits !== undefined) any.or(bits);
    }
    rows.and(any);
  }

  narrowByGenres(rows: Bits, majors: Iterable<number>): void {
    const any = new Bits();
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
      const program = this.#programs[row];
      if (program !== undefined) found.push(program);
    });
    return found;
  }

  #detailColumns(): TextColumns {
    if (this.#details !== undefined) return this.#details;
    const details = new TextColumns(DETAIL_BITS);
    for (const [row, program] of this.#programs.entries()) {
      if (program !== undefined) details.set(row, detailOf(program));
    }
    this.#details = details;
    return details;
  }
}

function textOf({ name, description }: GuideProgram): RowText {
  return { title: searchText(name), description: searchText(description) };
}

function detailOf({ extended }: GuideProgram): string {
  return Object.entries(extended ?? {})
    .flat()
    .map(searchText)
    .join('\n');
}
