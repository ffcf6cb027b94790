import { describe, expect, test } from 'bun:test';
import { EngineRig, moduleMessage, PROGRAMME, page } from '../../../test/web/engine-rig.ts';
import { KEY } from './keys.ts';

/** The trace of a document's script. */
async function traceOf(script: string, body = '', options: ConstructorParameters<typeof EngineRig>[0] = {}) {
  const rig = new EngineRig(options);
  await rig.start({ 'startup.bml': page(`function load() { ${script} }`, body) });
  await rig.clock.run(200);
  return rig.trace;
}

describe('the start', () => {
  test('is startup.bml of the entry, or the bare module', async () => {
    const rig = new EngineRig();
    await rig.start({ 'startup.bml': page('log(browser.getActiveDocument());') });
    expect([rig.trace, rig.documents]).toEqual([['/40/0000/startup.bml'], ['/40/0000/startup.bml']]);
    const bare = new EngineRig();
    await bare.start({ '': page('log(browser.getActiveDocument());') });
    expect(bare.trace).toEqual(['/40/0000']);
  });
  test('waits for the programme, then no longer', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40);
    rig.list(0x40, { 0: 1 });
    rig.data(moduleMessage(0x40, 0, { 'startup.bml': page('log(browser.getProgramID(4));') }));
    await rig.clock.run(2000);
    expect(rig.documents).toEqual([]);
    rig.data(PROGRAMME);
    await rig.clock.run(10);
    expect(rig.trace).toEqual(['0x7fe1']);
    const without = new EngineRig();
    without.pmt(0x40);
    without.data(moduleMessage(0x40, 0, { 'startup.bml': page('log(browser.getProgramID(4));') }));
    await without.clock.run(4000);
    expect(without.trace).toEqual(['null']);
  });
  test('in the order of a document: scripts, onload, events', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'log("inline " + document.currentEvent.type + " " + document.currentFocus.id); function load() { log(document.currentEvent.type); } function focused() { log(document.currentEvent.type + " " + document.currentEvent.target.id); }',
        '<p id="a" style="nav-index:0" onfocus="focused();"></p><bevent><beitem id="b" type="ModuleUpdated" module_ref="/40/0001" onoccur="focused();" subscribe="subscribe"/></bevent>',
        'onload="load();"',
        '<script src="lib.ecm"/>',
      ),
      'lib.ecm': 'function early() {} browser.Greg[1] = "file";',
    });
    expect(rig.trace).toEqual(['file', 'inline undefined a', 'load', 'focus a', 'ModuleUpdated b']);
  });
  test('reads scripts in the character set of their document', async () => {
    const rig = new EngineRig();
    const shiftJis = (text: string): Uint8Array =>
      Uint8Array.from(
        [...text].flatMap((character) => (character === 'あ' ? [0x82, 0xa0] : character.charCodeAt(0))),
      );
    await rig.start({
      'startup.bml': shiftJis(
        `<?xml version="1.0" encoding="Shift_JIS"?><bml><head><script src="lib.ecm"/></head><body/></bml>`,
      ),
      'lib.ecm': shiftJis('browser.Greg[1] = "あ";'),
    });
    expect(rig.trace).toEqual(['あ']);
  });
  test('reports no data broadcast, and one that this engine does not read', async () => {
    const none = new EngineRig();
    none.data({ type: 'pmt', components: [] });
    expect(none.phase).toBe('ended: noBroadcast');
    const empty = new EngineRig();
    empty.pmt(0x40);
    empty.data(PROGRAMME);
    empty.list(0x40, {});
    await empty.clock.run(10);
    expect(empty.phase).toBe('ended: noBroadcast');
    empty.list(0x40, { 0: 1 });
    empty.data(moduleMessage(0x40, 0, { 'startup.bml': page('log(1);') }));
    await empty.clock.run(3000);
    expect([empty.trace, empty.phase]).toEqual([['1'], 'shown']);
  });
  test('is hidden until the document shows itself', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() {} function show() { document.getElementById("body").invisible = false; }',
        '<bevent><beitem type="DataButtonPressed" onoccur="show();" subscribe="subscribe"/></bevent>',
        'id="body" invisible="invisible" onload="load();"',
      ),
    });
    expect(rig.phase).toBe('hidden');
    await rig.press(KEY.data);
    await rig.clock.run(100);
    expect(rig.phase).toBe('shown');
  });
});

