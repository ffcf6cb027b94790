/** Compiler of expressions. */
import { Emitter } from './emitter.ts';
import { Op } from './loop.ts';
import type { BinaryOperator, CallNode, Expression, MemberNode } from './syntax.ts';

const BINARY: Readonly<Record<BinaryOperator, Op>> = {
  '+': Op.ADD,
  '-': Op.SUB,
  '*': Op.MUL,
  '/': Op.DIV,
  '%': Op.MOD,
  '&': Op.BITAND,
  '|': Op.BITOR,
  '^': Op.BITXOR,
  '<<': Op.SHL,
  '>>': Op.SHR,
  '>>>': Op.USHR,
  '==': Op.EQ,
  '!=': Op.NE,
  '===': Op.SAME,
  '!==': Op.NOTSAME,
  '<': Op.LT,
  '<=': Op.LE,
  '>': Op.GT,
  '>=': Op.GE,
};

/** The name of a property that is known at compile time. */
function constantKey({ key }: MemberNode): string | undefined {
  return key.type === 'constant' && typeof key.value === 'string' ? key.value : undefined;
}

export class ExpressionCompiler extends Emitter {
  /** An expression whose value is not used. */
  protected effect(node: Expression): void {
    if (node.type === 'list') {
      for (const item of node.items) this.effect(item);
      return;
    }
    if (node.type === 'update') {
      const local = node.target.type === 'name' ? this.local(node.target.name) : undefined;
      if (local !== undefined) {
        this.emit(Op.ADDL, 0, local, node.delta);
        return;
      }
      this.#update(node, false);
    } else if (node.type === 'assign' && node.operator === undefined && node.target.type === 'name') {
      const local = this.local(node.target.name);
      this.expression(node.value);
      if (local !== undefined) {
        this.emit(Op.POPL, -1, local);
        return;
      }
      this.store(node.target);
    } else this.expression(node);
    this.emit(Op.POP, -1);
  }

  protected expression(node: Expression): void {
    switch (node.type) {
      case 'constant':
        this.constant(node.value);
        return;
      case 'this':
        this.emit(Op.THIS, 1);
        return;
      case 'name':
        this.load(node.name);
        return;
      case 'member':
      case 'call':
      case 'new':
        this.#chain(node);
        return;
      case 'array':
        for (const element of node.elements) this.expression(element);
        this.emit(Op.ARRAY, 1 - node.elements.length, node.elements.length);
        return;
      case 'object':
        this.emit(Op.OBJECT, 1);
        for (const [key, value] of node.entries) {
          this.expression(value);
          this.emit(Op.INIT, -1, this.tables.name(key));
        }
        return;
      case 'unary':
        this.#unary(node);
        return;
      case 'update':
        this.#update(node, true);
        return;
      case 'binary':
        this.expression(node.first);
        for (const [operator, operand] of node.rest) {
          this.expression(operand);
          this.emit(BINARY[operator], -1);
        }
        return;
      case 'logical': {
        const ends: number[] = [];
        node.operands.forEach((operand, index) => {
          if (index > 0) ends.push(this.jump(node.and ? Op.AND : Op.OR, -1));
          this.expression(operand);
        });
        this.land(...ends);
        return;
      }
      case 'conditional': {
        this.expression(node.test);
        const no = this.jump(Op.IFNOT, -1);
        this.expression(node.yes);
        const end = this.jump(Op.JUMP, -1);
        this.land(no);
        this.expression(node.no);
        this.land(end);
        return;
      }
      case 'assign':
        this.#assign(node);
        return;
      case 'invalid':
        for (const operand of node.operands) this.effect(operand);
        this.emit(Op.INVALID, 1);
        return;
      case 'list':
        node.items.forEach((item, index) => {
          if (index + 1 < node.items.length) this.effect(item);
          else this.expression(item);
        });
    }
  }

