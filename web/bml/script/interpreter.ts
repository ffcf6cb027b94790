/** The operations of the interpreter that its loop does not do itself: those on objects, texts and mixed values. */
import { compareTexts, looselyEqual, toNumber, toText, truncated, typeName } from './conversions.ts';
import { ScriptError } from './functions.ts';
import { HostObject } from './host.ts';
import { Loop, Op } from './loop.ts';
import { ScriptObject, textBytes, type Value } from './values.ts';

export abstract class Interpreter extends Loop {
  protected override slow(op: Op, at: number, names: readonly string[]): void {
    const frame = this.frame;
    if (frame === undefined) return;
    const { stack } = this;
    const { ops } = frame.code;
    const top = this.sp - 1;
    if (op >= Op.ADD && op <= Op.NE) {
      this.#binary(op, at);
      return;
    }
    switch (op) {
      case Op.THIS:
        this.put(this.thisObject(frame));
        return;
      case Op.ADDL:
        this.convert(frame.base + 2 + (ops[at + 1] ?? 0), 'number', at);
        return;
      case Op.DELETEG:
        this.put(this.deleteGlobal(names[ops[frame.pc++] ?? 0] ?? ''));
        return;
      case Op.SWAP:
      case Op.ROTATE: {
        const first = op === Op.SWAP ? top - 1 : top - 2;
        const value = stack[first];
        stack.copyWithin(first, first + 1, top + 1);
        stack[top] = value;
        return;
      }
      case Op.GET:
      case Op.METHOD: {
        const key = stack[top];
        if (key instanceof ScriptObject) {
          this.convert(top, 'string', at);
          return;
        }
        const object = stack[top - 1];
        stack[top - 1] = this.read(object, toText(key));
        if (op === Op.METHOD) stack[top] = object;
        else this.sp -= 1;
        return;
      }
      case Op.GETNAME:
      case Op.METHODNAME: {
        const object = stack[top];
        stack[top] = this.read(object, names[ops[frame.pc++] ?? 0] ?? '');
        if (op === Op.METHODNAME) this.put(object);
        return;
      }
      case Op.SET: {
        const key = stack[top - 1];
        if (key instanceof ScriptObject) {
          this.convert(top - 1, 'string', at);
          return;
        }
        this.#write(stack[top - 2], toText(key), 2, at);
        return;
      }
      case Op.SETNAME:
        frame.pc += 1;
        this.#write(stack[top - 1], names[ops[at + 1] ?? 0] ?? '', 1, at);
        return;
      case Op.INIT: {
        const object = stack[top - 1];
        if (object instanceof ScriptObject)
          this.allocate(object.put(names[ops[frame.pc++] ?? 0] ?? '', stack[top]));
        this.sp -= 1;
        return;
      }
      case Op.DELETE: {
        const key = stack[top];
        if (key instanceof ScriptObject) {
          this.convert(top, 'string', at);
          return;
        }
        const object = stack[top - 1];
        stack[top - 1] = !(object instanceof ScriptObject) || object.remove(toText(key));
        this.sp -= 1;
        return;
      }
      case Op.HAS: {
        const object = stack[frame.base + 2 + (ops[at + 1] ?? 0)];
        if (object instanceof ScriptObject && object.has(names[ops[at + 2] ?? 0] ?? '')) {
          frame.pc += 3;
          this.put(object);
        } else frame.pc = ops[at + 3] ?? 0;
        return;
      }
      case Op.TOOBJECT:
        stack[top] = this.toObject(stack[top]);
        return;
      case Op.INVALID:
        throw new ScriptError('an assignment needs a variable or a property');
      case Op.ARRAY: {
        const first = this.sp - (ops[frame.pc++] ?? 0);
        const array = this.array(stack.slice(first, this.sp));
        this.sp = first;
        this.put(array);
        return;
      }
      case Op.OBJECT:
        this.put(this.object(this.prototypes.Object));
        return;
      case Op.KEYS:
        stack[top] = this.keys(stack[top]);
        return;
      case Op.NEXTKEY: {
        const key = this.nextKey(stack[top]);
        if (key === undefined) frame.pc = ops[at + 1] ?? 0;
        else {
          frame.pc += 1;
          this.put(key);
        }
        return;
      }
      default:
        this.#unary(op, at);
        return;
    }
  }