describe('the press that opened', () => {
  const STAND_BY = page(
    'var n = 0; function load() {} function d() { n = n + 1; log("d" + n); if (n == 3) browser.launchDocument("/40/0001/menu.bml"); }',
    '<bevent><beitem type="DataButtonPressed" onoccur="d();" subscribe="subscribe"/></bevent>',
  );
  test('is repeated every 2.5 s until a document loads', async () => {
    const rig = new EngineRig({ isDataKeyPressed: true });
    await rig.start({ 'startup.bml': STAND_BY }, { 'menu.bml': page('log("menu");') });
    expect(rig.trace).toEqual(['d1']);
    await rig.clock.run(2500);
    expect(rig.trace).toEqual(['d1', 'd2']);
    await rig.clock.run(10_000);
    expect(rig.trace).toEqual(['d1', 'd2', 'd3', 'menu']);
  });
  test('is repeated three times at most', async () => {
    const rig = new EngineRig({ isDataKeyPressed: true });
    await rig.start({ 'startup.bml': STAND_BY.replace('n == 3', 'n == 99') });
    await rig.clock.run(60_000);
    expect(rig.trace).toEqual(['d1', 'd2', 'd3', 'd4']);
  });
  test.each([
    ['it becomes visible', 'document.getElementById("body").invisible = false;'],
    ['it changes a text', 'document.getElementById("t").firstChild.data = "b";'],
  ])('is not repeated when the document answers: %s', async (_, answer) => {
    const rig = new EngineRig({ isDataKeyPressed: true });
    await rig.start({
      'startup.bml': page(
        `function load() {} function d() { log("d"); ${answer} }`,
        '<p id="t">a</p><bevent><beitem type="DataButtonPressed" onoccur="d();" subscribe="subscribe"/></bevent>',
        'id="body" invisible="invisible" onload="load();"',
      ),
    });
    await rig.clock.run(20_000);
    expect(rig.trace).toEqual(['d']);
  });
  test('is not repeated when the viewer presses another key', async () => {
    const rig = new EngineRig({ isDataKeyPressed: true });
    await rig.start({ 'startup.bml': STAND_BY });
    await rig.press(KEY.down);
    await rig.clock.run(20_000);
    expect(rig.trace).toEqual(['d1']);
  });
});

