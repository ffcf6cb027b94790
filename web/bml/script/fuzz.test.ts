/** Random scripts: nothing is ever thrown out of the machine, and time and memory stay bounded. */
import { expect, test } from 'bun:test';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../../../test/fuzz/random.ts';
import { testMachine } from '../../../test/script-machine.ts';
import { ABANDON, SUSPEND } from './functions.ts';
import { ScriptFault } from './machine.ts';

const TOKENS = [
  ...[
    'var',
    'function',
    'if',
    'else',
    'for',
    'in',
    'while',
    'do',
    'switch',
    'case',
    'default',
    'with',
    'return',
  ],
  ...['break', 'continue', 'new', 'delete', 'typeof', 'void', 'this', 'null', 'true', 'false', 'arguments'],
  ...['(', ')', '{', '}', '[', ']', ';', ',', '.', '=', '+=', '==', '!=', '<', '>', '+', '-', '*', '/', '%'],
  ...['++', '--', '!', '~', '&', '|', '^', '<<', '>>', '>>>', '&&', '||', '?', ':', '===', '-->', '<!--'],
  ...['a', 'b', 'f', 'g', 'x', 'length', 'prototype', '__proto__', 'toString', 'valueOf', 'constructor'],
  ...['Array', 'Object', 'String', 'Date', 'Number', 'host', 'suspend', 'abandon', 'join', 'sort', 'split'],
  ...['0', '1', '2', '2147483647', '0.5', '1e9', '"a"', "'あ'", '""', '"𠀋"', '\n', '\0', '/*', '*/', '//'],
];

/** Statements that are mostly valid; `$` becomes an expression, `#` a statement. */
const STATEMENTS = [
  ...['a = $;', 'b = $;', 'var x = $;', 'a[$] = $;', 'a.x = $;', 'if ($) # else #', 'for (x in $) #'],
  ...[
    'for (x = 0; x < 9; x++) { # }',
    'while ($) { # break; }',
    'with ($) { # }',
    'f($, $);',
    'a = new Array($, $, $);',
  ],
  ...[
    'switch ($) { case $: # default: # }',
    'do { # } while (false);',
    '{ # # }',
    'a.toString = f;',
    'b.valueOf = g;',
  ],
  ...['delete a[$];', 'a.length = $;', 'host.left = $;', 'a.sort(g);', 'a = new f($);', 'f.prototype = $;'],
];
const EXPRESSIONS = [
  ...['a', 'b', 'x', '1', '-3', '"text"', '"𠀋あ"', 'null', 'undefined', 'this', '0.5', '2147483647', 'NaN'],
  ...[
    '($ + $)',
    '($ * $)',
    '($ / $)',
    '($ % $)',
    '($ < $)',
    '($ == $)',
    '($ && $)',
    '($ || $)',
    '($ ? $ : $)',
  ],
  ...[
    '(-$)',
    '(~$)',
    '(!$)',
    '(typeof $)',
    '(a = $)',
    '(a += $)',
    'a++',
    '--b',
    'a[$]',
    'a.length',
    'f($)',
    'g($, $)',
  ],
  ...[
    'new Object()',
    'new Array($)',
    'new String($)',
    'new Date($)',
    '("" + $)',
    '[$, $]',
    '{ p: $ }',
    'host.left',
  ],
  ...[
    'String($).charAt($)',
    'String($).split($)',
    'String($).substring($, $)',
    'String($).indexOf($, $)',
    'host.go($)',
  ],
  ...[
    'new Array($, $).join($)',
    'new Array($, $).sort(g)',
    'parseInt($, $)',
    'isNaN($)',
    'suspend()',
    'f.arguments',
  ],
  ...[
    'new Array(3, $, 1).reverse()',
    'String.fromCharCode($)',
    'String($).charCodeAt($)',
    'new Date($).getDay()',
  ],
];

