/** Scripts that attack the machine: each ends, within its bounds, and leaves everything outside as it was. */
import { describe, expect, test } from 'bun:test';
import { runScript, shown, testMachine } from '../../../test/script-machine.ts';
import { RunBudget } from '../engine/script-tasks.ts';
import { ABANDON } from './functions.ts';
import { HostObject } from './host.ts';
import { type Machine, type Outcome, ScriptFault } from './machine.ts';
import { ScriptObject, type Value } from './values.ts';

const LIMIT_MS = 60_000;
/** Turns of a loop that may pass between two looks at the clock. */
const TURNS_PER_LOOK = 4096;

/** `done`, `more`, `stopped`, … or the message of an error. */
function brief(outcome: Outcome): string {
  return outcome.state === 'error' ? outcome.fault.message : outcome.state;
}

/** A machine whose clock moves by a step at each look, and the time that it shows. */
function countedMachine(stepMs: number): { machine: Machine; budget: RunBudget } {
  let now = 0;
  const clock = (): number => {
    now += stepMs;
    return now;
  };
  return { machine: testMachine({ clock }), budget: new RunBudget(() => now) };
}

function started(machine: Machine, source: string): Machine {
  const script = machine.compile(source, 'test.bml');
  if (script instanceof ScriptFault) throw new Error(script.message);
  machine.start(script);
  return machine;
}

describe('names of JavaScript (attacks 3 and 4)', () => {
  const NAMES = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'location',
  ];

  test('are ordinary names', () => {
    for (const name of NAMES) {
      const machine = testMachine();
      const source = `
        var ${name} = 1; this["${name}"] = 2; var o = new Object(); o["${name}"] = new Object();
        o["${name}"].polluted = 3; Object.prototype.polluted = 4; new Array().polluted = 5; "".polluted = 6;
        Array.prototype["${name}"] = 7; function f() { var ${name} = 8; return ${name} } result = f() + ${name};`;
      expect(brief(runScript(machine, source))).toBe('done');
      expect(machine.globalValue('result')).toBe(10);
    }
    expect('polluted' in {}).toBe(false);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect([].constructor).toBe(Array);
  });

  test('lead to no constructor of code', () => {
    for (const source of [
      '"".constructor.constructor("return 1")()',
      'new Array().sort.constructor("return 1")()',
      'var f = isNaN; f.constructor.prototype.constructor("return 1")()',
      'host.method.constructor("return 1")()',
    ]) {
      const machine = testMachine();
      machine.defineValue('host', machine.wrap({ name: 'Host', methods: { method: { call: () => 1 } } }, {}));
      expect(brief(runScript(machine, source))).toBe('Function cannot compile a text');
    }
  });

  test('no value that a script can reach is an object of JavaScript', () => {
    const machine = testMachine();
    const target = { secret: 1, nested: { secret: 2 } };
    const hostClass = {
      name: 'Host',
      properties: { title: { get: () => 'title' } },
      methods: { go: { call: () => 1 } },
    };
    machine.defineValue('host', machine.wrap(hostClass, target));
    runScript(
      machine,
      'function f() {} var a = new Array(1), d = new Date(), s = new String("a"), n = new Number(1);',
    );
    const keys = ['target', 'binding', 'proto', 'slots', 'spec', 'code', 'secret', 'nested', ...NAMES];
    const seen = new Set<ScriptObject>();
    const look = (value: Value): void => {
      if (!(value instanceof ScriptObject)) {
        expect(['undefined', 'boolean', 'number', 'string'].includes(typeof value) || value === null).toBe(
          true,
        );
        return;
      }
      if (seen.has(value)) return;
      seen.add(value);
      for (const key of [...keys, ...value.keys(), ...(value.slots?.keys() ?? [])]) look(value.get(key));
      if (value instanceof HostObject)
        for (const key of ['target', 'secret']) expect(value.get(key)).toBeUndefined();
    };
    look(machine.globalObject);
    expect(seen.size).toBeGreaterThan(50);
  });

  test('a method of one host class does nothing for objects of another', () => {
    const machine = testMachine();
    const seen: unknown[] = [];
    const call = (target: object): Value => {
      seen.push(target);
      return 1;
    };
    machine.defineValue('a', machine.wrap({ name: 'A', methods: { go: { call } } }, { a: 1 }));
    machine.defineValue('b', machine.wrap({ name: 'B', properties: {} }, { b: 1 }));
    runScript(machine, 'var o = new Object(); o.go = a.go; result = o.go()');
    expect(shown(machine.globalValue('result'))).toBe('NaN');
    expect(seen).toEqual([]);
  });

  test('a comparison may change the array, and a conversion may convert again', () => {
    const rows = [
      [
        'function c(a, b) { v.length = 0; v[5] = 9; return a - b } var v = new Array(3, 1, 2); result = v.sort(c).join()',
        '"1,2,3,,,"',
      ],
      [
        'function c(a, b) { v.sort(d); return a - b } function d(a, b) { return b - a } var v = new Array(3, 1, 2); result = v.sort(c).join()',
        '"1,2,3"',
      ],
      [
        'function v() { return this + 1 } var o = new Object(); o.valueOf = v; o + 1; result = 1',
        'calls nested too deeply',
      ],
      [
        'function s() { return "" + this } var o = new Object(); o.toString = s; o.valueOf = s; result = "" + o',
        'calls nested too deeply',
      ],
      [
        'function c(a, b) { return v.sort(c) } var v = new Array(3, 1, 2); result = v.sort(c).join()',
        'calls nested too deeply',
      ],
      [
        'function s() { delete o.toString; o = null; return "x" } var o = new Object(); o.toString = s; result = o + "" + o',
        '"xnull"',
      ],
    ] as const;
    for (const [source, expected] of rows) {
      const machine = testMachine();
      const outcome = runScript(machine, source);
      const found = outcome.state === 'done' ? shown(machine.globalValue('result')) : brief(outcome);
      expect([source, found]).toEqual([source, expected]);
    }
  });
});

