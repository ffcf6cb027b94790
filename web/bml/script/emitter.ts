/** Emits code: positions of jumps, the depth of the stack, lines, and where the variables of a function are. */
import type { CodeTables } from './functions.ts';
import { Op } from './loop.ts';
import type { Target } from './syntax.ts';
import type { Primitive, Slot } from './values.ts';

export class Tables implements CodeTables {
  readonly cells: (Slot | undefined)[] = [];
  readonly constants: Primitive[] = [];
  readonly names: string[] = [];
  readonly #constantAt = new Map<Primitive, number>();
  readonly #nameAt = new Map<string, number>();

  constructor(readonly unit: string) {}

  constant(value: Primitive): number {
    return indexIn(this.constants, this.#constantAt, value);
  }

  name(name: string): number {
    return indexIn(this.names, this.#nameAt, name);
  }
}

function indexIn<T>(list: T[], places: Map<T, number>, value: T): number {
  const known = places.get(value);
  if (known !== undefined) return known;
  places.set(value, list.length);
  return list.push(value) - 1;
}

export class Emitter {
  protected readonly ops: number[] = [];
  protected readonly lines: number[] = [];
  protected readonly locals = new Map<string, number>();
  protected readonly parameters: number;
  protected readonly argumentsAt: number;
  protected localCount = 0;
  protected depth = 0;
  protected deepest = 0;
  /** Local variables that hold the objects of `with`, the innermost last. */
  protected readonly withs: number[] = [];

  constructor(
    protected readonly tables: Tables,
    parameters: readonly string[],
    variables: readonly string[],
    keepsArguments: boolean,
  ) {
    this.parameters = parameters.length;
    parameters.forEach((name, index) => {
      this.locals.set(name, index);
    });
    this.localCount = parameters.length;
    for (const name of variables) this.locals.set(name, this.localCount++);
    this.argumentsAt = keepsArguments ? this.localCount++ : -1;
    if (keepsArguments && !this.locals.has('arguments')) this.locals.set('arguments', this.argumentsAt);
  }

  /** `effect` is how many values more the stack holds afterwards. */
  protected emit(op: Op, effect: number, ...operands: readonly number[]): void {
    this.ops.push(op, ...operands);
    this.depth += effect;
    if (this.depth > this.deepest) this.deepest = this.depth;
  }

  protected jump(op: Op, effect: number): number {
    this.emit(op, effect, 0);
    return this.ops.length - 1;
  }

  protected land(...jumps: readonly number[]): void {
    for (const jump of jumps) this.ops[jump] = this.ops.length;
  }

  protected line(line: number): void {
    if (this.lines.at(-1) !== line) this.lines.push(this.ops.length, line);
  }

  protected constant(value: Primitive): void {
    if (typeof value === 'number' && (value | 0) === value) this.emit(Op.INTEGER, 1, value);
    else this.emit(Op.CONSTANT, 1, this.tables.constant(value));
  }

  /** The local variable of a name, unless an object of `with` may have it. */
  protected local(name: string): number | undefined {
    if (this.withs.length > 0) return undefined;
    const local = this.locals.get(name);
    // Parameters are elements of the arguments object, if there is one.
    return local !== undefined && this.argumentsAt >= 0 && local < this.parameters ? undefined : local;
  }

  /** Looks a name up in the objects of `with`: `found` with the object on the stack, else `outside`. */
  protected within(name: string, found: () => void, outside: () => void): void {
    const depth = this.depth;
    const ends: number[] = [];
    for (const local of [...this.withs].reverse()) {
      this.emit(Op.HAS, 1, local, this.tables.name(name), 0);
      const next = this.ops.length - 1;
      found();
      ends.push(this.jump(Op.JUMP, 0));
      this.land(next);
      this.depth = depth;
    }
    outside();
    this.land(...ends);
  }

  protected load(name: string): void {
    this.within(
      name,
      () => this.emit(Op.GETNAME, 0, this.tables.name(name)),
      () => {
        const local = this.locals.get(name);
        if (local === undefined) this.emit(Op.LOADG, 1, this.tables.name(name));
        else if (this.argumentsAt >= 0 && local < this.parameters) {
          this.emit(Op.LOADL, 1, this.argumentsAt);
          this.emit(Op.INTEGER, 1, local);
          this.emit(Op.GET, -1);
        } else this.emit(Op.LOADL, 1, local);
      },
    );
  }

  /** Stores the value on the stack, which stays there. */
  protected store(target: Target & { type: 'name' }): void {
    const { name } = target;
    this.within(
      name,
      () => {
        this.emit(Op.SWAP, 0);
        this.emit(Op.SETNAME, -1, this.tables.name(name));
      },
      () => {
        const local = this.locals.get(name);
        if (local === undefined) this.emit(Op.STOREG, 0, this.tables.name(name));
        else if (this.argumentsAt >= 0 && local < this.parameters) {
          this.emit(Op.LOADL, 1, this.argumentsAt);
          this.emit(Op.INTEGER, 1, local);
          this.emit(Op.ROTATE, 0);
          this.emit(Op.SET, -2);
        } else this.emit(Op.STOREL, 0, local);
      },
    );
  }
}
