/**
 * The script machine of one BML document: ECMAScript, 2nd edition, as ARIB STD-B24 vol. 2 restricts it. It knows no document
 * and no timers; the engine registers what scripts may use and decides when they run.
 *
 *     const machine = new Machine({ characters, now, clock, log });
 *     machine.defineValue('document', machine.wrap(DOCUMENT_CLASS, document));
 *     machine.defineFunction('BinaryTable', { params: ['string', 'string'], constructs: true, call: (args) => … });
 *     const script = machine.compile(source, '/40/0000/startup.bml');      // a ScriptFault if it has a syntax error
 *     if (!(script instanceof ScriptFault)) machine.start(script);         // or machine.startCall('onload')
 *     let outcome = budget.spend(() => machine.run());                     // at most 5 ms
 *
 * One task runs at a time. `run` ends with
 * - `done`: the task is over, another one may start;
 * - `more`: the slice is used, call `run` again, in a new task of the event loop;
 * - `suspended`: a host function returned SUSPEND (`browser.sleep`); call `resume` with its value, then `run`;
 * - `abandoned`: a host function returned ABANDON (`browser.launchDocument`): the task never continues;
 * - `error`: an error of the script (or an exception of a host function) ended this task only;
 * - `stopped`: the heap is exhausted; the machine runs nothing any more. The engine ends the document.
 *
 * Values of the host are `Value`s: primitives, and objects that the machine made (`wrap`, `array`, `date`). What a script
 * passes to the host is read by `targetOf`, `elementsOf` and `timeOf`. Arguments and written properties are converted by the
 * declared types before the host sees them (also by methods of the script, without calling the machine again).
 * Properties that a host class does not have read as undefined, ignore writes, and are logged once.
 */
import { defineArray } from './builtins/array.ts';
import { defineBasics } from './builtins/basic.ts';
import { defineDate, makeDate } from './builtins/date.ts';
import { defineString } from './builtins/string.ts';
import { compileUnit } from './compiler.ts';
import {
  type CharacterCodes,
  type Coercion,
  isFunction,
  NativeFunction,
  type Prototypes,
  ScriptError,
  type Unit,
} from './functions.ts';
import { Heap, HeapExhausted } from './heap.ts';
import { HostBinding, type HostClass, HostObject, type HostResult } from './host.ts';
import { Interpreter } from './interpreter.ts';
import { SyntaxFault } from './lexer.ts';
import { ArrayObject, BoxObject, DONT_ENUM, ScriptObject, type Value } from './values.ts';

const HEAP_LIMIT = 8 << 20;
const SLICE_MS = 5;
/** Different messages about unknown names; a script may make up any number of them. */
const MAX_LOGGED = 200;

export interface MachineOptions {
  readonly characters: CharacterCodes;
  /** Time of the broadcast, ms since 1970. */
  now(): number;
  /** Milliseconds of any origin, never going back. */
  clock(): number;
  log(message: string): void;
  /** Estimated bytes; 8 MB if not given. */
  readonly heapLimit?: number;
}

interface HostFunction {
  /** Conversions of the arguments that are given. Further arguments are passed as they are. */
  readonly params?: readonly Coercion[];
  /** Whether `new` may be used. */
  readonly constructs?: boolean;
  call(args: readonly Value[], construct: boolean): HostResult;
}

/** An error of a script and its place; the line counts from 1. */
export class ScriptFault {
  constructor(
    readonly message: string,
    readonly script: string,
    readonly line: number,
  ) {}
}

export type Outcome =
  | { readonly state: 'done' | 'more' | 'suspended' | 'abandoned' }
  | { readonly state: 'error'; readonly fault: ScriptFault }
  | { readonly state: 'stopped'; readonly reason: 'heap' };

export class Machine extends Interpreter {
  readonly prototypes: Prototypes;
  readonly globalObject: ScriptObject;
  readonly characters: CharacterCodes;
  readonly #options: MachineOptions;
  readonly #bindings = new Map<HostClass<never>, HostBinding>();
  readonly #wrapped = new WeakMap<object, HostObject>();
  readonly #logged = new Set<string>();
  /** Scripts hold on to the variables of the machine that compiled them. */
  readonly #units = new WeakSet<Unit>();
  #exhausted = false;

  constructor(options: MachineOptions) {
    super(new Heap(options.heapLimit ?? HEAP_LIMIT));
    this.#options = options;
    this.characters = options.characters;
    const root = new ScriptObject('Object', null);
    this.prototypes = {
      Object: root,
      Function: new ScriptObject('Function', root),
      Array: new ArrayObject(root),
      Boolean: new BoxObject('Boolean', root, false),
      Number: new BoxObject('Number', root, 0),
      String: new BoxObject('String', root, ''),
      Date: new BoxObject('Date', root, Number.NaN),
    };
    this.globalObject = new ScriptObject('global', root);
    defineBasics(this.globalObject, this.prototypes);
    defineArray(this.globalObject, this.prototypes);
    defineString(this.globalObject, this.prototypes);
    defineDate(this.globalObject, this.prototypes);
  }

  now(): number {
    return this.#options.now();
  }

  protected clock(): number {
    return this.#options.clock();
  }

  /** Defines a global variable. */
  defineValue(name: string, value: Value): void {
    this.globalObject.define(name, value, DONT_ENUM);
  }

