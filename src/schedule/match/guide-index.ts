/**
 * The programmes of the guide, held so that a rule finds its own without looking at all of them. A programme has a
 * row; of every letter, every pair of letters and every attribute there is a column of bits, one a row. A rule puts
 * its columns together and looks closely at what is left. Letters share columns (`COLUMNS`): what is left may hold
 * programmes that do not match, and never misses one that does.
 */
import type { ProgramId, StationId } from '../../../arib/ids.ts';
import type { ProgramRecord } from '../../model/program.ts';
import { searchText } from '../../model/search-text.ts';
import { Bits } from './bits.ts';

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

/** A text has some 200 letters and pairs: a tenth of the columns. Of 60,000 programmes they take 15 MB. */
const COLUMNS = 2048;

export interface GuideRow {
  readonly row: number;
  readonly program: GuideProgram;
  /** Name and description in normal form, a line break between them. */
  readonly text: string;
  /** Length of the name in it. */
  readonly titleLength: number;
}

function column(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second + 1, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 21;
}

/** Columns of the letters and pairs of a text, each at least once. Blanks part words and are no letters. */
function columnsOf(text: string): number[] {
  const found: number[] = [];
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x20 || unit === 0x0a) {
      before = 0;
      continue;
    }
    found.push(column(unit, 0));
    if (before !== 0) found.push(column(before, unit));
    before = unit;
  }
  return found;
}

/** Texts by their letters. */
class TextColumns {
  readonly #columns = Array.from({ length: COLUMNS }, () => new Bits());

  set(row: number, text: string): void {
    for (const index of columnsOf(text)) this.#columns[index]?.add(row);
  }

  /** @param text that was set */
  clear(row: number, text: string): void {
    for (const index of columnsOf(text)) this.#columns[index]?.delete(row);
  }

  /** Leaves of `rows` those that may contain the word. */
  narrow(rows: Bits, word: string): void {
    for (const index of new Set(columnsOf(word))) {
      const bits = this.#columns[index];
      if (bits !== undefined) rows.and(bits);
    }
  }
}

/** Changes that are remembered for those who keep something up. */
const REMEMBERED = 5000;

export class GuideIndex {
  readonly #changes: GuideProgram[] = [];
  /** Counts what was put and removed. */
  #version = 0;
  readonly #rows: (GuideRow | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #byId = new Map<ProgramId, GuideRow>();
  readonly #all = new Bits();
  readonly #texts = new TextColumns();
  /** Of extended texts, which are long: made when a rule first asks. */
  #details: TextColumns | undefined;
  readonly #detailTexts: (string | undefined)[] = [];
  readonly #stations = new Map<StationId, Bits>();
  readonly #genres = Array.from({ length: 16 }, () => new Bits());

  get size(): number {
    return this.#byId.size;
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
    return this.#byId.get(id)?.program;
  }

  row(id: ProgramId): GuideRow | undefined {
    return this.#byId.get(id);
  }

  at(row: number): GuideRow | undefined {
    return this.#rows[row];
  }

  put(program: GuideProgram): GuideRow {
    this.remove(program.id);
    const row = this.#free.pop() ?? this.#rows.length;
    const title = searchText(program.name);
    const text = `${title}\n${searchText(program.description)}`;
    const held: GuideRow = { row, program, text, titleLength: title.length };
    this.#rows[row] = held;
    this.#byId.set(program.id, held);
    this.#note(program);
    this.#all.add(row);
    this.#texts.set(row, text);
    this.#details?.set(row, this.detailText(held));
    const station = this.#stations.get(program.stationId) ?? new Bits();
    this.#stations.set(program.stationId, station);
    station.add(row);
    for (const { lv1 } of program.genres) this.#genres[lv1]?.add(row);
    return held;
  }

  remove(id: ProgramId): void {
    const held = this.#byId.get(id);
    if (held === undefined) return;
    const { row, program, text } = held;
    this.#byId.delete(id);
    this.#rows[row] = undefined;
    this.#all.delete(row);
    this.#texts.clear(row, text);
    this.#details?.clear(row, this.detailText(held));
    this.#detailTexts[row] = undefined;
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

  /** Headings and bodies of the extended text, in normal form, a line each. */
  detailText({ row, program }: GuideRow): string {
    const known = this.#detailTexts[row];
    if (known !== undefined) return known;
    const lines = Object.entries(program.extended ?? {}).flat();
    const text = lines.map(searchText).join('\n');
    this.#detailTexts[row] = text;
    return text;
  }

  /** A copy of all rows, to be narrowed. */
  all(): Bits {
    return this.#all.copy();
  }

  /** Leaves what may contain the word, in name or description, or also in the extended text. */
  narrowByWord(rows: Bits, word: string, extended: boolean): void {
    if (!extended) {
      this.#texts.narrow(rows, word);
      return;
    }
    const inDetails = rows.copy();
    this.#detailColumns().narrow(inDetails, word);
    this.#texts.narrow(rows, word);
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
      const held = this.#rows[row];
      if (held !== undefined) found.push(held.program);
    });
    return found;
  }

  #detailColumns(): TextColumns {
    if (this.#details !== undefined) return this.#details;
    const details = new TextColumns();
    for (const held of this.#byId.values()) details.set(held.row, this.detailText(held));
    this.#details = details;
    return details;
  }
}
