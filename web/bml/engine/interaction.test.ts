/** Focus, keys, events of the broadcast, media: what a document notices of them. */
import { describe, expect, test } from 'bun:test';
import type { ImmediateEvent, StreamEvent } from '../../../lib/wire/data-broadcast.ts';
import { EngineRig, moduleMessage, page } from '../../../test/web/engine-rig.ts';
import { KEY } from './keys.ts';

const NOTE =
  'function note() { var e = document.currentEvent; log(e.type + " " + e.target.id + (e.keyCode ? " " + e.keyCode : "")); } function load() {}';
const HANDLERS = 'onkeydown="note();" onkeyup="note();" onfocus="note();" onblur="note();" onclick="note();"';

async function started(body: string, script = NOTE, attributes = 'onload="load();"', more = {}) {
  const rig = new EngineRig();
  await rig.start({ 'startup.bml': page(script, body, attributes) }, more);
  rig.posted.length = 0;
  return rig;
}
async function pressed(
  body: string,
  keys: readonly number[],
  script = NOTE,
  attributes = 'onload="load();"',
) {
  const rig = await started(body, script, attributes);
  for (const key of keys) await rig.press(key);
  return rig.trace;
}

describe('keys', () => {
  const TWO = `<p id="a" style="nav-index:0; nav-down:1; nav-right:5" ${HANDLERS}>a</p><p id="b" style="nav-index:1; nav-up:0; nav-down:2" ${HANDLERS}>b</p>`;
  test.each([
    ['an arrow moves the focus', [KEY.down], ['keydown a 2', 'blur a', 'focus b', 'keyup b 2']],
    ['an arrow without a target', [KEY.left], ['keydown a 3', 'keyup a 3']],
    ['an arrow to a number that no element has', [KEY.right], ['keydown a 4', 'keyup a 4']],
    ['Enter clicks', [KEY.enter], ['keydown a 18', 'click a', 'keyup a 18']],
    ['Back', [KEY.back], ['keydown a 19', 'keyup a 19']],
    ['a colour', [KEY.red], ['keydown a 22', 'keyup a 22']],
    ['digits are not used by default', [KEY.digit0, KEY.digit12], []],
    ['keys that documents never get', [25, 26, 0, 99, -1], []],
    ['d', [KEY.data], []],
  ])('%s', async (_, keys, expected) => {
    expect(await pressed(TWO, keys)).toEqual([...expected]);
  });
  test.each([
    ['none', [KEY.down, KEY.red, KEY.digit0], []],
    ['basic', [KEY.red, KEY.enter], ['keydown a 18', 'click a', 'keyup a 18']],
    ['data-button', [KEY.enter, KEY.red], ['keydown a 22', 'keyup a 22']],
    ['numeric-tuning', [KEY.enter, 5, 17], ['keydown a 5', 'keyup a 5', 'keydown a 17', 'keyup a 17']],
  ])('used-key-list %s', async (list, keys, expected) => {
    expect(await pressed(TWO, keys, NOTE, `style="used-key-list:${list}" onload="load();"`)).toEqual([
      ...expected,
    ]);
  });
  test('used-key-list may be changed by scripts', async () => {
    const script =
      'function note() { log(document.currentEvent.keyCode); } function load() { document.getElementById("body").normalStyle.usedKeyList = "numeric-tuning"; }';
    expect(
      await pressed(
        '<p id="a" style="nav-index:0" onkeydown="note();"></p>',
        [KEY.enter, 6],
        script,
        'id="body" onload="load();"',
      ),
    ).toEqual(['6']);
  });
  test('hidden and disabled targets are passed', async () => {
    const body = `<p id="a" style="nav-index:0; nav-down:1"></p><p style="nav-index:1; nav-down:2; visibility:hidden"></p><input style="nav-index:2; nav-down:3" disabled="disabled"/><p id="d" style="nav-index:3" onfocus="note();"></p>`;
    expect(await pressed(body, [KEY.down])).toEqual(['focus d']);
  });
  test('a ring of hidden elements ends', async () => {
    const body =
      '<p id="a" style="nav-index:0; nav-down:1" onkeyup="note();"></p><p style="nav-index:1; nav-down:1; visibility:hidden"></p>';
    expect(await pressed(body, [KEY.down])).toEqual(['keyup a 2']);
  });
  test('an access key moves the focus and gives Enter', async () => {
    const body = `<p id="a" style="nav-index:0" ${HANDLERS}></p><p id="b" accesskey="R" ${HANDLERS}></p>`;
    expect(await pressed(body, [KEY.red])).toEqual([
      'keydown a 22',
      'keyup b 22',
      'keydown b 18',
      'blur a',
      'focus b',
      'click b',
      'keyup b 18',
    ]);
  });
  test('the access key of a hidden element does nothing', async () => {
    const body = `<p id="a" style="nav-index:0" onclick="note();"></p><p id="b" accesskey="R" style="visibility:hidden" onclick="note();"></p>`;
    expect(await pressed(body, [KEY.red])).toEqual([]);
  });
  test('one key at a time', async () => {
    const rig = await started(TWO);
    rig.engine.key(KEY.down, true);
    rig.engine.key(KEY.enter, true);
    rig.engine.key(KEY.enter, false);
    rig.engine.key(KEY.down, false);
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['keydown a 2', 'blur a', 'focus b', 'keyup b 2']);
  });
  test('a handler that takes long delays the next key, and loses none', async () => {
    const body = '<p id="a" style="nav-index:0" onkeydown="slow();"></p>';
    const script =
      'function slow() { var k = document.currentEvent.keyCode; browser.sleep(500); log(k); } function load() {}';
    const rig = await started(body, script);
    for (const key of [KEY.up, KEY.down, KEY.red]) await rig.press(key);
    await rig.clock.run(2000);
    expect(rig.trace).toEqual(['1', '2', '22']);
  });
  test('a link is followed after its click', async () => {
    const rig = await started(
      '<p><a id="a" href="/40/0001/next.bml" style="nav-index:0" onclick="note();">x</a></p>',
      NOTE,
      'onload="load();"',
      { 'next.bml': page('log("next");') },
    );
    await rig.press(KEY.enter);
    expect(rig.trace).toEqual(['click a', 'next']);
  });
  test('a link to a fragment moves the focus', async () => {
    const body =
      '<p><a id="a" href="#box" style="nav-index:0">x</a></p><div id="box" style="visibility:hidden"></div><p id="b" onfocus="note();"></p>';
    expect(await pressed(body, [KEY.enter])).toEqual(['focus b']);
  });
});

