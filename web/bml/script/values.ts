/**
 * Values of the script machine. An object of a script is a `ScriptObject`, never an object of the host: properties live in
 * a map, so that no name (`constructor`, `__proto__`) reaches a prototype of JavaScript.
 *
 * Numbers are 32-bit signed integers or NaN as far as arithmetic produces them (ARIB STD-B24 vol. 2). Literals, the
 * results of `parseInt` and times of `Date` may be wider; the first operation on them truncates.
 */
export type Primitive = undefined | null | boolean | number | string;
export type Value = Primitive | ScriptObject;

/** Attributes of a property (ECMA-262 2nd edition, 8.6.1). */
export const READ_ONLY = 1;
export const DONT_ENUM = 2;
export const DONT_DELETE = 4;
/** The property was deleted: code that holds its slot looks the name up again. */
export const DELETED = 8;

/** Estimated bytes of memory, for the limit of the heap. */
export const OBJECT_BYTES = 96;
const SLOT_BYTES = 80;
export const ELEMENT_BYTES = 8;
const SPARSE_BYTES = 48;

export function textBytes(text: string): number {
  return 24 + 2 * text.length;
}

export class Slot {
  constructor(
    public value: Value,
    public flags: number,
  ) {}
}

export class ScriptObject {
  /** Own properties. */
  slots: Map<string, Slot> | undefined;
  /** Number of the last trace that reached this object. */
  mark = 0;

  constructor(
    readonly className: string,
    public proto: ScriptObject | null,
  ) {}

  /** Estimated bytes of this object without the values that it refers to. */
  get bytes(): number {
    return OBJECT_BYTES + (this.slots?.size ?? 0) * SLOT_BYTES;
  }

  find(key: string): Slot | undefined {
    for (let object: ScriptObject | null = this; object !== null; object = object.proto) {
      const slot = object.slots?.get(key);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  get(key: string): Value {
    return this.find(key)?.value;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** Bytes by which the object grew. */
  put(key: string, value: Value): number {
    const own = this.slots?.get(key);
    if (own !== undefined) {
      if ((own.flags & READ_ONLY) === 0) own.value = value;
      return 0;
    }
    const inherited = this.proto?.find(key);
    if (inherited !== undefined && (inherited.flags & READ_ONLY) !== 0) return 0;
    this.define(key, value, 0);
    return SLOT_BYTES + textBytes(key);
  }

  /** Creates or replaces an own property regardless of its attributes. */
  define(key: string, value: Value, flags: number): Slot {
    this.slots ??= new Map();
    const slot = new Slot(value, flags);
    this.slots.set(key, slot);
    return slot;
  }

  /** False if the property exists and cannot be deleted. */
  remove(key: string): boolean {
    const slot = this.slots?.get(key);
    if (slot === undefined) return true;
    if ((slot.flags & DONT_DELETE) !== 0) return false;
    slot.flags |= DELETED;
    this.slots?.delete(key);
    return true;
  }

  /** Own enumerable properties, in the order of their creation. */
  keys(): string[] {
    if (this.slots === undefined) return [];
    return [...this.slots].filter(([, slot]) => (slot.flags & DONT_ENUM) === 0).map(([key]) => key);
  }

  /** Calls `visit` with every value that this object refers to. */
  visit(visit: (value: Value) => void): void {
    visit(this.proto);
    for (const [key, slot] of this.slots ?? []) {
      visit(key);
      visit(slot.value);
    }
  }
}

/** An element that does not exist. Never seen by a script. */
const HOLE = new ScriptObject('hole', null);
/** A write this far behind the last element still extends the dense part of an array. */
const MAX_GAP = 1024;

/** The index that a property name stands for (ECMA-262 2nd edition, 15.4), or -1. */
export function arrayIndex(key: string): number {
  const first = key.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) || key.length > 10) return -1;
  const index = Number(key);
  return index < 0xffffffff && String(index) === key ? index : -1;
}

export class ArrayObject extends ScriptObject {
  /** Elements from 0; holes are `HOLE`. */
  #dense: Value[] = [];
  /** Elements far behind the dense part. */
  #sparse: Map<number, Value> | undefined;
  #length = 0;

