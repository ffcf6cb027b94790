/** Frames of the machine: calls, continuations, conversions of objects to primitive values. */
import { toBoolean, toNumber, toText } from './conversions.ts';
import {
  ABANDON,
  type CharacterCodes,
  CONTINUED,
  type Coercion,
  type Continuation,
  type ControlSignal,
  coercionOf,
  type FunctionCode,
  isFunction,
  NativeFunction,
  ScriptError,
  ScriptFunction,
  SUSPEND,
  type Vm,
} from './functions.ts';
import { Objects } from './objects.ts';
import { DONT_ENUM, ScriptObject, type Value } from './values.ts';

/** Calls in progress, with those of continuations. */
const MAX_FRAMES = 256;
/** Values on the stack of all frames. */
const MAX_STACK = 65_536;
/** Work between two looks at the clock: 0.1 ms of compiled code, 1 ms before the browser has compiled the machine. */
const FUEL = 4096;
const CALL_COST = 4;

const NO_CODE: FunctionCode = {
  name: '',
  parameters: 0,
  locals: 0,
  depth: 0,
  argumentsAt: -1,
  ops: new Int32Array(0),
  lines: [],
  tables: { unit: '', constants: [], names: [], cells: [] },
};

class Frame {
  code = NO_CODE;
  pc = 0;
  /** Place of the function on the stack, followed by `this`, parameters, locals; and of the result. */
  base = 0;
  construct = false;
  /** Instead of code. */
  continuation: Continuation | undefined;
  callee: ScriptFunction | undefined;
  /** The `arguments` object of the call around this one of the same function. */
  outer: ScriptObject | undefined;
}

export abstract class Frames extends Objects implements Vm {
  abstract readonly characters: CharacterCodes;
  abstract now(): number;
  /** Milliseconds of any origin. */
  protected abstract clock(): number;

  status: 'idle' | 'running' | 'suspended' | 'abandoned' | 'done' = 'idle';
  protected frame: Frame | undefined;
  protected readonly stack: Value[] = [];
  protected sp = 0;
  /** When the slice ends. */
  protected sliceEnd = 0;
  readonly #frames = Array.from({ length: MAX_FRAMES }, () => new Frame());
  #depth = 0;

  /** Whether the slice is over; asks the clock only when enough was done since the last time. */
  protected outOfTime(): boolean {
    if (this.fuel >= 0) return false;
    this.fuel = FUEL;
    return this.clock() >= this.sliceEnd;
  }

  /** Whether the heap is within its limit as far as is known; traces it if that is due. False if the slice is over. */
  protected isCollected(): boolean {
    if (this.heap.used <= this.heap.threshold) return true;
    const roots = (visit: (value: Value) => void): void => {
      visit(this.globalObject);
      for (const prototype of Object.values(this.prototypes)) visit(prototype);
      for (let at = 0; at < this.sp; at += 1) visit(this.stack[at]);
      for (let at = 0; at < this.#depth; at += 1) {
        const frame = this.#frames[at];
        frame?.continuation?.visit(visit);
        visit(frame?.callee);
        visit(frame?.outer);
      }
    };
    return this.heap.collect(roots, () => this.clock() >= this.sliceEnd);
  }

  protected put(value: Value): void {
    this.stack[this.sp] = value;
    this.sp += 1;
  }

  /** Forgets everything of the task. */
  protected reset(): void {
    while (this.#depth > 0) this.#pop();
    this.stack.length = 0;
    this.sp = 0;
    this.heap.interrupt();
  }

  #push(): Frame {
    const frame = this.#frames[this.#depth];
    if (frame === undefined) throw new ScriptError('calls nested too deeply');
    this.#depth += 1;
    this.frame = frame;
    return frame;
  }

  #pop(): void {
    const frame = this.#frames[this.#depth - 1];
    if (frame === undefined) return;
    if (frame.callee !== undefined) frame.callee.active = frame.outer;
    frame.callee = undefined;
    frame.outer = undefined;
    frame.continuation = undefined;
    this.#depth -= 1;
    this.frame = this.#frames[this.#depth - 1];
    if (this.#depth === 0) this.frame = undefined;
  }

  /** Runs the global code of a script, with the global object as `this`. */
  protected enterMain(code: FunctionCode): void {
    this.put(undefined);
    this.put(undefined);
    this.#enter(code, undefined, 0, false);
  }

