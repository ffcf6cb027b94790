/** What functions of `browser` return, one case a row: statements that log, and the expected log. */
import { describe, expect, test } from 'bun:test';
import { EngineRig, FakeNetwork, moduleMessage, page } from '../../../test/web/engine-rig.ts';
import type { PageRequest } from '../bml-messages.ts';

const BODY = '<p id="p" style="left:1px">text</p>';

async function run(code: string, options: ConstructorParameters<typeof EngineRig>[0] = {}, more = {}) {
  const rig = new EngineRig(options);
  await rig.start({ 'startup.bml': page(`function load() { ${code} }`, BODY) }, more);
  await rig.clock.run(300);
  return rig;
}

type Case = readonly [code: string, expected: readonly string[]];

const one = (expression: string, expected: string): Case => [`log(${expression});`, [expected]];

describe('modules', () => {
  test.each<Case>([
    one('browser.lockModuleOnMemory("/40/0001")', '1'),
    one('browser.lockModuleOnMemory("/40/0001/file")', '1'),
    one('browser.lockModuleOnMemory("../0001")', '1'),
    one('browser.lockModuleOnMemory("/40/0009")', '-1'),
    one('browser.lockModuleOnMemory("/55/0000")', '-1'),
    one('browser.lockModuleOnMemory("/40")', 'NaN'),
    one('browser.lockModuleOnMemory()', 'NaN'),
    one('browser.lockModuleOnMemory("http://example.jp/")', 'NaN'),
    one('browser.lockModuleOnMemoryEx("/40/0001")', '1'),
    one('browser.lockModuleOnMemoryEx("/40/0009")', '1'),
    one('browser.lockModuleOnMemoryEx("/50/0000")', '-3'),
    one('browser.lockModuleOnMemoryEx("/55/0000")', 'NaN'),
    ['browser.lockModuleOnMemory("/40/0001"); log(browser.lockModuleOnMemoryEx("/40/0001"));', ['NaN']],
    ['browser.lockModuleOnMemoryEx("/40/0001"); log(browser.lockModuleOnMemory("/40/0001"));', ['NaN']],
    ['browser.lockModuleOnMemory("/40/0001"); log(browser.unlockModuleOnMemory("/40/0001"));', ['1']],
    ['browser.lockModuleOnMemory("/40/0001"); log(browser.unlockModuleOnMemoryEx("/40/0001"));', ['NaN']],
    one('browser.unlockModuleOnMemory("/40/0001")', 'NaN'),
    one('browser.unlockModuleOnMemoryEx("/40/0001")', 'NaN'),
    one('browser.unlockAllModulesOnMemory()', '1'),
    one('browser.getLockedModuleInfo().length', '0'),
    [
      'browser.lockModuleOnMemory("/40/0001"); log(browser.getLockedModuleInfo()[0].join());',
      ['/40/0001,1,1'],
    ],
    one('browser.detectComponent("/40")', '1'),
    one('browser.detectComponent("/10")', '1'),
    one('browser.detectComponent("arib://-1.-1.-1/40")', '1'),
    one('browser.detectComponent("/55")', '0'),
    one('browser.detectComponent("")', '1'),
    one('browser.detectComponent("x:y")', 'NaN'),
    one('browser.setCachePriority("/40/0001", 1)', '1'),
    one('browser.getFreeContentsMemory() > 1000000', 'true'),
    one('browser.lockScreen()', '1'),
    one('browser.unlockScreen()', '1'),
    one('browser.getActiveDocument()', '/40/0000/startup.bml'),
  ])('%s', async (code, expected) => {
    expect((await run(code)).trace).toEqual([...expected]);
  });

  test.each([
    ['ModuleLocked', 'lockModuleOnMemory', '/40/0001', ['0 /40/0001']],
    ['the spelling of the script', 'lockModuleOnMemory', '/40/0001/', ['0 /40/0001/']],
    ['Ex', 'lockModuleOnMemoryEx', '/40/0001', ['0 /40/0001']],
    ['Ex of a module that is not broadcast', 'lockModuleOnMemoryEx', '/40/0009', ['-2 /40/0009']],
  ])('ModuleLocked: %s', async (_, name, reference, expected) => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        `function load() { browser.setInterval("lock();", 100, 1); } function lock() { browser.${name}("${reference}"); } function locked() { var e = document.currentEvent; log(e.status + " " + e.moduleRef); }`,
        '<bevent><beitem id="a" type="ModuleLocked" module_ref="/40/0001" onoccur="locked();" subscribe="subscribe"/><beitem id="b" type="ModuleLocked" module_ref="/40/0009" onoccur="locked();" subscribe="subscribe"/></bevent>',
      ),
    });
    await rig.clock.run(300);
    expect(rig.trace).toEqual([...expected]);
  });
  test.each([
    ['a script', 'browser.lockModuleOnMemory("/40/0001"); function load() {}', '0 /40/0001'],
    ['onload', 'function load() { browser.lockModuleOnMemory("/40/0001"); }', '0 /40/0001'],
    ['onload, Ex', 'function load() { browser.lockModuleOnMemoryEx("/40/0009"); }', '-2 /40/0009'],
  ])('ModuleLocked of a module that %s locks follows the load', async (_, script, expected) => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        `${script} function locked() { var e = document.currentEvent; log(e.status + " " + e.moduleRef); }`,
        '<bevent><beitem type="ModuleLocked" module_ref="/40/0001" onoccur="locked();" subscribe="subscribe"/><beitem type="ModuleLocked" module_ref="/40/0009" onoccur="locked();" subscribe="subscribe"/></bevent>',
      ),
    });
    expect(rig.trace).toEqual([expected]);
  });
  test('an item that onload subscribes fires once', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'function load() { document.getElementById("m").subscribe = true; document.getElementById("t").subscribe = true; } function fired() { log(document.currentEvent.type); }',
        '<bevent><beitem id="m" type="ModuleUpdated" module_ref="/40/0001" onoccur="fired();"/><beitem id="t" type="TimerFired" time_mode="absolute" time_value="20261126123001" onoccur="fired();"/></bevent>',
      ),
    });
    await rig.clock.run(5000);
    expect(rig.trace).toEqual(['ModuleUpdated', 'TimerFired']);
  });
  test('a lock of Ex fails with -1 when a new data event begins', async () => {
    const rig = new EngineRig();
    rig.pmt(0x40, 0x50);
    rig.list(0x50, { 0: 1 }, 1);
    await rig.start({
      'startup.bml': page(
        'function load() { browser.lockModuleOnMemoryEx("/50/0000"); } function locked() { log(document.currentEvent.status); }',
        '<bevent><beitem id="a" type="ModuleLocked" module_ref="/50/0000" onoccur="locked();" subscribe="subscribe"/></bevent>',
      ),
    });
    rig.list(0x50, { 0: 1 }, 2);
    rig.data(moduleMessage(0x50, 0, { '': 'x' }, 1, 2));
    await rig.clock.run(300);
    expect(rig.trace).toEqual(['-1']);
  });
});