  /** Defines a global function. */
  defineFunction(name: string, { params = [], constructs = false, call }: HostFunction): void {
    const made = new NativeFunction(this.prototypes.Function, {
      name,
      params,
      constructs,
      call: (_vm, _self, args, construct) => call(args, construct),
    });
    this.globalObject.define(name, made, DONT_ENUM);
  }

  /** The object that stands for an object of the host; always the same one for the same target. */
  wrap<T extends object>(hostClass: HostClass<T>, target: T): HostObject {
    const known = this.#wrapped.get(target);
    if (known !== undefined) return known;
    let binding = this.#bindings.get(hostClass);
    if (binding === undefined) {
      const unknown = (name: string): void => this.#logOnce(`${hostClass.name} has no property ${name}`);
      binding = new HostBinding(hostClass, this.prototypes.Function, unknown);
      this.#bindings.set(hostClass, binding);
    }
    const object = new HostObject(this.prototypes.Object, binding, target);
    this.allocate(object.bytes);
    this.#wrapped.set(target, object);
    return object;
  }

  /** The object of the host behind a value, if it is of this class. */
  targetOf<T extends object>(hostClass: HostClass<T>, value: Value): T | undefined {
    if (!(value instanceof HostObject) || value.binding !== this.#bindings.get(hostClass)) return undefined;
    return value.target as T;
  }

  /** A date of the script. @param time ms since 1970, or NaN */
  date(time: number): Value {
    return makeDate(this, time);
  }

  /** The time of a date of the script, ms since 1970, or NaN. */
  timeOf(value: Value): number | undefined {
    return value instanceof BoxObject && value.className === 'Date' ? Number(value.primitive) : undefined;
  }

  /** The elements of an array of the script, at most `most`. */
  elementsOf(value: Value, most: number): Value[] | undefined {
    if (!(value instanceof ArrayObject)) return undefined;
    return Array.from({ length: Math.min(value.length, most) }, (_element, index) => value.at(index));
  }

  globalValue(name: string): Value {
    return this.globalObject.get(name);
  }

  compile(source: string, name: string): Unit | ScriptFault {
    try {
      const unit = compileUnit(source, name);
      this.#units.add(unit);
      return unit;
    } catch (error) {
      // The parser nests within bounds; a small stack of the host ends it earlier.
      if (error instanceof RangeError) return new ScriptFault('nested too deeply', name, 0);
      if (error instanceof SyntaxFault) return new ScriptFault(error.message, name, error.line);
      throw error;
    }
  }

  get busy(): boolean {
    return this.status === 'running' || this.status === 'suspended';
  }

  /** Starts a script of this machine as a task: declares its functions and variables, and runs nothing yet. */
  start(unit: Unit): void {
    if (!this.#units.has(unit)) throw new Error('the script was compiled by another machine');
    if (this.#exhausted) return;
    this.#begin(() => {
      this.declare(unit.variables, unit.functions);
      // Never called by name, so it is no value of the script.
      this.enterMain(unit.main);
    });
  }

  /** Starts a function of the script as a task; false, and nothing, if there is none of this name. */
  startCall(name: string, args: readonly Value[] = []): boolean {
    if (this.#exhausted) return false;
    const callee = this.globalObject.slots?.get(name)?.value;
    if (!isFunction(callee)) {
      this.#logOnce(`there is no function ${name}`);
      return false;
    }
    this.#begin(() => this.invoke(callee, undefined, args));
    return true;
  }

  /** Runs a slice of the task. */
  run(): Outcome {
    if (this.#exhausted) return { state: 'stopped', reason: 'heap' };
    if (this.#failed !== undefined) return this.#fail(this.#failed);
    try {
      this.sliceEnd = this.clock() + SLICE_MS;
      this.execute();
    } catch (error) {
      return this.#fail(error);
    }
    if (this.status === 'running') return { state: 'more' };
    if (this.status === 'suspended') return { state: 'suspended' };
    const abandoned = this.status === 'abandoned';
    this.abandon();
    return { state: abandoned ? 'abandoned' : 'done' };
  }

  /** Continues a suspended task with the value of the host function; runs nothing yet. */
  resume(value: Value): void {
    if (this.status !== 'suspended') return;
    this.status = 'running';
    this.put(value);
  }

  /** Ends the task: it never continues. */
  abandon(): void {
    this.reset();
    this.#failed = undefined;
    this.status = 'idle';
  }

  /** What went wrong before the first slice. */
  #failed: unknown;

  #begin(prepare: () => void): void {
    if (this.busy) throw new Error('a task is running already');
    this.abandon();
    this.status = 'running';
    try {
      prepare();
    } catch (error) {
      this.#failed = error;
    }
  }

  #fail(error: unknown): Outcome {
    const { script, line } = this.place();
    this.abandon();
    if (error instanceof HeapExhausted) {
      this.#exhausted = true;
      return { state: 'stopped', reason: 'heap' };
    }
    const message = error instanceof Error ? error.message : String(error);
    // Whatever is no error of a script came from the host: the document goes on, the log shows it.
    const text = error instanceof ScriptError ? message : `host: ${message}`;
    return { state: 'error', fault: new ScriptFault(text, script, line) };
  }

  #logOnce(message: string): void {
    if (this.#logged.size >= MAX_LOGGED || this.#logged.has(message)) return;
    this.#logged.add(message);
    this.#options.log(message);
  }
}