  /** Where the task is: the script and the line, or 0. */
  protected place(): { readonly script: string; readonly line: number } {
    for (let at = this.#depth - 1; at >= 0; at -= 1) {
      const frame = this.#frames[at];
      if (frame === undefined || frame.continuation !== undefined) continue;
      const { lines, tables } = frame.code;
      let line = 0;
      for (let pair = 0; pair < lines.length && (lines[pair] ?? 0) < frame.pc; pair += 2)
        line = lines[pair + 1] ?? 0;
      return { script: tables.unit, line };
    }
    return { script: '', line: 0 };
  }

  /** Calls a function of a script, which is on the stack with `this` and its arguments. */
  protected enter(callee: ScriptFunction, count: number, construct: boolean): void {
    this.#enter(callee.code, callee, count, construct);
  }

  #enter(code: FunctionCode, callee: ScriptFunction | undefined, count: number, construct: boolean): void {
    const { stack } = this;
    const base = this.sp - count - 2;
    const locals = base + 2 + code.locals;
    if (locals + code.depth > MAX_STACK) throw new ScriptError('calls nested too deeply');
    this.fuel -= CALL_COST;
    const frame = this.#push();
    frame.code = code;
    frame.pc = 0;
    frame.base = base;
    frame.construct = construct;
    frame.continuation = undefined;
    const kept =
      callee === undefined || code.argumentsAt < 0 ? undefined : this.#arguments(callee, base + 2, count);
    for (let at = base + 2 + Math.min(count, code.parameters); at < locals; at += 1) stack[at] = undefined;
    this.sp = locals;
    if (kept !== undefined && callee !== undefined) {
      frame.callee = callee;
      frame.outer = callee.active;
      callee.active = kept;
      stack[base + 2 + code.argumentsAt] = kept;
    }
  }

  #arguments(callee: ScriptFunction, from: number, count: number): ScriptObject {
    const kept = this.object(this.prototypes.Object);
    kept.define('callee', callee, DONT_ENUM);
    kept.define('length', count, DONT_ENUM);
    for (let at = 0; at < count; at += 1) this.allocate(kept.put(String(at), this.stack[from + at]));
    return kept;
  }

  /** Ends the call of a function of a script. */
  protected leave(value: Value): void {
    const { frame } = this;
    if (frame === undefined) return;
    const result = frame.construct && !(value instanceof ScriptObject) ? this.stack[frame.base + 1] : value;
    this.sp = frame.base;
    this.put(result);
    this.#pop();
  }

  /** Calls what is on the stack with `this` and its arguments. @param name for the message if it is no function */
  protected called(callee: Value, count: number, construct: boolean, name: string): void {
    const base = this.sp - count - 2;
    if (callee instanceof ScriptFunction) {
      if (construct) {
        const prototype = callee.get('prototype');
        this.stack[base + 1] = this.object(
          prototype instanceof ScriptObject ? prototype : this.prototypes.Object,
        );
      }
      this.enter(callee, count, construct);
      return;
    }
    if (!(callee instanceof NativeFunction) || (construct && callee.spec.constructs !== true))
      throw new ScriptError(
        `${name === '' ? typeof callee : name} is not a ${construct ? 'constructor' : 'function'}`,
      );
    const self = this.stack[base + 1];
    const args = this.stack.slice(base + 2, this.sp);
    this.sp = base;
    if (
      needsConversion(self, callee, -1) ||
      args.some((value, index) => needsConversion(value, callee, index))
    )
      this.push(new PendingCall(this, callee, self, args, construct));
    else this.native(callee, self, args, construct);
  }

  /** Calls a native function whose arguments are primitive where it wants that. */
  native(callee: NativeFunction, self: Value, args: Value[], construct: boolean): void {
    const { spec } = callee;
    for (let at = 0; at < args.length; at += 1) args[at] = this.coerced(args[at], coercionOf(spec, at));
    this.charge(CALL_COST);
    this.#deliver(spec.call(this, this.coerced(self, coercionOf(spec, -1)), args, construct));
  }

  coerced(value: Value, type: Coercion): Value {
    if (type === 'boolean') return toBoolean(value);
    if (value instanceof ScriptObject || type === 'any' || type === 'primitive') return value;
    return type === 'string' ? toText(value) : toNumber(value);
  }

  #deliver(result: Value | ControlSignal): void {
    if (result === CONTINUED) return;
    if (result === SUSPEND) this.status = 'suspended';
    else if (result === ABANDON) this.status = 'abandoned';
    else this.put(result);
  }

  push(continuation: Continuation): void {
    const frame = this.#push();
    frame.continuation = continuation;
    frame.base = this.sp;
    this.put(undefined);
  }

  again(): void {
    this.put(undefined);
  }

  finish(value: Value): void {
    this.sp = this.frame?.base ?? 0;
    this.#pop();
    this.put(value);
  }

  /** Ends a continuation that leaves its result in the stack. */
  finished(at: number, value: Value): void {
    this.sp = this.frame?.base ?? 0;
    this.#pop();
    this.stack[at] = value;
  }

  /** Ends a continuation with a call in its place. */
  finishWith(callee: NativeFunction, self: Value, args: Value[], construct: boolean): void {
    this.sp = this.frame?.base ?? 0;
    this.#pop();
    this.native(callee, self, args, construct);
  }

  invoke(callee: ScriptObject, self: Value, args: readonly Value[]): void {
    this.put(callee);
    this.put(self);
    for (const arg of args) this.put(arg);
    this.called(callee, args.length, false, '');
  }

  toPrimitive(value: Value, hint: 'string' | 'number'): void {
    this.put(value);
    if (value instanceof ScriptObject) this.push(new Conversion(this, this.sp - 1, value, hint));
  }

  /** Converts an operand in its place on the stack, then executes the operation at `at` again. */
  protected convert(index: number, hint: 'string' | 'number' | 'default', at: number): void {
    const value = this.stack[index];
    if (this.frame === undefined || !(value instanceof ScriptObject)) return;
    this.frame.pc = at;
    const preferred = hint === 'default' ? (value.className === 'Date' ? 'string' : 'number') : hint;
    this.push(new Conversion(this, index, value, preferred));
  }

  protected thisObject(frame: Frame): ScriptObject {
    const self = this.stack[frame.base + 1];
    if (self instanceof ScriptObject) return self;
    const object = self === undefined || self === null ? this.globalObject : this.toObject(self);
    this.stack[frame.base + 1] = object;
    return object;
  }
}

