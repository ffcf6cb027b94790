// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of scripts
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { processorMs } from '../../../test/processor-time.ts';
import { LOCATION_NAME, rewriteScript, TURN_NAME } from './script-text.ts';

const plain = (text: string): string => rewriteScript(text, false).replaceAll(LOCATION_NAME, 'L');
const guarded = (text: string): string => rewriteScript(text, true).replaceAll(TURN_NAME, 'T');

test.each([
  ['location.href = "a"', 'L.href = "a"'],
  ['window.location = x; document.location.replace(y)', 'window.L = x; document.L.replace(y)'],
  ['self . location', 'self . L'],
  ['app.location; a?.location', 'app.location; a?.location'],
  ['top.location = 1; parent.location', 'top.location = 1; parent.location'],
  ['({location: 1, a: location})', '({location: 1, a: L})'],
  ['c ? location : 1', 'c ? L : 1'],
  [
    '"location" + \'location\' + /location/ + `location ${location}`',
    '"location" + \'location\' + /location/ + `location ${L}`',
  ],
  ['// location\n/* location */location', '// location\n/* location */L'],
  ['mylocation; location2; $location', 'mylocation; location2; $location'],
])('%s', (text, expected) => {
  expect(plain(text)).toBe(expected);
});

test.each([
  ['while(1);', 'while(T(),1);'],
  ['while (a, b) {}', 'while (T(),a, b) {}'],
  ['do x(); while (y)', 'do x(); while (T(),y)'],
  ['for(;;);', 'for(;;T());'],
  ['for(;; /* c */ );', 'for(;;T() /* c */ );'],
  ['for (var i = 0; i < 9; i++) {}', 'for (var i = 0; i < 9;T(), i++) {}'],
  ['for (a = function(){x;y;}; b; c);', 'for (a = function(){x;y;}; b;T(), c);'],
  ['for (const a of b) {} for (x in y);', 'for (const a of b) {} for (x in y);'],
  ['a.while(1); a.for(1);', 'a.while(1); a.for(1);'],
  ['"while(1)"; /while(1)/; `while(1)`', '"while(1)"; /while(1)/; `while(1)`'],
  ['if (a) /while(/.test(b)', 'if (a) /while(/.test(b)'],
  ['a / b; while(1) / c', 'a / b; while(T(),1) / c'],
  ['`${function(){while(1);}}`; while(2);', '`${function(){while(T(),1);}}`; while(T(),2);'],
  ['x = a++ / 2; y = /[/"]/; while(1);', 'x = a++ / 2; y = /[/"]/; while(T(),1);'],
])('%s', (text, expected) => {
  expect(guarded(text)).toBe(expected);
});

const SCRIPTS = [
  'var r = 0; for (var i = 0; i < 5; i++) { if (i === 2) continue; r += i; } return r;',
  'var r = []; for (let i = 0, j = 9; i < j; i++, j--) r.push(i * j); return r.join();',
  'var n = 3; do { n--; } while (n > 0); return n;',
  'outer: for (var a = 0; ; a++) { while (true) { if (a > 3) break outer; break; } } return a;',
  'var t = 0; for (var k in {a: 1, b: 2}) t += k; for (const v of [1, 2]) t += v; return t;',
  'return "a/b".split(/\\//).map(function (s) { return s + `${s.length / 1}`; }).join();',
  'var x = 6, g = 2; return x / g / 3 + (x) / 2 + [4][0] / 2;',
];

test('guarded scripts compute the same, and their loops are counted', () => {
  for (const script of SCRIPTS) {
    let turns = 0;
    const guard = (): void => {
      turns += 1;
    };
    const run = (text: string): unknown => new Function(TURN_NAME, text)(guard);
    const expected = run(script);
    expect(run(rewriteScript(script, true))).toEqual(expected);
    if (/while|;.*;.*\)/.test(script) && script.includes('for (var i')) expect(turns).toBeGreaterThan(0);
  }
});

test('a guard that throws ends endless loops, also those that catch it', () => {
  for (const loop of ['while(1);', 'for(;;);', 'do;while(1)', 'for(;;){try{while(1);}catch(e){}}']) {
    let turns = 0;
    const guard = (): void => {
      if (++turns > 100) throw new Error('stopped');
    };
    expect(() => new Function(TURN_NAME, rewriteScript(loop, true))(guard)).toThrow('stopped');
  }
});

test('any text is rewritten to its end, in linear time', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          ...[
            '/',
            '`',
            '${',
            '}',
            '"',
            "'",
            '\\',
            '(',
            ')',
            ';',
            'for(',
            'while(',
            '[',
            ']',
            '\n',
            'a',
            '1',
            '*',
            '//',
            '/*',
            'location',
            '.',
            ' ',
          ],
        ),
      ),
      (pieces) => {
        const text = pieces.join('');
        // Nothing of it is lost.
        expect(
          rewriteScript(text, true)
            .replaceAll(`${TURN_NAME}(),`, '')
            .replaceAll(`${TURN_NAME}()`, '')
            .replaceAll(LOCATION_NAME, 'location'),
        ).toBe(text);
      },
    ),
    { numRuns: 3000 },
  );
  const begun = processorMs();
  rewriteScript('for(;;){a=b/c;}\n'.repeat(20_000), true);
  expect(processorMs() - begun).toBeLessThan(5000);
});
