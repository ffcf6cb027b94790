/** The programmes of an index by their rows. */
import type { ProgramId } from '../../../arib/ids.ts';
import type { GuideProgram } from './guide-program.ts';

export interface ProgramRows {
  readonly size: number;
  /** Of a programme; undefined: it is in none. */
  rowOf(id: ProgramId): number | undefined;
  /** The same object as long as somebody holds it; undefined: nothing is in the row. */
  at(row: number): GuideProgram | undefined;
  /** Into a row that is empty, or in the place of what has the same id. Rows are given out one after the other. */
  put(row: number, program: GuideProgram): void;
  clear(row: number): void;
}

/** As the objects that were put in. */
export class ProgramObjects implements ProgramRows {
  readonly #programs: (GuideProgram | undefined)[] = [];
  readonly #rows = new Map<ProgramId, number>();

  get size(): number {
    return this.#rows.size;
  }

  rowOf(id: ProgramId): number | undefined {
    return this.#rows.get(id);
  }

  at(row: number): GuideProgram | undefined {
    return this.#programs[row];
  }

  put(row: number, program: GuideProgram): void {
    this.#programs[row] = program;
    this.#rows.set(program.id, row);
  }

  clear(row: number): void {
    const program = this.#programs[row];
    this.#programs[row] = undefined;
    if (program !== undefined) this.#rows.delete(program.id);
  }
}