describe('documents', () => {
  test('are launched; the script does not continue, and events are dropped', async () => {
    const rig = new EngineRig();
    await rig.start(
      {
        'startup.bml': page(
          'function load() { browser.setInterval("tick();", 20, 0); browser.launchDocument("../0001/next.bml"); log("never"); } function tick() { log("tick"); } function leave() { log("unload"); browser.setInterval("tick();", 20, 0); browser.launchDocument("/40/0000/startup.bml"); }',
          '',
          'onload="load();" onunload="leave();"',
        ),
      },
      { 'next.bml': page('log("next");') },
    );
    await rig.clock.run(1000);
    expect(rig.trace).toEqual(['unload', 'next']);
  });
  test.each([
    ['a script', 'browser.launchDocument("/50/0000/n.bml");', ''],
    ['onload', '', 'browser.launchDocument("/50/0000/n.bml");'],
    [
      'a script, the start',
      'if (browser.Greg[2] == "") { browser.Greg[2] = "x"; browser.quitDocument(); }',
      '',
    ],
  ])('launched by %s: nothing of the first runs any more', async (_, script, onload) => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 });
    await rig.start({
      'startup.bml': page(
        `${script} log("next"); function load() { ${onload} log("load"); } function fired() { log("fired"); }`,
        '<p style="nav-index:0" onfocus="fired();" onkeydown="fired();"></p><bevent><beitem id="i" type="ModuleUpdated" module_ref="/40/0001" onoccur="fired();" subscribe="subscribe"/><beitem id="d" type="DataButtonPressed" onoccur="fired();" subscribe="subscribe"/></bevent>',
      ),
    });
    await rig.press(KEY.red);
    await rig.press(KEY.data);
    expect(rig.trace).toEqual(script === '' ? ['next'] : []);
  });
  test('that do not exist lead to the start again, twice in 4 s at most', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page('log("start"); function load() { browser.launchDocument("/40/0001/none.bml"); }'),
    });
    await rig.clock.run(3800);
    expect(rig.trace).toEqual(['start', 'start']);
    expect(rig.logs.some((line) => line.includes('not found'))).toBe(true);
  });
  test('quit: locks are released and the start is launched', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() { log(browser.getLockedModuleInfo().length); if (browser.Greg[2] == "") { browser.Greg[2] = "x"; browser.lockModuleOnMemory("/40/0001"); browser.quitDocument(); log("never"); } }',
      ),
    });
    await rig.clock.run(3000);
    expect(rig.trace).toEqual(['0', '0']);
  });
  test('reloadActiveDocument', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() { log(browser.Greg[2]); if (browser.Greg[2] == "") { browser.Greg[2] = "x"; browser.reloadActiveDocument(); } }',
      ),
    });
    await rig.clock.run(500);
    expect(rig.trace).toEqual(['', 'x']);
  });
  test('a loop of launches is slowed down', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page('function load() { browser.launchDocument("/40/0000/startup.bml"); }'),
    });
    await rig.clock.run(12_000);
    expect(rig.documents.length).toBeLessThanOrEqual(8 * 4 + 1);
    expect(rig.documents.length).toBeGreaterThan(8);
  });
  test('of another component release plain locks, and keep the extended ones', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 });
    rig.data(
      moduleMessage(0x50, 0, {
        'a.bml': page(
          'var i = browser.getLockedModuleInfo(); log(i.length + " " + i[0][0] + " " + i[0][1] + " " + i[0][2]);',
        ),
      }),
    );
    await rig.start({
      'startup.bml': page(
        'function load() { browser.lockModuleOnMemory("/40/0000"); browser.lockModuleOnMemoryEx("/40/0001"); browser.launchDocument("/50/0000/a.bml"); }',
      ),
    });
    await rig.clock.run(100);
    expect(rig.trace).toEqual(['1 /40/0001 2 1']);
  });
  test('wait for their module', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    await rig.start({ 'startup.bml': page('function load() { browser.launchDocument("/50/0000/a.bml"); }') });
    await rig.clock.run(30_000);
    expect(rig.documents).toHaveLength(1);
    rig.list(0x50, { 0: 1 });
    rig.data(moduleMessage(0x50, 0, { 'A.bml': page('log("here");') }));
    await rig.clock.run(10);
    expect(rig.trace).toEqual(['here']);
  });
  test('wait 30 s for a script, a style sheet or a table, and go on without', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    await rig.start({
      'startup.bml': page(
        'function load() { log("load"); log(new BinaryTable("/50/0000/t", "0,U:1B")); log(browser.loadDRCS("/50/0000/g")); }',
        '<object type="image/jpeg" data="/50/0000/a.jpg"/>',
        'onload="load();"',
        '<link rel="stylesheet" href="/50/0000/a.css"/><script src="/50/0000/a.ecm"/>',
      ),
    });
    await rig.clock.run(59_000);
    expect(rig.trace).toEqual([]);
    await rig.clock.run(62_000);
    expect(rig.trace).toEqual(['load', 'null', 'NaN']);
  });
  test('take the style sheets of links', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() { log(document.getElementById("p").normalStyle.left); }',
        '<p id="p"></p>',
        'onload="load();"',
        '<link rel="stylesheet" href="a.css"/>',
      ),
      'a.css': '#p { left: 12px }',
    });
    expect(rig.trace).toEqual(['12px']);
  });
});

