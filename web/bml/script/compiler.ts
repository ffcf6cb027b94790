/** Compiler of the syntax tree to code of the interpreter. */
import { Tables } from './emitter.ts';
import { ExpressionCompiler } from './expressions.ts';
import type { FunctionCode, Unit } from './functions.ts';
import { Op } from './loop.ts';
import { parse } from './parser.ts';
import type { Statement } from './syntax.ts';

/** Code without a jump or call is charged at this interval, so that no length of it runs unnoticed. */
const CHARGE_EVERY = 2048;

/** Throws `SyntaxFault`. */
export function compileUnit(source: string, name: string): Unit {
  const script = parse(source);
  const tables = new Tables(name);
  // `f.arguments` is looked up at run time, so the word alone makes every function keep its arguments.
  const keepsArguments = source.includes('arguments');
  return {
    main: new Compiler(tables, [], [], false).finish('', script.body),
    functions: script.functions.map((node) =>
      new Compiler(tables, node.parameters, node.variables, keepsArguments).finish(node.name, node.body),
    ),
    variables: script.variables,
  };
}

/** What `break` and `continue` refer to. */
interface Enclosing {
  readonly loop: boolean;
  readonly breaks: number[];
  readonly continues: number[];
}

class Compiler extends ExpressionCompiler {
  #charged = 0;
  readonly #enclosing: Enclosing[] = [];
  finish(name: string, body: readonly Statement[]): FunctionCode {
    for (const statement of body) this.#statement(statement);
    this.emit(Op.UNDEFINED, 1);
    this.emit(Op.RETURN, -1);
    return {
      name,
      parameters: this.parameters,
      locals: this.localCount,
      depth: this.deepest,
      argumentsAt: this.argumentsAt,
      ops: Int32Array.from(this.ops),
      lines: this.lines,
      tables: this.tables,
    };
  }

