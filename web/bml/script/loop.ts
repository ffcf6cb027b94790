/**
 * The loop of the interpreter: a stack machine with explicit frames. It never calls itself, so that it can pause after any operation and
 * the depth of a script costs no stack of JavaScript. An operation whose operand is an object that has to become a
 * primitive value pushes a conversion and is executed again when that has replaced the operand.
 */
import { toBoolean, toNumber, truncated } from './conversions.ts';
import { Frames } from './frames.ts';
import { type CodeTables, ScriptFunction } from './functions.ts';
import { ArrayObject, DELETED, READ_ONLY, ScriptObject } from './values.ts';

/** Operands follow the operation; the stack is written before → after. Declared here, so that the bundler inlines it. */
// biome-ignore lint/suspicious/noConstEnum: a plain enum is looked up at run time.
export const enum Op {
  /** index → value */
  CONSTANT,
  INTEGER,
  UNDEFINED,
  THIS,
  /** Local variables, by number. ADDL also has the summand. */
  LOADL,
  STOREL,
  POPL,
  ADDL,
  /** Global variables, by index of the name. */
  LOADG,
  STOREG,
  DELETEG,
  POP,
  DUP,
  DUP2,
  /** a b → b a */
  SWAP,
  /** value object key → object key value */
  ROTATE,
  /** object key → value; object → value */
  GET,
  GETNAME,
  /** object key value → value; object value → value */
  SET,
  SETNAME,
  /** object value → object */
  INIT,
  /** object key → boolean */
  DELETE,
  /** object key → function object; object → function object */
  METHOD,
  METHODNAME,
  /** local name target: → object, or jumps without one. */
  HAS,
  ADD,
  SUB,
  MUL,
  DIV,
  MOD,
  BITAND,
  BITOR,
  BITXOR,
  SHL,
  SHR,
  USHR,
  LT,
  LE,
  GT,
  GE,
  EQ,
  NE,
  SAME,
  NOTSAME,
  NEGATE,
  TONUMBER,
  NOT,
  BITNOT,
  TYPEOF,
  /** Adds the operand, after conversion to a number. */
  STEP,
  TOOBJECT,
  /** An assignment that has no target. */
  INVALID,
  JUMP,
  /** value → and a jump if it is true, or not. */
  IF,
  IFNOT,
  /** Jumps with the value if it decides, else removes it. */
  AND,
  OR,
  /** Backward jumps: target, cost. */
  LOOP,
  LOOPIF,
  CHARGE,
  /** arguments, name: function this arguments → value */
  CALL,
  NEW,
  RETURN,
  /** values → array */
  ARRAY,
  OBJECT,
  /** object → keys; keys → keys key, or jumps */
  KEYS,
  NEXTKEY,
}

export abstract class Loop extends Frames {
  /** Executes an operation that the loop leaves to it. `at` is its position; operands are read from the frame. */
  protected abstract slow(op: Op, at: number, names: readonly string[]): void;

  /** Runs until the slice is used, the task is done, or the host suspends or abandons it. Throws errors of the script. */
  protected execute(): void {
    while (this.status === 'running') {
      const frame = this.frame;
      if (frame === undefined) {
        this.status = 'done';
        return;
      }
      if (!this.isCollected() || this.outOfTime()) return;
      if (frame.continuation !== undefined) {
        this.sp -= 1;
        frame.continuation.step(this, this.stack[this.sp]);
      } else this.#run(frame.code.ops, frame.base + 2, frame.code.tables);
    }
  }

