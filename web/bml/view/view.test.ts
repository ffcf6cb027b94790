import { describe, expect, test } from 'bun:test';
import { documentOf, FONTS, NO_SOURCES, picture, Recorder } from '../../../test/web/drawing-recorder.ts';
import type { DrcsGlyph } from '../picture/drcs.ts';
import { DEFAULT_PALETTE } from '../picture/palette.ts';
import type { PictureUse, ViewSources } from './sources.ts';
import { DocumentView } from './view.ts';

function shown(content: string, css = '', sources: Partial<ViewSources> = {}, body = '') {
  const document = documentOf(content, css, body);
  const recorder = new Recorder();
  const view = new DocumentView(document, recorder, { ...NO_SOURCES, ...sources }, FONTS);
  const frame = view.frame(0);
  return { document, recorder, view, frame, calls: recorder.take() };
}

/** Without the calls that begin and end every frame, and the black body. */
function drawn(content: string, css = '', sources: Partial<ViewSources> = {}): string[] {
  const { calls } = shown(content, css, sources);
  expect(calls.slice(0, 4)).toEqual(['save', 'rect 0,0,960,540', 'clip', 'clearRect 0,0,960,540']);
  expect(calls[4]).toBe('fillRect 0,0,960,540 #000000ff');
  expect(calls.at(-1)).toBe('restore');
  return calls.slice(5, -1);
}

const WHOLE = { left: 0, top: 0, width: 960, height: 540 };
/** 20 px letters, in a box of 100x50 at 10,20. */
const P = 'p { left: 10px; top: 20px; width: 100px; height: 50px; font-size: 20px }';
const still = { picture: () => picture(200, 100, true) };
const graphics = { picture: () => picture(50, 40, false) };

