import { describe, expect, test } from 'bun:test';
import { parseDocument } from '../markup/parser.ts';
import { StyleDeclaration } from '../style/cascade.ts';
import type { BmlElement, BmlNode, DomValue } from './document.ts';
import { ELEMENTS } from './elements.ts';

const SOURCE = `<bml><head><title>t</title><meta name="n" content="c"/><bevent>
<beitem id="event" type="EventMessageFired" es_ref="/40" message_id="3" module_ref="/40/0001" onoccur="f();" subscribe="subscribe"/>
<beitem id="timer" type="TimerFired" time_mode="absolute" time_value="20261126120000"/></bevent></head>
<body id="body" invisible="invisible" onload="start();">
<div id="box" accesskey="R"><p id="one">a</p><p id="two"><![CDATA[]]></p><p id="one" class="second">b</p></div>
<p id="line">x<span id="span">y</span><br id="br"/><a id="link" href="/40/0002">z</a></p>
<input id="input" value="abc" maxlength="7" disabled="disabled" readonly="x"/>
<object id="jpeg" type="image/jpeg" data="a.jpg" streamposition="5"/>
<object id="mng" type="image/X-arib-mng" remain="remain"/>
</body></bml>`;

const load = () => parseDocument(SOURCE);

function element(document: ReturnType<typeof load>, id: string): BmlElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

describe('properties of the DOM', () => {
  const CASES: readonly (readonly [id: string, name: string, value: DomValue])[] = [
    ['box', 'tagName', 'div'],
    ['box', 'id', 'box'],
    ['box', 'className', ''],
    ['box', 'accessKey', 'R'],
    ['box', 'href', undefined],
    ['box', 'onclick', undefined],
    ['box', 'style', undefined],
    ['one', 'className', ''],
    ['body', 'invisible', true],
    ['body', 'accessKey', undefined],
    ['body', 'focusStyle', undefined],
    ['br', 'activeStyle', undefined],
    ['link', 'href', '/40/0002'],
    ['input', 'value', 'abc'],
    ['input', 'defaultValue', 'abc'],
    ['input', 'maxLength', 7],
    ['input', 'disabled', true],
    ['input', 'readOnly', false],
    ['input', 'type', 'text'],
    ['jpeg', 'data', 'a.jpg'],
    ['jpeg', 'type', 'image/jpeg'],
    ['jpeg', 'remain', false],
    ['jpeg', 'streamStatus', 'play'],
    ['jpeg', 'streamPosition', 5],
    ['mng', 'remain', true],
    ['mng', 'streamStatus', 'stop'],
    ['mng', 'data', ''],
    ['event', 'type', 'EventMessageFired'],
    ['event', 'esRef', '/40'],
    ['event', 'messageId', 3],
    ['event', 'messageVersion', 255],
    ['event', 'messageGroupId', 0],
    ['event', 'moduleRef', '/40/0001'],
    ['event', 'subscribe', true],
    ['event', 'onoccur', undefined],
    ['timer', 'timeMode', 'absolute'],
    ['timer', 'timeValue', '20261126120000'],
    ['timer', 'subscribe', false],
    ['timer', 'objectId', ''],
    ['timer', 'normalStyle', undefined],
  ];
  for (const [id, name, value] of CASES) {
    test(`${id}.${name} is ${value}`, () => expect(element(load(), id).read(name)).toBe(value));
  }

  const WRITES: readonly (readonly [
    id: string,
    name: string,
    value: string | number | boolean,
    after: DomValue,
  ])[] = [
    ['body', 'invisible', false, false],
    ['link', 'href', '/41/0000', '/41/0000'],
    ['input', 'value', 12, '12'],
    ['input', 'defaultValue', 'x', 'abc'],
    ['input', 'maxLength', 1, 7],
    ['input', 'disabled', false, false],
    ['input', 'readOnly', 1, true],
    ['jpeg', 'data', 'b.jpg', 'b.jpg'],
    ['jpeg', 'type', 'x', 'image/jpeg'],
    ['jpeg', 'remain', true, true],
    ['jpeg', 'streamPosition', '9', 9],
    ['mng', 'streamStatus', 'play', 'play'],
    ['mng', 'streamStatus', 'fly', 'stop'],
    ['event', 'type', 'x', 'EventMessageFired'],
    ['event', 'messageId', 255, 255],
    ['event', 'messageGroupId', 1, 0],
    ['event', 'subscribe', false, false],
    ['timer', 'timeMode', 'x', 'absolute'],
    ['timer', 'timeValue', '1', '1'],
    ['box', 'id', 'x', 'box'],
    ['box', 'className', 'x', ''],
    ['box', 'accessKey', 'x', 'R'],
    ['box', 'unknown', 'x', undefined],
  ];
  for (const [id, name, value, after] of WRITES) {
    test(`${id}.${name} = ${value} gives ${after}`, () => {
      const document = load();
      const before = element(document, id).read(name);
      const seen: string[] = [];
      document.onChange = (_node, changed) => seen.push(changed);
      element(document, id).write(name, value);
      expect(element(document, id).read(name)).toBe(after);
      expect(seen).toEqual(before === after ? [] : [name]);
    });
  }

  test('the interfaces have the names of the standard', () => {
    expect(element(load(), 'box').interface).toBe('BMLDivElement');
    expect(element(load(), 'event').interface).toBe('BMLBeitemElement');
    expect([...ELEMENTS.values()].filter(({ focusable }) => focusable).map(({ tagName }) => tagName)).toEqual(
      [...['div', 'p', 'span', 'a', 'input', 'object']] as never,
    );
    expect(element(load(), 'box').canFocus).toBe(true);
    expect(element(load(), 'br').canFocus).toBe(false);
  });
});

