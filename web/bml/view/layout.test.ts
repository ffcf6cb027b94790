import { describe, expect, test } from 'bun:test';
import { documentOf, FONTS, picture } from '../../../test/web/drawing-recorder.ts';
import { DocumentLayout, planeOf } from './layout.ts';
import { shownSize } from './view.ts';

const PLANE = { width: 960, height: 540, aspectRatio: 16 / 9 };

function boxesOf(content: string, css = '') {
  return new DocumentLayout(FONTS.ascent).boxes(documentOf(content, css), PLANE);
}

const numbers = ({
  left,
  top,
  width,
  height,
}: {
  left: number;
  top: number;
  width: number;
  height: number;
}): string => `${left},${top} ${width}x${height}`;

describe('boxes', () => {
  /** Border box, content box and clip of the element `a`. */
  const CASES: readonly (readonly [
    what: string,
    content: string,
    border: string,
    inner: string,
    clip: string,
  ])[] = [
    [
      'a paragraph',
      '<p id="a" style="left:10px;top:20px;width:100px;height:50px"/>',
      '10,20 100x50',
      '10,20 100x50',
      '0,0 960x540',
    ],
    ['nothing given', '<p id="a"/>', '0,0 0x0', '0,0 0x0', '0,0 960x540'],
    [
      'a negative place',
      '<p id="a" style="left:-10px;top:-20px;width:100px;height:50px"/>',
      '-10,-20 100x50',
      '-10,-20 100x50',
      '0,0 960x540',
    ],
    [
      'padding is added',
      '<p id="a" style="width:100px;height:50px;padding:1px 2px 3px 4px"/>',
      '0,0 106x54',
      '4,1 100x50',
      '0,0 960x540',
    ],
    [
      'a border is added',
      '<p id="a" style="width:100px;height:50px;border-width:3px;border-style:solid"/>',
      '0,0 106x56',
      '3,3 100x50',
      '0,0 960x540',
    ],
    [
      'a border without a style',
      '<p id="a" style="width:100px;height:50px;border-width:3px"/>',
      '0,0 100x50',
      '0,0 100x50',
      '0,0 960x540',
    ],
    [
      'an object has neither',
      '<object id="a" style="width:9px;height:9px;padding:3px;border-width:3px;border-style:solid"/>',
      '0,0 9x9',
      '0,0 9x9',
      '0,0 960x540',
    ],
    [
      'in a division',
      '<div style="left:100px;top:50px;width:200px;height:100px"><p id="a" style="left:10px;top:20px;width:5px;height:6px"/></div>',
      '110,70 5x6',
      '110,70 5x6',
      '100,50 200x100',
    ],
    [
      'within the border of a division',
      '<div style="left:100px;top:50px;width:200px;height:100px;border-width:2px;border-style:solid"><p id="a" style="width:5px;height:6px"/></div>',
      '102,52 5x6',
      '102,52 5x6',
      '102,52 200x100',
    ],
    [
      'two divisions deep',
      '<div style="left:900px;width:200px;height:100px"><div style="left:10px;top:90px;width:300px;height:100px"><p id="a" style="width:5px;height:6px"/></div></div>',
      '910,90 5x6',
      '910,90 5x6',
      '910,90 50x10',
    ],
    [
      'an object in a paragraph',
      '<p style="left:30px;padding:5px;width:100px;height:100px">x<object id="a" style="left:1px;top:2px;width:3px;height:4px"/></p>',
      '31,2 3x4',
      '31,2 3x4',
      '30,0 110x110',
    ],
    [
      'an input in a span',
      '<p style="left:30px;width:100px;height:100px"><span><input id="a" style="left:1px;width:3px;height:4px"/></span></p>',
      '31,0 3x4',
      '31,0 3x4',
      '30,0 100x100',
    ],
    [
      'bare numbers',
      '<p id="a" style="left:10;top:20;width:100;height:50"/>',
      '10,20 100x50',
      '10,20 100x50',
      '0,0 960x540',
    ],
  ];
  for (const [what, content, border, inner, clip] of CASES) {
    test(what, () => {
      const box = boxesOf(content).find(({ element }) => element.id === 'a');
      expect(box && [numbers(box.border), numbers(box.content), numbers(box.clip)]).toEqual([
        border,
        inner,
        clip,
      ]);
    });
  }

  test('order is that of the document, what no one can see is left out', () => {
    const content =
      '<p id="a"/><div style="width:9px;height:9px"><p id="b"/></div><div><p id="hidden"/></div><object id="c"/>';
    expect(boxesOf(content).map(({ element }) => element.id || element.tagName)).toEqual([
      'body',
      'a',
      'div',
      'b',
      'div',
      'c',
    ]);
  });

  const PLANES: readonly (readonly [css: string, plane: string])[] = [
    ['', '960x540 1.78'],
    ['body { resolution: 960x540 }', '960x540 1.78'],
    ['body { resolution: 960x540; display-aspect-ratio: 4v3 }', '960x540 1.78'],
    ['body { resolution: 720x480 }', '720x480 1.78'],
    ['body { resolution: 720X480; display-aspect-ratio: 4v3 }', '720x480 1.33'],
    ['body { resolution: 9999x9999 }', '960x540 1.78'],
    ['body { resolution: 240x480 }', '960x540 1.78'],
    ['p { resolution: 720x480 }', '960x540 1.78'],
  ];
  for (const [css, expected] of PLANES) {
    test(`plane of ${css || 'nothing'}`, () => {
      const { width, height, aspectRatio } = planeOf(documentOf('', css));
      expect(`${width}x${height} ${aspectRatio.toFixed(2)}`).toBe(expected);
    });
  }
});