  constructor(proto: ScriptObject | null, elements: readonly Value[] = []) {
    super('Array', proto);
    this.#dense = [...elements];
    this.#length = elements.length;
  }

  override get bytes(): number {
    return super.bytes + this.#dense.length * ELEMENT_BYTES + (this.#sparse?.size ?? 0) * SPARSE_BYTES;
  }

  get length(): number {
    return this.#length;
  }

  /** An element; what does not exist is looked up by `get`. */
  at(index: number): Value {
    const value = this.#dense[index];
    if (value !== undefined && value !== HOLE) return value;
    return index >= 0 && Number.isInteger(index) && this.#owns(index)
      ? this.#own(index)
      : super.get(String(index));
  }

  #owns(index: number): boolean {
    return index < this.#dense.length ? this.#dense[index] !== HOLE : this.#sparse?.has(index) === true;
  }

  #own(index: number): Value {
    return index < this.#dense.length ? this.#dense[index] : this.#sparse?.get(index);
  }

  /** Bytes by which the array grew. `index` is a whole number from 0 to 2^32 - 2. */
  putAt(index: number, value: Value): number {
    const dense = this.#dense;
    if (index < dense.length) {
      dense[index] = value;
      return 0;
    }
    const end = dense.length;
    if (index >= this.#length) this.#length = index + 1;
    if (index > end + MAX_GAP) {
      this.#sparse ??= new Map();
      const before = this.#sparse.size;
      this.#sparse.set(index, value);
      return (this.#sparse.size - before) * SPARSE_BYTES;
    }
    while (dense.length < index) dense.push(this.#taken(dense.length));
    this.#sparse?.delete(index);
    dense.push(value);
    while (this.#sparse?.has(dense.length) === true) dense.push(this.#taken(dense.length));
    return (dense.length - end) * ELEMENT_BYTES;
  }

  /** Moves an element out of the sparse part. */
  #taken(index: number): Value {
    if (this.#sparse?.has(index) !== true) return HOLE;
    const value = this.#sparse.get(index);
    this.#sparse.delete(index);
    return value;
  }

  setLength(length: number): void {
    if (length < this.#dense.length) this.#dense.length = length;
    for (const index of this.#sparse?.keys() ?? []) if (index >= length) this.#sparse?.delete(index);
    this.#length = length;
  }

  override get(key: string): Value {
    const index = arrayIndex(key);
    if (index >= 0) return this.#owns(index) ? this.#own(index) : super.get(key);
    return key === 'length' ? this.#length : super.get(key);
  }

  override has(key: string): boolean {
    const index = arrayIndex(key);
    return (index >= 0 && this.#owns(index)) || key === 'length' || super.has(key);
  }

  override put(key: string, value: Value): number {
    const index = arrayIndex(key);
    if (index >= 0) return this.putAt(index, value);
    if (key !== 'length') return super.put(key, value);
    this.setLength(typeof value === 'number' ? value >>> 0 : 0);
    return 0;
  }

  override remove(key: string): boolean {
    const index = arrayIndex(key);
    if (index < 0) return key !== 'length' && super.remove(key);
    if (index < this.#dense.length) this.#dense[index] = HOLE;
    else this.#sparse?.delete(index);
    return true;
  }

  /** Indices of the elements that exist. */
  indices(): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#dense.length; index += 1)
      if (this.#dense[index] !== HOLE) found.push(index);
    return this.#sparse === undefined ? found : [...found, ...[...this.#sparse.keys()].sort((a, b) => a - b)];
  }

  override keys(): string[] {
    return [...this.indices().map(String), ...super.keys()];
  }

  override visit(visit: (value: Value) => void): void {
    super.visit(visit);
    for (const value of this.#dense) visit(value);
    for (const value of this.#sparse?.values() ?? []) visit(value);
  }
}

/** An object around a primitive value: `Boolean`, `Number`, `String`, and `Date` (ms since 1970, or NaN). */
export class BoxObject extends ScriptObject {
  constructor(
    className: 'Boolean' | 'Number' | 'String' | 'Date',
    proto: ScriptObject | null,
    public primitive: boolean | number | string,
  ) {
    super(className, proto);
  }

  override visit(visit: (value: Value) => void): void {
    super.visit(visit);
    visit(this.primitive);
  }
}
