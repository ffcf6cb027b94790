/** The programmes of an index, with the fields that rules and the plan use, by their rows. */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import type { ProgramRecord } from '../../model/program.ts';

/** Fields of a programme for rules and the plan. Immutable: a change creates a new object. */
export type IndexedProgram = Readonly<
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

export interface ProgramRows {
  readonly size: number;
  /** Row of a programme; undefined if it has none. */
  rowOf(id: ProgramId): number | undefined;
  /** The same object as long as it is referenced; undefined: the row is empty. */
  at(row: number): IndexedProgram | undefined;
  /** Stores it in an empty row, or replaces the programme with the same id. Rows are assigned consecutively. */
  put(row: number, program: IndexedProgram): void;
  clear(row: number): void;
}

/** Keeps the objects themselves. */
export class ProgramObjects implements ProgramRows {
  readonly #programs: (IndexedProgram | undefined)[] = [];
  readonly #rows = new Map<ProgramId, number>();

  get size(): number {
    return this.#rows.size;
  }

  rowOf(id: ProgramId): number | undefined {
    return this.#rows.get(id);
  }

  at(row: number): IndexedProgram | undefined {
    return this.#programs[row];
  }

  put(row: number, program: IndexedProgram): void {
    this.#programs[row] = program;
    this.#rows.set(program.id, row);
  }

  clear(row: number): void {
    const program = this.#programs[row];
    this.#programs[row] = undefined;
    if (program !== undefined) this.#rows.delete(program.id);
  }
}