  #unary(op: Op, at: number): void {
    const top = this.sp - 1;
    const value = this.stack[top];
    if (op === Op.TYPEOF) {
      this.stack[top] = typeName(value);
      return;
    }
    if (value instanceof ScriptObject) {
      this.convert(top, 'number', at);
      return;
    }
    const number = toNumber(value);
    if (op === Op.NEGATE) this.stack[top] = number === (number | 0) ? (0 - number) | 0 : 0 - number;
    else if (op === Op.TONUMBER) this.stack[top] = number;
    else if (op === Op.BITNOT) this.stack[top] = ~number;
    else if (op === Op.STEP && this.frame !== undefined)
      this.stack[top] = truncated(number + (this.frame.code.ops[this.frame.pc++] ?? 0));
  }

  #binary(op: Op, at: number): void {
    const top = this.sp - 1;
    const a = this.stack[top - 1];
    const b = this.stack[top];
    const equality = op === Op.EQ || op === Op.NE;
    const objects = a instanceof ScriptObject && b instanceof ScriptObject;
    const missing = a === undefined || a === null || b === undefined || b === null;
    if (!(equality && (objects || missing))) {
      const hint = equality || op === Op.ADD ? 'default' : 'number';
      if (a instanceof ScriptObject) {
        this.convert(top - 1, hint, at);
        return;
      }
      if (b instanceof ScriptObject) {
        this.convert(top, hint, at);
        return;
      }
    }
    this.stack[top - 1] = equality ? looselyEqual(a, b) === (op === Op.EQ) : this.#operate(op, a, b);
    this.sp -= 1;
  }

  #operate(op: Op, a: Value, b: Value): Value {
    // Objects were converted before.
    if (a instanceof ScriptObject || b instanceof ScriptObject) return undefined;
    if (op === Op.ADD && (typeof a === 'string' || typeof b === 'string')) {
      const text = toText(a) + toText(b);
      this.allocate(textBytes(text));
      this.charge(text.length >> 5);
      return text;
    }
    if (op >= Op.LT && op <= Op.GE && typeof a === 'string' && typeof b === 'string') {
      this.charge(Math.min(a.length, b.length) >> 2);
      return compared(op, compareTexts(a, b, this.characters), 0);
    }
    const left = toNumber(a);
    const right = toNumber(b);
    switch (op) {
      case Op.ADD:
        return truncated(left + right);
      case Op.SUB:
        return truncated(left - right);
      case Op.MUL:
        return left === (left | 0) && right === (right | 0)
          ? Math.imul(left, right)
          : truncated(left * right);
      case Op.DIV:
        return truncated(left / right);
      case Op.MOD:
        return truncated(left % right);
      case Op.BITAND:
        return left & right;
      case Op.BITOR:
        return left | right;
      case Op.BITXOR:
        return left ^ right;
      case Op.SHL:
        return left << right;
      case Op.SHR:
        return left >> right;
      case Op.USHR:
        return (left >>> right) | 0;
      default:
        return compared(op, left, right);
    }
  }

  /** Writes a property; `below` is how many values lie between the result's place and the value. */
  #write(object: Value, key: string, below: number, at: number): void {
    const top = this.sp - 1;
    let value = this.stack[top];
    if (object instanceof HostObject) {
      const type = object.binding.typeOf(key);
      if (type !== 'any') {
        if (value instanceof ScriptObject) {
          this.convert(top, type === 'number' ? 'number' : 'string', at);
          return;
        }
        value = this.coerced(value, type);
      }
    }
    this.write(object, key, value);
    this.sp -= below;
    this.stack[this.sp - 1] = this.stack[top];
  }
}

function compared(op: Op, a: number, b: number): boolean {
  if (op === Op.LT) return a < b;
  if (op === Op.LE) return a <= b;
  return op === Op.GT ? a > b : a >= b;
}