describe('focus by script', () => {
  test.each([
    ['focus()', 'b.focus();', ['blur a', 'focus b']],
    ['of the focused element', 'a.focus();', []],
    ['of a hidden element', 'b.normalStyle.visibility = "hidden"; b.focus();', []],
    ['blur()', 'a.blur();', ['blur a']],
    ['events come after the handler', 'b.focus(); log("end");', ['end', 'blur a', 'focus b']],
    ['there and back', 'b.focus(); a.focus();', ['blur a', 'focus b', 'blur b', 'focus a']],
  ])('%s', async (_, code, expected) => {
    const body = `<p id="a" style="nav-index:0" onfocus="note();" onblur="note();" onkeydown="act();"></p><p id="b" onfocus="note();" onblur="note();"></p>`;
    const script = `${NOTE} function act() { var a = document.getElementById("a"); var b = document.getElementById("b"); ${code} }`;
    expect(await pressed(body, [KEY.blue], script)).toEqual([...expected]);
  });
  test('currentFocus changes at once', async () => {
    const script = 'function load() { document.getElementById("b").focus(); log(document.currentFocus.id); }';
    const rig = new EngineRig();
    await rig.start({ 'startup.bml': page(script, '<p id="a" style="nav-index:0"></p><p id="b"></p>') });
    expect(rig.trace).toEqual(['b']);
  });
});