describe('what is drawn', () => {
  const CASES: readonly (readonly [
    what: string,
    content: string,
    css: string,
    calls: string[],
    sources?: Partial<ViewSources>,
  ])[] = [
    ['text in black', '<p>a</p>', P, ['fillText a 10,38 #000000ff 20px round']],
    [
      'text in a colour',
      '<p>あb</p>',
      `${P} p { color-index: 7 }`,
      ['fillText あ 10,38 #ffffffff 20px round', 'fillText b 30,38 #ffffffff 20px round'],
    ],
    [
      'a half transparent colour',
      '<p>a</p>',
      `${P} p { color-index: 66 }`,
      ['fillText a 10,38 #ff000080 20px round'],
    ],
    ['a transparent colour', '<p>a</p>', `${P} p { color-index: 8 }`, []],
    [
      'spaces',
      '<p>a 　b</p>',
      P,
      ['fillText a 10,38 #000000ff 20px round', 'fillText b 50,38 #000000ff 20px round'],
    ],
    [
      'square letters',
      '<p>a</p>',
      `${P} p { font-family: "角ゴシック" }`,
      ['fillText a 10,38 #000000ff 20px square'],
    ],
    [
      'letters of no font of receivers',
      '<p>a</p>',
      `${P} p { font-family: "角丸ゴシック", url(//e) }`,
      ['fillText a 10,38 #000000ff 20px round'],
    ],
    [
      'bold letters',
      '<p>a</p>',
      `${P} p { font-family: 太丸ゴシック }`,
      ['fillText a 10,38 #000000ff bold 20px round'],
    ],
    [
      'a bold weight',
      '<p>a</p>',
      `${P} p { font-weight: bold }`,
      ['fillText a 10,38 #000000ff bold 20px round'],
    ],
    ['a weight of 400', '<p>a</p>', `${P} p { font-weight: 400 }`, ['fillText a 10,38 #000000ff 20px round']],
    [
      'text in the padding box',
      '<p>a</p>',
      `${P} p { padding: 5px }`,
      ['fillText a 15,43 #000000ff 20px round'],
    ],
    [
      'text in the middle of high lines',
      '<p>a</p>',
      `${P} p { line-height: 30px }`,
      ['fillText a 10,43 #000000ff 20px round'],
    ],
    ['a background', '<p/>', `${P} p { background-color-index: 1 }`, ['fillRect 10,20,100,50 #ff0000ff']],
    [
      'a background at the edge of the plane',
      '<p/>',
      `${P} p { background-color-index: 1; left: -50px; top: 500px }`,
      ['fillRect 0,500,50,40 #ff0000ff'],
    ],
    [
      'a background within a division',
      '<div><p/></div>',
      `${P} div { left: 50px; top: 50px; width: 40px; height: 30px } p { background-color-index: 1 }`,
      ['fillRect 60,70,30,10 #ff0000ff'],
    ],
    [
      'a border',
      '<p/>',
      `${P} p { border-style: solid; border-width: 2px; border-color-index: 1 2 3 4 }`,
      [
        'fillRect 10,20,104,2 #ff0000ff',
        'fillRect 10,72,104,2 #ffff00ff',
        'fillRect 10,22,2,50 #0000ffff',
        'fillRect 112,22,2,50 #00ff00ff',
      ],
    ],
    [
      'a background under the border',
      '<p/>',
      `${P} p { background-color-index: 1; border-style: solid; border-width: 2px; border-color-index: 8 }`,
      ['fillRect 10,20,104,54 #ff0000ff'],
    ],
    [
      'text that is too high for its box',
      '<p>a</p>',
      `${P} p { height: 15px }`,
      ['save', 'rect 10,20,100,15', 'clip', 'fillText a 10,38 #000000ff 20px round', 'restore'],
    ],
    [
      'letters that are higher than their line',
      '<p>a</p>',
      `${P} p { line-height: 10px; height: 10px }`,
      ['save', 'rect 10,20,100,10', 'clip', 'fillText a 10,33 #000000ff 20px round', 'restore'],
    ],
    ['hidden', '<p>a</p>', `${P} p { background-color-index: 1; visibility: hidden }`, []],
    [
      'a visible box in a hidden one',
      '<div><p/></div>',
      `${P} div { visibility: hidden; width: 960px; height: 540px } p { background-color-index: 1; visibility: visible }`,
      ['fillRect 10,20,100,50 #ff0000ff'],
    ],
    [
      'boxes in document order',
      '<div><p/></div><object/>',
      `div, object { width: 9px; height: 9px } div { background-color-index: 1 } p { width: 9px; height: 9px; background-color-index: 2 } object { background-color-index: 3 }`,
      ['fillRect 0,0,9,9 #ff0000ff', 'fillRect 0,0,9,9 #00ff00ff', 'fillRect 0,0,9,9 #ffff00ff'],
    ],
    [
      'a span with colours',
      '<p>a<span>b</span></p>',
      `${P} span { color-index: 1; background-color-index: 7 }`,
      [
        'fillRect 20,20,10,20 #ffffffff',
        'fillText a 10,38 #000000ff 20px round',
        'fillText b 20,38 #ff0000ff 20px round',
      ],
    ],
    [
      'an anchor around a span',
      '<p><a>a<span>b</span></a></p>',
      `${P} a { background-color-index: 7 }`,
      [
        'fillRect 10,20,20,20 #ffffffff',
        'fillText a 10,38 #000000ff 20px round',
        'fillText b 20,38 #000000ff 20px round',
      ],
    ],
    [
      'an anchor with a border',
      '<p>a<a>b</a></p>',
      `${P} a { border-width: 1px; border-style: solid; border-color-index: 1 }`,
      [
        'fillRect 20,20,10,1 #ff0000ff',
        'fillRect 20,39,10,1 #ff0000ff',
        'fillRect 20,21,1,18 #ff0000ff',
        'fillRect 29,21,1,18 #ff0000ff',
        'fillText a 10,38 #000000ff 20px round',
        'fillText b 20,38 #000000ff 20px round',
      ],
    ],
    [
      'the value of an input',
      '<input value="a"/>',
      'input { width: 100px; height: 50px; font-size: 20px; color-index: 7 }',
      ['fillText a 0,18 #ffffffff 20px round'],
    ],
    [
      'text of the body',
      'a',
      'body { font-size: 20px; color-index: 7 }',
      ['fillText a 0,18 #ffffffff 20px round'],
    ],
    [
      'a still picture at half its size',
      '<object type="image/jpeg" data="a.jpg"/>',
      'object { left: 5px; width: 100px; height: 50px }',
      ['drawImage 0,0,200,100,5,0,100,50'],
      still,
    ],
    [
      'a picture in a smaller box',
      '<object type="image/jpeg" data="a.jpg"/>',
      'object { left: 5px; width: 50px; height: 20px }',
      ['drawImage 0,0,100,40,5,0,50,20'],
      still,
    ],
    [
      'a picture in a larger box',
      '<object type="image/jpeg" data="a.jpg"/>',
      'object { width: 500px; height: 200px }',
      ['drawImage 0,0,200,100,0,0,100,50'],
      still,
    ],
    [
      'an object without a size',
      '<object type="image/jpeg" data="a.jpg"/>',
      '',
      ['drawImage 0,0,200,100,0,0,100,50'],
      still,
    ],
    [
      'graphics in their size',
      '<object type="image/X-arib-png" data="a.png"/>',
      'object { left: 20px; top: 30px; width: 50px; height: 40px }',
      ['drawImage 0,0,50,40,20,30,50,40'],
      graphics,
    ],
    [
      'graphics over the edge of the plane',
      '<object type="image/X-arib-png" data="a.png"/>',
      'object { left: -20px; top: 530px; width: 50px; height: 40px }',
      ['drawImage 20,0,30,10,0,530,30,10'],
      graphics,
    ],
    [
      'a picture that is not there',
      '<object type="image/jpeg" data="a.jpg"/>',
      'object { width: 9px; height: 9px }',
      [],
    ],
    [
      'a picture without an address',
      '<object type="image/jpeg"/>',
      'object { width: 9px; height: 9px }',
      [],
      still,
    ],
    [
      'a sound',
      '<object type="audio/X-arib-mpeg2-aac" data="a.aac"/>',
      'object { width: 9px; height: 9px }',
      [],
      still,
    ],
    [
      'a hidden picture',
      '<object type="image/jpeg" data="a.jpg"/>',
      'object { visibility: hidden; width: 9px; height: 9px }',
      [],
      still,
    ],
    [
      'a background picture',
      '<p/>',
      `${P} p { background-image: url(a.jpg) }`,
      ['drawImage 0,0,200,100,10,20,100,50'],
      still,
    ],
    [
      'a background picture that repeats',
      '<p/>',
      `${P} p { background-image: url('a.png') }`,
      [
        'drawImage 0,0,50,40,10,20,50,40',
        'drawImage 0,0,50,40,60,20,50,40',
        'drawImage 0,0,50,10,10,60,50,10',
        'drawImage 0,0,50,10,60,60,50,10',
      ],
      graphics,
    ],
    [
      'the television picture',
      '<object type="video/X-arib-mpeg2" data="/-1"/>',
      'object { left: 10px; top: 20px; width: 100px; height: 50px }',
      ['clearRect 10,20,100,50'],
    ],
    [
      'boxes over the television picture',
      '<object type="video/X-arib-mpeg2"/><p/>',
      `${P} object { width: 100px; height: 50px } p { background-color-index: 65 }`,
      ['clearRect 0,0,100,50', 'fillRect 10,20,100,50 #00000080'],
    ],
  ];
  for (const [what, content, css, calls, sources] of CASES) {
    test(what, () => expect(drawn(content, css, sources)).toEqual(calls));
  }

  test('colours and pictures of a colour table', () => {
    const palette = DEFAULT_PALETTE.slice();
    palette[200] = 0x80332211;
    const asked: PictureUse[] = [];
    const sources = {
      palette: (clut: string) => (clut === '/40/0000/a.clt' ? palette : DEFAULT_PALETTE),
      picture: (use: PictureUse) => {
        asked.push(use);
        return null;
      },
    };
    const css = `body { clut: url( "/40/0000/a.clt" ) } ${P} p { background-color-index: 200; background-image: url(b.jpg) }`;
    const { document, calls } = shown(
      '<p id="p"/><object id="o" type="image/X-arib-png" data="a.png"/>',
      css,
      sources,
    );
    expect(calls).toContain('fillRect 10,20,100,50 #11223380');
    expect(asked).toEqual([
      {
        element: document.getElementById('p') as never,
        address: 'b.jpg',
        clut: '/40/0000/a.clt',
        isBackground: true,
      },
      {
        element: document.getElementById('o') as never,
        address: 'a.png',
        clut: '/40/0000/a.clt',
        isBackground: false,
      },
    ]);
  });

  test('characters of a DRCS file, with the colours between background and text', () => {
    const glyph: DrcsGlyph = {
      code: 0xfafa,
      fontId: 1,
      width: 4,
      height: 2,
      maximum: 3,
      pixels: Uint8Array.from([0, 1, 2, 3, 3, 3, 0, 3]),
    };
    const glyphs: number[] = [];
    const sources = {
      glyph: (code: number, size: number) => {
        glyphs.push(code, size);
        return code === 0xa4a2 ? glyph : null;
      },
    };
    const css = `${P} p { color-index: 7; grayscale-color-index: 1 2 }`;
    expect(drawn('<p>あい</p>', css, sources)).toEqual([
      ...['fillRect 19,29,1,1 #00ff00ff', 'fillRect 20,29,1,1 #ff0000ff', 'fillRect 21,29,1,1 #ffffffff'],
      ...[
        'fillRect 18,30,2,1 #ffffffff',
        'fillRect 21,30,1,1 #ffffffff',
        'fillText い 30,38 #ffffffff 20px round',
      ],
    ]);
    expect(glyphs).toEqual([0xa4a2, 20, 0xa4a4, 20]);
  });
});