describe('time (attack 5)', () => {
  const ENDLESS = [
    'while (1);',
    'for (;;) n++;',
    'do n++; while (true)',
    'function f() { n++ } while (1) f();',
    'while (1) { n++; continue; }',
    'var o = new Object(); o.a = 1; while (1) for (var k in o) n++;',
    'while (1) n += "".charAt(0).length + 1;',
    'var a = new Array(3, 1, 2); while (1) { n++; a.sort(); }',
    'function c(a, b) { n++; return 1 } var a = new Array(3, 1, 2); while (1) a.sort(c);',
    'function v() { n++; return 1 } var o = new Object(); o.valueOf = v; while (o);',
    'with (new Object()) while (1) n++;',
    'while (1) switch (n++) { default: }',
  ];

  test('an endless script pauses at every slice and is stopped above 40 % of 10 s', () => {
    for (const loop of ENDLESS) {
      // A look at the clock each 0.5 ms: ten of them are a slice.
      const { machine, budget } = countedMachine(0.5);
      started(machine, `var n = 0; ${loop}`);
      let slices = 0;
      let before = 0;
      while (!budget.exceeded && slices < 2000) {
        const outcome = budget.spend(() => machine.run());
        expect([loop, outcome.state]).toEqual([loop, 'more']);
        const count = Number(machine.globalValue('n'));
        expect(count - before).toBeLessThanOrEqual(11 * TURNS_PER_LOOK);
        before = count;
        slices += 1;
        // The rest of the test's time is not needed: the machine is the same in every slice.
        if (slices === 3 && loop !== ENDLESS[0]) break;
      }
      expect(slices).toBeLessThanOrEqual(loop === ENDLESS[0] ? 800 : 3);
      machine.abandon();
      expect(runScript(machine, 'n = 1').state).not.toBe('error');
    }
  });

  test('long work of one call pauses too', () => {
    for (const source of [
      'new Array(2147483647).join("");',
      'var a = new Array(); for (var i = 0; i < 5000; i++) a[i] = 5000 - i; while (1) a.sort();',
    ]) {
      const { machine } = countedMachine(1);
      started(machine, source);
      for (let slices = 0; slices < 5; slices += 1) expect(machine.run().state).toBe('more');
    }
  });

  test('straight code pauses', () => {
    const { machine } = countedMachine(1);
    started(machine, `var a = 0;${'a = a + 1;'.repeat(30_000)}`);
    let slices = 0;
    while (machine.run().state === 'more') slices += 1;
    expect(slices).toBeGreaterThan(5);
    expect(machine.globalValue('a')).toBe(30_000);
  });

  test('recursion of every kind ends the handler', () => {
    for (const source of [
      'function f() { f() } f()',
      'function f() { g() } function g() { f() } f()',
      'function T() { new T() } new T()',
      'var a = new Array(1); a[0] = a; a.join()',
      'var a = new Array(1), b = new Array(1); a[0] = b; b[0] = a; "" + a',
      'function s() { return o + "" } var o = new Object(); o.toString = s; o.valueOf = s; "" + o',
      'function c() { new Array(2, 1).sort(c) } c()',
      `function f(${Array.from({ length: 2000 }, (_name, index) => `p${index}`).join()}) { f() } f()`,
    ])
      expect(brief(runScript(testMachine(), source))).toBe('calls nested too deeply');
  });

  test('a depth of 200 calls is fine', () => {
    const machine = testMachine();
    expect(brief(runScript(machine, 'function f(n) { return n ? f(n - 1) + 1 : 0 } result = f(200)'))).toBe(
      'done',
    );
    expect(machine.globalValue('result')).toBe(200);
  });
});

