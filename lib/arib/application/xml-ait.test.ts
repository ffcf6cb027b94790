import { expect, test } from 'bun:test';
import { processorMs } from '../../../test/processor-time.ts';
import { allElements, findElement, readXml, XML_LIMITS, type XmlElement } from './xml-ait.ts';

/** The short form: name, attributes, text, children. */
function short({ name, attributes, text, children }: XmlElement): string {
  const told = [...attributes].map(([key, value]) => ` ${key}=${value}`).join('');
  return `${name}${told}${text === '' ? '' : `:${text}`}${children.length === 0 ? '' : `(${children.map(short).join(',')})`}`;
}

const read = (text: string): string | undefined => {
  const root = readXml(text);
  return root === undefined ? undefined : short(root);
};

test('elements, attributes and texts, without prefixes and in lower case', () => {
  expect(read('<?xml version="1.0"?><a:Root x:One="1" two=\'2\'><B>text</B><c/></a:Root>')).toBe(
    'root one=1 two=2(b:text,c)',
  );
  expect(read('<a><!-- <b> --><![CDATA[<c>&amp;]]></a>')).toBe('a:<c>&amp;');
  expect(read('<a b="&lt;&#65;&#x42;" c=">">&amp;&quot;</a>')).toBe('a b=<AB c=>:&"');
});

test('no entity is defined or expanded', () => {
  const bomb =
    '<!DOCTYPE a [<!ENTITY x "yyyyyyyy"><!ENTITY z "&x;&x;"> <!ENTITY f SYSTEM "file:///etc/passwd">]><a>&z;&f;&#0;&#x7fffffff;</a>';
  expect(read(bomb)).toBe('a:&z;&f;&#0;&#x7fffffff;');
});

test('broken documents keep what can be read', () => {
  expect(read('')).toBeUndefined();
  expect(read('no markup')).toBeUndefined();
  expect(read('<a><b>one<c>two</b>three</a>')).toBe('a:three(b:one(c:two))');
  expect(read('<a></z><b')).toBe('a');
  expect(read('<a b="never closed')).toBeDefined();
  expect(read('<a><!-- never closed')).toBe('a');
  expect(read('<a><![CDATA[never closed')).toBe('a:never closed');
});

test('size, depth, elements, attributes and texts are bounded, in linear time', () => {
  const deep = readXml('<a>'.repeat(100_000));
  let depth = 0;
  for (let at = deep; at !== undefined; at = at.children.at(-1)) depth += 1;
  expect(depth).toBeLessThanOrEqual(XML_LIMITS.depth);
  const wide = readXml(`<a>${'<b/>'.repeat(100_000)}</a>`);
  expect(wide?.children.length).toBeLessThan(XML_LIMITS.elements);
  const attributes = Array.from({ length: 1000 }, (_, index) => `a${index}="1"`).join(' ');
  expect(readXml(`<a ${attributes}/>`)?.attributes.size).toBe(XML_LIMITS.attributes);
  const texts = readXml(`<a>${'x<!---->'.repeat(100_000)}</a>`);
  expect(texts?.text.length).toBeLessThanOrEqual(XML_LIMITS.text);
});

// Linear: 30 ms together. Quadratic: half a minute for the name alone.
test('no markup takes quadratic time', () => {
  const fills = [
    `<a ${'a'.repeat(260_000)}>`,
    `<a a${' '.repeat(260_000)}>`,
    `<a a${'='.repeat(260_000)}>`,
    `<a a=${`"'`.repeat(130_000)}>`,
    `<a ${'a= '.repeat(86_000)}>`,
    // A character beyond Latin-1: the search in such texts is slower.
    `あ${'<!>'.repeat(87_000)}`,
    '</a>'.repeat(65_000),
    '<![>'.repeat(65_000),
  ];
  const before = processorMs();
  for (const text of fills) readXml(text);
  expect(processorMs() - before).toBeLessThan(10_000);
});

test('descendants by name', () => {
  const root = readXml('<r><a>1<a>2</a></a><b><a>3</a></b></r>');
  if (root === undefined) throw new Error('no root');
  expect(allElements(root, 'a').map(({ text }) => text)).toEqual(['1', '2', '3']);
  expect(findElement(root, 'b')?.children.length).toBe(1);
  expect(findElement(root, 'c')).toBeUndefined();
});