  /** Runs the present function until another frame is on top, or until the machine pauses. */
  #run(ops: Int32Array, locals: number, tables: CodeTables): void {
    const { stack, heap } = this;
    const { constants, names, cells } = tables;
    const frame = this.frame;
    if (frame === undefined) return;
    let { pc } = frame;
    let { sp } = this;
    for (;;) {
      const at = pc;
      const op = ops[pc++] ?? 0;
      switch (op) {
        case Op.CONSTANT:
          stack[sp++] = constants[ops[pc++] ?? 0];
          continue;
        case Op.INTEGER:
          stack[sp++] = ops[pc++];
          continue;
        case Op.UNDEFINED:
          stack[sp++] = undefined;
          continue;
        case Op.LOADL:
          stack[sp++] = stack[locals + (ops[pc++] ?? 0)];
          continue;
        case Op.STOREL:
          stack[locals + (ops[pc++] ?? 0)] = stack[sp - 1];
          continue;
        case Op.POPL:
          stack[locals + (ops[pc++] ?? 0)] = stack[--sp];
          continue;
        case Op.ADDL: {
          const local = locals + (ops[pc] ?? 0);
          const value = stack[local];
          if (typeof value === 'number') {
            const sum = value + (ops[pc + 1] ?? 0);
            stack[local] = sum === (sum | 0) ? sum : truncated(sum);
            pc += 2;
            continue;
          }
          if (value instanceof ScriptObject) break;
          stack[local] = truncated(toNumber(value) + (ops[pc + 1] ?? 0));
          pc += 2;
          continue;
        }
        case Op.LOADG: {
          const cell = cells[ops[pc] ?? 0];
          stack[sp++] =
            cell !== undefined && cell.flags < DELETED ? cell.value : this.global(tables, ops[pc] ?? 0);
          pc += 1;
          continue;
        }
        case Op.STOREG: {
          const cell = cells[ops[pc] ?? 0];
          if (cell !== undefined && (cell.flags & (DELETED | READ_ONLY)) === 0) cell.value = stack[sp - 1];
          else this.setGlobal(tables, ops[pc] ?? 0, stack[sp - 1]);
          pc += 1;
          continue;
        }
        case Op.POP:
          sp -= 1;
          continue;
        case Op.DUP:
          stack[sp] = stack[sp - 1];
          sp += 1;
          continue;
        case Op.DUP2:
          stack[sp] = stack[sp - 2];
          stack[sp + 1] = stack[sp - 1];
          sp += 2;
          continue;
        case Op.ADD: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a === 'number' && typeof b === 'number') {
            const sum = a + b;
            stack[--sp - 1] = sum === (sum | 0) ? sum : truncated(sum);
            continue;
          }
          break;
        }
        case Op.SUB: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a === 'number' && typeof b === 'number') {
            const difference = a - b;
            stack[--sp - 1] = difference === (difference | 0) ? difference : truncated(difference);
            continue;
          }
          break;
        }
        case Op.MUL: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || a !== (a | 0) || typeof b !== 'number' || b !== (b | 0)) break;
          stack[--sp - 1] = Math.imul(a, b);
          continue;
        }
        case Op.DIV: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          const quotient = a / b;
          stack[--sp - 1] = quotient - quotient === 0 ? quotient | 0 : Number.NaN;
          continue;
        }
        case Op.MOD: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          const rest = a % b;
          stack[--sp - 1] = rest - rest === 0 ? rest | 0 : Number.NaN;
          continue;
        }
        case Op.LT: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          stack[--sp - 1] = a < b;
          continue;
        }
        case Op.LE: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          stack[--sp - 1] = a <= b;
          continue;
        }
        case Op.GT: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          stack[--sp - 1] = a > b;
          continue;
        }
        case Op.GE: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          stack[--sp - 1] = a >= b;
          continue;
        }
        case Op.EQ: {
          const b = stack[sp - 1];
          const a = stack[sp - 2];
          if (typeof a !== 'number' || typeof b !== 'number') break;
          stack[--sp - 1] = a === b;
          continue;
        }
        case Op.SAME:
          sp -= 1;
          stack[sp - 1] = stack[sp - 1] === stack[sp];
          continue;
        case Op.NOTSAME:
          sp -= 1;
          stack[sp - 1] = stack[sp - 1] !== stack[sp];
          continue;
        case Op.NOT:
          stack[sp - 1] = !toBoolean(stack[sp - 1]);
          continue;
        case Op.STEP: {
          const value = stack[sp - 1];
          if (typeof value !== 'number') break;
          const sum = value + (ops[pc++] ?? 0);
          stack[sp - 1] = sum === (sum | 0) ? sum : truncated(sum);
          continue;
        }
        case Op.JUMP:
          pc = ops[pc] ?? 0;
          continue;
        case Op.IF:
          pc = toBoolean(stack[--sp]) ? (ops[pc] ?? 0) : pc + 1;
          continue;
        case Op.IFNOT: {
          const value = stack[--sp];
          pc = value === true || (value !== false && toBoolean(value)) ? pc + 1 : (ops[pc] ?? 0);
          continue;
        }
        case Op.AND:
          if (toBoolean(stack[sp - 1])) {
            sp -= 1;
            pc += 1;
          } else pc = ops[pc] ?? 0;
          continue;
        case Op.OR:
          if (!toBoolean(stack[sp - 1])) {
            sp -= 1;
            pc += 1;
          } else pc = ops[pc] ?? 0;
          continue;
        case Op.LOOPIF: {
          const value = stack[--sp];
          if (!(value === true || (value !== false && toBoolean(value)))) {
            pc += 2;
            continue;
          }
          this.fuel -= ops[pc + 1] ?? 0;
          pc = ops[pc] ?? 0;
          if (this.fuel >= 0) continue;
          break;
        }
        case Op.LOOP:
          this.fuel -= ops[pc + 1] ?? 0;
          pc = ops[pc] ?? 0;
          if (this.fuel >= 0) continue;
          break;
        case Op.CHARGE:
          this.fuel -= ops[pc++] ?? 0;
          if (this.fuel >= 0) continue;
          break;
        case Op.GET: {
          const object = stack[sp - 2];
          const key = stack[sp - 1];
          if (typeof key !== 'number' || !(object instanceof ArrayObject)) break;
          stack[--sp - 1] = object.at(key);
          continue;
        }
        case Op.GETNAME: {
          const object = stack[sp - 1];
          if (!(object instanceof ScriptObject)) break;
          stack[sp - 1] = object.get(names[ops[pc++] ?? 0] ?? '');
          continue;
        }
        case Op.METHODNAME: {
          const object = stack[sp - 1];
          if (!(object instanceof ScriptObject)) break;
          stack[sp - 1] = object.get(names[ops[pc++] ?? 0] ?? '');
          stack[sp++] = object;
          continue;
        }
        case Op.SET: {
          const object = stack[sp - 3];
          const key = stack[sp - 2];
          if (typeof key !== 'number' || key < 0 || key !== (key | 0) || !(object instanceof ArrayObject))
            break;
          heap.used += object.putAt(key, stack[sp - 1]);
          sp -= 2;
          stack[sp - 1] = stack[sp + 1];
          if (heap.used <= heap.threshold) continue;
          this.sp = sp;
          frame.pc = pc;
          return;
        }
        case Op.CALL: {
          const count = ops[pc] ?? 0;
          const callee = stack[sp - count - 2];
          pc += 2;
          frame.pc = pc;
          this.sp = sp;
          if (callee instanceof ScriptFunction) {
            this.enter(callee, count, false);
            return;
          }
          this.called(callee, count, false, names[ops[pc - 1] ?? 0] ?? '');
          // Of a native function, the value is on the stack already.
          if (this.frame !== frame || this.status !== 'running' || this.fuel < 0) return;
          sp = this.sp;
          if (heap.used <= heap.threshold) continue;
          break;
        }
        case Op.NEW: {
          const count = ops[pc] ?? 0;
          pc += 2;
          frame.pc = pc;
          this.sp = sp;
          const name = names[ops[pc - 1] ?? 0] ?? '';
          this.called(stack[sp - count - 2], count, true, name);
          return;
        }
        case Op.RETURN:
          this.sp = sp;
          this.leave(stack[sp - 1]);
          return;
        default:
          break;
      }
      // Everything that is rare or slow works on the machine's own registers.
      this.sp = sp;
      frame.pc = pc;
      if (pc === at + 1) this.slow(op, at, names);
      if (heap.used > heap.threshold) return;
      if (this.frame !== frame || this.status !== 'running' || this.fuel < 0) return;
      pc = frame.pc;
      sp = this.sp;
    }
  }
}