describe('memory (attack 6)', () => {
  /** Each fills the heap. */
  const FILLING = [
    'var s = "ab"; while (1) s += s;',
    'var s = "ab"; while (1) s = s + s.toUpperCase();',
    'var a = new Array(); for (var i = 0; ; i++) a[i] = i;',
    'var a = new Array(); for (var i = 0; ; i++) a[i * 5000] = i;',
    'var a = new Array(); for (var i = 0; ; i++) a["k" + i] = i;',
    'var o = new Object(); for (var i = 0; ; i++) o["k" + i] = i;',
    'for (var i = 0; ; i++) this["k" + i] = i;',
    'var o = null; while (1) { var n = new Object(); n.next = o; o = n; }',
    'var a = new Array(); for (var i = 0; ; i++) a[i] = new Array(1, 2, 3);',
    'var a = new Array(); for (var i = 0; ; i++) a[i] = new Date();',
    'var a = new Array(); for (var i = 0; ; i++) a[i] = "text number " + i;',
    'var a = new Array(); for (var i = 0; ; i++) a[i] = new String("a");',
    'new Array(2147483647).join("a")',
    'new Array(1000000).join("0123456789")',
    'var s = "a"; for (var i = 0; i < 20; i++) s += s; var a = new Array(); for (i = 0; ; i++) a[i] = s.split("");',
    'var s = "a"; for (var i = 0; i < 20; i++) s += s; var a = new Array(); for (i = 0; ; i++) a[i] = s + i;',
    'var s = "a"; for (var i = 0; i < 20; i++) s += s; var o = new Object(); for (i = 0; ; i++) o[s + i] = i;',
    'var s = "a"; for (var i = 0; i < 20; i++) s += s; var a = new Array(); for (i = 0; ; i++) a[i] = s.substring(i);',
    'var a = new Array("a"); while (1) a = new Array(a, a, a.join(), a.join());',
    'function f(n) { var a = new Array(); for (var i = 0; i < 9000; i++) a[i] = i; return f(n + 1) + a[0] } f(0)',
    'var o = new Object(); for (var i = 0; i < 20000; i++) o["k" + i] = i; var n = 0;' +
      'function f() { for (var k in o) f(); } f()',
    'var a = new Array(); for (var i = 0; i < 300000; i++) a[i] = i; function c() { a.sort(c); return 0 } a.sort(c)',
    'function f(a) { return arguments } var a = null; while (1) a = f(a)',
    'function N(p) { this.p = p } var o = null; while (1) o = new N(o)',
    'function f() { return arguments } var a = new Array(); for (var i = 0; ; i++) a[i] = f(1, 2, 3)',
  ];

  test(
    'a page that fills 8 MB is stopped; the next machine works',
    () => {
      const before = process.memoryUsage().rss;
      for (const source of FILLING) {
        const machine = testMachine();
        expect([source, brief(runScript(machine, source))]).toEqual([source, 'stopped']);
        // It stays stopped.
        expect(brief(runScript(machine, 'result = 1'))).toBe('stopped');
        expect(machine.startCall('f')).toBe(false);
        expect(brief(runScript(testMachine(), 'result = 1'))).toBe('done');
      }
      Bun.gc(true);
      expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20);
    },
    LIMIT_MS,
  );

  test(
    'memory that is not in use does not count',
    () => {
      for (const source of [
        'for (var i = 0; i < 300000; i++) var o = new Object();',
        'var s = ""; for (var i = 0; i < 20000; i++) s += "x";',
        'for (var i = 0; i < 100000; i++) var t = "text " + i;',
        'for (var i = 0; i < 300; i++) { var a = new Array(); for (var j = 0; j < 1000; j++) a[j] = "x" + j; }',
        'for (var i = 0; i < 100000; i++) { var o = new Object(); o.self = o; this.last = o; delete this.last; }',
        'var a = new Array(2147483647); a[2147483646] = 1; a.length = 0; a.reverse();',
        'var o = new Object(); for (var i = 0; i < 200000; i++) { o["k" + i] = 1; delete o["k" + i]; }',
      ])
        expect([source, brief(runScript(testMachine(), source))]).toEqual([source, 'done']);
    },
    LIMIT_MS,
  );

  test('counting what is in use pauses too', () => {
    const { machine } = countedMachine(1);
    const source = `
      var a = new Array(); for (var i = 0; i < 17000; i++) { a[i] = new Object(); a[i].k = i; }
      result = 1; for (i = 0; i < 60000; i++) var t = new Array(5);`;
    started(machine, source);
    let before = 0;
    let paused = 0;
    for (let outcome = machine.run(); outcome.state !== 'done'; outcome = machine.run()) {
      expect(outcome.state).toBe('more');
      const turn = Number(machine.globalValue('i'));
      // A slice in which the script did nothing.
      if (turn === before) paused += 1;
      before = turn;
    }
    expect(paused).toBeGreaterThan(2);
  });

  test('what a suspended task and a running sort hold is counted', () => {
    const machine = testMachine({ heapLimit: 200_000 });
    const source =
      'function c(a, b) { for (var i = 0; i < 3000; i++) var t = "text " + i; return a < b ? -1 : 1 }' +
      'var v = new Array("c", "a", "b"); v.sort(c); result = v.join("")';
    expect(brief(runScript(machine, source))).toBe('done');
    expect(machine.globalValue('result')).toBe('abc');
  });
});