describe('changes of the broadcast', () => {
  const SHOWN = page('log("start"); function load() {}');
  async function started() {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    await rig.start({ 'startup.bml': SHOWN });
    await rig.clock.run(2000);
    return rig;
  }
  test('a new version of a module does not reload the document', async () => {
    const rig = await started();
    rig.list(0x40, { 0: 2, 1: 1 });
    rig.data(moduleMessage(0x40, 0, { 'startup.bml': SHOWN }, 2));
    await rig.clock.run(3000);
    expect(rig.trace).toEqual(['start']);
  });
  test('a new data event restarts, once in 2 s at most', async () => {
    const rig = await started();
    for (let event = 2; event < 12; event++) {
      rig.list(0x40, { 0: event }, event);
      rig.data(moduleMessage(0x40, 0, { 'startup.bml': SHOWN }, event, event));
      await rig.clock.run(100);
    }
    await rig.clock.run(5000);
    expect(rig.trace.length).toBeGreaterThan(1);
    expect(rig.trace.length).toBeLessThanOrEqual(4);
  });
  test('DataEventChanged runs before', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() {} function changed() { log(document.currentEvent.status); }',
        '<bevent><beitem type="DataEventChanged" onoccur="changed();" subscribe="subscribe"/></bevent>',
      ),
    });
    rig.list(0x40, {}, 2);
    await rig.clock.run(5000);
    expect([rig.trace, rig.phase]).toEqual([['1'], 'ended: noBroadcast']);
  });
  test('the component vanishes, or moves to another PID', async () => {
    const rig = await started();
    rig.data({
      type: 'pmt',
      components: [
        { pid: 0x999, componentId: 0x40, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
      ],
    });
    await rig.clock.run(3000);
    expect(rig.trace).toEqual(['start', 'start']);
    rig.data({ type: 'pmt', components: [] });
    await rig.clock.run(100);
    expect(rig.phase).toBe('ended: noBroadcast');
  });
  test('the document is left while a script waits: its last handler runs as a whole', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    await rig.start({
      'startup.bml': page(
        'function load() { if (browser.Greg[2] != "") return; browser.Greg[2] = "x"; log("first " + browser.sleep(5000)); } function leave() { log("last " + new BinaryTable("/50/0000/t", "0,U:1B")); }',
        '',
        'onload="load();" onunload="leave();"',
      ),
    });
    await rig.clock.run(3000);
    rig.data({
      type: 'pmt',
      components: [
        { pid: 0x999, componentId: 0x40, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
        { pid: 0x150, componentId: 0x50, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
      ],
    });
    await rig.clock.run(40_000);
    expect(rig.trace).toEqual(['last null']);
  });
  test('the entry calls back from another component', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 });
    rig.data(moduleMessage(0x50, 0, { 'a.bml': page('log("a");') }));
    await rig.start({
      'startup.bml': page(
        'function load() { if (browser.Greg[2] == "") { browser.Greg[2] = "x"; browser.launchDocument("/50/0000/a.bml"); } else log("back"); }',
      ),
    });
    await rig.clock.run(3000);
    rig.list(0x40, { 0: 1, 1: 1 }, 2, true);
    rig.data(moduleMessage(0x40, 0, { 'startup.bml': page('log("back");') }, 1, 2));
    await rig.clock.run(3000);
    expect(rig.trace).toEqual(['a', 'back']);
  });
});