describe('the programme', () => {
  test.each<Case>([
    one('browser.getProgramID(1)', '0x1234'),
    one('browser.getProgramID(2)', '0x0400'),
    one('browser.getProgramID(3)', '0x7fe0'),
    one('browser.getProgramID(4)', '0x7fe1'),
    one('browser.getProgramID(5)', 'null'),
    one('browser.getProgramID(6)', 'arib://7fe0.7fe1.0400.1234'),
    one('browser.getProgramID(7)', 'arib://7fe0.7fe1.0400'),
    one('browser.getProgramID(9)', '0x7fe0'),
    one('browser.epgGetEventStartTime("arib://7fe0.7fe1.0400.1234")', '2026-11-26T12:00:00'),
    one('browser.epgGetEventStartTime("arib://-1.-1.-1.-1")', '2026-11-26T12:00:00'),
    one('browser.epgGetEventStartTime("nonsense")', 'null'),
    one('browser.epgGetEventDuration("arib://7fe0.7fe1.0400.1234")', '3600'),
    one('browser.isBeingBroadcast("arib://7fe0.7fe1.0400.1234")', 'true'),
    one('browser.isBeingBroadcast("arib://7fe0.7fe1.0400.1235")', 'false'),
    one('browser.getProgramRelativeTime()', '1800'),
    one('browser.setCurrentDateMode(1)', '1'),
    one('browser.setCurrentDateMode(2)', 'NaN'),
    one('new Date()', '2026-11-26T12:30:00'),
    one('browser.getNPT()', 'NaN'),
    one('browser.isSupportedMedia("4")', '1'),
    one('browser.isSupportedMedia("9")', '0'),
    one('browser.getTuningLinkageType()', '0'),
    one('browser.Ureg[0]', '0x0400'),
  ])('%s', async (code, expected) => {
    expect((await run(code)).trace).toEqual([...expected]);
  });

  test.each([
    ['epgTune("arib://7fe1.7fe1.0408")', 'tune', '1'],
    ['epgTune("none")', undefined, 'NaN'],
    ['epgTuneToComponent("arib://7fe1.7fe1.0408/40")', 'tune', '1'],
    ['epgReserve("arib://7fe0.7fe1.0400.1240")', 'reserve', '1'],
    ['epgReserve("arib://7fe0.7fe1.0400")', undefined, 'NaN'],
    ['epgRecReserve("arib://7fe0.7fe1.0400.1240")', 'reserve', '1'],
    ['epgIsReserved("arib://7fe0.7fe1.0400.1240")', 'isReserved', '1'],
    ['epgRecIsReserved("arib://7fe0.7fe1.0400.1240")', 'isReserved', '1'],
    ['epgCancelReservation("arib://7fe0.7fe1.0400.1240")', 'cancelReservation', '1'],
    ['epgRecCancelReservation("arib://7fe0.7fe1.0400.1240")', 'cancelReservation', '1'],
    ['setCCDisplayStatus(1, true)', 'captions', '1'],
  ])('browser.%s asks the page for %p', async (call, type, expected) => {
    const rig = await run(`log(browser.${call});`, { answer: () => 1 });
    expect<unknown>([rig.last('request')?.request.type, rig.trace]).toEqual([type, [expected]]);
  });
  test('a page that fails, and times of other programmes', async () => {
    expect((await run('log(browser.epgTune("arib://7fe1.7fe1.0408"));')).trace).toEqual(['NaN']);
    const answer = () => ({ startAt: Date.UTC(2026, 10, 26, 4), durationMs: 90_000 });
    const code =
      'log(browser.epgGetEventStartTime("arib://7fe0.7fe1.0400.0001")); log(browser.epgGetEventDuration("arib://7fe0.7fe1.0400.0001"));';
    expect((await run(code, { answer })).trace).toEqual(['2026-11-26T13:00:00', '90']);
    expect((await run(code)).trace).toEqual(['null', 'NaN']);
  });
});