describe('floods of calls of the host (attack 7)', () => {
  test('10,000 launches in a loop are one', () => {
    const machine = testMachine();
    let launches = 0;
    machine.defineFunction('launch', {
      call: () => {
        launches += 1;
        return ABANDON;
      },
    });
    expect(brief(runScript(machine, 'for (var i = 0; i < 10000; i++) launch(i)'))).toBe('abandoned');
    expect(launches).toBe(1);
  });

  test('writes to the host are interrupted like everything else', () => {
    const { machine } = countedMachine(1);
    let writes = 0;
    const set = (): void => {
      writes += 1;
    };
    const hostClass = { name: 'Host', properties: { left: { get: () => 0, set } } };
    machine.defineValue('host', machine.wrap(hostClass, {}));
    started(machine, 'while (1) host.left = 1;');
    expect(machine.run().state).toBe('more');
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThan(6 * TURNS_PER_LOOK);
  });

  test('messages about made-up names are bounded', () => {
    const log: string[] = [];
    const machine = testMachine({ log: (message) => log.push(message) });
    machine.defineValue('host', machine.wrap({ name: 'Host' }, {}));
    runScript(machine, 'for (var i = 0; i < 5000; i++) host["n" + i] = 1');
    expect(log.length).toBe(200);
  });
});