describe('the television picture', () => {
  const VIDEO = 'object { left: 10px; top: 20px; width: 480px; height: 270px }';
  const BOX = { left: 10, top: 20, width: 480, height: 270 };
  const CASES: readonly (readonly [
    what: string,
    content: string,
    css: string,
    body: string,
    video: unknown,
  ])[] = [
    ['in its object', '<object type="video/X-arib-mpeg2" data="/-1"/>', VIDEO, '', BOX],
    ['in any case of letters', '<object type="VIDEO/x-arib-mpeg2"/>', VIDEO, '', BOX],
    [
      'in a division',
      '<div style="left:5px;width:900px;height:500px"><object type="video/X-arib-mpeg2"/></div>',
      VIDEO,
      '',
      { ...BOX, left: 15 },
    ],
    ['none', '<p>a</p>', P, '', undefined],
    [
      'hidden',
      '<object type="video/X-arib-mpeg2"/>',
      `${VIDEO} object { visibility: hidden }`,
      '',
      undefined,
    ],
    ['without a size', '<object type="video/X-arib-mpeg2"/>', '', '', undefined],
    [
      'the last of several',
      '<object type="video/X-arib-mpeg2" style="left:1px"/><object type="video/X-arib-mpeg2"/>',
      VIDEO,
      '',
      BOX,
    ],
    [
      'behind an invisible body',
      '<object type="video/X-arib-mpeg2"/>',
      VIDEO,
      'invisible="invisible"',
      WHOLE,
    ],
  ];
  for (const [what, content, css, body, video] of CASES) {
    test(what, () => expect(shown(content, css, {}, body).frame.video as unknown).toEqual(video));
  }

  test('an invisible body draws nothing', () => {
    const { calls } = shown('<p>a</p>', P, {}, 'invisible="invisible"');
    expect(calls).toEqual(['save', 'rect 0,0,960,540', 'clip', 'clearRect 0,0,960,540', 'restore']);
  });
});

