/** Global functions, `Object`, `Function`, `Boolean` and `Number` (ECMA-262 2nd edition, 15.1 to 15.3, 15.6, 15.7). */
import { toInteger, toNumber, toText } from '../conversions.ts';
import {
  isFunction,
  NativeFunction,
  type NativeSpec,
  type Prototypes,
  ScriptError,
  ScriptFunction,
  type Vm,
} from '../functions.ts';
import {
  BoxObject,
  DONT_DELETE,
  DONT_ENUM,
  type Primitive,
  READ_ONLY,
  type ScriptObject,
  type Value,
} from '../values.ts';

// How built-in functions are made properties of objects.

export const FIXED = READ_ONLY | DONT_ENUM | DONT_DELETE;

export function defineFunction(
  object: ScriptObject,
  functions: ScriptObject,
  spec: NativeSpec,
): NativeFunction {
  const made = new NativeFunction(functions, spec);
  made.define('length', spec.params.length, FIXED);
  object.define(spec.name, made, DONT_ENUM);
  return made;
}

export function defineConstructor(
  globalObject: ScriptObject,
  functions: ScriptObject,
  prototype: ScriptObject,
  spec: NativeSpec,
): NativeFunction {
  const made = defineFunction(globalObject, functions, { ...spec, constructs: true });
  made.define('prototype', prototype, FIXED);
  prototype.define('constructor', made, DONT_ENUM);
  return made;
}

/** For a method that only its own class has. */
export function wrongClass(method: string): never {
  throw new ScriptError(`${method} of another class`);
}

/** A function without `this` and without the machine. */
function plain(call: (args: readonly Value[]) => Value): NativeSpec['call'] {
  return (_vm: Vm, _self: Value, args: readonly Value[]) => call(args);
}

const MAX_VALUE = 2147483647;
const MIN_VALUE = 1;

export function defineBasics(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineGlobals(globalObject, prototypes.Function);
  defineObject(globalObject, prototypes);
  defineFunctionObject(globalObject, prototypes);
  defineBoolean(globalObject, prototypes);
  defineNumber(globalObject, prototypes);
}

function defineGlobals(globalObject: ScriptObject, functions: ScriptObject): void {
  globalObject.define('NaN', Number.NaN, DONT_ENUM);
  defineFunction(globalObject, functions, {
    name: 'parseInt',
    params: ['string', 'number'],
    call: plain(([text, radix]) =>
      parseInteger(toText(text as Primitive), toInteger(radix as Primitive) | 0),
    ),
  });
  defineFunction(globalObject, functions, {
    name: 'isNaN',
    params: ['number'],
    call: plain(([value]) => Number.isNaN(toNumber(value as Primitive))),
  });
}

/** ECMA-262 2nd edition, 15.1.2.2. A leading 0 does not make a number octal: scripts read hours and minutes with it. */
function parseInteger(text: string, radix: number): number {
  const value = Number.parseInt(text, radix);
  return Number.isFinite(value) ? value + 0 : Number.NaN;
}

function defineObject(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineConstructor(globalObject, prototypes.Function, prototypes.Object, {
    name: 'Object',
    params: ['any'],
    call: (vm, _self, [value]) =>
      value === undefined || value === null ? vm.object(vm.prototypes.Object) : vm.toObject(value),
  });
  defineFunction(prototypes.Object, prototypes.Function, {
    name: 'toString',
    params: [],
    call: (vm, self) =>
      `[object ${self === undefined || self === null ? 'Object' : vm.toObject(self).className}]`,
  });
  defineFunction(prototypes.Object, prototypes.Function, {
    name: 'valueOf',
    params: [],
    call: (vm, self) => (self === undefined || self === null ? self : vm.toObject(self)),
  });
}

function defineFunctionObject(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineConstructor(globalObject, prototypes.Function, prototypes.Function, {
    name: 'Function',
    params: [],
    call: () => {
      throw new ScriptError('Function cannot compile a text');
    },
  });
  defineFunction(prototypes.Function, prototypes.Function, {
    name: 'toString',
    params: [],
    call: (_vm, self) => {
      if (!isFunction(self)) return wrongClass('Function.prototype.toString');
      const name = self instanceof ScriptFunction ? self.code.name : self.spec.name;
      return `function ${name}() { ${self instanceof NativeFunction ? '[native code] ' : ''}}`;
    },
  });
}

/** The value of a boxed or plain primitive of a type. */
function primitiveOf(self: Value, className: 'Boolean' | 'Number' | 'String', method: string): Primitive {
  const value = self instanceof BoxObject && self.className === className ? self.primitive : self;
  return typeof value === className.toLowerCase() ? (value as Primitive) : wrongClass(method);
}

function defineBoolean(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineConstructor(globalObject, prototypes.Function, prototypes.Boolean, {
    name: 'Boolean',
    params: ['boolean'],
    call: (vm, _self, [value = false], construct) => (construct ? vm.toObject(value) : value),
  });
  for (const name of ['toString', 'valueOf'] as const)
    defineFunction(prototypes.Boolean, prototypes.Function, {
      name,
      params: [],
      call: (_vm, self) => {
        const value = primitiveOf(self, 'Boolean', `Boolean.prototype.${name}`);
        return name === 'toString' ? toText(value) : value;
      },
    });
}

function defineNumber(globalObject: ScriptObject, prototypes: Prototypes): void {
  const made = defineConstructor(globalObject, prototypes.Function, prototypes.Number, {
    name: 'Number',
    params: ['number'],
    call: (vm, _self, args, construct) => {
      const value = args.length === 0 ? 0 : args[0];
      return construct ? vm.toObject(value) : value;
    },
  });
  made.define('MAX_VALUE', MAX_VALUE, FIXED);
  made.define('MIN_VALUE', MIN_VALUE, FIXED);
  made.define('NaN', Number.NaN, FIXED);
  defineFunction(prototypes.Number, prototypes.Function, {
    name: 'toString',
    params: ['number'],
    call: (_vm, self, [radix]) => {
      const value = toNumber(primitiveOf(self, 'Number', 'Number.prototype.toString'));
      const base = toInteger(radix as Primitive);
      return base >= 2 && base <= 36 ? value.toString(base) : toText(value);
    },
  });
  defineFunction(prototypes.Number, prototypes.Function, {
    name: 'valueOf',
    params: [],
    call: (_vm, self) => primitiveOf(self, 'Number', 'Number.prototype.valueOf'),
  });
}