describe('memory and registers', () => {
  test.each<Case>([
    one('browser.readPersistentArray("nvram://receiverinfo/zipcode", "S:7B")[0]', '1500001'),
    one('browser.readPersistentArray("nvram://receiverinfo/prefecture", "U:1B")[0]', '14'),
    one('browser.readPersistentArray("nvram://receiverinfo/regioncode", "U:2B")[0]', '2732'),
    one('browser.readPersistentArray("nvram://7FE1;local/0", "U:1B")', 'null'),
    one('browser.readPersistentArray("nvram://local/0", "nonsense")', 'null'),
    [
      'var a = new Array(2); a[0] = 300; a[1] = "あ"; log(browser.writePersistentArray("nvram://local/0", "U:2B,S:4B", a)); log(browser.readPersistentArray("nvram://local/0", "U:2B,S:4B").join());',
      ['6', '300,あ  '],
    ],
    one('browser.writePersistentArray("nvram://local/0", "U:2B", "x")', 'NaN'),
    one('browser.writePersistentArray("nvram://local/0", "U:2B", new Array())', 'NaN'),
    one('browser.writePersistentArray("nvram://tr_common/99", "U:1B", new Array(1))', 'NaN'),
    one('browser.checkAccessInfoOfPersistentArray("nvram://local/0")', '2'),
    one('browser.readPersistentArrayWithAccessCheck("nvrams://~/0", "U:1B")', 'null'),
    ['browser.Ureg[1] = "a"; log(browser.Ureg[1] + browser.Ureg[2] + "|");', ['a|']],
    ['browser.Ureg[0] = "a"; log(browser.Ureg[0]);', ['0x0400']],
    ['browser.Ureg[64] = "a"; log(browser.Ureg[64]);', ['undefined']],
    ['browser.Ureg[2] = 5; log(typeof browser.Ureg[2]);', ['string']],
    [
      'var s = ""; for (var i = 0; i < 200; i++) s += "あ"; browser.Ureg[3] = s; log(browser.Ureg[3].length);',
      ['128'],
    ],
    ['browser.Ureg["__proto__"] = "x"; log(browser.Ureg["constructor"] == Object);', ['true']],
  ])('%s', async (code, expected) => {
    expect((await run(code)).trace).toEqual([...expected]);
  });
});

