/** Random expressions give what JavaScript gives, where the two languages agree or differ by truncation to 32 bits only. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { fuzzSeed } from '../../../test/fuzz/random.ts';
import { runScript, testMachine } from '../../../test/script-machine.ts';
import type { Machine } from './machine.ts';

/** The same expression for the machine and for JavaScript. */
interface Pair {
  readonly script: string;
  readonly js: string;
}

const RUNS = { seed: fuzzSeed(), numRuns: 400 };

/** What JavaScript needs for the integers of the machine. */
const HELPERS = {
  cut: (value: number) => (Number.isFinite(value) ? Math.trunc(value) | 0 : Number.NaN),
  product: (a: number, b: number) =>
    Number.isNaN(a * b) ? Number.NaN : Number(BigInt.asIntN(32, BigInt(a) * BigInt(b))),
};

function inJavaScript(expression: string): unknown {
  return new Function('cut', 'product', `return ${expression};`)(HELPERS.cut, HELPERS.product);
}

let machine: Machine | undefined;

function inScript(expression: string): unknown {
  machine ??= testMachine();
  const outcome = runScript(machine, `result = (${expression})`);
  if (outcome.state !== 'done') throw new Error(JSON.stringify(outcome));
  return machine.globalValue('result');
}

const binary = (
  operand: fc.Arbitrary<Pair>,
  operators: readonly string[],
  cut: boolean,
): fc.Arbitrary<Pair> =>
  fc.tuple(operand, fc.constantFrom(...operators), operand).map(([a, operator, b]) => ({
    script: `(${a.script} ${operator} ${b.script})`,
    js:
      operator === '*'
        ? `product(${a.js}, ${b.js})`
        : cut
          ? `cut(${a.js} ${operator} ${b.js})`
          : `(${a.js} ${operator} ${b.js})`,
  }));

const same = (text: string): Pair => ({ script: text, js: text });

const integer = fc
  .oneof(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -0x80000000, max: 0x7fffffff }))
  .map((value) => same(value < 0 ? `(${value})` : String(value)));

const { number } = fc.letrec<{ number: Pair; truth: Pair }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small' },
    integer,
    binary(tie('number'), ['+', '-', '*', '/', '%'], true),
    binary(tie('number'), ['&', '|', '^', '<<', '>>', '>>>'], true),
    tie('number').map(({ script, js }) => ({ script: `(~${script})`, js: `(~${js})` })),
    tie('number').map(({ script, js }) => ({ script: `(-${script})`, js: `cut(-${js})` })),
    fc.tuple(tie('truth'), tie('number'), tie('number')).map(([a, b, c]) => ({
      script: `(${a.script} ? ${b.script} : ${c.script})`,
      js: `(${a.js} ? ${b.js} : ${c.js})`,
    })),
  ),
  truth: fc.oneof(
    { depthSize: 'small' },
    binary(tie('number'), ['<', '<=', '>', '>=', '==', '!='], false),
    tie('truth').map(({ script, js }) => ({ script: `(!${script})`, js: `(!${js})` })),
    binary(tie('truth'), ['&&', '||'], false),
  ),
}));

test('arithmetic', () => {
  fc.assert(
    fc.property(number, ({ script, js }) => {
      expect(inScript(script)).toBe(inJavaScript(js));
    }),
    RUNS,
  );
});

