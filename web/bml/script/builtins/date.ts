/**
 * `Date` (ECMA-262 2nd edition, 15.9) in Japanese time. Texts have the form YYYY-MM-DDThh:mm:ss; `Date.parse`, `Date.UTC`,
 * `getYear` and `setYear` do not exist (ARIB STD-B24 vol. 2).
 */
import { JST_OFFSET_MS } from '../../../../lib/arib/time.ts';
import { toNumber } from '../conversions.ts';
import type { Prototypes, Vm } from '../functions.ts';
import { BoxObject, OBJECT_BYTES, type Primitive, type ScriptObject, type Value } from '../values.ts';
import { defineConstructor, defineFunction, wrongClass } from './basic.ts';

const FIELDS = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const;
type DateField = (typeof FIELDS)[number];
/** How many arguments the functions that set a field take: the field and those behind it, within date or time. */
const SET_ARGUMENTS: Readonly<Record<DateField, number>> = {
  FullYear: 3,
  Month: 2,
  Date: 1,
  Hours: 4,
  Minutes: 3,
  Seconds: 2,
  Milliseconds: 1,
};
const DATE_TEXT =
  /^\s*(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T\s]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d+)?)?)?\s*$/;

/** A date object, of ms since 1970. */
export function makeDate(vm: Vm, time: number): BoxObject {
  vm.allocate(OBJECT_BYTES);
  // A Date of JavaScript knows the range of times.
  return new BoxObject('Date', vm.prototypes.Date, new Date(Math.trunc(time)).getTime());
}

export function defineDate(globalObject: ScriptObject, prototypes: Prototypes): void {
  defineConstructor(globalObject, prototypes.Function, prototypes.Date, {
    name: 'Date',
    params: ['primitive', 'number', 'number', 'number', 'number', 'number', 'number'],
    call: (vm, _self, args, construct) =>
      construct ? makeDate(vm, timeOf(vm, args)) : scriptDateText(vm.now() + JST_OFFSET_MS),
  });
  const method = (
    name: string,
    parameters: number,
    call: (date: BoxObject, time: number, args: readonly number[]) => Value,
  ): void => {
    defineFunction(prototypes.Date, prototypes.Function, {
      name,
      params: Array.from({ length: parameters }, () => 'number' as const),
      call: (_vm, self, args) => {
        if (!(self instanceof BoxObject) || self.className !== 'Date')
          return wrongClass(`Date.prototype.${name}`);
        const numbers = args.slice(0, parameters).map((value) => toNumber(value as Primitive));
        return call(self, Number(self.primitive), numbers);
      },
    });
  };
  method('getTime', 0, (_date, time) => time);
  method('valueOf', 0, (_date, time) => time);
  method('getTimezoneOffset', 0, () => -JST_OFFSET_MS / 60_000);
  method('toString', 0, (_date, time) => scriptDateText(time + JST_OFFSET_MS));
  method('toLocaleString', 0, (_date, time) => scriptDateText(time + JST_OFFSET_MS));
  method('toUTCString', 0, (_date, time) => scriptDateText(time));
  method('toGMTString', 0, (_date, time) => scriptDateText(time));
  method('setTime', 1, (date, _time, [time]) => {
    date.primitive = new Date(Math.trunc(time ?? Number.NaN)).getTime();
    return date.primitive;
  });
  for (const [zone, shift] of [
    ['', JST_OFFSET_MS],
    ['UTC', 0],
  ] as const) {
    method(`get${zone}Day`, 0, (_date, time) => new Date(time + shift).getUTCDay());
    for (const field of FIELDS) {
      method(`get${zone}${field}`, 0, (_date, time) => new Date(time + shift)[`getUTC${field}`]());
      method(`set${zone}${field}`, SET_ARGUMENTS[field], (date, time, args) => {
        date.primitive = withFields(new Date(time + shift), field, args) - shift;
        return date.primitive;
      });
    }
  }
}

/** ms since 1970 after a field, and those behind it, are set. */
function withFields(date: Date, field: DateField, [first = Number.NaN, ...more]: readonly number[]): number {
  const [second, third, fourth] = more;
  if (field === 'FullYear' || field === 'Month') {
    // Arguments that are not given keep their fields.
    const [year, month, day] = field === 'FullYear' ? [first, second, third] : [undefined, first, second];
    const base = new Date(Number.isNaN(date.getTime()) && field === 'FullYear' ? 0 : date.getTime());
    return base.setUTCFullYear(
      year ?? base.getUTCFullYear(),
      month ?? base.getUTCMonth(),
      day ?? base.getUTCDate(),
    );
  }
  if (field === 'Date') return date.setUTCDate(first);
  const at = FIELDS.indexOf(field) - FIELDS.indexOf('Hours');
  const times = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()];
  [first, second, third, fourth].forEach((value, index) => {
    if (value !== undefined && at + index < times.length) times[at + index] = value;
  });
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = times;
  return date.setUTCHours(hours, minutes, seconds, milliseconds);
}

/** The time that the arguments of `new Date` give. */
function timeOf(vm: Vm, args: readonly Value[]): number {
  const [first] = args;
  if (args.length === 0) return vm.now();
  if (args.length === 1) return typeof first === 'string' ? parsed(first) : toNumber(first as Primitive);
  const [year = 0, month = 0, day = 1, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = args.map(
    (value) => toNumber(value as Primitive),
  );
  return Date.UTC(year, month, day, hours, minutes, seconds, milliseconds) - JST_OFFSET_MS;
}

function parsed(text: string): number {
  const match = DATE_TEXT.exec(text);
  if (match === null) return Number.NaN;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return Date.UTC(year, month - 1, day, hours, minutes, seconds) - JST_OFFSET_MS;
}

function scriptDateText(time: number): string {
  return Number.isNaN(time) ? 'NaN' : new Date(time).toISOString().replace(/\.\d{3}Z$/, '');
}