describe('time, numbers, sounds', () => {
  test.each<Case>([
    one('browser.random(10)', '6'),
    one('browser.random(0)', 'NaN'),
    one('browser.formatNumber(1234567)', '1,234,567'),
    one('browser.formatNumber("x")', '0'),
    ['var d = new Date(2026, 0, 1, 0, 0, 0); log(browser.addDate(d, 3, 4));', ['2026-01-04T00:00:00']],
    ['var d = new Date(2026, 0, 1, 0, 0, 0); log(browser.subDate(browser.addDate(d, 3, 4), d, 3));', ['72']],
    one('browser.subDate(1, 2, 3)', 'NaN'),
    one('browser.addDate(1, 2, 3)', 'NaN'),
    one('browser.sleep(50)', '1'),
    one('browser.sleep(-1)', 'NaN'),
    one('browser.clearTimer(99)', 'NaN'),
    one('browser.pauseTimer(99)', 'NaN'),
    one('browser.resumeTimer(99)', 'NaN'),
    [
      'var t = browser.setInterval("x();", 1000, 0); log(browser.pauseTimer(t)); log(browser.resumeTimer(t)); log(browser.clearTimer(t));',
      ['1', '1', '1'],
    ],
    one('browser.playRomSound("romsound://13")', '1'),
    one('browser.playRomSound("romsound://14")', 'NaN'),
    one('browser.playRomSound("file:///etc/passwd")', 'NaN'),
    one('browser.loadDRCS("/40/0001/none.drc")', 'NaN'),
    one('browser.loadDRCS("/40/0001/a.drc")', '1'),
    one('browser.unloadDRCS()', '1'),
    one('browser.getCCLanguageStatus(1)', '0'),
    one('browser.getCCDisplayStatus(1)', '0'),
  ])('%s', async (code, expected) => {
    const drcs = Uint8Array.from([1, 0x21, 0x21, 1, 0x11, 0, 1, 1, 0x80]);
    expect((await run(code, {}, { 'a.drc': drcs })).trace).toEqual([...expected]);
  });
  test('a timer that is due does not run once it is cleared', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'var t; function load() { t = browser.setInterval("due();", 100, 1); browser.setInterval("due();", 100, 1); browser.sleep(300); log(browser.clearTimer(t)); } function due() { log("due"); }',
      ),
    });
    await rig.clock.run(500);
    expect(rig.trace).toEqual(['1', 'due']);
  });
  test('timers run code of any form, a limited number of times', async () => {
    const rig = new EngineRig();
    await rig.start({
      'startup.bml': page(
        'var n = 0; function load() { browser.setInterval("n = n + 1; log(\'t\' + n);", 100, 3); }',
      ),
    });
    await rig.clock.run(2000);
    expect(rig.trace).toEqual(['t1', 't2', 't3']);
  });
});