describe('changes', () => {
  const CONTENT =
    '<p id="a">a</p><p id="b" style="left:500px">b</p><p id="c" style="left:20px">c</p><object id="v" type="video/X-arib-mpeg2"/>';

  /** What the next frame draws after a change. */
  function after(change: (document: ReturnType<typeof documentOf>, view: DocumentView) => void, css = '') {
    const { document, view, recorder } = shown(CONTENT, `${P} ${css}`);
    change(document, view);
    const frame = view.frame(20);
    return { frame, calls: recorder.take(), next: view.frame(40).drawn };
  }

  test('none: nothing is drawn', () => {
    const { frame, calls } = after(() => {});
    expect(calls).toEqual([]);
    expect(frame.drawn).toEqual({ left: 0, top: 0, width: 0, height: 0 });
  });

  const CASES: readonly (readonly [
    what: string,
    change: (document: ReturnType<typeof documentOf>) => void,
    drawn: string,
    css?: string,
  ])[] = [
    ['text', (document) => document.getElementById('b')?.firstChild?.write('data', 'x'), '500,20 100x50'],
    [
      'a colour',
      (document) => document.getElementById('b')?.style('normal').set('colorIndex', 1),
      '500,20 100x50',
    ],
    [
      'a place',
      (document) => document.getElementById('b')?.style('normal').set('left', 600),
      '500,20 200x50',
    ],
    [
      'a size',
      (document) => document.getElementById('b')?.style('normal').set('height', 70),
      '500,20 100x70',
    ],
    [
      'to hidden',
      (document) => document.getElementById('b')?.style('normal').set('visibility', 'hidden'),
      '500,20 100x50',
    ],
    [
      'two boxes',
      (document) => ['a', 'b'].map((id) => document.getElementById(id)?.style('normal').set('colorIndex', 1)),
      '10,20 590x50',
    ],
    [
      'the focus',
      (document) => Object.assign(document, { currentFocus: document.getElementById('b') }),
      '500,20 100x50',
      'p:focus { background-color-index: 2 }',
    ],
    [
      'the focus without a style for it',
      (document) => Object.assign(document, { currentFocus: document.getElementById('b') }),
      '0,0 0x0',
    ],
    [
      'the place of the television picture',
      (document) => document.getElementById('v')?.style('normal').set('width', 10),
      '0,0 10x10',
      'object { height: 10px }',
    ],
    ['the body', (document) => document.body.style('normal').set('backgroundColorIndex', 3), '0,0 960x540'],
    ['keys of the body', (document) => document.body.style('normal').set('usedKeyList', 'none'), '0,0 0x0'],
    ['an invisible body', (document) => document.body.write('invisible', true), '0,0 960x540'],
  ];
  for (const [what, change, drawn, css] of CASES) {
    test(what, () => {
      const { frame, next } = after(change, css);
      const { left, top, width, height } = frame.drawn;
      expect(`${left},${top} ${width}x${height}`).toBe(drawn);
      expect(next.width).toBe(0);
    });
  }

  test('only boxes in the region are drawn again, all of them', () => {
    const { calls } = after((document) => document.getElementById('a')?.firstChild?.write('data', 'x'));
    expect(calls).toEqual([
      ...['save', 'rect 10,20,100,50', 'clip', 'clearRect 10,20,100,50', 'fillRect 10,20,100,50 #000000ff'],
      ...['fillText x 10,38 #000000ff 20px round'],
      ...['save', 'rect 20,20,90,50', 'clip', 'fillText c 20,38 #000000ff 20px round', 'restore', 'restore'],
    ]);
  });

  test('a picture that has been loaded', () => {
    let loaded: ReturnType<typeof picture> | null = null;
    const { view } = shown(
      '<object type="image/jpeg" data="a" style="left:9px;width:20px;height:10px"/>',
      '',
      { picture: () => loaded },
    );
    loaded = picture(40, 20, true);
    expect(view.frame(1).drawn).toEqual({ left: 9, top: 0, width: 20, height: 10 });
    expect(view.frame(2).drawn.width).toBe(0);
  });

  test('another television picture: its place too', () => {
    const css = 'object { width: 100px; height: 50px }';
    const content =
      '<object type="video/X-arib-mpeg2"/><object id="v" type="video/X-arib-mpeg2" style="left:500px"/>';
    const { document, view, recorder } = shown(content, css);
    document.getElementById('v')?.style('normal').set('visibility', 'hidden');
    expect(view.frame(1).video).toEqual({ left: 0, top: 0, width: 100, height: 50 });
    expect(recorder.take()).toContain('clearRect 0,0,100,50');
  });

  test('a hidden box that cuts off a visible one', () => {
    const css = `${P} div { visibility: hidden; width: 900px; height: 30px } p { visibility: visible; background-color-index: 1 }`;
    const { document, view, recorder } = shown('<div id="d"><p/></div>', css);
    document.getElementById('d')?.style('normal').set('height', 60);
    expect(view.frame(1).drawn).toEqual({ left: 10, top: 20, width: 100, height: 40 });
    expect(recorder.take()).toContain('fillRect 10,20,100,40 #ff0000ff');
  });

  test('new characters: all', () => {
    const { frame } = after((_document, view) => view.invalidate());
    expect(frame.drawn).toEqual(WHOLE);
  });
});

