/**
 * Objects of the host as scripts see them: properties, methods and indexed access from a table per class. A script never
 * gets the object behind, only a `HostObject`; names that the table does not contain read as undefined and ignore writes.
 */
import { type ABANDON, type Coercion, NativeFunction, type SUSPEND, type Vm } from './functions.ts';
import { arrayIndex, ScriptObject, type Value } from './values.ts';

export type HostResult = Value | typeof SUSPEND | typeof ABANDON;

interface HostProperty<T> {
  get(target: T): Value;
  /** Without it, the property is read-only: writes are ignored. */
  set?(target: T, value: Value): void;
  /** Conversion of the value that is written; `any` if not given. */
  readonly type?: Coercion;
}

interface HostMethod<T> {
  /** Conversions of the arguments that are given. Further arguments are passed as they are. */
  readonly params?: readonly Coercion[];
  call(target: T, args: readonly Value[]): HostResult;
}

/** `object[n]`, n a whole number from 0; a name is never passed. */
interface HostIndex<T> {
  get(target: T, index: number): Value;
  set?(target: T, index: number, value: Value): void;
  readonly type?: Coercion;
}

/** A class of host objects. `name` occurs in texts (`[object NAME]`) and in messages. */
export interface HostClass<T extends object> {
  readonly name: string;
  readonly properties?: Readonly<Record<string, HostProperty<T>>>;
  readonly methods?: Readonly<Record<string, HostMethod<T>>>;
  readonly index?: HostIndex<T>;
}

/** A class prepared for one machine. */
export class HostBinding {
  readonly #properties: ReadonlyMap<string, HostProperty<object>>;
  readonly #methods: ReadonlyMap<string, NativeFunction>;

  /** @param unknown told of names that the class does not have */
  constructor(
    readonly hostClass: HostClass<object>,
    functions: ScriptObject,
    readonly unknown: (name: string) => void,
  ) {
    this.#properties = new Map(Object.entries(hostClass.properties ?? {}));
    this.#methods = new Map(
      Object.entries(hostClass.methods ?? {}).map(([name, method]) => [
        name,
        new NativeFunction(functions, {
          name,
          params: method.params ?? [],
          call: (_vm: Vm, self: Value, args: readonly Value[]) =>
            self instanceof HostObject && self.binding === this ? method.call(self.target, args) : Number.NaN,
        }),
      ]),
    );
  }

  property(name: string): HostProperty<object> | undefined {
    return this.#properties.get(name);
  }

  method(name: string): NativeFunction | undefined {
    return this.#methods.get(name);
  }

  /** The conversion of a value that is written to a property or an index. */
  typeOf(key: string): Coercion {
    const index = this.hostClass.index;
    if (index !== undefined && arrayIndex(key) >= 0) return index.type ?? 'any';
    return this.#properties.get(key)?.type ?? 'any';
  }

  keys(): string[] {
    return [...this.#properties.keys(), ...this.#methods.keys()];
  }
}

export class HostObject extends ScriptObject {
  constructor(
    proto: ScriptObject | null,
    readonly binding: HostBinding,
    readonly target: object,
  ) {
    super(binding.hostClass.name, proto);
  }

  override get(key: string): Value {
    const property = this.binding.property(key);
    if (property !== undefined) return property.get(this.target);
    const method = this.binding.method(key);
    if (method !== undefined) return method;
    const index = this.binding.hostClass.index;
    const at = index === undefined ? -1 : arrayIndex(key);
    if (index !== undefined && at >= 0) return index.get(this.target, at);
    const inherited = this.proto?.find(key);
    if (inherited === undefined) this.binding.unknown(key);
    return inherited?.value;
  }

  override has(key: string): boolean {
    return (
      this.binding.property(key) !== undefined || this.binding.method(key) !== undefined || super.has(key)
    );
  }

  override put(key: string, value: Value): number {
    const property = this.binding.property(key);
    if (property !== undefined) {
      property.set?.(this.target, value);
      return 0;
    }
    const index = this.binding.hostClass.index;
    const at = index === undefined ? -1 : arrayIndex(key);
    if (index !== undefined && at >= 0) index.set?.(this.target, at, value);
    else this.binding.unknown(key);
    return 0;
  }

  override remove(): boolean {
    return false;
  }

  override keys(): string[] {
    return this.binding.keys();
  }
}
