/** Functions: compiled code of scripts, built-in functions, and objects and functions of the host. */
import { type Primitive, ScriptObject, type Slot, type Value } from './values.ts';

export interface CodeTables {
  /** Name of the script, for messages. */
  readonly unit: string;
  readonly constants: readonly Primitive[];
  /** Names of global variables and of properties. */
  readonly names: readonly string[];
  /** Slots of global variables by index of the name, found on first use. */
  readonly cells: (Slot | undefined)[];
}

export interface FunctionCode {
  readonly name: string;
  readonly parameters: number;
  /** Parameters and local variables. */
  readonly locals: number;
  /** Values on the stack above the locals, at most. */
  readonly depth: number;
  /** Local variable of the `arguments` object, or -1. */
  readonly argumentsAt: number;
  readonly ops: Int32Array;
  /** Pairs: first position, line. */
  readonly lines: readonly number[];
  readonly tables: CodeTables;
}

/** One script element or file. */
export interface Unit {
  readonly main: FunctionCode;
  /** Of functions declared twice, the last one counts. */
  readonly functions: readonly FunctionCode[];
  /** Names of variables declared at global level. */
  readonly variables: readonly string[];
}

/** How an argument is converted before a native function sees it (ECMA-262 2nd edition, 9). */
export type Coercion = 'any' | 'primitive' | 'string' | 'number' | 'boolean';

/** The machine waits until the host resumes it with a value. */
export const SUSPEND = Symbol('suspend');
/** The task ends: nothing of the script runs after this call. */
export const ABANDON = Symbol('abandon');
/** The function pushed a continuation, which delivers the value. */
export const CONTINUED = Symbol('continued');
export type ControlSignal = typeof SUSPEND | typeof ABANDON | typeof CONTINUED;

/** An error of the script: ends the running handler. */
export class ScriptError extends Error {}

/**
 * Work of a native function that runs functions of the script meanwhile. It has a frame of its own, so that the machine
 * never calls itself: `step` either calls a function (or converts a value), whose result is passed to the next `step`, or
 * finishes.
 */
export interface Continuation {
  step(vm: Vm, value: Value): void;
  visit(visit: (value: Value) => void): void;
}

export interface Prototypes {
  readonly Object: ScriptObject;
  readonly Function: ScriptObject;
  readonly Array: ScriptObject;
  readonly Boolean: ScriptObject;
  readonly Number: ScriptObject;
  readonly String: ScriptObject;
  readonly Date: ScriptObject;
}

export interface CharacterCodes {
  /** The code of a character (of Unicode, a code point): in EUC-JP 0xA4A2 for あ. */
  codeOf(codePoint: number): number;
  /** The character of a code, one code point; an empty text if there is none. */
  textOf(code: number): string;
}

/** What native functions may use of the machine. */
export interface Vm {
  readonly prototypes: Prototypes;
  readonly characters: CharacterCodes;
  /** Time of the broadcast, ms since 1970. */
  now(): number;
  /** Counts work, in units of about one instruction. */
  charge(units: number): void;
  /** Counts memory. Throws if that much can never be had. */
  allocate(bytes: number): void;
  /** Starts a continuation with a first step. */
  push(continuation: Continuation): void;
  object(prototype: ScriptObject | null): ScriptObject;
  array(elements: readonly Value[]): ScriptObject;
  toObject(value: Value): ScriptObject;
  /** In a step: continues with another step, after a look at the clock. */
  again(): void;
  /** In a step: calls a function, whose value is passed to the next step. */
  invoke(callee: ScriptObject, self: Value, args: readonly Value[]): void;
  /** In a step: converts a value to a primitive one, which is passed to the next step. */
  toPrimitive(value: Value, hint: 'string' | 'number'): void;
  /** In a step: ends the continuation. */
  finish(value: Value): void;
}

export interface NativeSpec {
  readonly name: string;
  /** Conversions of the arguments that are given. */
  readonly params: readonly Coercion[];
  /** Conversion of further arguments; `any` if not given. */
  readonly rest?: Coercion;
  /** Conversion of `this`. */
  readonly self?: Coercion;
  call(vm: Vm, self: Value, args: readonly Value[], construct: boolean): Value | ControlSignal;
  /** Whether `new` may be used. */
  readonly constructs?: boolean;
}

export class ScriptFunction extends ScriptObject {
  /** The `arguments` object of the running call. */
  active: ScriptObject | undefined;

  constructor(
    proto: ScriptObject | null,
    readonly code: FunctionCode,
  ) {
    super('Function', proto);
  }

  override get(key: string): Value {
    return key === 'arguments' ? (this.active ?? null) : super.get(key);
  }

  override visit(visit: (value: Value) => void): void {
    super.visit(visit);
    visit(this.active);
  }
}

/** A built-in function, or one of the host. */
export class NativeFunction extends ScriptObject {
  constructor(
    proto: ScriptObject | null,
    readonly spec: NativeSpec,
  ) {
    super('Function', proto);
  }
}

/** How a native function converts an argument, or `this` (index -1). */
export function coercionOf(spec: NativeSpec, index: number): Coercion {
  return (index < 0 ? spec.self : (spec.params[index] ?? spec.rest)) ?? 'any';
}

export function isFunction(value: Value): value is ScriptFunction | NativeFunction {
  return value instanceof ScriptFunction || value instanceof NativeFunction;
}
