import { describe, expect, test } from 'bun:test';
import { moduleResources } from './module-entity.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const text = (data: Uint8Array) => String.fromCharCode(...data);

function read(entity: string, type?: string) {
  return moduleResources(bytes(entity.replaceAll('\n', '\r\n')), type)?.map((each) => [
    each.location,
    each.type,
    text(each.data),
  ]);
}

const PARTS = `--b
Content-Type: text/X-arib-bml; charset="euc-jp"
Content-Location: startup.bml

<bml>
--bx is no delimiter
</bml>
--b
content-location: "a.png"
CONTENT-TYPE: image/X-arib-png

\u0089PNG
--b--
rest`;
const EXPECTED = [
  ['startup.bml', 'text/X-arib-bml; charset="euc-jp"', '<bml>\r\n--bx is no delimiter\r\n</bml>'],
  ['a.png', 'image/X-arib-png', '\u0089PNG'],
];

describe('an entity of several parts', () => {
  test.each([
    ['quoted', 'Content-Type: multipart/mixed; boundary="b"'],
    ['plain', 'content-type: Multipart/Mixed;boundary=b'],
    ['folded', 'Content-Type: multipart/mixed;\n\tboundary="b"'],
    ['with other fields', 'X-Other: 1\nContent-Type: multipart/mixed; x=y; boundary=b; z=1'],
  ])('boundary %s', (_, header) => {
    expect(read(`${header}\n\n${PARTS}`)).toEqual(EXPECTED);
    expect(read(`${header}\n\npreamble\n${PARTS}`, 'multipart/mixed')).toEqual(EXPECTED);
  });

  test('lines may end with LF only, and the closing delimiter may be missing', () => {
    const bare = `Content-Type: multipart/mixed; boundary=b\n\n${PARTS}`;
    const read1 = moduleResources(bytes(bare), undefined);
    expect(read1?.map(({ location }) => location)).toEqual(['startup.bml', 'a.png']);
    expect(text(read1?.[1]?.data ?? bytes(''))).toBe('\u0089PNG');
    const cut = `Content-Type: multipart/mixed; boundary=b\n\n${PARTS.replace('\n--b--\nrest', '')}`;
    expect(read(cut)).toEqual(EXPECTED);
  });

  test('the boundary may be in the Type descriptor alone', () => {
    expect(read(PARTS, 'multipart/mixed; boundary="b"')).toEqual(EXPECTED);
  });

  test('parts without a name or a header are left out, empty ones are kept', () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\n\n';
    expect(
      read(`${head}--b\nContent-Type: a/b\n\nx\n--b\nno header\n--b\nContent-Location: e\n\n\n--b--`),
    ).toEqual([['e', null, '']]);
  });

  test('names are only names', () => {
    const names = ['../../x', '//evil/x', '%2e%2e', 'constructor', '__proto__', `a${'\0'}b`];
    const parts = names.map((name) => `--b\nContent-Location: ${name}\n\n1\n`).join('');
    const found = read(`Content-Type: multipart/mixed; boundary=b\n\n${parts}--b--`);
    expect(found?.map(([name]) => name)).toEqual(names);
  });
});

test('one resource: with a Type descriptor, or as an entity', () => {
  expect(read('abc', 'image/jpeg')).toEqual([[null, 'image/jpeg', 'abc']]);
  expect(read('Content-Type: image/jpeg\n\nabc')).toEqual([[null, 'image/jpeg', 'abc']]);
  expect(read('Content-Type: image/jpeg\nContent-Location: x\n\nabc')).toEqual([['x', 'image/jpeg', 'abc']]);
});

test('what has no header or boundary is nothing', () => {
  expect(read('')).toBeUndefined();
  expect(read('abc')).toBeUndefined();
  expect(read('Content-Type: multipart/mixed\n\n--b\n')).toBeUndefined();
  expect(read(`Content-Type: multipart/mixed; boundary=${'b'.repeat(60_000)}\n\nx`)).toBeUndefined();
  expect(read(`Content-Type: multipart/mixed; boundary=${'b'.repeat(71)}\n\nx`)).toBeUndefined();
});

test('hostile entities take linear time and give a bounded number of parts', () => {
  const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
  const many = `${head}${'--b\r\nContent-Location: x\r\n\r\n\r\n'.repeat(50_000)}`;
  expect(moduleResources(bytes(many), undefined)).toHaveLength(1024);
  const hyphens = `${head}${'-'.repeat(1_000_000)}`;
  expect(moduleResources(bytes(hyphens), undefined)).toEqual([]);
  const lines = `${head}--b\r\n${'\n'.repeat(1_000_000)}`;
  expect(moduleResources(bytes(lines), undefined)).toEqual([]);
});