  #statement(node: Statement): void {
    this.line(node.line);
    if (this.ops.length - this.#charged > CHARGE_EVERY) {
      this.#charged = this.ops.length;
      this.emit(Op.CHARGE, 0, CHARGE_EVERY);
    }
    switch (node.type) {
      case 'empty':
        return;
      case 'expression':
        this.effect(node.expression);
        return;
      case 'var':
        for (const [name, value] of node.declarations) {
          if (value === undefined) continue;
          this.expression(value);
          this.store({ type: 'name', name });
          this.emit(Op.POP, -1);
        }
        return;
      case 'block':
        for (const inner of node.body) this.#statement(inner);
        return;
      case 'if':
        this.#if(node);
        return;
      case 'for':
        this.#for(node);
        return;
      case 'forIn':
        this.#forIn(node);
        return;
      case 'doWhile':
        this.#doWhile(node);
        return;
      case 'switch':
        this.#switch(node);
        return;
      case 'with': {
        const local = this.localCount++;
        this.expression(node.object);
        this.emit(Op.TOOBJECT, 0);
        this.emit(Op.POPL, -1, local);
        this.withs.push(local);
        this.#statement(node.body);
        this.withs.pop();
        return;
      }
      case 'return':
        if (node.value === undefined) this.emit(Op.UNDEFINED, 1);
        else this.expression(node.value);
        this.emit(Op.RETURN, -1);
        return;
      case 'break':
        this.#enclosing.at(-1)?.breaks.push(this.jump(Op.JUMP, 0));
        return;
      case 'continue':
        this.#continue();
        return;
    }
  }

  #continue(): void {
    const depth = this.depth;
    for (let at = this.#enclosing.length - 1; at >= 0; at -= 1) {
      const enclosing = this.#enclosing[at];
      if (enclosing?.loop === true) {
        enclosing.continues.push(this.jump(Op.JUMP, 0));
        break;
      }
      // The value of a switch is left on the stack.
      this.emit(Op.POP, -1);
    }
    this.depth = depth;
  }

  /** Compiles a body that `break` and `continue` may leave; the jumps are set by the caller. */
  #enclosed(loop: boolean, compile: () => void): Enclosing {
    const enclosing: Enclosing = { loop, breaks: [], continues: [] };
    this.#enclosing.push(enclosing);
    compile();
    this.#enclosing.pop();
    return enclosing;
  }

  /** A backward jump costs as much as the code of a turn. */
  #loop(op: Op, effect: number, start: number): void {
    this.emit(op, effect, start, 1 + ((this.ops.length - start) >> 4));
  }

  #if(node: Statement & { type: 'if' }): void {
    const ends: number[] = [];
    node.arms.forEach(([test, body], index) => {
      this.expression(test);
      const next = this.jump(Op.IFNOT, -1);
      this.#statement(body);
      if (index + 1 < node.arms.length || node.otherwise !== undefined) ends.push(this.jump(Op.JUMP, 0));
      this.land(next);
    });
    if (node.otherwise !== undefined) this.#statement(node.otherwise);
    this.land(...ends);
  }

  #for(node: Statement & { type: 'for' }): void {
    if (node.init !== undefined) this.#statement(node.init);
    // The test stands behind the body: one jump a round.
    const entry = node.test === undefined ? undefined : this.jump(Op.JUMP, 0);
    const start = this.ops.length;
    const { breaks, continues } = this.#enclosed(true, () => this.#statement(node.body));
    this.land(...continues);
    this.line(node.line);
    if (node.update !== undefined) this.effect(node.update);
    if (entry !== undefined) this.land(entry);
    if (node.test === undefined) this.#loop(Op.LOOP, 0, start);
    else {
      this.expression(node.test);
      this.#loop(Op.LOOPIF, -1, start);
    }
    this.land(...breaks);
  }

  #forIn(node: Statement & { type: 'forIn' }): void {
    if (node.init !== undefined && node.target.type === 'name') {
      this.expression(node.init);
      this.store(node.target);
      this.emit(Op.POP, -1);
    }
    this.expression(node.object);
    this.emit(Op.KEYS, 0);
    const start = this.ops.length;
    const end = this.jump(Op.NEXTKEY, 1);
    if (node.target.type === 'name') this.store(node.target);
    else {
      // The key lies below the object that gets it.
      this.expression(node.target.object);
      this.expression(node.target.key);
      this.emit(Op.ROTATE, 0);
      this.emit(Op.SET, -2);
    }
    this.emit(Op.POP, -1);
    const { breaks, continues } = this.#enclosed(true, () => this.#statement(node.body));
    this.land(...continues);
    this.#loop(Op.LOOP, 0, start);
    this.land(end, ...breaks);
    this.emit(Op.POP, -1);
  }

  #doWhile(node: Statement & { type: 'doWhile' }): void {
    const start = this.ops.length;
    const { breaks, continues } = this.#enclosed(true, () => this.#statement(node.body));
    this.land(...continues);
    this.expression(node.test);
    this.#loop(Op.LOOPIF, -1, start);
    this.land(...breaks);
  }

  #switch(node: Statement & { type: 'switch' }): void {
    this.expression(node.value);
    const entries = node.clauses.map(([test]) => {
      if (test === undefined) return undefined;
      this.emit(Op.DUP, 1);
      this.expression(test);
      this.emit(Op.SAME, -1);
      return this.jump(Op.IF, -1);
    });
    const otherwise = this.jump(Op.JUMP, 0);
    let hasDefault = false;
    const { breaks } = this.#enclosed(false, () => {
      node.clauses.forEach(([test, body], index) => {
        hasDefault ||= test === undefined;
        this.land(entries[index] ?? otherwise);
        for (const statement of body) this.#statement(statement);
      });
    });
    if (!hasDefault) this.land(otherwise);
    this.land(...breaks);
    this.emit(Op.POP, -1);
  }
}
