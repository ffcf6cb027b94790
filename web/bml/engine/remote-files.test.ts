import { describe, expect, test } from 'bun:test';
import { EngineRig, FakeNetwork, moduleMessage, page } from '../../../test/web/engine-rig.ts';
import { KEY } from './keys.ts';
import { RemoteFiles } from './remote-files.ts';

const file = (octets: number, type = 'image/jpeg') => ({
  name: undefined,
  type,
  bytes: new Uint8Array(octets),
});
const MB = 1 << 20;

test.each([
  ['image/jpeg', true],
  ['Image/X-arib-png', true],
  ['text/css; charset="EUC-JP"', true],
  ['text/X-arib-ecmascript; charset="EUC-JP"', true],
  ['text/javascript', true],
  ['application/javascript', true],
  ['text/X-arib-bml', false],
  ['text/html', false],
  ['audio/X-arib-aiff', false],
  ['application/X-arib-btable', false],
  ['application/octet-stream', false],
])('of %s a copy is kept: %p', (type, expected) => {
  const files = new RemoteFiles();
  files.keep('a', file(1, type));
  expect(files.get('a') !== undefined).toBe(expected);
});

test('at most 64, the least recently used is given up', () => {
  const files = new RemoteFiles();
  for (let index = 0; index < 64; index++) files.keep(`${index}`, file(1));
  files.get('0');
  files.keep('64', file(1));
  expect([files.get('0'), files.get('1'), files.get('2')].map((one) => one !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

test('at most 8 MB; a newer copy replaces the one before', () => {
  const files = new RemoteFiles();
  files.keep('a', file(4 * MB));
  files.keep('b', file(4 * MB));
  files.keep('b', file(3 * MB));
  files.keep('c', file(MB));
  expect(['a', 'b', 'c'].map((url) => files.get(url)?.bytes.length)).toEqual([4 * MB, 3 * MB, MB]);
  files.keep('d', file(1));
  expect(['a', 'b', 'c', 'd'].map((url) => files.get(url) !== undefined)).toEqual([false, true, true, true]);
  files.keep('e', file(8 * MB + 1));
  expect(['b', 'e'].map((url) => files.get(url) !== undefined)).toEqual([true, false]);
});

const SITE = 'http://www.example.jp/news/';
const TOP = `${SITE}top.bml`;

interface Site {
  readonly script?: string;
  readonly body?: string;
  readonly head?: string;
  readonly files?: FakeNetwork['files'];
  /** Of the module /40/0001. */
  readonly more?: Record<string, string>;
}

/** A broadcast document that has opened the first document of a server. */
async function opened({ script = '', body = '', head = '', files = {}, more = {} }: Site) {
  const network = new FakeNetwork({
    [TOP]: { body: page(`function load() { ${script} }`, body, 'onload="load();"', head) },
    ...files,
  });
  const rig = new EngineRig({ network });
  await rig.start(
    {
      'startup.bml': page(
        `function load() { browser.setInterval("go();", 50, 1); } function go() { browser.launchDocument("${TOP}"); }`,
      ),
    },
    more,
  );
  await rig.clock.run(300);
  return { rig, network };
}

const traceOf = async (site: Site): Promise<string[]> => (await opened(site)).rig.trace;
const faultsOf = (rig: EngineRig): string[] =>
  rig.posted.flatMap((message) => (message.kind === 'launchFailed' ? [message.fault] : []));

describe('a document of a server', () => {
  test('is opened by a broadcast document and shown', async () => {
    const { rig, network } = await opened({ script: 'log("あ" + browser.getActiveDocument());' });
    expect(rig.documents).toEqual(['/40/0000/startup.bml', TOP]);
    expect(rig.trace).toEqual(['あ/news/top.bml']);
    expect(network.log).toEqual([`GET ${TOP}`]);
    expect(faultsOf(rig)).toEqual([]);
  });

  test('is opened by a link', async () => {
    const network = new FakeNetwork({
      [`${TOP}?id=1`]: { body: page('log(browser.getActiveDocument());', '<p id="there"/>') },
    });
    const rig = new EngineRig({ network });
    await rig.start({ 'startup.bml': page('', `<a href="${TOP}?id=1#there" style="nav-index:0">x</a>`, '') });
    await rig.press(KEY.enter);
    await rig.clock.run(100);
    expect(rig.documents.at(-1)).toBe(`${TOP}?id=1#there`);
    expect(rig.trace).toEqual(['/news/top.bml?id=1#there']);
  });

  test.each([
    ['EUC-JP', 'euc-jp', [0xa4, 0xa2]],
    ['Shift_JIS', 'Shift_JIS', [0x82, 0xa0]],
    ['UTF-8', 'UTF-8', [0xe3, 0x81, 0x82]],
  ])('in the character set that it declares: %s', async (name, charset, octets) => {
    const text = page('function load() { log("*"); }').replace('EUC-JP', name);
    const at = text.indexOf('"*"') + 1;
    const octetsOf = (part: string) => [...part].map((character) => character.charCodeAt(0));
    const body = Uint8Array.from([
      ...octetsOf(text.slice(0, at)),
      ...octets,
      ...octetsOf(text.slice(at + 1)),
    ]);
    // What a server says that knows nothing of documents.
    for (const type of ['text/X-arib-bml', 'text/html; charset=ISO-8859-1', `text/xml; charset="${charset}"`])
      expect(await traceOf({ files: { [TOP]: { body, type } } })).toEqual(['あ']);
  });

  test('has its files from the server, by relative addresses', async () => {
    const { rig, network } = await opened({
      head: '<link rel="stylesheet" href="../style.css" type="text/css"/><script src="lib.ecm"/>',
      body: `<object id="o" type="image/jpeg" data="a.jpg" style="width:8px; height:8px"/>`,
      script: 'log(document.getElementById("o").normalStyle.left); browser.loadDRCS("/x.drcs");',
      files: {
        'http://www.example.jp/style.css': { body: '#o { left:7px }', type: 'text/css' },
        [`${SITE}lib.ecm`]: {
          body: 'browser.Greg[1] = "い";',
          type: 'text/X-arib-ecmascript; charset="EUC-JP"',
        },
      },
    });
    expect(rig.trace).toEqual(['い', '7px']);
    expect(network.log.slice(1).sort()).toEqual([
      'GET http://www.example.jp/news/a.jpg',
      'GET http://www.example.jp/news/lib.ecm',
      'GET http://www.example.jp/style.css',
      'GET http://www.example.jp/x.drcs',
    ]);
  });

  test('may use modules by their full address only', async () => {
    expect(
      await traceOf({
        script: [
          'log(browser.lockModuleOnMemory("arib-dc://-1.-1.-1/40/0001"));',
          'log(browser.lockModuleOnMemory("/40/0001"));',
          'log(browser.detectComponent("arib://-1.-1.-1/10"));',
          'log(browser.detectComponent("/10"));',
          'log(browser.getNPT());',
        ].join(''),
      }),
    ).toEqual(['1', 'NaN', '1', 'NaN', 'NaN']);
    const { rig, network } = await opened({
      head: '<script src="arib-dc://-1.-1.-1/40/0001/lib.ecm"/>',
      more: { 'lib.ecm': 'browser.Greg[1] = "module";' },
    });
    expect([rig.trace, network.log]).toEqual([['module'], [`GET ${TOP}`]]);
  });

  test('a broadcast document has no files of servers', async () => {
    const network = new FakeNetwork({ [`${SITE}lib.ecm`]: { body: 'log(1);' } });
    const rig = new EngineRig({ network });
    await rig.start({ 'startup.bml': page('', '', '', `<script src="${SITE}lib.ecm"/>`) });
    expect([rig.trace, network.log]).toEqual([[], []]);
  });

  test('is told that it is not broadcast', async () => {
    const state = (name: string) => `log(browser.getBrowserStatus("TerrP", "IRDState", "${name}"));`;
    expect(await traceOf({ script: state('Broadcast') + state('Link') + state('UnLink') })).toEqual([
      '0',
      '1',
      '0',
    ]);
  });

  test.each([
    ['nvram://local_web/3', '4', '7'],
    ['nvram://local/3', 'NaN', 'null'],
    ['nvram://tr_common/3', 'NaN', 'null'],
    ['nvram://00;group/3', 'NaN', 'null'],
    ['nvram://receiverinfo/prefecture', 'NaN', '0'],
  ])('its memory: %s', async (address, written, read) => {
    const trace = await traceOf({
      script: `var a = new Array(); a[0] = 7; log(browser.writePersistentArray("${address}", "U:4B", a)); var b = browser.readPersistentArray("${address}", "U:4B"); log(b == null ? b : b[0]);`,
    });
    if (address.includes('receiverinfo')) expect(trace[0]).toBe(written);
    else expect(trace).toEqual([written, read]);
  });

  test('reads the postal code and does not set it', async () => {
    const { rig } = await opened({
      script:
        'var a = new Array(); a[0] = "9999999"; log(browser.writePersistentArray("nvram://receiverinfo/zipcode", "S:7B", a)); log(browser.readPersistentArray("nvram://receiverinfo/zipcode", "S:7B")[0]); log(browser.checkAccessInfoOfPersistentArray("nvram://receiverinfo/zipcode"));',
    });
    expect(rig.trace).toEqual(['NaN', '1500001', '1']);
    expect(rig.last('postalCode')).toBeUndefined();
  });

  test('gets the d key and keys of the viewer', async () => {
    const { rig } = await opened({
      script: '} function pressed() { log("d"); } function key() { log(document.currentEvent.keyCode);',
      body: '<div style="nav-index:0" onkeydown="key();"/>',
      head: '<bevent><beitem type="DataButtonPressed" onoccur="pressed();" subscribe="subscribe"/></bevent>',
    });
    await rig.press(KEY.blue);
    await rig.press(KEY.data);
    expect(rig.trace).toEqual([String(KEY.blue), 'd']);
  });

  test('reload asks for it again, and not for its pictures', async () => {
    const { rig, network } = await opened({
      script:
        'if (browser.Ureg[5] == "") { browser.Ureg[5] = "1"; browser.setInterval("browser.reloadActiveDocument();", 500, 1); }',
      body: '<object id="o" type="image/jpeg" data="a.jpg" style="width:8px; height:8px"/>',
      files: { [`${SITE}a.jpg`]: { body: 'x', type: 'image/jpeg' } },
    });
    await rig.clock.run(1000);
    expect(rig.documents).toEqual(['/40/0000/startup.bml', TOP, TOP]);
    expect(network.log).toEqual([`GET ${TOP}`, `GET ${SITE}a.jpg`, `GET ${TOP}`]);
  });

  test('what the server forbids to keep is asked for again', async () => {
    const { rig, network } = await opened({
      script:
        'if (browser.Ureg[5] == "") { browser.Ureg[5] = "1"; browser.setInterval("browser.reloadActiveDocument();", 500, 1); }',
      body: '<object id="o" type="image/jpeg" data="a.jpg" style="width:8px; height:8px"/>',
      files: { [`${SITE}a.jpg`]: { body: 'x', type: 'image/jpeg', isStorable: false } },
    });
    await rig.clock.run(1000);
    expect(network.log.filter((line) => line.endsWith('a.jpg'))).toHaveLength(2);
  });
});

describe('from a document of a server', () => {
  const next = (reference: string): string =>
    `browser.setInterval("go();", 50, 1); } function go() { browser.launchDocument("${reference}");`;

  test.each([
    ['another one of its directory', 'day/1.bml', `${SITE}day/1.bml`],
    ['by an address without the server', '/news/2.bml', `${SITE}2.bml`],
    ['by https', 'https://www.example.jp/news/3.bml', 'https://www.example.jp/news/3.bml'],
    ['whose name is encoded', '/n%65ws/4.bml', 'http://www.example.jp/n%65ws/4.bml'],
    ['with a query of the document’s characters', '5.bml?q=あ', `${SITE}5.bml?q=%A4%A2`],
  ])('%s is opened', async (_, reference, url) => {
    const { rig } = await opened({ script: next(reference), files: { [url]: { body: page('') } } });
    await rig.clock.run(300);
    expect(rig.documents.at(-1)).toBe(url);
    expect(faultsOf(rig)).toEqual([]);
  });

  test.each([
    ['above its directory', '../index.bml', 'outside'],
    ['of a directory whose name begins alike', '/newspaper/1.bml', 'outside'],
    ['by dots that are encoded', 'a/%2e%2e/%2e%2e/1.bml', 'outside'],
    ['of another server', 'http://www.example.com/news/top.bml', 'outside'],
    ['that the server does not have', 'none.bml', 'missing'],
  ])('one %s is not: the data broadcast starts again', async (_, reference, fault) => {
    const { rig, network } = await opened({ script: next(reference) });
    network.abilities = { network: true, applications: false };
    await rig.clock.run(200);
    expect(faultsOf(rig)).toEqual([fault]);
    expect(network.log).toHaveLength(fault === 'missing' ? 2 : 1);
    await rig.clock.run(2000);
    expect(rig.documents.slice(0, 3)).toEqual(['/40/0000/startup.bml', TOP, '/40/0000/startup.bml']);
  });

  test('a redirect out of the directory is not followed', async () => {
    const url = 'http://www.example.com/news/x.bml';
    const { rig } = await opened({
      script: next('x.bml'),
      files: { [`${SITE}x.bml`]: { body: page(''), url } },
    });
    await rig.clock.run(200);
    expect(faultsOf(rig)).toEqual(['outside']);
  });

  test('the redirect of the first document sets the directory', async () => {
    const body = page(`function load() { ${next('b.bml')} }`);
    const { rig } = await opened({
      files: {
        [TOP]: { body, url: 'https://cdn.example.jp/x/a.bml' },
        'https://cdn.example.jp/x/b.bml': { body: page('') },
      },
    });
    await rig.clock.run(300);
    expect(rig.documents.slice(1)).toEqual([
      'https://cdn.example.jp/x/a.bml',
      'https://cdn.example.jp/x/b.bml',
    ]);
  });

  test('a module is opened by its full address, and other servers after it', async () => {
    const other = 'http://www.example.com/a.bml';
    const { rig } = await opened({
      script: next('arib-dc://-1.-1.-1/40/0001/back.bml'),
      files: { [other]: { body: page('') } },
      more: { 'back.bml': page(`function load() { browser.launchDocument("${other}"); }`) },
    });
    await rig.clock.run(500);
    expect(rig.documents.slice(2)).toEqual(['/40/0001/back.bml', other]);
  });

  test('locks of modules fall, those of Ex stay', async () => {
    const network = new FakeNetwork({
      [TOP]: { body: page('function load() { log(browser.getLockedModuleInfo().join("/")); }') },
    });
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.lockModuleOnMemory("/40/0000"); browser.lockModuleOnMemoryEx("/40/0001"); browser.launchDocument("${TOP}"); }`,
      ),
    });
    await rig.clock.run(100);
    expect(rig.trace).toEqual(['/40/0001,2,1']);
  });
});

describe('the broadcast beside a document of a server', () => {
  test('a new data event leaves it, unless the entry is to be returned to', async () => {
    for (const [isReturn, expected] of [
      [false, TOP],
      [true, '/40/0000/startup.bml'],
    ] as const) {
      const { rig } = await opened({});
      rig.list(0x40, { 0: 1 }, 2, isReturn);
      rig.data(moduleMessage(0x40, 0, { 'startup.bml': page('') }, 1, 2));
      await rig.clock.run(3000);
      expect(rig.documents.at(-1)).toBe(expected);
    }
  });

  test('events of a component reach it by its full address', async () => {
    const { rig } = await opened({
      script: '} function fired() { log(document.currentEvent.privateData);',
      head: '<bevent><beitem type="EventMessageFired" es_ref="arib-dc://-1.-1.-1/40" message_id="1" onoccur="fired();" subscribe="subscribe"/><beitem type="EventMessageFired" message_id="1" onoccur="fired();" subscribe="subscribe"/></bevent>',
    });
    rig.event(0x40, {
      type: 'immediateEvent',
      eventMessageGroupId: 0,
      eventMessageType: 0,
      eventMessageId: 1,
      eventMessageVersion: 1,
      privateDataBase64: 'YQ==',
    });
    await rig.clock.run(100);
    expect(rig.trace).toEqual(['a']);
  });

  test('without an entry, the data broadcast ends', async () => {
    const { rig } = await opened({});
    rig.data({ type: 'pmt', components: [] });
    await rig.clock.run(100);
    expect(rig.phase).toBe('ended: noBroadcast');
  });
});

describe('requests', () => {
  test('a document of a server is not opened while communication is off', async () => {
    const network = new FakeNetwork({ [TOP]: { body: page('') } });
    network.abilities = { network: false, applications: false };
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.setInterval("browser.launchDocument('${TOP}');", 50, 1); }`,
      ),
    });
    await rig.clock.run(100);
    expect([faultsOf(rig), network.log]).toEqual([['off'], []]);
  });

  test.each(['off', 'refused', 'unreachable', 'timeout', 'size', 'busy'] as const)(
    'a document: %s',
    async (fault) => {
      const { rig } = await opened({ files: { [TOP]: fault } });
      expect(faultsOf(rig)).toEqual([fault]);
      expect(rig.documents).toEqual(['/40/0000/startup.bml']);
    },
  );

  test('end with their document', async () => {
    const { rig, network } = await opened({
      body: '<object id="o" type="image/jpeg" data="a.jpg" style="width:8px; height:8px"/>',
      script:
        'browser.setInterval("go();", 50, 1); } function go() { browser.launchDocument("arib-dc://-1.-1.-1/40/0000/startup.bml");',
      files: { [`${SITE}a.jpg`]: 'hangs' },
    });
    await rig.clock.run(100);
    expect(network.log).toContain(`GET ${SITE}a.jpg ended`);
    expect(rig.logs).toEqual([]);
  });

  test('the request of a document ends with the next one, and when the data broadcast ends', async () => {
    const network = new FakeNetwork({ [TOP]: 'hangs' });
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.setInterval("browser.launchDocument('${TOP}');", 50, 1); }`,
      ),
    });
    await rig.clock.run(100);
    expect(network.log).toEqual([`GET ${TOP}`]);
    rig.data({ type: 'pmt', components: [] });
    await rig.clock.run(100);
    expect(network.log).toEqual([`GET ${TOP}`, `GET ${TOP} ended`]);
    expect(faultsOf(rig)).toEqual([]);
  });

  test('documents that open each other for ever are asked for twice a second', async () => {
    const next = (name: string) => page(`function load() { browser.launchDocument("${name}"); }`);
    const { rig, network } = await opened({
      files: { [TOP]: { body: next('b.bml') }, [`${SITE}b.bml`]: { body: next('top.bml') } },
    });
    await rig.clock.run(20_000);
    expect(network.log.length).toBeGreaterThan(20);
    expect(network.log.length).toBeLessThanOrEqual(8 * 6);
  });

  test('a script that waits for an answer never continues after its document', async () => {
    const network = new FakeNetwork({ [`${SITE}post`]: 'hangs' });
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.transmitTextDataOverIP("${SITE}post", "a", "EUC-JP"); log("later"); }`,
      ),
    });
    // Its component moves: the data broadcast starts again.
    rig.data(moduleMessage(0x40, 0, { 'startup.bml': page('log("next");') }, 1));
    rig.data({
      type: 'pmt',
      components: [
        { pid: 0x999, componentId: 0x40, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
      ],
    });
    await rig.clock.run(3000);
    expect(network.log).toEqual([`POST ${SITE}post Denbun=a`, `POST ${SITE}post Denbun=a ended`]);
    expect(rig.trace).toEqual(['next']);
  });

  test('what a script has written is drawn while it waits for an answer', async () => {
    const network = new FakeNetwork({ [`${SITE}post`]: 'hangs' });
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.setInterval("send();", 1000, 1); } function send() { document.getElementById("p").firstChild.data = "Sending"; browser.transmitTextDataOverIP("${SITE}post", "a", "EUC-JP"); }`,
        '<p id="p" style="width:400px; height:40px">Waiting</p>',
      ),
    });
    await rig.clock.run(500);
    rig.recorder.take();
    await rig.clock.run(1000);
    const texts = rig.recorder.take().filter((call) => call.startsWith('fillText'));
    expect(texts.map((call) => call.split(' ')[1]).join('')).toBe('Sending');
  });

  test('a file that fails is told in the log, without what the viewer entered', async () => {
    const { rig } = await opened({
      head: `<script src="lib.ecm?zip=1500001"/>`,
      files: { [`${SITE}lib.ecm?zip=1500001`]: 'size' },
    });
    expect(rig.logs).toEqual([`${SITE}lib.ecm: size`]);
  });
});