describe('text', () => {
  /** Lines as `top+height text@left`, in a paragraph of 100x100 and 20 px. */
  const CASES: readonly (readonly [what: string, content: string, css: string, lines: string[]])[] = [
    ['half and full width', 'Aあb', '', ['0+20 Aあb@0,10,30']],
    [
      'a break before any character',
      'あいうえおかきくけ',
      '',
      ['0+20 あいうえお@0,20,40,60,80', '20+20 かきくけ@0,20,40,60'],
    ],
    [
      'also within words and before marks',
      'abcdefghij、',
      '',
      ['0+20 abcdefghij@0,10,20,30,40,50,60,70,80,90', '20+20 、@0'],
    ],
    ['spaces at the end of a line', 'あいうえお b', '', ['0+20 あいうえお@0,20,40,60,80', '20+20  b@0,10']],
    ['a character that is wider than the box', 'あい', 'p { width: 10px }', ['0+20 あ@0', '20+20 い@0']],
    ['a line break', 'a<br/>b', '', ['0+20 a@0', '20+20 b@0']],
    ['two line breaks', 'a<br/><br/>b', '', ['0+20 a@0', '20+20 ', '40+20 b@0']],
    ['a line break at the end', 'a<br/>', '', ['0+20 a@0']],
    [
      'line ends of CDATA',
      '<![CDATA[a\r\nb\rc\nd]]>',
      '',
      ['0+20 a@0', '20+20 b@0', '40+20 c@0', '60+20 d@0'],
    ],
    ['tabs and control characters', '<![CDATA[a\tb\u0001c]]>', '', ['0+20 a bc@0,10,20,30']],
    ['line-height', 'a<br/>b', 'p { line-height: 30px }', ['0+30 a@0', '30+30 b@0']],
    ['a line-height below the size', 'a<br/>b', 'p { line-height: 10px }', ['0+10 a@0', '10+10 b@0']],
    ['a factor as line-height', 'a', 'p { line-height: 1.5 }', ['0+30 a@0']],
    ['letter-spacing', 'あいうえお', 'p { letter-spacing: 5px }', ['0+20 あいうえ@0,25,50,75', '20+20 お@0']],
    [
      'letter-spacing does not follow the last character',
      'あいうえ',
      'p { letter-spacing: 6px; width: 98px }',
      ['0+20 あいうえ@0,26,52,78'],
    ],
    ['negative letter-spacing', 'あいう', 'p { letter-spacing: -5px }', ['0+20 あいう@0,15,30']],
    ['centred', 'あい', 'p { text-align: center }', ['0+20 あい@30,50']],
    ['to the right', 'あb', 'p { text-align: right }', ['0+20 あb@70,90']],
    ['each line for itself', 'あい<br/>b', 'p { text-align: right }', ['0+20 あい@60,80', '20+20 b@90']],
    ['a larger span', 'a<span>あ</span>', 'span { font-size: 40px }', ['0+40 a@0 あ@10']],
    ['a smaller span', 'a<span>あ</span>', 'span { font-size: 16px }', ['0+20 a@0 あ@10']],
    ['a span that wraps', 'あいう<span>えおか</span>', '', ['0+20 あいう@0,20,40 えお@60,80', '20+20 か@0']],
    ['an anchor in a span', 'a<span>b<a>c</a></span>d', '', ['0+20 a@0 b@10 c@20 d@30']],
    [
      'no more lines than the box shows',
      'あ'.repeat(100),
      '',
      [0, 20, 40, 60, 80].map((top) => `${top}+20 あああああ@0,20,40,60,80`),
    ],
    ['lines of no height end with the limit', 'a', 'p { line-height: 0px; height: 0px }', []],
    ['empty text', '<![CDATA[]]>', '', []],
  ];
  for (const [what, content, css, lines] of CASES) {
    test(what, () => {
      const box = boxesOf(
        `<p id="a">${content}</p>`,
        `p { width: 100px; height: 100px; font-size: 20px } ${css}`,
      ).find(({ element }) => element.id === 'a');
      const seen = (box?.text?.lines ?? []).map(
        ({ top, height, pieces }) =>
          `${top}+${height} ${pieces.map(({ units, lefts }) => `${String.fromCharCode(...units)}@${lefts}`).join(' ')}`,
      );
      expect(seen).toEqual(lines);
    });
  }

  test('baselines of different sizes agree', () => {
    const [, box] = boxesOf(
      '<p>a<span>あ</span></p>',
      'p { width: 100px; height: 100px; font-size: 20px } span { font-size: 40px }',
    );
    expect(box?.text?.lines[0]?.baseline).toBeCloseTo(40 * FONTS.ascent);
  });

  test('an input shows its value, a password only its length', () => {
    const content = '<input id="a" value="ab"/><input id="b" type="password" value="ab"/>';
    const css = 'input { width: 100px; height: 30px }';
    const units = boxesOf(content, css).map(({ text }) =>
      String.fromCharCode(...(text?.lines[0]?.pieces[0]?.units ?? [])),
    );
    expect(units).toEqual(['', 'ab', '＊＊']);
  });

  test('text that does not change is not laid out again', () => {
    const document = documentOf(
      '<p id="a">x<span id="b">y</span></p><p id="c">z</p>',
      'p { width: 100px; height: 100px }',
    );
    const layout = new DocumentLayout(FONTS.ascent);
    const before = layout.boxes(document, PLANE);
    document.getElementById('c')?.style('normal').set('left', 5);
    document.getElementById('b')?.style('normal').set('colorIndex', 5);
    const after = layout.boxes(document, PLANE);
    expect(after[1]?.text).not.toBe(before[1]?.text);
    expect(after[2]?.text).not.toBe(before[2]?.text);
    expect(layout.boxes(document, PLANE).map(({ text }) => text)).toEqual(after.map(({ text }) => text));
    expect(layout.boxes(document, PLANE)[1]?.text).toBe(after[1]?.text);
  });

  test('a page of text is bounded', () => {
    const boxes = boxesOf(
      `<p>${'a'.repeat(100_000)}</p>`.repeat(10),
      'p { width: 960px; height: 540px; font-size: 0px; letter-spacing: -1px }',
    );
    const count = boxes
      .flatMap(({ text }) => text?.lines ?? [])
      .flatMap(({ pieces }) => pieces)
      .reduce((sum, { units }) => sum + units.length, 0);
    expect(count).toBeLessThanOrEqual(65_536);
    expect(count).toBeGreaterThan(60_000);
  });
});