describe('the receiver, without a connection', () => {
  test.each<Case>([
    one('browser.getBrowserVersion().length', '4'),
    one('browser.getBrowserSupport("ARIB", "BMLversion", "3.0")', '1'),
    one('browser.getBrowserSupport("ARIB", "APIGroup", "Bookmark.Basic")', '0'),
    one('browser.getBrowserSupport("ARIB", "APIGroup", "AITControlledApp.Start")', '0'),
    one('browser.getBrowserStatus("TerrP", "IRDState", "Link")', '1'),
    one('browser.getBrowserStatus("TerrP", "IRDState", "UnLink")', '0'),
    one('browser.getBrowserStatus("TerrP", "IRDState", "Broadcast")', '1'),
    one('browser.getBrowserStatus("x", "y", "z")', 'NaN'),
    one('browser.getIRDID(5)', 'null'),
    one('browser.getResidentAppVersion("x")', 'null'),
    one('browser.isIPConnected()', '0'),
    one('browser.getConnectionType()', 'NaN'),
    one('browser.confirmIPNetwork("example.jp", 0)', 'null'),
    one('browser.transmitTextDataOverIP("http://example.jp/", "a", "EUC-JP").join("/")', 'NaN//'),
    one('browser.startAITControlledApp(1, 2, "http://example.jp/a.ait")', 'NaN'),
    one('browser.setCacheResourceOverIP(new Array())', 'NaN'),
    one('browser.sendTextMail("a", "b", "c")[0]', 'NaN'),
    one('browser.connectPPP()', 'NaN'),
    one('browser.getISPParams()', 'null'),
    one('browser.getPrefixNumber().length', '5'),
    one('browser.vote("1", 2)', 'NaN'),
    one('browser.isRootCertificateExisting(0, 1)', 'NaN'),
    one('browser.getRootCertificateInfo()', 'null'),
    one('browser.launchExApp("x")', 'NaN'),
    one('browser.writeBookmarkArray("nvram://bookmark/0")', 'NaN'),
    one('browser.readBookmarkArray("nvram://bookmark/0")', 'null'),
    one('browser.getBookmarkInfo()[0]', '0'),
    one('browser.X_CSP_setAccessInfoToProviderArea("a", "b")', 'NaN'),
    one('browser.constructor == Object', 'true'),
    one('typeof browser.__proto__', 'undefined'),
  ])('%s', async (code, expected) => {
    expect((await run(code)).trace).toEqual([...expected]);
  });
});