/** Texts without surrogates, whose order is that of their codes. */
const text = fc.string({ unit: fc.constantFrom(...'aAbz 019,-あ亜'), maxLength: 8 });
const position = fc.integer({ min: -3, max: 10 });
const call = fc.oneof(
  fc.tuple(text, position).map(([value, at]) => `${JSON.stringify(value)}.charAt(${at})`),
  fc
    .tuple(text, text, position)
    .map(([value, part, at]) => `${JSON.stringify(value)}.indexOf(${JSON.stringify(part)}, ${at})`),
  fc
    .tuple(text, text, position)
    .map(([value, part, at]) => `${JSON.stringify(value)}.lastIndexOf(${JSON.stringify(part)}, ${at})`),
  fc
    .tuple(text, text)
    .map(([value, part]) => `${JSON.stringify(value)}.lastIndexOf(${JSON.stringify(part)})`),
  fc
    .tuple(text, position, position)
    .map(([value, from, to]) => `${JSON.stringify(value)}.substring(${from}, ${to})`),
  fc
    .tuple(text, text)
    .map(([value, part]) => `${JSON.stringify(value)}.split(${JSON.stringify(part)}).join("|")`),
  text.map((value) => `${JSON.stringify(value)}.toUpperCase()`),
  text.map((value) => `${JSON.stringify(value)}.toLowerCase() + ${JSON.stringify(value)}.length`),
  fc
    .tuple(text, fc.constantFrom(0, 2, 8, 10, 16, 36, 1))
    .map(([value, radix]) => `parseInt(${JSON.stringify(value)}, ${radix})`),
  fc.tuple(text, text).map(([a, b]) => `${JSON.stringify(a)} < ${JSON.stringify(b)}`),
  fc
    .array(text, { minLength: 2, maxLength: 9 })
    .map((values) => `new Array(${values.map((value) => JSON.stringify(value)).join()}).sort().join("|")`),
  fc
    .array(text, { minLength: 2, maxLength: 9 })
    .map((values) => `new Array(${values.map((value) => JSON.stringify(value)).join()}).reverse().join("|")`),
);

test('texts and arrays', () => {
  fc.assert(
    fc.property(call, (expression) => {
      const value = inScript(expression);
      // Neither a negative zero nor Infinity exists.
      expect(value).toBe(Object.is(inJavaScript(expression), -0) ? 0 : inJavaScript(expression));
    }),
    RUNS,
  );
});

test('sorting with a function is stable and complete', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 700 }), (values) => {
      const source = `function c(a, b) { return (a - a % 10) - (b - b % 10) } result = new Array(${values.join()}).sort(c).join()`;
      const fresh = testMachine();
      expect(runScript(fresh, source).state).toBe('done');
      const expected = values.toSorted((a, b) => a - (a % 10) - (b - (b % 10))).join();
      expect(fresh.globalValue('result')).toBe(expected);
    }),
    { ...RUNS, numRuns: 40 },
  );
});

test('dates', () => {
  const fields = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds', 'Day'] as const;
  fc.assert(
    fc.property(fc.integer({ min: -2e12, max: 4e12 }), fc.constantFrom(...fields), (time, field) => {
      const inJapan = new Date(time + 9 * 3_600_000);
      expect(inScript(`new Date(${time}).get${field}()`)).toBe(inJapan[`getUTC${field}`]());
      expect(inScript(`new Date(${time}).getUTC${field}()`)).toBe(new Date(time)[`getUTC${field}`]());
    }),
    { ...RUNS, numRuns: 100 },
  );
});

test('the fields of a date that are set', () => {
  const setters = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const;
  const change = fc.tuple(
    fc.constantFrom(...setters),
    fc.array(fc.integer({ min: -70, max: 70 }), { minLength: 1, maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2e12 }), change, (time, [field, values]) => {
      const most = { FullYear: 3, Month: 2, Date: 1, Hours: 4, Minutes: 3, Seconds: 2, Milliseconds: 1 }[
        field
      ];
      const given = values.slice(0, most);
      const date = new Date(time + 9 * 3_600_000);
      const set: (this: Date, ...args: number[]) => number = date[`setUTC${field}`];
      set.apply(date, given);
      const source = `new Date(new Date(${time}).set${field}(${given.join()})).getTime()`;
      expect(inScript(source)).toBe(date.getTime() - 9 * 3_600_000);
    }),
    { ...RUNS, numRuns: 200 },
  );
});
