/**
 * A programme of the guide as the planning worker holds it: sixty thousand of them have to be small. Its long texts
 * stay in the database; what many programmes have alike is one object.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { EpochMs } from '../../arib/time.ts';
import type { Genre, ProgramGroup } from '../model/program.ts';
import type { GuideProgram } from '../schedule/match/guide-index.ts';
import type { LongTexts, StoredProgram } from '../store/plan-file.ts';

/** Where long texts are read again. */
export interface TextSource {
  texts(id: ProgramId): LongTexts;
}

const NO_GROUPS: ProgramGroup[] = [];
/** There are 16 major genres with 16 each; programmes have up to a few. */
const MAX_ALIKE = 10_000;

/** Lists of genres by what they are written as. */
export class Alike {
  readonly #genres = new Map<string, Genre[]>();

  genres(text: string): Genre[] {
    const known = this.#genres.get(text);
    if (known !== undefined) return known;
    const genres = JSON.parse(text) as Genre[];
    if (this.#genres.size < MAX_ALIKE) this.#genres.set(text, genres);
    return genres;
  }

  groups(text: string): ProgramGroup[] {
    return text === '[]' ? NO_GROUPS : (JSON.parse(text) as ProgramGroup[]);
  }
}

/** Texts come by getters of the class: a spread copy lacks them. */
export class HeldProgram implements GuideProgram {
  readonly id: ProgramId;
  readonly stationId: StationId;
  readonly startAt: EpochMs;
  readonly endAt: EpochMs;
  readonly openEnd: boolean;
  readonly name: string;
  readonly genres: Genre[];
  readonly isFree: boolean;
  readonly copyNever: boolean;
  readonly groups: ProgramGroup[];
  /** Another one when anything of the row is different. */
  readonly mark: number;
  readonly #source: TextSource;
  #description: string | undefined;

  constructor(stored: StoredProgram, alike: Alike, source: TextSource) {
    this.id = stored.id;
    this.stationId = stored.stationId;
    this.startAt = stored.startAt;
    this.endAt = stored.endAt;
    this.openEnd = stored.openEnd;
    this.name = stored.name;
    this.genres = alike.genres(stored.genres);
    this.isFree = stored.isFree;
    this.copyNever = stored.copyNever;
    this.groups = alike.groups(stored.groups);
    this.mark = stored.mark;
    this.#source = source;
    this.#description = stored.description;
  }

  /** Read again where it is wanted: of what is booked, in each plan. */
  get description(): string {
    this.#description ??= this.#source.texts(this.id).description;
    return this.#description;
  }

  get extended(): Record<string, string> | null {
    return this.#source.texts(this.id).extended;
  }

  /** It is in the index now: few are asked for their words again. */
  letGo(): void {
    this.#description = undefined;
  }
}