describe('running text', () => {
  const leftAt = (css: string, times: readonly number[]) => {
    const { view, recorder } = shown('<p>あいう</p>', `${P} p { -wap-marquee-style: scroll; ${css} }`);
    return times.map((now) => {
      const { isAnimated } = view.frame(now);
      const first = recorder.take().find((call) => call.startsWith('fillText'));
      return [first?.slice(9, 16).trim().split(',')[0], isAnimated];
    });
  };

  test('moves with the clock', () => {
    const { view, recorder, frame } = shown(
      '<p>あい</p>',
      `${P} p { -wap-marquee-style: scroll; -wap-marquee-loop: infinite }`,
    );
    expect(frame.isAnimated).toBe(true);
    view.frame(250);
    expect(recorder.take()).toContain('fillText あ 80,38 #000000ff 20px round');
    view.frame(500);
    expect(recorder.take()).toContain('fillText あ 50,38 #000000ff 20px round');
    expect(view.frame(500).drawn.width).toBe(0);
  });

  test('stays after its last pass', () => {
    expect(leftAt('-wap-marquee-loop: 1', [10_000])).toEqual([['あ 10', false]]);
    expect(leftAt('-wap-marquee-style: slide; -wap-marquee-speed: slow', [1000, 2000])).toEqual([
      ['あ 50', true],
      ['あ 10', false],
    ]);
  });

  test('to and fro', () => {
    expect(
      leftAt(
        '-wap-marquee-style: alternate; -wap-marquee-loop: infinite; -wap-marquee-speed: slow',
        [250, 500, 1000, 1250],
      ).map(([left]) => left),
    ).toEqual(['あ 35', 'あ 20', 'あ 30', 'あ 45']);
  });
});