describe('with a connection', () => {
  const URL = 'http://example.jp/post';
  const connected = (files: FakeNetwork['files'] = {}): FakeNetwork => new FakeNetwork(files);
  const answered = (): FakeNetwork => connected({ [URL]: { body: 'あ' } });

  test.each<readonly [...Case, log: readonly string[]]>([
    [...one('browser.isIPConnected()', '1'), []],
    [...one('browser.getConnectionType()', '403'), []],
    [...one('browser.getBrowserSupport("ARIB", "APIGroup", "Com.IP.Transmit")', '1'), []],
    [
      ...one('browser.confirmIPNetwork("example.jp", 0, 1000).join()', 'true,203.0.113.1,12'),
      ['CONFIRM example.jp 1000'],
    ],
    [
      ...one('browser.confirmIPNetwork("example.jp", 1).join()', 'true,203.0.113.1,12'),
      ['CONFIRM example.jp 4000'],
    ],
    [...one('browser.confirmIPNetwork("example.jp")[0]', 'true'), ['CONFIRM example.jp 4000']],
    [...one('browser.confirmIPNetwork("example.jp", 0, 99999)[0]', 'true'), ['CONFIRM example.jp 10000']],
    [...one('browser.confirmIPNetwork("example.jp", 0, -1)[0]', 'true'), ['CONFIRM example.jp 4000']],
    [...one('browser.confirmIPNetwork("http://example.jp/", 0, 1000).join()', 'false,,'), []],
    [...one('browser.confirmIPNetwork("example.jp", 2, 1000)', 'null'), []],
    [
      ...one(`browser.transmitTextDataOverIP("${URL}", "い", "EUC-JP").join()`, '1,200,あ'),
      [`POST ${URL} Denbun=%A4%A4`],
    ],
    [
      ...one(`browser.transmitTextDataOverIP("${URL}", "a=1&b=A-_.!~*'()%+ ", "euc-jp")[0]`, '1'),
      [`POST ${URL} Denbun=a%3D1%26b%3DA-_.!~*'()%25%2B%20`],
    ],
    [...one(`browser.transmitTextDataOverIP("${URL}", "", "EUC-JP")[0]`, '1'), [`POST ${URL} Denbun=`]],
    // The server answered: whatever it says is the document's matter.
    [
      ...one('browser.transmitTextDataOverIP("http://example.jp/none", "a", "EUC-JP").join("/")', '1/404/'),
      ['POST http://example.jp/none Denbun=a'],
    ],
    [...one(`browser.transmitTextDataOverIP("${URL}", "い", "UTF-8").join("/")`, 'NaN//'), []],
    [...one('browser.transmitTextDataOverIP("post", "a", "EUC-JP").join("/")', 'NaN//'), []],
    [...one('browser.transmitTextDataOverIP("/40/0000", "a", "EUC-JP").join("/")', 'NaN//'), []],
    [...one('browser.transmitTextDataOverIP("ftp://example.jp/", "a", "EUC-JP").join("/")', 'NaN//'), []],
    [
      ...one('browser.transmitTextDataOverIP("http://a:b@example.jp/", "a", "EUC-JP").join("/")', 'NaN//'),
      [],
    ],
  ])('%s', async (code, expected, log) => {
    const network = answered();
    expect((await run(code, { network })).trace).toEqual([...expected]);
    expect(network.log).toEqual([...log]);
  });

  test('a text of more than 4096 octets is not sent', async () => {
    const network = answered();
    const rig = await run(
      [
        'var t = "あいうえおかきくけこさしすせそた"; while (t.length < 2048) t = t + t;',
        `log(browser.transmitTextDataOverIP("${URL}", t, "EUC-JP")[0]);`,
        `log(browser.transmitTextDataOverIP("${URL}", t + "a", "EUC-JP")[0]);`,
      ].join(''),
      { network },
    );
    expect([rig.trace, network.log.length]).toEqual([['1', 'NaN'], 1]);
  });

  test.each(['off', 'refused', 'unreachable', 'timeout', 'size', 'busy'] as const)(
    'no answer: %s',
    async (fault) => {
      const network = connected({ [URL]: fault });
      const rig = await run(`log(browser.transmitTextDataOverIP("${URL}", "a", "EUC-JP").join("/"));`, {
        network,
      });
      expect(rig.trace).toEqual(['NaN//']);
      expect(rig.logs).toEqual([`transmitTextDataOverIP: ${fault}`]);
    },
  );

  test('a host that does not answer', async () => {
    const network = connected();
    const confirm = 'log(browser.confirmIPNetwork("example.jp", 0, 1000).join());';
    network.host = { isReachable: false, address: '203.0.113.1', ms: null };
    expect((await run(confirm, { network })).trace).toEqual(['false,203.0.113.1,']);
    network.host = undefined;
    expect((await run(confirm, { network })).trace).toEqual(['false,,']);
  });

  test('the switch is followed at once', async () => {
    const network = connected();
    const rig = await run(
      'browser.setInterval("check();", 1000, 2); } function check() { log(browser.isIPConnected());',
      { network },
    );
    await rig.clock.run(1000);
    network.abilities = { network: false, applications: false };
    await rig.clock.run(1000);
    expect(rig.trace).toEqual(['1', '0']);
  });

  test('the unload handler sends nothing', async () => {
    const network = answered();
    const rig = new EngineRig({ network });
    await rig.start({
      'startup.bml': page(
        `function load() { browser.launchDocument("next.bml"); } function out() { log(browser.transmitTextDataOverIP("${URL}", "a", "EUC-JP")[0]); log(browser.confirmIPNetwork("example.jp")); log(browser.startAITControlledApp()); }`,
        '',
        'onload="load();" onunload="out();"',
      ),
      'next.bml': page(''),
    });
    expect([rig.trace, network.log]).toEqual([['NaN', 'null', 'NaN'], []]);
  });

  test.each([
    [
      'browser.startAITControlledApp("http://example.jp/a.ait", 18, 7)',
      '1',
      [18, 7, 'http://example.jp/a.ait'],
    ],
    ['browser.startAITControlledApp()', '1', [undefined, undefined, undefined]],
    ['browser.startAITControlledApp(1, 2, 3)', 'NaN', undefined],
  ])('%s', async (code, result, expected) => {
    let started: unknown;
    const answer = (request: PageRequest): number => {
      if (request.type !== 'startApplication') return Number.NaN;
      const { organisation, application, aitUrl } = request.start;
      started = [organisation, application, aitUrl];
      return 1;
    };
    const network = connected();
    network.abilities = { network: true, applications: true };
    const rig = await run(`log(${code});`, { network, answer });
    expect(rig.trace).toEqual([result]);
    expect(started).toEqual(expected);
    expect(rig.logs.filter((line) => line.includes('unknown arguments'))).toHaveLength(
      expected === undefined ? 1 : 0,
    );
  });
});
