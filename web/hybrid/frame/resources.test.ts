import { expect, test } from 'bun:test';
import { rewriteStyle } from './resources.ts';

const rewritten = (text: string): string =>
  rewriteStyle(text, ({ address, isSheet }) => `${isSheet ? 'S' : 'M'}:${address}`);

test.each([
  ['a{background:url(x.png)}', 'a{background:url("M:x.png")}'],
  ['a{background:URL( "x y.png" )}', 'a{background:url("M:x y.png")}'],
  ["a{background:url('x.png'),url(y)}", 'a{background:url("M:x.png"),url("M:y")}'],
  ['@import "a.css"; @import url(b.css) screen;', '@import "S:a.css"; @import url("S:b.css") screen;'],
  ["@import 'a.css'", '@import "S:a.css"'],
  ['/* url(x) */ a{content:"url(y)"}', '/* url(x) */ a{content:"url(y)"}'],
  ['a{background:url()}', 'a{background:url()}'],
  ['a:focus{} a:focus-within{}', 'a:is(:focus,[data-svc-focus]){} a:focus-within{}'],
  ['/* never closed url(x)', '/* never closed url(x)'],
])('%s', (text, expected) => {
  expect(rewritten(text)).toBe(expected);
});

test('an address without a replacement stays', () => {
  expect(rewriteStyle('a{b:url(x)} @import "y"', () => undefined)).toBe('a{b:url(x)} @import "y"');
});