describe('ends with a reason that the viewer sees', () => {
  test('an endless loop, above 40 % of 10 s', async () => {
    const rig = new EngineRig();
    rig.clock.tick = 5;
    await rig.start({ 'startup.bml': page('function load() { while (true); }') });
    await rig.clock.run(20_000);
    expect(rig.phase).toBe('ended: busy');
    await rig.press(KEY.data);
    await rig.clock.run(2500);
    expect(rig.documents).toHaveLength(2);
  });
  test('a text that doubles, beyond 8 MB', async () => {
    const rig = new EngineRig();
    await rig.start({ 'startup.bml': page('function load() { var s = "x"; while (true) s = s + s; }') });
    await rig.clock.run(1000);
    expect(rig.phase).toBe('ended: memory');
  });
  test.each([
    ['a key handler that never ends', ''],
    ['a handler that queues itself', 'document.getElementById("a").focus();'],
  ])('%s', async (_, code) => {
    const rig = new EngineRig();
    rig.clock.tick = 5;
    await rig.start({
      'startup.bml': page(
        `function load() { ${code} } function key() { while (1); } function again() { for (var i = 0; i < 60000; i++); document.getElementById("a").blur(); document.getElementById("a").focus(); }`,
        '<p id="b" style="nav-index:0" onkeydown="key();"></p><p id="a" onfocus="again();"></p>',
      ),
    });
    rig.engine.key(KEY.red, true);
    await rig.clock.run(20_000);
    expect(rig.phase).toBe('ended: busy');
  });
  test('handlers that queue each other for ever are no load', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'var n = 0; function load() { document.getElementById("a").focus(); } function again() { n = n + 1; browser.Greg[2] = "" + n; document.getElementById("a").blur(); document.getElementById("a").focus(); }',
        '<p id="a" onfocus="again();"></p>',
      ),
    });
    await rig.clock.run(1000);
    const runs = Number(rig.last('globalRegister')?.value);
    expect(runs).toBeGreaterThan(100);
    expect(runs).toBeLessThan(10_000);
  });
  test('recursion ends the handler only', async () => {
    expect(await traceOf('f(); log("never"); } function f() { f();', '')).toEqual([]);
    const rig = new EngineRig();
    await rig.start({ 'startup.bml': `${page('function f() { f(); } f(); ')}` });
    expect(rig.phase).toBe('shown');
    expect(rig.logs.some((line) => line.includes('nested'))).toBe(true);
  });
});

test('a flood of writes reaches the page as a few messages, with the last value', async () => {
  const rig = new EngineRig();
  await rig.start({
    'startup.bml': page(
      'function load() { var a = new Array(1); for (var i = 0; i < 5000; i++) { browser.Greg[2] = "" + i; a[0] = i; browser.writePersistentArray("nvram://local/3", "U:2B", a); browser.playRomSound("romsound://1"); document.getElementById("s").streamStatus = "play"; document.getElementById("s").streamStatus = "stop"; } }',
      '<object id="s" type="audio/X-arib-aiff" data="s.aif"/>',
    ),
  });
  await rig.clock.run(1000);
  const count = (kind: string): number => rig.posted.filter((message) => message.kind === kind).length;
  expect(count('globalRegister') + count('nvram')).toBeLessThan(100);
  expect(count('pcm') + count('silence')).toBeLessThanOrEqual(20);
  expect([rig.last('globalRegister')?.value, rig.last('nvram')?.base64]).toEqual(['4999', btoa('\x13\x87')]);
});

describe('errors', () => {
  test.each([
    ['an unknown function', 'undefinedFunction();'],
    ['an unknown method of browser', 'browser.launchDcoument("/40/0000");'],
    ['a property of null', 'document.getElementById("none").normalStyle.left = "1px";'],
  ])('%s ends the handler', async (_, code) => {
    expect(await traceOf(`log("a"); ${code} log("b");`)).toEqual(['a']);
  });
  test.each([
    ['an unknown property', 'document.getElementById("p").zIndex = 1;'],
    ['an unknown style', 'document.getElementById("p").normalStyle.zIndex = 1;'],
    ['an undeclared variable', 'var x = undeclared;'],
  ])('%s is ignored', async (_, code) => {
    expect(await traceOf(`log("a"); ${code} log("b");`, '<p id="p"></p>')).toEqual(['a', 'b']);
  });
  test('a syntax error leaves the other scripts', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'log("a"); function load() {}',
        '',
        '',
        '<script><![CDATA[ function ( { ]]></script>',
      ),
    });
    expect(rig.trace).toEqual(['a']);
  });
  test('handlers that are no bare call, or name no function, do nothing', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'log("a");',
        '<p id="p" style="nav-index:0" onfocus="log(1);" onclick="missing();"></p>',
        'onload="onLoad();"',
      ),
    });
    await rig.press(KEY.enter);
    expect(rig.trace).toEqual(['a']);
  });
});