  /** The object and, unless it is a constant name, the key of a property. */
  #member(node: MemberNode): string | undefined {
    this.expression(node.object);
    const name = constantKey(node);
    if (name === undefined) this.expression(node.key);
    return name;
  }

  #assign(node: Expression & { type: 'assign' }): void {
    const { target, operator, value } = node;
    if (target.type === 'name') {
      if (operator !== undefined) this.load(target.name);
      this.expression(value);
      if (operator !== undefined) this.emit(BINARY[operator], -1);
      this.store(target);
      return;
    }
    const name = this.#member(target);
    if (operator !== undefined) this.#fetch(name);
    this.expression(value);
    if (operator !== undefined) this.emit(BINARY[operator], -1);
    this.#set(name);
  }

  /** Reads a property whose object and key stay on the stack. */
  #fetch(name: string | undefined): void {
    if (name === undefined) {
      this.emit(Op.DUP2, 2);
      this.emit(Op.GET, -1);
    } else {
      this.emit(Op.DUP, 1);
      this.emit(Op.GETNAME, 0, this.tables.name(name));
    }
  }

  #set(name: string | undefined): void {
    if (name === undefined) this.emit(Op.SET, -2);
    else this.emit(Op.SETNAME, -1, this.tables.name(name));
  }

  /** `++` and `--`; the value before is the one afterwards minus the step, in the integers of the machine. */
  #update(node: Expression & { type: 'update' }, used: boolean): void {
    const { target, delta, prefix } = node;
    if (target.type === 'name') {
      this.load(target.name);
      this.emit(Op.STEP, 0, delta);
      this.store(target);
    } else {
      const name = this.#member(target);
      this.#fetch(name);
      this.emit(Op.STEP, 0, delta);
      this.#set(name);
    }
    if (used && !prefix) this.emit(Op.STEP, 0, -delta);
  }

  #unary(node: Expression & { type: 'unary' }): void {
    const { operator, operand } = node;
    if (operator === 'typeof' && operand.type === 'name') {
      this.load(operand.name);
      this.emit(Op.TYPEOF, 0);
      return;
    }
    if (operator === 'delete') {
      this.#delete(operand);
      return;
    }
    if (operator === '-' && operand.type === 'constant' && typeof operand.value === 'number') {
      this.constant(0 - operand.value);
      return;
    }
    this.expression(operand);
    switch (operator) {
      case '-':
        this.emit(Op.NEGATE, 0);
        return;
      case '+':
        this.emit(Op.TONUMBER, 0);
        return;
      case '!':
        this.emit(Op.NOT, 0);
        return;
      case '~':
        this.emit(Op.BITNOT, 0);
        return;
      case 'typeof':
        this.emit(Op.TYPEOF, 0);
        return;
      case 'void':
        this.emit(Op.POP, -1);
        this.emit(Op.UNDEFINED, 1);
        return;
    }
  }

  #delete(operand: Expression): void {
    if (operand.type === 'member') {
      this.expression(operand.object);
      this.expression(operand.key);
      this.emit(Op.DELETE, -1);
      return;
    }
    if (operand.type !== 'name') {
      this.effect(operand);
      this.constant(true);
      return;
    }
    const { name } = operand;
    this.within(
      name,
      () => {
        this.constant(name);
        this.emit(Op.DELETE, -1);
      },
      () => {
        if (this.locals.has(name)) this.constant(false);
        else this.emit(Op.DELETEG, 1, this.tables.name(name));
      },
    );
  }

  /** Properties and calls in a row, from the first object on. */
  #chain(node: MemberNode | CallNode): void {
    const links: (MemberNode | CallNode)[] = [];
    let base: Expression = node;
    while (base.type === 'member' || base.type === 'call' || base.type === 'new') {
      links.push(base);
      base = base.type === 'member' ? base.object : base.callee;
    }
    links.reverse();
    const first = links[0];
    if (base.type === 'name' && first?.type === 'call') this.#callee(base.name);
    else this.expression(base);
    links.forEach((link, index) => {
      if (link.type === 'member') this.#link(link, links[index + 1]?.type === 'call');
      else this.#call(link);
    });
  }

  /** A function by name, and the object that is `this`. */
  #callee(name: string): void {
    this.within(
      name,
      () => this.emit(Op.METHODNAME, 1, this.tables.name(name)),
      () => {
        const withs = this.withs.splice(0);
        this.load(name);
        this.withs.push(...withs);
        this.emit(Op.UNDEFINED, 1);
      },
    );
  }

  #link(node: MemberNode, called: boolean): void {
    const name = constantKey(node);
    if (name !== undefined) {
      this.emit(called ? Op.METHODNAME : Op.GETNAME, called ? 1 : 0, this.tables.name(name));
      return;
    }
    this.expression(node.key);
    this.emit(called ? Op.METHOD : Op.GET, called ? 0 : -1);
  }

  #call({ type, callee, args, line }: CallNode): void {
    // A call of a property or a variable has its `this` on the stack already.
    if (type === 'new' || (callee.type !== 'member' && callee.type !== 'name')) this.emit(Op.UNDEFINED, 1);
    for (const arg of args) this.expression(arg);
    this.line(line);
    const name =
      callee.type === 'name' ? callee.name : callee.type === 'member' ? constantKey(callee) : undefined;
    this.emit(type === 'new' ? Op.NEW : Op.CALL, -1 - args.length, args.length, this.tables.name(name ?? ''));
  }
}