describe('input', () => {
  const INPUT =
    '<input id="i" style="nav-index:0; nav-down:1" maxlength="4" onchange="changed();" onkeydown="note();"/><p id="b" style="nav-index:1"></p>';
  const SCRIPT =
    'function note() {} function load() {} function changed() { log(document.currentEvent.target.value); }';
  test('digits are appended up to maxlength, Back deletes, change fires when the focus leaves', async () => {
    expect(await pressed(INPUT, [6, 7, 8, 9, 10, KEY.back, KEY.down], SCRIPT)).toEqual(['123']);
  });
  test('an unchanged text fires no change', async () => {
    expect(await pressed(INPUT, [6, KEY.back, KEY.down], SCRIPT)).toEqual([]);
  });
  test('a read-only text stays', async () => {
    expect(
      await pressed(INPUT.replace('maxlength', 'readonly="readonly" maxlength'), [6, KEY.down], SCRIPT),
    ).toEqual([]);
  });
  test('the receiver asks for a text', async () => {
    const rig = await started(
      INPUT.replace('maxlength', 'inputmode="indirect" charactertype="number" type="password" maxlength'),
      SCRIPT,
    );
    await rig.press(KEY.enter);
    expect(rig.last('input')?.input).toEqual({
      value: '',
      maxLength: 4,
      isPassword: true,
      characterType: 'number',
    });
    rig.engine.link.enterText('123456');
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['1234']);
    await rig.press(KEY.enter);
    rig.engine.link.enterText(undefined);
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['1234']);
  });
  test('the panel closes with the document', async () => {
    const rig = await started(
      INPUT.replace('maxlength', 'inputmode="indirect" maxlength'),
      `${SCRIPT} function load() { browser.setInterval("go();", 500, 1); } function go() { browser.launchDocument("/40/0001/n.bml"); }`,
      'onload="load();"',
      { 'n.bml': page('') },
    );
    await rig.press(KEY.enter);
    await rig.clock.run(1000);
    expect(rig.last('input')?.input).toBeUndefined();
  });
});

