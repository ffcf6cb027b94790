/** `Array` (ECMA-262 2nd edition, 15.4). */
import { compareTexts, toInteger, toNumber, toText } from '../conversions.ts';
import {
  CONTINUED,
  type Continuation,
  isFunction,
  type Prototypes,
  ScriptError,
  type Vm,
} from '../functions.ts';
import {
  ArrayObject,
  ELEMENT_BYTES,
  type Primitive,
  ScriptObject,
  textBytes,
  type Value,
} from '../values.ts';
import { defineConstructor, defineFunction, wrongClass } from './basic.ts';

/** Elements per step, between looks at the clock. */
const CHUNK = 256;

export function defineArray(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineConstructor(globalObject, prototypes.Function, prototypes.Array, {
    name: 'Array',
    params: ['any'],
    call: (vm, _self, args) => {
      const [first] = args;
      if (args.length !== 1 || typeof first !== 'number') return vm.array(args);
      const array = vm.array([]);
      array.put('length', first);
      return array;
    },
  });
  defineFunction(prototypes.Array, prototypes.Function, {
    name: 'toString',
    params: [],
    call: (vm, self) => joined(vm, self, ','),
  });
  defineFunction(prototypes.Array, prototypes.Function, {
    name: 'join',
    params: ['primitive'],
    call: (vm, self, [separator]) =>
      joined(vm, self, separator === undefined ? ',' : toText(separator as Primitive)),
  });
  defineFunction(prototypes.Array, prototypes.Function, {
    name: 'reverse',
    params: [],
    call: (vm, self) => reversed(vm, self),
  });
  defineFunction(prototypes.Array, prototypes.Function, {
    name: 'sort',
    params: ['any'],
    call: (vm, self, [compare]) => {
      if (!(self instanceof ArrayObject)) return wrongClass('Array.prototype.sort');
      if (compare !== undefined && !isFunction(compare)) throw new ScriptError('sort needs a function');
      vm.push(new Sort(vm, self, compare));
      return CONTINUED;
    },
  });
}

function joined(vm: Vm, self: Value, separator: string): typeof CONTINUED {
  if (!(self instanceof ScriptObject)) return wrongClass('Array.prototype.join');
  const length = self.get('length');
  const count = length instanceof ScriptObject ? 0 : toInteger(length) >>> 0;
  // Checked before, because holes cost time only.
  if (count > 1) vm.allocate(textBytes(separator) + 2 * separator.length * (count - 1));
  vm.push(new Join(self, count, separator));
  return CONTINUED;
}

class Join implements Continuation {
  #at = 0;
  #text = '';
  #waiting = false;

  constructor(
    private readonly object: ScriptObject,
    private readonly count: number,
    private readonly separator: string,
  ) {}

