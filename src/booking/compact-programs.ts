/**
 * The guide in the planning worker's memory, for 60,000 programmes: numbers in typed arrays, texts in the database,
 * equal lists shared. A programme is an object only while something refers to it: a rule that matched it, or a series.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type Genre, isGenre, isProgramGroup, type ProgramGroup } from '../model/program.ts';
import { LruCache } from '../schedule/match/lru-cache.ts';
import type { TextReader } from '../schedule/match/normal-texts.ts';
import type { IndexedProgram, ProgramRows } from '../schedule/match/program-rows.ts';
import type { ExtendedRow, ShortTexts, StoredProgram } from '../store/planning-database.ts';
import { readList, readTexts } from '../store/stored-json.ts';

/** The part of the database that texts are read from. */
export interface TextSource {
  texts(id: ProgramId): ShortTexts;
  extended(id: ProgramId): Record<string, string> | null;
  /** The same of many, without those that no longer exist. */
  textsOf(ids: readonly ProgramId[]): readonly (ShortTexts & { readonly id: ProgramId })[];
  extendedOf(ids: readonly ProgramId[]): readonly ExtendedRow[];
}

/** Cached texts: reservations are read with every plan, matches of rules occasionally; some 400 octets each. */
const RECENT_TEXTS = 2000;

const NO_GROUPS: ProgramGroup[] = [];
/** Bound of cached lists: there are 16 major genres with 16 each; a programme has a few. */
const MAX_ALIKE = 10_000;

/** Shared by programmes: lists of genres by their stored text, and the source of texts. */
export class Shared implements TextReader {
  readonly #genres = new Map<string, Genre[]>();
  readonly #texts = new LruCache<ProgramId, ShortTexts>(RECENT_TEXTS);

  constructor(private readonly source: TextSource) {}

  genres(text: string): Genre[] {
    const known = this.#genres.get(text);
    if (known !== undefined) return known;
    const genres = readList<Genre>(text, isGenre);
    if (this.#genres.size < MAX_ALIKE) this.#genres.set(text, genres);
    return genres;
  }

  texts(id: ProgramId): ShortTexts {
    return this.#texts.of(id, () => this.source.texts(id));
  }

  extended(id: ProgramId): Record<string, string> | null {
    return this.source.extended(id);
  }

  readShort(ids: readonly ProgramId[]): void {
    const missing = ids.filter((id) => !this.#texts.has(id));
    if (missing.length === 0) return;
    for (const { id, name, description } of this.source.textsOf(missing))
      this.#texts.set(id, { name, description });
  }

  details(ids: readonly ProgramId[]): (readonly [ProgramId, string[]])[] {
    if (ids.length === 0) return [];
    return this.source.extendedOf(ids).map(({ id, extended }) => [id, readTexts(extended)] as const);
  }

  /** Just read: its texts stay cached for a while. */
  program(stored: StoredProgram): IndexedProgram {
    const { name, description } = stored;
    this.#texts.set(stored.id, { name, description });
    return new CompactProgram(this.values(stored), this);
  }

  /** With its short texts, to be put into an index. */
  values(stored: StoredProgram): IndexedProgram {
    const groups = stored.groups === '[]' ? NO_GROUPS : readList<ProgramGroup>(stored.groups, isProgramGroup);
    return { ...stored, genres: this.genres(stored.genres), groups, extended: null };
  }
}

type Values = Omit<IndexedProgram, 'name' | 'description' | 'extended'>;

/** Texts are getters of the class: a spread copy does not have them. */
class CompactProgram implements IndexedProgram {
  readonly id: ProgramId;
  readonly stationId: StationId;
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  readonly openEnd: boolean;
  readonly genres: Genre[];
  readonly isFree: boolean;
  readonly copyNever: boolean;
  readonly groups: ProgramGroup[];
  readonly #shared: Shared;

  constructor(values: Values, shared: Shared) {
    this.id = values.id;
    this.stationId = values.stationId;
    this.startAt = values.startAt;
    this.endAt = values.endAt;
    this.openEnd = values.openEnd;
    this.genres = values.genres;
    this.isFree = values.isFree;
    this.copyNever = values.copyNever;
    this.groups = values.groups;
    this.#shared = shared;
  }

  get name(): string {
    return this.#shared.texts(this.id).name;
  }

  get description(): string {
    return this.#shared.texts(this.id).description;
  }

  get extended(): Record<string, string> | null {
    return this.#shared.extended(this.id);
  }
}

const OPEN_END = 1;
const FREE = 2;
const COPY_NEVER = 4;
const FIRST_ROWS = 4096;
/** Per row: id, station, start and end. */
const NUMBERS = 4;

export class CompactPrograms implements ProgramRows {
  /** All 0 if a row is empty. */
  #numbers = new Float64Array(FIRST_ROWS * NUMBERS);
  #flags = new Uint8Array(FIRST_ROWS);
  readonly #genres: Genre[][] = [];
  /** Few programmes have any. */
  readonly #groups = new Map<number, ProgramGroup[]>();
  readonly #rows = new Map<ProgramId, number>();
  readonly #held = new Map<number, WeakRef<IndexedProgram>>();

  constructor(private readonly shared: Shared) {}

  get size(): number {
    return this.#rows.size;
  }

  rowOf(id: ProgramId): number | undefined {
    return this.#rows.get(id);
  }

  at(row: number): IndexedProgram | undefined {
    const held = this.#held.get(row)?.deref();
    if (held !== undefined) return held;
    const first = row * NUMBERS;
    const number = (at: number): number => this.#numbers[first + at] ?? 0;
    const id = number(0);
    if (id === 0) return undefined;
    const flags = this.#flags[row] ?? 0;
    const program = new CompactProgram(
      {
        id: id as ProgramId,
        stationId: number(1) as StationId,
        startAt: number(2) as BroadcastMs,
        endAt: number(3) as BroadcastMs,
        openEnd: (flags & OPEN_END) !== 0,
        genres: this.#genres[row] ?? [],
        isFree: (flags & FREE) !== 0,
        copyNever: (flags & COPY_NEVER) !== 0,
        groups: this.#groups.get(row) ?? NO_GROUPS,
      },
      this.shared,
    );
    this.#held.set(row, new WeakRef(program));
    return program;
  }

  put(row: number, program: IndexedProgram): void {
    if (row >= this.#flags.length) this.#grow();
    const { id, stationId, startAt, endAt, openEnd, genres, isFree, copyNever, groups } = program;
    this.#numbers.set([id, stationId, startAt, endAt], row * NUMBERS);
    this.#flags[row] = (openEnd ? OPEN_END : 0) | (isFree ? FREE : 0) | (copyNever ? COPY_NEVER : 0);
    this.#genres[row] = genres;
    if (groups.length > 0) this.#groups.set(row, groups);
    else this.#groups.delete(row);
    this.#held.delete(row);
    this.#rows.set(id, row);
  }

  clear(row: number): void {
    const at = row * NUMBERS;
    this.#rows.delete((this.#numbers[at] ?? 0) as ProgramId);
    this.#numbers.fill(0, at, at + NUMBERS);
    this.#groups.delete(row);
    this.#held.delete(row);
  }

  /** Drops entries of objects that were garbage-collected. */
  sweep(): void {
    for (const [row, program] of this.#held) {
      if (program.deref() === undefined) this.#held.delete(row);
    }
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
    const flags = new Uint8Array(this.#flags.length * 2);
    flags.set(this.#flags);
    this.#flags = flags;
  }
}