describe('events of the broadcast', () => {
  const item = (type: string, more = '', isOn = true): string =>
    `<bevent><beitem id="i" type="${type}" onoccur="fired();" ${more} ${isOn ? 'subscribe="subscribe"' : ''}/></bevent>`;
  const script = (expression: string, more = ''): string =>
    `function load() {} function fired() { var e = document.currentEvent; log(${expression}); } ${more}`;
  const message = (id: number, version: number, text = 'x', group = 0): ImmediateEvent => ({
    type: 'immediateEvent',
    eventMessageGroupId: group,
    eventMessageType: 0,
    eventMessageId: id,
    eventMessageVersion: version,
    privateDataBase64: btoa(text),
  });

  test.each([
    ['any message', '', [message(1, 1)], ['x 1 1 0']],
    ['a version fires once', '', [message(1, 1), message(1, 1), message(1, 2)], ['x 1 1 0', 'x 1 2 0']],
    ['one id', 'message_id="2"', [message(1, 1), message(2, 1)], ['x 2 1 0']],
    ['one version', 'message_version="3"', [message(1, 1), message(1, 3)], ['x 1 3 0']],
    ['another group', '', [message(1, 1, 'x', 1)], []],
    ['its group', 'message_group_id="1"', [message(1, 1, 'x', 1)], ['x 1 1 1']],
    ['another component', 'es_ref="/50"', [message(1, 1)], []],
    ['its component', 'es_ref="/40"', [message(1, 1)], ['x 1 1 0']],
  ])('EventMessageFired: %s', async (_, more, events, expected) => {
    const rig = await started(
      item('EventMessageFired', more),
      script('e.privateData + " " + e.messageId + " " + e.messageVersion + " " + e.messageGroupId'),
    );
    for (const event of events) rig.event(0x40, event);
    await rig.clock.run(50);
    expect(rig.trace).toEqual([...expected]);
  });
  describe('during onload', () => {
    const ITEMS =
      '<bevent><beitem type="EventMessageFired" onoccur="message();" subscribe="subscribe"/>' +
      '<beitem type="DataButtonPressed" onoccur="pressed();" subscribe="subscribe"/></bevent>';
    const LOADING = `function load() { browser.sleep(2000); log("loaded"); } function pressed() { log("d"); }
      function message() { log(document.currentEvent.privateData); }`;
    async function loading(isDataKeyPressed = false) {
      const rig = new EngineRig({ isDataKeyPressed });
      await rig.start({ 'startup.bml': page(LOADING, ITEMS) });
      expect(rig.trace).toEqual([]);
      return rig;
    }
    test('what happens waits, and is handled in its order', async () => {
      const rig = await loading();
      rig.event(0x40, message(1, 1, 'one'));
      await rig.press(KEY.data);
      rig.event(0x40, message(1, 1, 'one'), message(2, 1, 'two'));
      await rig.clock.run(1000);
      expect(rig.trace).toEqual([]);
      await rig.clock.run(2000);
      expect(rig.trace).toEqual(['loaded', 'one', 'd', 'two']);
    });
    test('the press that opened it and one of the viewer are one', async () => {
      const rig = await loading(true);
      await rig.press(KEY.data);
      await rig.clock.run(20_000);
      expect(rig.trace).toEqual(['loaded', 'd']);
    });
    test('a flood keeps the newest', async () => {
      const rig = await loading();
      for (let id = 0; id < 200; id++) rig.event(0x40, message(id % 256, 1, `${id}`));
      await rig.clock.run(20_000);
      expect(rig.trace[1]).toBe('136');
      expect(rig.trace.length).toBeLessThan(66);
    });
    test('nothing of it reaches the next document', async () => {
      const rig = new EngineRig();
      const leaving = LOADING.replace('log("loaded");', 'browser.launchDocument("/40/0001/n.bml");');
      const next = 'function message() { log("next"); } function load() {}';
      await rig.start({ 'startup.bml': page(leaving, ITEMS) }, { 'n.bml': page(next, ITEMS) });
      rig.event(0x40, message(1, 1, 'one'));
      await rig.clock.run(5000);
      expect(rig.documents).toEqual(['/40/0000/startup.bml', '/40/0001/n.bml']);
      expect(rig.trace).toEqual([]);
    });
  });
  test('private data is text of the document, and esRef names the component', async () => {
    const rig = await started(item('EventMessageFired'), script('e.privateData + e.esRef'));
    rig.event(0x40, message(1, 1, '\xa4\xa2'));
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['あ/40']);
  });
  test('of group 0 belong to the data event of the document', async () => {
    const rig = await started(item('EventMessageFired'), script('1'));
    rig.data({ type: 'esEventUpdated', componentId: 0x40, dataEventId: 9, events: [message(1, 1)] });
    await rig.clock.run(50);
    expect(rig.trace).toEqual([]);
  });
  test('a thousand a second are limited', async () => {
    const rig = await started(item('EventMessageFired'), script('e.messageVersion'));
    for (let index = 0; index < 1000; index++)
      rig.event(0x40, message(index % 200, Math.floor(index / 200), 'y'.repeat(4096)));
    await rig.clock.run(900);
    expect(rig.trace).toHaveLength(20);
  });
  test('at a time of the broadcast, which may change', async () => {
    const rig = await started(item('EventMessageFired'), script('e.messageId'));
    const later = (at: number | null): StreamEvent => ({ ...message(5, 1), type: 'nptEvent', npt: 0, at });
    const start = Date.UTC(2026, 10, 26, 3, 30);
    rig.data({ type: 'currentTime', at: start });
    rig.event(0x40, later(null), later(start + 60_000));
    rig.event(0x40, later(start + 1000));
    await rig.clock.run(900);
    expect(rig.trace).toEqual([]);
    await rig.clock.run(200);
    expect(rig.trace).toEqual(['5']);
    await rig.clock.run(70_000);
    expect(rig.trace).toEqual(['5']);
  });
  test('subscribe switched off and on begins again', async () => {
    const rig = await started(
      item('EventMessageFired'),
      script(
        'e.messageId',
        'function press() { var i = document.getElementById("i"); i.subscribe = false; i.subscribe = true; }',
      ),
    );
    rig.event(0x40, message(1, 1));
    await rig.clock.run(50);
    rig.event(0x40, message(1, 1));
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['1']);
    const again = await started(
      `${item('EventMessageFired')}<p id="a" style="nav-index:0" onkeydown="press();"></p>`,
      script(
        'e.messageId',
        'function press() { var i = document.getElementById("i"); i.subscribe = false; i.subscribe = true; }',
      ),
    );
    again.event(0x40, message(1, 1));
    await again.press(KEY.red);
    again.event(0x40, message(1, 1));
    await again.clock.run(50);
    expect(again.trace).toEqual(['1', '1']);
  });
  test('an item that is not subscribed is silent', async () => {
    const rig = await started(item('DataButtonPressed', '', false), script('e.type'));
    await rig.press(KEY.data);
    expect(rig.trace).toEqual([]);
  });

  test('DataButtonPressed', async () => {
    const rig = await started(item('DataButtonPressed'), script('e.type + e.status + e.target.id'));
    await rig.press(KEY.data);
    expect(rig.trace).toEqual(['DataButtonPressed0i']);
  });

  async function moduleUpdates(reference: string, changes: (rig: EngineRig) => void) {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    await rig.start({
      'startup.bml': page(script('e.status'), item('ModuleUpdated', `module_ref="${reference}"`)),
    });
    changes(rig);
    await rig.clock.run(2500);
    return rig.trace;
  }
  test.each([
    ['on subscription: there', '/40/0001', () => {}, ['2']],
    ['on subscription: not there', '/40/0009', () => {}, ['1']],
    ['on subscription: no component', '/60/0000', () => {}, ['1']],
    ['the first DII decides', '/50/0000', () => {}, []],
    ['the first DII has it', '/50/0000', (rig: EngineRig) => rig.list(0x50, { 0: 1 }), ['2']],
    ['the first DII does not have it', '/50/0001', (rig: EngineRig) => rig.list(0x50, { 0: 1 }), ['1']],
    ['another version', '/40/0001', (rig: EngineRig) => rig.list(0x40, { 0: 1, 1: 2 }), ['2', '0']],
    ['the same version', '/40/0001', (rig: EngineRig) => rig.list(0x40, { 0: 1, 1: 1 }), ['2']],
    ['vanished', '/40/0001', (rig: EngineRig) => rig.list(0x40, { 0: 1 }), ['2', '1']],
    ['in upper case', '/40/000A', (rig: EngineRig) => rig.list(0x40, { 0: 1, 1: 1, 10: 1 }), ['1', '2']],
  ])('ModuleUpdated: %s', async (_, reference, changes, expected) => {
    expect(await moduleUpdates(reference, changes)).toEqual([...expected]);
  });
  test.each([
    ['there before and after', { 0: 1 }, { 0: 1 }, ['2', '6']],
    ['only after', { 1: 1 }, { 0: 1 }, ['1', '4']],
    ['only before', { 0: 1 }, { 1: 1 }, ['2', '5']],
  ])('ModuleUpdated with a new data event: %s', async (_, before, after, expected) => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, before, 1);
    await rig.start({
      'startup.bml': page(script('e.status'), item('ModuleUpdated', 'module_ref="/50/0000"')),
    });
    rig.list(0x50, after, 2);
    await rig.clock.run(50);
    expect(rig.trace).toEqual([...expected]);
  });
  test('ModuleUpdated when the component vanishes and returns', async () => {
    const trace = await moduleUpdates('/50/0000', (rig) => {
      rig.list(0x50, { 0: 1 });
      rig.data({
        type: 'pmt',
        components: [{ pid: 0x140, componentId: 0x40, streamType: 13, dataComponentId: 12, bxmlInfo: null }],
      });
      rig.pmt(0x50);
      rig.list(0x50, { 0: 1 });
    });
    expect(trace).toEqual(['2', '1', '2']);
  });

  test('TimerFired at a time, and at once when it has passed', async () => {
    const at = (time: string) => item('TimerFired', `time_mode="absolute" time_value="${time}"`);
    const rig = await started(at('20261126123002'), script('e.type'));
    await rig.clock.run(1500);
    expect(rig.trace).toEqual([]);
    await rig.clock.run(1000);
    expect(rig.trace).toEqual(['TimerFired']);
    const past = new EngineRig();
    await past.start({ 'startup.bml': page(script('e.type'), at('20261126120000')) });
    expect(past.trace).toEqual(['TimerFired']);
  });
  const reference = (npt: number, at: number, scaleNumerator = 1): StreamEvent => ({
    type: 'nptReference',
    postDiscontinuity: false,
    contentId: 0,
    stc: 0,
    npt,
    scaleNumerator,
    scaleDenominator: 1,
    at,
  });
  test('TimerFired at an NPT, and NPTReferred', async () => {
    const start = Date.UTC(2026, 10, 26, 3, 30);
    const rig = await started(
      `${item('TimerFired', 'time_mode="NPT" time_value="5000"')}<bevent><beitem id="n" type="NPTReferred" onoccur="fired();" subscribe="subscribe"/></bevent>`,
      script('e.type + browser.getNPT()'),
    );
    rig.data({ type: 'currentTime', at: start });
    rig.event(0x40, reference(90 * 3000, start));
    rig.event(0x40, reference(90 * 3500, start + 500));
    await rig.clock.run(1900);
    expect(rig.trace).toEqual(['NPTReferred3000']);
    await rig.clock.run(200);
    expect(rig.trace).toEqual(['NPTReferred3000', 'TimerFired5000']);
  });
  test('NPT stands still, wraps, and is forgotten with an unknown scale', async () => {
    const start = Date.UTC(2026, 10, 26, 3, 30);
    const body = '<p id="a" style="nav-index:0" onkeydown="fired();"></p>';
    const rig = await started(body, script('browser.getNPT()'));
    rig.data({ type: 'currentTime', at: start });
    rig.event(0x40, reference(90 * 100, start, 0));
    await rig.clock.run(1000);
    await rig.press(KEY.red);
    rig.event(0x40, reference(2 ** 33 - 90 * 1000, start));
    await rig.press(KEY.red);
    rig.event(0x40, reference(0, start, 5));
    await rig.press(KEY.red);
    const [still, wrapped, unknown] = rig.trace;
    expect([still, unknown]).toEqual(['100', 'NaN']);
    expect(Number(wrapped)).toBeLessThan(200);
  });

  test('CCStatusChanged and MainAudioStreamChanged', async () => {
    const media = {
      captionLanguages: [1, 2],
      captionShown: undefined,
      audioComponent: 0x10,
      audioChannel: undefined,
    };
    const rig = await started(
      item('CCStatusChanged', 'language_tag="1"'),
      script('e.status + " " + e.languageTag'),
    );
    rig.engine.setMedia({ ...media, captionShown: 1 });
    rig.engine.setMedia({ ...media, captionShown: 2 });
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['1 1', '0 1']);
    const audio = await started(item('MainAudioStreamChanged', 'es_ref="/11"'), script('e.status'));
    audio.engine.setMedia({ ...media, audioComponent: 0x11 });
    audio.engine.setMedia({ ...media, audioComponent: 0x10 });
    await audio.clock.run(50);
    expect(audio.trace).toEqual(['1', '0']);
  });
});