describe('sources', () => {
  const compiled = (source: string): string => {
    const script = testMachine().compile(source, 'test.bml');
    return script instanceof ScriptFault ? script.message : 'compiled';
  };

  test('nesting is limited', () => {
    const many = 100_000;
    for (const source of [
      `${'('.repeat(many)}1${')'.repeat(many)}`,
      '{'.repeat(many),
      '['.repeat(many),
      `${'-'.repeat(many)}1`,
      `${'- '.repeat(many)}1`,
      '!'.repeat(many),
      'new '.repeat(many),
      'if (1) '.repeat(many),
      'a ? '.repeat(many),
      'a = '.repeat(many),
      'f('.repeat(many),
      'a['.repeat(many),
      'with (a) '.repeat(many),
      'for (;;) '.repeat(many),
      'typeof '.repeat(many),
    ])
      expect([source.slice(0, 12), compiled(source)]).toEqual([source.slice(0, 12), 'nested too deeply']);
  });

  test(
    'lists may have any length',
    () => {
      const many = 20_000;
      for (const [source, expected] of [
        [`result = 0${' + 1'.repeat(many)}`, '20000'],
        [`result = 1${' * 1'.repeat(many)}`, '1'],
        [`result = 0${' || 0'.repeat(many)} || 7`, '7'],
        [`result = 1${' && 1'.repeat(many)} && 8`, '8'],
        [`result = (0${', 1'.repeat(many)}, 9)`, '9'],
        [`if (0) result = 0;${'else if (0) result = 1;'.repeat(many)} else result = 2`, '2'],
        [`var o = new Object(); o.o = o; o.v = 3; result = o${'.o'.repeat(many)}.v`, '3'],
        [`function f() { return f } result = typeof f${'()'.repeat(many)}`, '"function"'],
        [
          `var ${Array.from({ length: many }, (_name, index) => `v${index} = ${index}`).join()}; result = v777`,
          '777',
        ],
        [
          `${Array.from({ length: 5000 }, (_name, index) => `function f${index}() { return ${index} }`).join('')} result = f4999()`,
          '4999',
        ],
        [`switch (1) { ${'case 2: '.repeat(many)} default: result = 5 }`, '5'],
        [`result = "${'x'.repeat(900_000)}".length`, '900000'],
        [`${';'.repeat(many)}${'\n'.repeat(many)}/*${'*'.repeat(many)}*/ result = 6`, '6'],
        [`result = new Array(${'1,'.repeat(5000)}1).length`, '5001'],
      ] as const) {
        const machine = testMachine();
        const outcome = runScript(machine, source);
        const found = outcome.state === 'done' ? shown(machine.globalValue('result')) : brief(outcome);
        expect([source.slice(0, 20), found]).toEqual([source.slice(0, 20), expected]);
      }
    },
    LIMIT_MS,
  );

  test('a call with too many arguments is an error of the script', () => {
    expect(brief(runScript(testMachine(), `isNaN(${'1,'.repeat(70_000)}1)`))).toBe('calls nested too deeply');
  });
});
