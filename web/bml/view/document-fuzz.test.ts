/**
 * Documents of any bytes: parsed, styled, changed as scripts change them, laid out and drawn. Nothing throws, nothing is
 * drawn outside of the plane, and time and memory are bounded.
 */
import { expect, test } from 'bun:test';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../../../test/fuzz/random.ts';
import { FONTS, NO_SOURCES, picture, Recorder } from '../../../test/web/drawing-recorder.ts';
import type { BmlDocument } from '../document/document.ts';
import { decodeCharacters } from '../markup/characters.ts';
import { parseDocument } from '../markup/parser.ts';
import { SCRIPT_PROPERTIES } from '../style/properties.ts';
import { readStyleSheet } from '../style/style-sheet.ts';
import { DocumentView } from './view.ts';

const seed = fuzzSeed();

const MARKUP = [
  ...[
    '<bml>',
    '<head>',
    '</head>',
    '<body>',
    '</body>',
    '<body invisible="invisible">',
    '<div id="a" class="x y">',
    '</div>',
  ],
  ...[
    '<p id="b" style="left:10px;top:5px;width:200px;height:60px">',
    '<p>',
    '</p>',
    '<span>',
    '</span>',
    '<a href="#b">',
    '</a>',
  ],
  ...[
    '<br/>',
    '<object id="o" type="image/jpeg" data="x"/>',
    '<object type="video/X-arib-mpeg2">',
    '</object>',
    '<input id="i" value="v"/>',
  ],
  ...[
    '<script><![CDATA[',
    ']]></script>',
    '<style><![CDATA[',
    '<style>',
    '</style>',
    ']]>',
    '<!--',
    '-->',
    '<?',
    '?>',
    '<!DOCTYPE x [',
    ']>',
  ],
  ...[
    '<![CDATA[',
    '&lt;',
    '&#x3042;',
    '&#',
    '<',
    '>',
    '"',
    "'",
    '/',
    '=',
    ' ',
    '\n',
    'あ',
    'text',
    '\0',
    '<svg onload="x">',
    '<iframe>',
  ],
  ...[
    '<p style="left:-999999px;width:99999px;height:32767px;font-size:200px">',
    '<p style="wap-marquee-style:scroll">',
    '<bevent>',
    '<beitem id="e"/>',
  ],
];
const CSS = [
  ...[
    'p',
    'div',
    '.x',
    '#a',
    '#b',
    '*',
    ':focus',
    ':active',
    ':blur',
    ',',
    '{',
    '}',
    '{',
    '}',
    ';',
    ':',
    '/*',
    '*/',
    '<!--',
    '@media tv {',
    '@import "x";',
  ],
  ...[
    'left:10px;',
    'width:300px;',
    'height:200px;',
    'color-index:7;',
    'background-color-index:1;',
    'border-style:solid;border-width:3px;',
  ],
  ...[
    'line-height:0px;',
    'font-size:0px;',
    'letter-spacing:-30px;',
    'padding:5000px;',
    'visibility:hidden;',
    'clut:url(a);',
    '"',
    'あ',
    '\n',
  ],
  ...['background-image:url(b);', 'resolution:720x480;', 'text-align:center;', 'grayscale-color-index:1 2;'],
];
const VALUES: readonly (string | number)[] = [
  ...[
    '',
    '0',
    '-1',
    '12px',
    '9999999',
    'hidden',
    'visible',
    'あ\nい',
    '丸ゴシック',
    'url(x)',
    '1 2',
    '[object]',
  ],
  ...[0, -5, 7, 300, 1e9, Number.NaN],
];

function piecesOf(random: Random, pieces: readonly string[], most: number): string {
  return Array.from({ length: random.below(most) }, () => random.pick(pieces)).join('');
}

function source(random: Random): string {
  const style = `<style><![CDATA[${piecesOf(random, CSS, 40)}]]></style>`;
  return random.below(2) === 0
    ? piecesOf(random, MARKUP, 80)
    : `<bml><head>${style}</head><body>${piecesOf(random, MARKUP, 60)}</body></bml>`;
}

function change(random: Random, document: BmlDocument): void {
  const elements = [document.documentElement, ...document.elements()];
  const element = random.pick(elements);
  const names = [...SCRIPT_PROPERTIES.keys(), '__proto__'];
  const kind = random.below(5);
  if (kind === 0)
    element
      .style(random.pick(['normal', 'focus', 'active'] as const))
      .set(random.pick(names), random.pick(VALUES));
  else if (kind === 1) element.firstChild?.write('data', random.pick(VALUES));
  else if (kind === 2) document.currentFocus = element;
  else if (kind === 3) document.isActive = random.below(2) === 0;
  else
    element.write(
      random.pick(['data', 'value', 'invisible', 'href', 'streamStatus', 'subscribe', 'id', 'x']),
      random.pick(VALUES),
    );
  for (const name of [
    'parentNode',
    'firstChild',
    'nextSibling',
    'value',
    'streamStatus',
    'normalStyle',
    'toString',
  ])
    element.read(name);
}

/** Rectangles that are filled or drawn to are within the plane. */
function expectWithin(calls: readonly string[], width: number, height: number): void {
  for (const call of calls) {
    const [name = '', numbers = ''] = call.split(' ');
    const values = numbers.split(',').map(Number);
    const [left = 0, top = 0, across = 0, down = 0] = name === 'drawImage' ? values.slice(4) : values;
    if (!['fillRect', 'clearRect', 'rect', 'drawImage'].includes(name)) continue;
    const isWithin =
      left >= 0 && top >= 0 && across >= 0 && down >= 0 && left + across <= width && top + down <= height;
    expect({ call, isWithin }).toEqual({ call, isWithin: true });
  }
}

test(
  `documents of markup in any order (seed ${seed})`,
  () => {
    const random = new Random(seed);
    for (let round = fuzzRounds(300); round > 0; round--) {
      const document = parseDocument(source(random));
      document.addStyleSheets(() => piecesOf(random, CSS, 20));
      const recorder = new Recorder();
      const sources = {
        ...NO_SOURCES,
        picture: () =>
          random.below(2) === 0
            ? null
            : picture(1 + random.below(2000), 1 + random.below(2000), random.below(2) === 0),
      };
      const view = new DocumentView(document, recorder, sources, FONTS);
      for (let frames = 0; frames < 6; frames++) {
        const { plane } = view.frame(frames * 1000);
        const calls = recorder.take();
        expect(calls.length).toBeLessThan(100_000);
        expectWithin(calls, plane.width, plane.height);
        for (let changes = random.below(6); changes > 0; changes--) change(random, document);
      }
    }
  },
  FUZZ_TIMEOUT,
);

test(
  `bytes (seed ${seed})`,
  () => {
    const random = new Random(seed + 1);
    for (let round = fuzzRounds(500); round > 0; round--) {
      const bytes = random.bytes(random.below(400));
      for (const charset of [undefined, 'Shift_JIS', 'UTF-8']) {
        const text = decodeCharacters(bytes, charset);
        expect(text.length).toBeLessThanOrEqual(bytes.length);
        expect(parseDocument(text).body.tagName).toBe('body');
        readStyleSheet(text);
      }
    }
  },
  FUZZ_TIMEOUT,
);