describe('objects that play', () => {
  const AIFF_RATE = [0x40, 0x0c, 0xbb, 0x80, 0, 0, 0, 0, 0, 0];
  const chunk = (type: string, data: number[]): number[] => [
    ...Buffer.from(type),
    0,
    0,
    0,
    data.length,
    ...data,
  ];
  const body = [
    ...chunk('COMM', [0, 1, 0, 0, 0, 2, 0, 16, ...AIFF_RATE]),
    ...chunk('SSND', [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
  ];
  const aiff = Uint8Array.from([
    ...Buffer.from('FORM'),
    0,
    0,
    0,
    body.length + 4,
    ...Buffer.from('AIFF'),
    ...body,
  ]);
  const STOPPED =
    '<bevent><beitem id="i" type="MediaStopped" object_id="o" onoccur="stopped();" subscribe="subscribe"/></bevent>';
  const SCRIPT =
    'function load() {} function stopped() { var o = document.currentEvent.object; log(o.id + " " + o.streamStatus); } function play() { document.getElementById("o").streamStatus = "play"; } function stop() { document.getElementById("o").streamStatus = "stop"; }';
  const object = (type: string, data: string, more = ''): string =>
    `<object id="o" type="${type}" data="${data}" ${more}/><p id="a" style="nav-index:0" onkeydown="play();" onkeyup="note();"></p>${STOPPED}`;

  test('a sound is played, and its end told', async () => {
    const rig = await started(
      object('audio/X-arib-aiff', '/40/0001/s.aif', 'streamlooping="3"'),
      SCRIPT,
      'onload="load();"',
      { 's.aif': aiff },
    );
    expect(rig.last('pcm')).toBeUndefined();
    await rig.press(KEY.red);
    expect(rig.last('pcm')).toMatchObject({ loops: 3, pcm: { rate: 12_000 } });
    rig.engine.soundEnded(99);
    rig.engine.soundEnded(rig.last('pcm')?.sound ?? 0);
    await rig.clock.run(50);
    expect(rig.trace).toEqual(['o stop']);
  });
  test('a sound that does not exist ends at once', async () => {
    const rig = await started(object('audio/X-arib-mpeg2-aac', '/40/0001/none.aac'), SCRIPT);
    await rig.press(KEY.red);
    expect(rig.trace).toEqual(['o stop']);
  });
  test('a sound stops with the document', async () => {
    const rig = await started(object('audio/X-arib-aiff', '/40/0001/s.aif'), SCRIPT, 'onload="load();"', {
      's.aif': aiff,
    });
    await rig.press(KEY.red);
    rig.list(0x40, {}, 2);
    await rig.clock.run(3000);
    expect(rig.last('silence')).toBeDefined();
  });
  test('a sound of the station is selected', async () => {
    const rig = await started(
      `<object id="o" type="audio/X-arib-mpeg2-aac" data="/10"/><p id="a" style="nav-index:0" onkeydown="go();"></p>`,
      'function load() {} function go() { document.getElementById("o").data = "/10;2"; log(document.getElementById("o").getMainAudioStream()); log(document.getElementById("o").setMainAudioStream("/55")); }',
    );
    await rig.press(KEY.red);
    expect(rig.last('request')?.request).toEqual({ type: 'audio', component: 0x10, channel: 2 });
    expect(rig.trace).toEqual(['/10', 'false']);
  });

  const u32 = (value: number): number[] => [
    value >>> 24,
    (value >> 16) & 255,
    (value >> 8) & 255,
    value & 255,
  ];
  const part = (type: string, data: number[]): number[] => [
    ...u32(data.length),
    ...Buffer.from(type),
    ...data,
    0,
    0,
    0,
    0,
  ];
  const image = [
    ...part('IHDR', [...u32(2), ...u32(2), 8, 3, 0, 0, 0]),
    ...part('IDAT', [1]),
    ...part('IEND', []),
  ];
  const mng = Uint8Array.from([
    ...[0x8a, 0x4d, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...part('MHDR', [...u32(2), ...u32(2), ...u32(100), ...new Array(16).fill(0)]),
    ...part('TERM', [3, 0, ...u32(0), ...u32(2)]),
    ...part('FRAM', [1, 0, 2, 0, 0, 0, ...u32(20)]),
    ...image,
    ...image,
    ...part('MEND', []),
  ]);
  test('an animation plays as often as it says, pauses at its end, and tells it', async () => {
    const rig = await started(
      object('image/X-arib-mng', '/40/0001/m.mng', 'style="width:2px; height:2px"'),
      SCRIPT,
      'onload="load();"',
      { 'm.mng': mng },
    );
    await rig.press(KEY.red);
    rig.recorder.take();
    await rig.clock.run(700);
    expect(rig.trace).toEqual([]);
    expect(rig.recorder.take().some((call) => call.startsWith('drawImage'))).toBe(true);
    await rig.clock.run(200);
    expect(rig.trace).toEqual(['o pause']);
  });
});

describe('pictures', () => {
  const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  const u32 = (value: number): number[] => [0, 0, (value >> 8) & 255, value & 255];
  const part = (type: string, data: number[]): number[] => [
    ...u32(data.length),
    ...Buffer.from(type),
    ...data,
    0,
    0,
    0,
    0,
  ];
  const png = Uint8Array.from([
    ...PNG,
    ...part('IHDR', [...u32(5), ...u32(4), 8, 3, 0, 0, 0]),
    ...part('IDAT', [1]),
    ...part('IEND', []),
  ]);
  test('appear when their module is received, and stay when it is replaced', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 });
    await rig.start({
      'startup.bml': page(
        'function load() {}',
        '<object style="width:5px; height:4px" type="image/X-arib-png" data="/50/0000/a.png"/>',
      ),
    });
    await rig.clock.run(50);
    expect(rig.recorder.take().filter((call) => call.startsWith('drawImage'))).toEqual([]);
    rig.data(moduleMessage(0x50, 0, { 'a.png': png }));
    await rig.clock.run(50);
    expect(rig.recorder.take().filter((call) => call.startsWith('drawImage'))).toHaveLength(1);
    rig.list(0x50, { 0: 2 });
    await rig.clock.run(50);
    expect(rig.recorder.take()).toEqual([]);
  });
  test('stay until the next one is there, and go when there is none', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 });
    await rig.start(
      {
        'startup.bml': page(
          'var n = 0; function load() {} function key() { n = n + 1; document.getElementById("o").data = n == 1 ? "/50/0000/b.png" : "none.png"; }',
          '<object id="o" style="width:5px; height:4px" type="image/X-arib-png" data="/40/0001/a.png"/><p style="nav-index:0" onkeydown="key();"></p>',
        ),
      },
      { 'a.png': png },
    );
    await rig.clock.run(50);
    const drawn = (): number => rig.recorder.take().filter((call) => call.startsWith('drawImage')).length;
    expect(drawn()).toBe(1);
    await rig.press(KEY.red);
    await rig.clock.run(50);
    expect(rig.recorder.take()).toEqual([]);
    rig.data(moduleMessage(0x50, 0, { 'b.png': png }));
    await rig.clock.run(50);
    expect(drawn()).toBe(1);
    await rig.press(KEY.red);
    await rig.clock.run(50);
    const calls = rig.recorder.take();
    expect([calls.length > 0, calls.some((call) => call.startsWith('drawImage'))]).toEqual([true, false]);
  });
  test('of a slide show are given up when they are not shown any more', async () => {
    const large = (width: number): Uint8Array =>
      Uint8Array.from([
        ...PNG,
        ...part('IHDR', [...u32(width), ...u32(2000), 8, 3, 0, 0, 0]),
        ...part('IDAT', [1]),
        ...part('IEND', []),
      ]);
    const names = Array.from({ length: 20 }, (_, index) => `${index}.png`);
    const rig = await started(
      '<object id="o" style="width:5px; height:4px" type="image/X-arib-png" data="/40/0001/0.png"/><p style="nav-index:0" onkeydown="key();"></p>',
      'var n = 0; function load() {} function key() { n = n + 1; document.getElementById("o").data = "/40/0001/" + n + ".png"; }',
      'onload="load();"',
      Object.fromEntries(names.map((name, index) => [name, large(1500 + index)])),
    );
    await rig.clock.run(300);
    rig.recorder.take();
    let drawn = 0;
    for (let index = 1; index < names.length; index++) {
      await rig.press(KEY.red);
      await rig.clock.run(300);
      if (rig.recorder.take().some((call) => call.startsWith('drawImage'))) drawn++;
    }
    expect(drawn).toBe(names.length - 1);
  });
  test('that are HTML, SVG or too large are not decoded', async () => {
    const files = { 'a.png': '<html><script>1</script></html>', 'b.png': '<svg onload="1"/>' };
    const rig = await started(
      '<object type="image/X-arib-png" data="/40/0001/a.png"/><object type="image/jpeg" data="/40/0001/b.png"/>',
      NOTE,
      'onload="load();"',
      files,
    );
    await rig.clock.run(100);
    expect(rig.recorder.take().filter((call) => call.startsWith('drawImage'))).toEqual([]);
    expect(rig.phase === '' || rig.phase === 'shown').toBe(true);
  });
});