describe('sizes of pictures', () => {
  const [LARGE, SMALL] = [PLANE, { width: 720, height: 480, aspectRatio: 4 / 3 }];
  const CASES: readonly (readonly [
    what: string,
    size: [number, number],
    isStill: boolean,
    plane: typeof LARGE,
    box: [number, number] | undefined,
    shown: string,
  ])[] = [
    ['a still picture', [480, 270], true, LARGE, [240, 135], '240x135'],
    ['odd sizes are cut', [481, 271], true, LARGE, [240, 135], '240x135'],
    ['a full one in a full box', [960, 540], true, LARGE, [960, 540], '960x540'],
    ['a full one in a box of a quarter', [960, 540], true, LARGE, [480, 270], '480x270'],
    ['twice the plane', [1920, 1080], true, LARGE, [960, 540], '960x540'],
    ['a full background', [960, 540], true, LARGE, undefined, '960x540'],
    ['another background', [1920, 1080], true, LARGE, undefined, '960x540'],
    ['graphics', [481, 271], false, LARGE, [100, 100], '481x271'],
    ['a still picture of 720x480', [720, 480], true, SMALL, [720, 480], '720x480'],
    ['an odd width of 720x480', [301, 201], true, SMALL, [301, 201], '300x201'],
    ['one column', [1, 1], true, SMALL, [1, 1], '1x1'],
  ];
  for (const [what, [width, height], isStill, plane, box, shown] of CASES) {
    test(what, () => {
      const size = shownSize(
        picture(width, height, isStill),
        plane,
        box && { width: box[0], height: box[1] },
      );
      expect(`${size.width}x${size.height}`).toBe(shown);
    });
  }
});
