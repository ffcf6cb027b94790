/**
 * A programme of the guide as the planning worker holds it: sixty thousand of them have to be small. Its texts stay
 * in the database; what many programmes have alike is one object.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { EpochMs } from '../../arib/time.ts';
import type { Genre, ProgramGroup } from '../model/program.ts';
import type { GuideProgram } from '../schedule/match/guide-index.ts';
import { Recent } from '../schedule/match/recent.ts';
import { readList } from '../store/json.ts';
import type { ShortTexts, StoredProgram } from '../store/plan-file.ts';

/** The database, as far as texts are read again out of it. */
export interface TextSource {
  texts(id: ProgramId): ShortTexts;
  extended(id: ProgramId): Record<string, string> | null;
}

/** What is booked is asked for with every plan, what rules match now and then: some 400 octets each. */
const RECENT_TEXTS = 2000;

const NO_GROUPS: ProgramGroup[] = [];
/** There are 16 major genres with 16 each; programmes have up to a few. */
const MAX_ALIKE = 10_000;

/** What programmes share: lists of genres by what they are written as, and where their texts are. */
export class Shared {
  readonly #genres = new Map<string, Genre[]>();
  readonly #texts = new Recent<ProgramId, ShortTexts>(RECENT_TEXTS);

  constructor(private readonly source: TextSource) {}

  genres(text: string): Genre[] {
    const known = this.#genres.get(text);
    if (known !== undefined) return known;
    const genres = readList<Genre>(text);
    if (this.#genres.size < MAX_ALIKE) this.#genres.set(text, genres);
    return genres;
  }

  groups(text: string): ProgramGroup[] {
    return text === '[]' ? NO_GROUPS : readList<ProgramGroup>(text);
  }

  texts(id: ProgramId): ShortTexts {
    return this.#texts.of(id, () => this.source.texts(id));
  }

  extended(id: ProgramId): Record<string, string> | null {
    return this.source.extended(id);
  }

  /** The programme has others now. */
  forget(id: ProgramId): void {
    this.#texts.delete(id);
  }
}

/** Texts come by getters of the class: a spread copy lacks them. */
export class HeldProgram implements GuideProgram {
  readonly id: ProgramId;
  readonly stationId: StationId;
  readonly startAt: EpochMs;
  readonly endAt: EpochMs;
  readonly openEnd: boolean;
  readonly genres: Genre[];
  readonly isFree: boolean;
  readonly copyNever: boolean;
  readonly groups: ProgramGroup[];
  /** Another one when anything of the row is different. */
  readonly mark: number;
  readonly #shared: Shared;
  #texts: ShortTexts | undefined;

  constructor(stored: StoredProgram, shared: Shared) {
    this.id = stored.id;
    this.stationId = stored.stationId;
    this.startAt = stored.startAt;
    this.endAt = stored.endAt;
    this.openEnd = stored.openEnd;
    this.genres = shared.genres(stored.genres);
    this.isFree = stored.isFree;
    this.copyNever = stored.copyNever;
    this.groups = shared.groups(stored.groups);
    this.mark = stored.mark;
    this.#shared = shared;
    this.#texts = stored;
  }

  get name(): string {
    return (this.#texts ?? this.#shared.texts(this.id)).name;
  }

  get description(): string {
    return (this.#texts ?? this.#shared.texts(this.id)).description;
  }

  get extended(): Record<string, string> | null {
    return this.#shared.extended(this.id);
  }

  /** It is in the index now: few are asked for their words again. */
  letGo(): void {
    this.#texts = undefined;
    this.#shared.forget(this.id);
  }
}
