import { describe, expect, test } from 'bun:test';
import { BmlElement, type BmlNode, BmlText } from '../document/document.ts';
import { parseDocument } from './parser.ts';

/** `p#id.class{text}`; CDATA in brackets. */
function outline(node: BmlNode): string {
  if (node instanceof BmlText) return node.isCdata ? `[${node.data}]` : `'${node.data}'`;
  if (!(node instanceof BmlElement)) return '?';
  const name = `${node.tagName}${node.id === '' ? '' : `#${node.id}`}${node.className === '' ? '' : `.${node.className}`}`;
  return node.children.length === 0 ? name : `${name}(${node.children.map(outline).join(' ')})`;
}

const whole = (source: string): string => outline(parseDocument(source).documentElement);
const body = (content: string): string =>
  outline(parseDocument(`<bml><head></head><body>${content}</body></bml>`).body);

const PROLOGUE = `<?xml version="1.0" encoding="EUC-JP" ?>
<!DOCTYPE bml PUBLIC "+//ARIB STD-B24:1999//DTD BML Document//JA" "bml_1_0.dtd">
<?bml bml-version="1.0" ?>
`;

describe('the tree', () => {
  const CASES: readonly (readonly [what: string, source: string, tree: string])[] = [
    [
      'a document',
      `${PROLOGUE}<bml>\n<head><title>a</title></head>\n<body>\n<p>b</p>\n</body></bml>`,
      "bml(head(title('a')) body(p('b')))",
    ],
    ['html as the root', '<html><head/><body><p>x</p></body></html>', "bml(head body(p('x')))"],
    ['no head', '<bml><body><p>x</p></body></bml>', "bml(body(p('x')))"],
    ['no body', '<bml><head><title>t</title></head></bml>', "bml(head(title('t')) body)"],
    ['no root', '<p>x</p>', "bml(body(p('x')))"],
    ['nothing', '', 'bml(body)'],
    ['only text', 'hello', 'bml(body)'],
    [
      'an unclosed head',
      '<bml><head><title>t</title><body><p>x</p></body></bml>',
      "bml(head(title('t')) body(p('x')))",
    ],
    [
      'an unclosed title',
      '<bml><head><title>t<style>a{}</style></head><body/></bml>',
      "bml(head(title('t') style('a{}')) body)",
    ],
    ['boxes after the body', '<bml><body><p>x</p></body><p>y</p></bml>', "bml(body(p('x') p('y')))"],
    [
      'a second body',
      '<bml><body id="a"><p>x</p></body><body id="b"><p>y</p></body></bml>',
      "bml(body#a(p('x') p('y')))",
    ],
    ['a truncated document', '<bml><body><div><p>x', "bml(body(div(p('x'))))"],
    ['a truncated tag', '<bml><body><p id="a">x</p><p id=', "bml(body(p#a('x') p))"],
    ['an attribute that ends the text', '<bml><body><p id="a', 'bml(body(p#a))'],
    ['upper case', '<BML><BODY><P ID="a">x</P></BODY></BML>', "bml(body(p#a('x')))"],
    ['a name-space prefix', '<bml:bml><body><bml:p>x</bml:p></body></bml:bml>', "bml(body(p('x')))"],
    ['a byte order mark', '\ufeff<bml><body/></bml>', 'bml(body)'],
    [
      'events in the head',
      '<bml><head><bevent><beitem id="i" type="TimerFired"/></bevent></head><body/></bml>',
      'bml(head(bevent(beitem#i)) body)',
    ],
    [
      'an event item with an end tag',
      '<bml><head><bevent><beitem id="i"></beitem><beitem id="j"></beitem></bevent></head><body/></bml>',
      'bml(head(bevent(beitem#i beitem#j)) body)',
    ],
    ['content before the root', 'x<!-- -->\n<bml><body/></bml>', 'bml(body)'],
  ];
  for (const [what, source, tree] of CASES) {
    test(what, () => expect(whole(source)).toBe(tree));
  }
});