describe('the tree as scripts walk it', () => {
  test('siblings are boxes only', () => {
    const seen: DomValue[] = [];
    for (let node: BmlNode | null = load().getElementById('line'); node !== null; node = node.nextSibling)
      seen.push(node.read('id'));
    expect(seen).toEqual(['line', 'input', 'jpeg', 'mng']);
  });

  test('parents and children', () => {
    const document = load();
    const box = element(document, 'box');
    expect(box.firstChild).toBe(element(document, 'one'));
    expect(box.lastChild?.read('className')).toBe('second');
    expect(box.lastChild?.previousSibling).toBe(element(document, 'two'));
    expect(box.read('parentNode')).toBe(document.body);
    expect(document.documentElement.read('parentNode')).toBeNull();
    expect(document.documentElement.read('tagName')).toBe('bml');
    expect(element(document, 'one').firstChild?.read('firstChild')).toBeNull();
  });

  test('the first element of an id has it', () => {
    expect(element(load(), 'one').className).toBe('');
    expect(load().getElementById('none')).toBeNull();
  });

  test('text is data', () => {
    const document = load();
    const data = element(document, 'two').firstChild;
    expect(data?.interface).toBe('CDATASection');
    expect(data?.read('data')).toBe('');
    const before = document.version;
    expect(data?.write('data', 'あい')).toBe(true);
    expect(data?.read('length')).toBe(2);
    expect(document.version).toBeGreaterThan(before);
    const after = document.version;
    data?.write('data', 'あい');
    expect(data?.write('length', 3)).toBe(false);
    expect(document.version).toBe(after);
  });

  test('styles are the same object each time', () => {
    const style = element(load(), 'box').read('normalStyle');
    expect(style).toBeInstanceOf(StyleDeclaration);
    const box = element(load(), 'box');
    expect(box.read('focusStyle')).toBe(box.read('focusStyle') ?? null);
    expect([...load().elements()].find(({ tagName }) => tagName === 'title')?.read('text')).toBe('t');
  });

  test('focus and enter change what is shown', () => {
    const document = load();
    const box = element(document, 'box');
    const states: string[] = [document.stateOf(box)];
    document.currentFocus = box;
    states.push(document.stateOf(box));
    document.isActive = true;
    states.push(document.stateOf(box));
    const before = document.version;
    document.currentFocus = element(document, 'one');
    states.push(document.stateOf(box), document.stateOf(element(document, 'one')));
    expect(states).toEqual(['normal', 'focus', 'active', 'normal', 'focus']);
    expect(document.version).toBeGreaterThan(before);
  });
});