function program(random: Random): string {
  const expression = (depth: number): string =>
    (depth > 4 ? random.pick(EXPRESSIONS.slice(0, 12)) : random.pick(EXPRESSIONS)).replace(/\$/g, () =>
      expression(depth + 1),
    );
  const statement = (depth: number): string =>
    (depth > 3 ? 'a = $;' : random.pick(STATEMENTS))
      .replace(/#/g, () => statement(depth + 1))
      .replace(/\$/g, () => expression(2));
  const body = (): string => Array.from({ length: 1 + random.below(4) }, () => statement(0)).join('\n');
  return `function f(p, q) { ${body()} return ${expression(1)}; } function g(p, q) { return ${expression(1)}; } ${body()}`;
}

function soup(random: Random): string {
  return Array.from({ length: random.below(120) }, () => random.pick(TOKENS)).join(
    random.pick([' ', '', '\n']),
  );
}

function bytes(random: Random): string {
  return String.fromCharCode(...random.bytes(random.below(300)));
}

/** A program with some characters removed, doubled or replaced. */
function damaged(random: Random): string {
  let text = program(random);
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const at = random.below(text.length + 1);
    text = text.slice(0, at) + random.pick(['', ' ', random.pick(TOKENS)]) + text.slice(at + random.below(3));
  }
  return text;
}

/** Slices of a script before it is left; each is ended by the clock, which moves at every look. */
const MAX_SLICES = 6;

function survives(source: string): string {
  let now = 0;
  const clock = (): number => {
    now += 1;
    return now;
  };
  const machine = testMachine({ clock, heapLimit: 1 << 20 });
  const host = { left: '' };
  const hostClass = {
    name: 'Host',
    properties: {
      left: {
        type: 'string',
        get: (target: { left: string }) => target.left,
        set: (target: { left: string }, value: unknown) => {
          target.left = String(value).slice(0, 100);
        },
      },
    },
    methods: {
      go: { params: ['number'], call: (_target: unknown, [value]: readonly unknown[]) => Number(value) },
    },
  } as const;
  machine.defineValue('host', machine.wrap(hostClass, host));
  machine.defineFunction('suspend', { call: () => SUSPEND });
  machine.defineFunction('abandon', { call: () => ABANDON });
  const script = machine.compile(source, 'fuzz.bml');
  if (script instanceof ScriptFault) return 'syntax';
  machine.start(script);
  for (let slices = 0; slices < MAX_SLICES; slices += 1) {
    const before = now;
    const outcome = machine.run();
    // A slice ends soon after 5 ms of this clock.
    expect(now - before).toBeLessThanOrEqual(8);
    // Neither the machine nor this host may fail.
    if (outcome.state === 'error') expect(outcome.fault.message).not.toStartWith('host:');
    if (outcome.state === 'suspended') machine.resume(slices);
    else if (outcome.state !== 'more') return outcome.state;
  }
  machine.abandon();
  expect(machine.startCall('f', [1])).toBe(true);
  machine.run();
  return 'more';
}

function fuzz(
  name: string,
  rounds: number,
  make: (random: Random) => string,
  expected: readonly string[],
): void {
  test(
    name,
    () => {
      const seed = fuzzSeed();
      const random = new Random(seed);
      const ends = new Map<string, number>();
      for (let round = 0; round < fuzzRounds(rounds); round += 1) {
        const source = make(random);
        try {
          const end = survives(source);
          ends.set(end, (ends.get(end) ?? 0) + 1);
        } catch (error) {
          throw new Error(`FUZZ_SEED=${seed} round ${round}: ${String(error)}\n${source}`, { cause: error });
        }
      }
      // The generator reaches what it is meant to reach.
      for (const end of expected) expect([end, ends.has(end)]).toEqual([end, true]);
    },
    FUZZ_TIMEOUT,
  );
}

fuzz('random bytes', 300, bytes, ['syntax']);
fuzz('random tokens', 500, soup, ['syntax']);
fuzz('random programs', 400, program, ['done', 'error']);
fuzz('damaged programs', 300, damaged, ['syntax', 'done', 'error']);