describe('boxes and text', () => {
  const CASES: readonly (readonly [what: string, content: string, tree: string])[] = [
    ['no text between boxes', '\n <div>\n <p>a</p>\n\t<p>b</p> \n</div>\n', "body(div(p('a') p('b')))"],
    ['line ends at the ends of a paragraph', '<p>\r\n  a\r\n</p>', "body(p('a'))"],
    ['a paragraph of white space', '<p> \n\t </p>', 'body(p)'],
    ['white space between double-width characters', '<p>あ\n  い う</p>', "body(p('あいう'))"],
    ['white space between half-width characters', '<p>a b  c</p>', "body(p('a b  c'))"],
    ['a line end between half-width characters', '<p>a\r\n  b</p>', "body(p('a b'))"],
    ['a full-width space', '<p>　あ　</p>', "body(p('　あ　'))"],
    ['one space is kept before a span', '<p>a  \n<span>b</span></p>', "body(p('a ' span('b')))"],
    ['one space is kept after a span', '<p><span>b</span>\n  c</p>', "body(p(span('b') ' c'))"],
    ['one space is kept before a line break', '<p>a \n<br/>b</p>', "body(p('a ' br 'b'))"],
    ['none after a line break', '<p>a<br/>\n  b</p>', "body(p('a' br 'b'))"],
    ['white space alone between inlines', '<p><span>a</span> <a>b</a></p>', "body(p(span('a') a('b')))"],
    ['a CDATA section', '<p><![CDATA[ a\n <b> &lt; ]]></p>', 'body(p([ a\n <b> &lt; ]))'],
    ['an empty CDATA section', '<p><![CDATA[]]></p>', 'body(p([]))'],
    ['two CDATA sections', '<p><![CDATA[a]]><![CDATA[b]]></p>', 'body(p([a] [b]))'],
    ['a CDATA section that does not end', '<p><![CDATA[a</p>', 'body(p([a</p></body></bml>]))'],
    ['text and a CDATA section', '<p> a <![CDATA[ b ]]> c </p>', "body(p('a' [ b ] 'c'))"],
    ['entities', '<p>&lt;&amp;&gt;&quot;&apos;</p>', `body(p('<&>"''))`],
    ['numeric references', '<p>&#65;&#x3042;&#12356;</p>', "body(p('Aあい'))"],
    ['references to no character', '<p>&#0;&#xD800;&#x110000;&#9999999;</p>', "body(p('����'))"],
    ['unknown entities', '<p>&nbsp;&copy;&x</p>', "body(p('&nbsp;&copy;&x'))"],
    ['a lone ampersand', '<p>a & b</p>', "body(p('a & b'))"],
    ['a lone less-than', '<p>1 < 2 <3</p>', "body(p('1 < 2 <3'))"],
    ['a comment', '<p>a<!-- <p> -->b</p>', "body(p('ab'))"],
    ['a comment with two hyphens', '<p>a</p><!-- a -- b --><p>b</p>', "body(p('a') p('b'))"],
    ['a comment of hyphens', '<!------- x -------><p>b</p>', "body(p('b'))"],
    ['a comment that does not end', '<!-- x ><p>b</p>', "body(p('b'))"],
    ['a processing instruction', '<?x y="?" ?><p>b</p>', "body(p('b'))"],
    ['unknown elements', '<p>a<b>b<i>c</i></b>d</p>', "body(p('abcd'))"],
    ['tables and forms', '<table><tr><td><p>x</p></td></tr></table>', "body(p('x'))"],
    ['mismatched tags', '<div><p>a<span>b</p></div></span><p>c</p>', "body(div(p('a' span('b'))) p('c'))"],
    ['an end tag too many', '<p>a</p></div></p><p>b</p>', "body(p('a') p('b'))"],
    ['a paragraph in a paragraph', '<p>a<br/> <p>b</p></p><p>c</p>', "body(p('a' br p('b')) p('c'))"],
    ['a box in an anchor', '<a href="x">\n<div><p>b</p></div>\n</a>', "body(a(div(p('b'))))"],
    ['an unclosed paragraph', '<p>a<p>b', "body(p('a') p('b'))"],
    ['a box in an unclosed paragraph', '<p>a<div><p>b</p></div>', "body(p('a') div(p('b')))"],
    ['an end tag with white space', '<p>a</p  ><p>b</p\n>', "body(p('a') p('b'))"],
    ['a line break with an end tag', '<p>a<br></br>b</p>', "body(p('a' br 'b'))"],
    ['a line break without a slash', '<p>a<br>b</p>', "body(p('a' br 'b'))"],
    ['an empty object', '<object id="o" type="image/jpeg" data="a.jpg"/><p>b</p>', "body(object#o p('b'))"],
    ['an object with an end tag', '<object id="o"></object><p>b</p>', "body(object#o p('b'))"],
    ['an input without a slash', '<input id="i"><p>b</p>', "body(input#i p('b'))"],
    ['attributes without quotes', '<p id=a class=b>x</p>', "body(p#a.b('x'))"],
    ['attributes in single quotes', "<p id='a' class='b c'>x</p>", "body(p#a.b c('x'))"],
    ['spaces around the equals sign', '<p id = "a"\nclass\n= "b">x</p>', "body(p#a.b('x'))"],
    ['no space between attributes', '<p id="a"class="b">x</p>', "body(p#a.b('x'))"],
    ['a repeated attribute', '<p id="a" id="b">x</p>', "body(p#a('x'))"],
    ['stray quotes in a tag', '<p "" id="a" \'>x</p>', "body(p#a('x'))"],
    ['a greater-than in an attribute', '<p id="a>b">x</p>', "body(p#a>b('x'))"],
    ['a reference in an attribute', '<p id="a&amp;b">x</p>', "body(p#a&b('x'))"],
    ['a tag inside a tag', '<p id="a" <span>x</span></p>', "body(p#a(span('x')))"],
    [
      'an inline script',
      '<script><![CDATA[ if (a < b) "</script>" ]]></script><p>x</p>',
      `body(script([ if (a < b) "</script>" ]) p('x'))`,
    ],
    [
      'a script without CDATA',
      '<script>if (a < b && c) f("<p>");</script>',
      `body(script('if (a < b && c) f("<p>");'))`,
    ],
    ['a script with references', '<script>a &lt; b &amp;&amp; c</script>', "body(script('a < b && c'))"],
    ['a script without an end tag', '<script><![CDATA[a]]><p>x</p>', "body(script([a]) p('x'))"],
    ['a script of a resource', '<script src="a.ecm"/><p>x</p>', "body(script p('x'))"],
    ['a style sheet in a comment', '<style><!-- p {} --></style>', "body(style('<!-- p {} -->'))"],
  ];
  for (const [what, content, tree] of CASES) test(what, () => expect(body(content)).toBe(tree));
});