/** Whether an argument (`this`: -1) has to become a primitive value before the call. */
function needsConversion(value: Value, { spec }: NativeFunction, index: number): boolean {
  const type = coercionOf(spec, index);
  return value instanceof ScriptObject && type !== 'any' && type !== 'boolean';
}

/** Makes a primitive value of an object (ECMA-262 2nd edition, 8.6.2.6), in its place on the stack. */
class Conversion implements Continuation {
  #tried = 0;

  constructor(
    private readonly frames: Frames,
    private readonly index: number,
    private readonly object: ScriptObject,
    private readonly hint: 'string' | 'number',
  ) {}

  step(vm: Vm, value: Value): void {
    if (this.#tried > 0 && !(value instanceof ScriptObject)) {
      this.frames.finished(this.index, value);
      return;
    }
    while (this.#tried < 2) {
      const name = (this.hint === 'string') === (this.#tried === 0) ? 'toString' : 'valueOf';
      this.#tried += 1;
      const method = this.object.get(name);
      if (isFunction(method)) {
        vm.invoke(method, this.object, []);
        return;
      }
    }
    throw new ScriptError(`a ${this.object.className} has no primitive value`);
  }

  visit(visit: (value: Value) => void): void {
    visit(this.object);
  }
}

/** A call of a native function that waits for the conversion of its arguments. */
class PendingCall implements Continuation {
  /** Index of the argument in conversion; -1 for `this`. */
  #at = -2;

  constructor(
    private readonly frames: Frames,
    private readonly callee: NativeFunction,
    private self: Value,
    private readonly args: Value[],
    private readonly construct: boolean,
  ) {}

  step(vm: Vm, value: Value): void {
    if (this.#at === -1) this.self = value;
    else if (this.#at >= 0) this.args[this.#at] = value;
    while (++this.#at < this.args.length) {
      const argument = this.#at < 0 ? this.self : this.args[this.#at];
      if (!needsConversion(argument, this.callee, this.#at)) continue;
      vm.toPrimitive(argument, coercionOf(this.callee.spec, this.#at) === 'string' ? 'string' : 'number');
      return;
    }
    this.frames.finishWith(this.callee, this.self, this.args, this.construct);
  }

  visit(visit: (value: Value) => void): void {
    visit(this.callee);
    visit(this.self);
    for (const arg of this.args) visit(arg);
  }
}
