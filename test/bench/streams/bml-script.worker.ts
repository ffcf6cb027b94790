/** Runs programs in the script machine and the same ones in plain JavaScript, for `test/bench/bml-script.ts`. */
import { Machine, ScriptFault } from '../../../web/bml/script/machine.ts';

/** A program by its number, in the machine or as JavaScript. */
export interface ScriptRequest {
  readonly program: number;
  readonly plain: boolean;
}

export interface ScriptAnswer {
  /** Empty behind the last program. */
  readonly name: string;
  readonly result: string;
  readonly slice: number;
}

/** The programs; `host` is a function of the host with two arguments. */
const PROGRAMS: readonly (readonly [name: string, source: string])[] = [
  [
    'fib(22)',
    'function fib(n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); } var result = fib(22);',
  ],
  [
    'loop of 1,000,000 turns',
    'function loop() { var s = 0; for (var i = 0; i < 1000000; i++) { s += i % 7; } return s; } var result = loop();',
  ],
  [
    'loop of 1,000,000 turns, global variables',
    'var result = 0; for (var i = 0; i < 1000000; i++) { result += i % 7; }',
  ],
  [
    '20,000 calls of the host',
    'var result = 0; for (var i = 0; i < 20000; i++) { result += host(i, "text"); }',
  ],
  [
    'bubble sort of 300',
    'var a = new Array(); for (var i = 0; i < 300; i++) a[i] = (i * 7919) % 307;' +
      'for (i = 0; i < 300; i++) for (var j = 0; j < 299; j++)' +
      'if (a[j] > a[j + 1]) { var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } var result = a[150];',
  ],
  [
    '20,000 texts',
    'var s = ""; var result = 0; for (var i = 0; i < 20000; i++) { s = "n" + i; result += s.length + s.indexOf("9"); }',
  ],
];

function host(value: unknown, text: unknown): number {
  return typeof text === 'string' && typeof value === 'number' ? value & 1 : 0;
}

/** Runs a program to its end. @returns the value of `result`, and ms of the longest slice */
function inMachine(name: string, source: string): readonly [result: unknown, slice: number] {
  const machine = new Machine({
    characters: { codeOf: (codePoint) => codePoint, textOf: (code) => String.fromCharCode(code) },
    now: () => 0,
    clock: () => performance.now(),
    log: () => undefined,
  });
  machine.defineFunction('host', {
    params: ['number', 'string'],
    call: ([value, text]) => host(value, text),
  });
  const script = machine.compile(source, name);
  if (script instanceof ScriptFault) throw new Error(script.message);
  machine.start(script);
  for (let slice = 0; ; ) {
    const from = performance.now();
    const outcome = machine.run();
    slice = Math.max(slice, performance.now() - from);
    if (outcome.state === 'done') return [machine.globalValue('result'), slice];
    if (outcome.state !== 'more') throw new Error(`${name}: ${outcome.state}`);
  }
}

addEventListener('message', ({ data: { program, plain } }: MessageEvent<ScriptRequest>) => {
  const [name = '', source = 'var result = 0'] = PROGRAMS[program] ?? [];
  // The page has no content security policy: the same text as a program of the browser.
  const value = (): unknown => new Function('host', `${source}; return result;`)(host);
  const [result, slice] = plain ? [value(), 0] : inMachine(name, source);
  postMessage({ name, result: String(result), slice } satisfies ScriptAnswer);
});