  step(vm: Vm, value: Value): void {
    if (this.#waiting) this.#add(vm, value);
    for (let turns = 0; this.#at < this.count; turns += 1) {
      if (turns === CHUNK) {
        vm.charge(CHUNK);
        vm.again();
        return;
      }
      const element =
        this.object instanceof ArrayObject ? this.object.at(this.#at) : this.object.get(String(this.#at));
      if (element instanceof ScriptObject) {
        this.#waiting = true;
        vm.toPrimitive(element, 'string');
        return;
      }
      this.#add(vm, element);
    }
    vm.finish(this.#text);
  }

  #add(vm: Vm, value: Value): void {
    this.#waiting = false;
    const text = value === undefined || value === null ? '' : toText(value as Primitive);
    if (this.#at > 0) this.#text += this.separator;
    this.#text += text;
    this.#at += 1;
    vm.allocate(2 * text.length);
  }

  visit(visit: (value: Value) => void): void {
    visit(this.object);
    visit(this.#text);
  }
}

function reversed(vm: Vm, self: Value): Value {
  if (!(self instanceof ArrayObject)) return wrongClass('Array.prototype.reverse');
  const entries = self.indices().map((index) => [index, self.at(index)] as const);
  vm.charge(entries.length * 2);
  vm.allocate(entries.length * ELEMENT_BYTES);
  const { length } = self;
  self.setLength(0);
  for (const [index, value] of entries.reverse()) vm.allocate(self.putAt(length - 1 - index, value));
  self.setLength(length);
  return self;
}

/**
 * A stable merge sort, one comparison a step. It works on a copy, so that a comparison may change the array; the result is
 * written over it.
 */
class Sort implements Continuation {
  /** What is sorted; undefined values follow at the end. */
  #values: Value[] = [];
  /** Texts of the values, in the same order, if there is no function. */
  #keys: string[] = [];
  #undefinedCount = 0;
  #order: number[] = [];
  #merged: number[] = [];
  #width = 1;
  /** Start of the two runs that are merged, and places in them. */
  #start = 0;
  #left = 0;
  #right = 0;
  #state: 'start' | 'key' | 'compare' | 'number' = 'start';

  constructor(
    vm: Vm,
    private readonly array: ArrayObject,
    private readonly compare: ScriptObject | undefined,
  ) {
    const indices = array.indices();
    vm.charge(indices.length);
    vm.allocate(indices.length * 4 * ELEMENT_BYTES);
    for (const index of indices) {
      const value = array.at(index);
      if (value === undefined) this.#undefinedCount += 1;
      else this.#values.push(value);
    }
    this.#order = this.#values.map((_value, index) => index);
  }

  step(vm: Vm, value: Value): void {
    switch (this.#state) {
      case 'key':
        this.#keys.push(toText(value as Primitive));
        break;
      case 'compare':
        this.#state = 'number';
        vm.toPrimitive(value, 'number');
        return;
      case 'number':
        this.#take(toNumber(value as Primitive) > 0);
        break;
    }
    this.#state = 'start';
    for (let turns = 0; turns < CHUNK; turns += 1) {
      if (this.compare === undefined && this.#keys.length < this.#values.length) {
        const next = this.#values[this.#keys.length];
        if (next instanceof ScriptObject) {
          this.#state = 'key';
          vm.toPrimitive(next, 'string');
          return;
        }
        this.#keys.push(toText(next));
        vm.allocate(textBytes(this.#keys.at(-1) ?? ''));
      } else if (!this.#turn(vm)) return;
    }
    vm.charge(CHUNK);
    vm.again();
  }

  /** One comparison or the end of two runs. False if the step is over. */
  #turn(vm: Vm): boolean {
    const count = this.#values.length;
    if (this.#width >= count) {
      this.#write(vm);
      return false;
    }
    const middle = Math.min(this.#start + this.#width, count);
    const end = Math.min(this.#start + 2 * this.#width, count);
    const [left, right] = [this.#start + this.#left, middle + this.#right];
    if (left < middle && right < end) {
      const [a = 0, b = 0] = [this.#order[left], this.#order[right]];
      if (this.compare !== undefined) {
        this.#state = 'compare';
        vm.invoke(this.compare, undefined, [this.#values[a], this.#values[b]]);
        return false;
      }
      this.#take(compareTexts(this.#keys[a] ?? '', this.#keys[b] ?? '', vm.characters) > 0);
      return true;
    }
    this.#merged.push(...this.#order.slice(left, Math.max(left, middle)).slice(0, CHUNK));
    if (left < middle) this.#left += Math.min(CHUNK, middle - left);
    else if (right < end) {
      this.#merged.push(...this.#order.slice(right, Math.min(end, right + CHUNK)));
      this.#right += Math.min(CHUNK, end - right);
    } else {
      this.#start = end;
      this.#left = 0;
      this.#right = 0;
      if (end === count) {
        this.#order = this.#merged;
        this.#merged = [];
        this.#start = 0;
        this.#width *= 2;
      }
    }
    return true;
  }

  /** Takes the next value of the right run, or else of the left one. */
  #take(fromRight: boolean): void {
    const middle = this.#start + this.#width;
    const at = fromRight ? middle + this.#right : this.#start + this.#left;
    this.#merged.push(this.#order[at] ?? 0);
    if (fromRight) this.#right += 1;
    else this.#left += 1;
  }

  #write(vm: Vm): void {
    const { array } = this;
    const length = Math.max(array.length, this.#values.length + this.#undefinedCount);
    array.setLength(0);
    this.#order.forEach((from, to) => {
      vm.allocate(array.putAt(to, this.#values[from]));
    });
    for (let at = 0; at < this.#undefinedCount; at += 1)
      vm.allocate(array.putAt(this.#values.length + at, undefined));
    array.setLength(length);
    vm.finish(array);
  }

  visit(visit: (value: Value) => void): void {
    visit(this.array);
    visit(this.compare);
    for (const value of this.#values) visit(value);
    for (const key of this.#keys) visit(key);
  }
}