describe('hostile documents', () => {
  test('only elements and attributes of BML are built', () => {
    const hostile = `<iframe srcdoc="&lt;script>parent.x=1&lt;/script>"></iframe><svg onload="x()"><p id="p" onmouseover="x()" src="//e">a</p></svg>
<img src="//e" onerror="x()"/><embed src="//e"/><base href="//e"/><form action="//e"/><object data="javascript:x()" codebase="//e" id="o"/>`;
    const document = parseDocument(
      `<bml><head><meta http-equiv="refresh" content="0;//e"/><link rel="import" href="//e"/></head><body>${hostile}</body></bml>`,
    );
    expect(outline(document.body)).toBe("body(p#p('a') object#o)");
    const element = document.getElementById('p');
    expect([element?.attribute('onmouseover'), element?.attribute('src')]).toEqual(['', '']);
    expect(document.getElementById('o')?.attribute('codebase')).toBe('');
    expect([...document.elements()].find(({ tagName }) => tagName === 'meta')?.attribute('http-equiv')).toBe(
      '',
    );
  });

  test('names of built-in objects are ordinary ids', () => {
    const document = parseDocument(
      '<body><p id="__proto__"/><p id="constructor" class="toString"/><p id="location"/></body>',
    );
    expect(document.getElementById('__proto__')?.tagName).toBe('p');
    expect(document.getElementById('constructor')?.className).toBe('toString');
    expect(document.getElementById('hasOwnProperty')).toBeNull();
    const element = document.getElementById('location');
    for (const name of ['__proto__', 'constructor', 'toString', 'owner', 'children', 'append']) {
      expect(element?.read(name)).toBeUndefined();
      expect(element?.write(name, 'x')).toBe(false);
    }
  });

  test('entities are not expanded', () => {
    const bomb = `<!DOCTYPE bml [<!ENTITY a "0123456789"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><bml><body><p>&c;</p></body></bml>`;
    expect(whole(bomb)).toBe("bml(body(p('&c;')))");
  });

  test('elements, depth and lengths are limited', () => {
    const many = parseDocument(`<body>${'<p>x</p>'.repeat(20_000)}</body>`);
    expect(many.body.children.length).toBeLessThanOrEqual(8192);
    expect(many.isTruncated).toBe(true);
    const deep = parseDocument(
      `<body>${'<div>'.repeat(10_000)}<p id="x">x</p>${'</div>'.repeat(10_000)}<p id="after"/></body>`,
    );
    let depth = 0;
    for (let node: BmlNode | null = deep.getElementById('x'); node !== null; node = node.parentNode) depth++;
    expect(depth).toBeLessThanOrEqual(33);
    const attribute = parseDocument(`<body><p id="x" style="${'a'.repeat(1 << 20)}">y</p></body>`);
    expect(attribute.getElementById('x')?.attribute('style').length).toBeLessThanOrEqual(8192);
    const text = parseDocument(`<body><p id="x">${'a'.repeat(1 << 20)}</p></body>`);
    expect(String(text.getElementById('x')?.firstChild?.read('data')).length).toBe(131_072);
  });

  const UNITS: readonly (readonly [what: string, unit: string])[] = [
    ['comments that do not end', '<!--'],
    ['CDATA sections that do not end', '<p><![CDATA['],
    ['instructions that do not end', '<?a'],
    ['quotes that do not end', '<p a="b'],
    ['declarations', '<!x>'],
    ['declarations with a subset', '<!x [>'],
    ['lone less-thans', '<'],
    ['ampersands', '&#x'],
    ['white space', ' \n'],
    ['attributes', ' a="b"'],
    ['tags in tags', '<p '],
    ['end tags', '</div>'],
    ['scripts', '<script>'],
    ['scripts with sections', '<script><![CDATA['],
    ['slashes', '<p /'],
  ];
  test('a quarter of a megabyte of anything takes time in proportion to its length', () => {
    for (const [what, unit] of UNITS) {
      const source = `<body><p ${unit.repeat((1 << 18) / unit.length)}[`;
      const start = performance.now();
      parseDocument(source);
      // A quadratic reader takes minutes.
      expect({ what, isSlow: performance.now() - start > 5000 }).toEqual({ what, isSlow: false });
    }
  });
});
