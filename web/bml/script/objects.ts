/** Objects and global variables of a machine, and access to the properties of any value. */
import { textLength, toNumber } from './conversions.ts';
import {
  type CodeTables,
  type FunctionCode,
  type Prototypes,
  ScriptError,
  ScriptFunction,
} from './functions.ts';
import type { Heap } from './heap.ts';
import {
  ArrayObject,
  BoxObject,
  DELETED,
  DONT_DELETE,
  DONT_ENUM,
  OBJECT_BYTES,
  type Primitive,
  READ_ONLY,
  ScriptObject,
  type Slot,
  textBytes,
  type Value,
} from './values.ts';

/** The keys of a `for … in`. */
class KeyIterator extends ScriptObject {
  #at = 0;

  constructor(
    readonly object: ScriptObject,
    readonly list: readonly string[],
  ) {
    super('Keys', null);
  }

  /** The next property that still exists. */
  next(): string | undefined {
    while (this.#at < this.list.length) {
      const key = this.list[this.#at++] ?? '';
      if (this.object.has(key)) return key;
    }
    return undefined;
  }

  override visit(visit: (value: Value) => void): void {
    visit(this.object);
    for (const key of this.list) visit(key);
  }
}

export abstract class Objects {
  abstract readonly prototypes: Prototypes;
  abstract readonly globalObject: ScriptObject;

  /** Work that may be done before the next look at the clock. */
  fuel = 0;

  constructor(readonly heap: Heap) {}

  charge(units: number): void {
    this.fuel -= units;
  }

  allocate(bytes: number): void {
    this.heap.allocate(bytes);
  }

  object(prototype: ScriptObject | null): ScriptObject {
    this.allocate(OBJECT_BYTES);
    return new ScriptObject('Object', prototype);
  }

  array(elements: readonly Value[]): ArrayObject {
    const array = new ArrayObject(this.prototypes.Array, elements);
    this.allocate(array.bytes);
    return array;
  }

  toObject(value: Value): ScriptObject {
    if (value instanceof ScriptObject) return value;
    if (value === undefined || value === null) throw new ScriptError(`${value} is not an object`);
    this.allocate(OBJECT_BYTES);
    const className = typeof value === 'string' ? 'String' : typeof value === 'number' ? 'Number' : 'Boolean';
    return new BoxObject(className, this.prototypes[className], value);
  }

  /** A property of any value. */
  protected read(value: Value, key: string): Value {
    if (value instanceof ScriptObject) return value.get(key);
    if (value === undefined || value === null) throw new ScriptError(`${value} has no property ${key}`);
    if (typeof value !== 'string')
      return this.prototypes[typeof value === 'number' ? 'Number' : 'Boolean'].get(key);
    return key === 'length' ? textLength(value) : this.prototypes.String.get(key);
  }

  protected write(object: Value, key: string, value: Value): void {
    if (object === undefined || object === null) throw new ScriptError(`${object} has no property ${key}`);
    // A property of a primitive value is gone with the object that it would be boxed in.
    if (!(object instanceof ScriptObject)) return;
    const isLength = key === 'length' && object instanceof ArrayObject && !(value instanceof ScriptObject);
    this.allocate(object.put(key, isLength ? toNumber(value as Primitive) : value));
  }

  protected keys(value: Value): ScriptObject {
    const object =
      value === undefined || value === null ? new ScriptObject('Object', null) : this.toObject(value);
    const list = new Set<string>();
    for (let at: ScriptObject | null = object; at !== null; at = at.proto)
      for (const key of at.keys()) if (at === object || isVisible(object, at, key)) list.add(key);
    this.charge(list.size);
    this.allocate([...list].reduce((bytes, key) => bytes + textBytes(key), OBJECT_BYTES));
    return new KeyIterator(object, [...list]);
  }

  protected nextKey(iterator: Value): string | undefined {
    return iterator instanceof KeyIterator ? iterator.next() : undefined;
  }

  #cell(tables: CodeTables, index: number): Slot | undefined {
    const { cells, names } = tables;
    const cell = this.globalObject.slots?.get(names[index] ?? '');
    cells[index] = cell;
    return cell;
  }

  /** A global variable; undefined if it does not exist. */
  protected global(tables: CodeTables, index: number): Value {
    return (this.#cell(tables, index) ?? this.prototypes.Object.find(tables.names[index] ?? ''))?.value;
  }

  protected setGlobal(tables: CodeTables, index: number, value: Value): void {
    const cell = this.#cell(tables, index);
    if (cell === undefined) {
      this.allocate(this.globalObject.put(tables.names[index] ?? '', value));
      this.#cell(tables, index);
    } else if ((cell.flags & READ_ONLY) === 0) cell.value = value;
  }

  protected deleteGlobal(name: string): boolean {
    return this.globalObject.remove(name);
  }

  /** Creates the variables and functions of a script before it runs. */
  protected declare(variables: readonly string[], functions: readonly FunctionCode[]): void {
    const { globalObject } = this;
    for (const name of variables)
      if (globalObject.slots?.get(name) === undefined) this.#declared(name, undefined);
    for (const code of functions) {
      const made = new ScriptFunction(this.prototypes.Function, code);
      const prototype = this.object(this.prototypes.Object);
      prototype.define('constructor', made, DONT_ENUM);
      made.define('prototype', prototype, DONT_ENUM | DONT_DELETE);
      made.define('length', code.parameters, READ_ONLY | DONT_ENUM | DONT_DELETE);
      this.allocate(made.bytes);
      this.#declared(code.name, made);
    }
  }

  #declared(name: string, value: Value): void {
    const { globalObject } = this;
    const slot = globalObject.slots?.get(name);
    if (slot !== undefined && (slot.flags & DELETED) === 0) slot.value = value;
    else {
      this.allocate(OBJECT_BYTES);
      globalObject.define(name, value, DONT_DELETE);
    }
  }
}

/** Whether an inherited property is not hidden by one nearer to the object. */
function isVisible(object: ScriptObject, owner: ScriptObject, key: string): boolean {
  for (let at: ScriptObject | null = object; at !== null && at !== owner; at = at.proto)
    if (at.slots?.has(key) === true) return false;
  return true;
}
