/**
 * `String` (ECMA-262 2nd edition, 15.5). Positions count characters, and codes are those of the document's character set
 * (ARIB STD-B24 vol. 2).
 */
import { textLength, toInteger, toText, wideCharacters } from '../conversions.ts';
import type { NativeSpec, Prototypes, Vm } from '../functions.ts';
import {
  BoxObject,
  ELEMENT_BYTES,
  type Primitive,
  type ScriptObject,
  textBytes,
  type Value,
} from '../values.ts';
import { defineConstructor, defineFunction, FIXED, wrongClass } from './basic.ts';

type TextMethod = (vm: Vm, text: string, args: readonly Value[]) => Value;

export function defineString(globalObject: ScriptObject, prototypes: Prototypes): void {
  const made = defineConstructor(globalObject, prototypes.Function, prototypes.String, {
    name: 'String',
    params: ['string'],
    call: (vm, _self, args, construct) => {
      const text = args.length === 0 ? '' : toText(args[0] as Primitive);
      if (!construct) return text;
      const object = vm.toObject(text);
      object.define('length', textLength(text), FIXED);
      return object;
    },
  });
  defineFunction(made, prototypes.Function, {
    name: 'fromCharCode',
    params: ['number'],
    rest: 'number',
    call: (vm, _self, args) =>
      args.map((code) => vm.characters.textOf(toInteger(code as Primitive) & 0xffff)).join(''),
  });
  for (const name of ['toString', 'valueOf'])
    defineFunction(prototypes.String, prototypes.Function, {
      name,
      params: [],
      call: (_vm, self) => {
        const value = self instanceof BoxObject && self.className === 'String' ? self.primitive : self;
        return typeof value === 'string' ? value : wrongClass(`String.prototype.${name}`);
      },
    });
  for (const [name, params, method] of METHODS)
    defineFunction(prototypes.String, prototypes.Function, {
      name,
      params,
      self: 'string',
      call: (vm, self, args) => {
        const text = toText(self as Primitive);
        vm.charge(text.length >> 5);
        return method(vm, text, args);
      },
    });
}

/** The character at a position, or an empty text. */
function characterAt(text: string, position: number): string {
  const wide = wideCharacters(text);
  return (wide === undefined ? text.charAt(position) : wide[position]) ?? '';
}

/** The offset in the text of a character's position. */
function offsetOf(text: string, position: number): number {
  const wide = wideCharacters(text);
  return wide === undefined ? position : wide.slice(0, position).join('').length;
}

/** The position of a character of which the offset in the text is known; -1 stays. */
function positionOf(text: string, offset: number): number {
  return offset < 0 || wideCharacters(text) === undefined ? offset : [...text.slice(0, offset)].length;
}

function integerAt(args: readonly Value[], index: number): number {
  return toInteger(args[index] as Primitive);
}

function clamped(value: number, end: number): number {
  return Math.max(0, Math.min(value, end));
}

const METHODS: readonly (readonly [name: string, params: NativeSpec['params'], method: TextMethod])[] = [
  ['charAt', ['number'], (_vm, text, args) => characterAt(text, integerAt(args, 0))],
  [
    'charCodeAt',
    ['number'],
    (vm, text, args) => {
      const code = characterAt(text, integerAt(args, 0)).codePointAt(0);
      return code === undefined ? Number.NaN : vm.characters.codeOf(code);
    },
  ],
  [
    'indexOf',
    ['string', 'number'],
    (_vm, text, args) => {
      const from = clamped(integerAt(args, 1), textLength(text));
      return positionOf(text, text.indexOf(toText(args[0] as Primitive), offsetOf(text, from)));
    },
  ],
  [
    'lastIndexOf',
    ['string', 'number'],
    (_vm, text, args) => {
      const end = textLength(text);
      const from = Number.isNaN(args[1]) || args[1] === undefined ? end : clamped(integerAt(args, 1), end);
      return positionOf(text, text.lastIndexOf(toText(args[0] as Primitive), offsetOf(text, from)));
    },
  ],
  [
    'split',
    ['primitive'],
    (vm, text, args) => {
      if (args[0] === undefined) return vm.array([text]);
      const separator = toText(args[0] as Primitive);
      const most = separator === '' ? text.length : text.length / separator.length;
      // Each part may cost more than the text itself.
      vm.allocate(occurrences(text, separator, most) * (ELEMENT_BYTES + textBytes('')) + textBytes(text));
      const parts = separator === '' ? [...text] : text.split(separator);
      vm.charge(parts.length);
      return vm.array(parts);
    },
  ],
  [
    'substring',
    ['number', 'primitive'],
    (vm, text, args) => {
      const length = textLength(text);
      const start = clamped(integerAt(args, 0), length);
      const end = args[1] === undefined ? length : clamped(integerAt(args, 1), length);
      const [from, to] = [Math.min(start, end), Math.max(start, end)];
      const part = text.slice(offsetOf(text, from), offsetOf(text, to));
      vm.allocate(textBytes(part));
      return part;
    },
  ],
  ['toLowerCase', [], (vm, text) => sized(vm, text.toLowerCase())],
  ['toUpperCase', [], (vm, text) => sized(vm, text.toUpperCase())],
];

function sized(vm: Vm, text: string): string {
  vm.allocate(textBytes(text));
  return text;
}

/** Number of separators, for the memory of the parts. */
function occurrences(text: string, separator: string, most: number): number {
  if (separator === '') return most;
  let count = 0;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length))
    count += 1;
  return count;
}
