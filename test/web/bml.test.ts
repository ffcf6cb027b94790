/**
 * The data broadcast in a real browser: pages of the synthetic stations by keys, and documents, scripts, pictures and
 * sounds that attack the page which shows them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  PEER_STATUS_HEADER,
  PEER_TYPE_HEADER,
  PEER_URL_HEADER,
  type ResponseMessage,
} from '../../lib/wire/data-broadcast.ts';
import { symbolPng } from '../../synth/data/pictures.ts';
import { KEY } from '../../web/bml/engine/keys.ts';
import { encodeEucJp } from '../../web/bml/markup/characters.ts';
import { until } from '../until.ts';
import { BmlStage, stationMessages } from './bml-stage.ts';
import { hasChromium } from './browser.ts';
import { moduleMessage, PROGRAMME, page } from './engine-rig.ts';

/** 2026-11-26T12:30 in Japan. */
const AT = Date.UTC(2026, 10, 26, 3, 30);
/** Colours of the stage behind the canvas, and of the synthetic pages. */
const PICTURE = '68,136,68';
const FOCUS = '254,176,32';

/** A station with one document, and files of its module. */
function broadcast(files: Parameters<typeof moduleMessage>[2]): ResponseMessage[] {
  return [
    {
      type: 'pmt',
      components: [
        { pid: 0x140, componentId: 0x40, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null },
      ],
    },
    PROGRAMME,
    {
      type: 'moduleListUpdated',
      componentId: 0x40,
      dataEventId: 1,
      returnToEntryFlag: false,
      modules: [{ id: 0, version: 1, size: 1 }],
    },
    moduleMessage(0x40, 0, files),
  ];
}

describe.if(hasChromium)('data broadcast in Chromium', () => {
  let stage: BmlStage;
  beforeAll(async () => {
    stage = await BmlStage.open();
  });
  afterAll(async () => {
    await stage.close();
  });

  /** The session runs on and answers: its document gets a key. */
  async function isAlive(): Promise<void> {
    await stage.start(
      broadcast({
        'startup.bml': page(
          'function load() {} function key() { no("alive"); }',
          '<p style="nav-index:0" onkeydown="key();"></p>',
        ),
      }),
    );
    await stage.seen('phase', 'shown');
    await stage.press(KEY.red);
    await until('an answer', async () =>
      (await stage.logs()).some((line) => line.includes('no is not a function')),
    );
  }

  test.each([
    ['GR', 'T27', 0, 'invisible'],
    ['GR', 'T24', 0, 'standby'],
    ['GR', 'T25', 0, 'module'],
    ['GR', 'T22', 0, 'deaf'],
    ['GR', 'T23', 0, 'affiliation'],
    ['BS', 'BS01_0', 0, 'invisible'],
  ] as const)(
    '%s %s, station %d: one press of d opens one that is %s',
    async (type, channel, index, opening) => {
      const { messages, opening: sent } = stationMessages(type, channel, index, AT);
      expect(sent).toBe(opening);
      await stage.start(messages, true);
      await stage.seen('document', '/40/0001/portal.bml');
      await until(
        'the picture in its box',
        async () => (await stage.colours([704, 235], [20, 300]))[0] === PICTURE,
      );
      expect(await stage.logs()).toEqual([]);
    },
  );

  test('portal, weather by postal code, news, score and settings', async () => {
    const { messages } = stationMessages('GR', 'T27', 0, AT);
    await stage.start(messages, true);
    await stage.seen('document', '/40/0001/portal.bml');
    await until('the focus', async () => (await stage.colours([41, 140]))[0] === FOCUS);
    await stage.press(KEY.down);
    await until('the next one', async () => (await stage.colours([41, 216]))[0] === FOCUS);
    for (const [key, address] of [
      [KEY.blue, '/40/0003/weather.bml'],
      [KEY.red, '/60/0000/news.bml'],
      [KEY.green, '/61/0000/score.bml'],
      [KEY.yellow, '/40/0005/settings.bml'],
    ] as const) {
      await stage.press(key);
      await stage.seen('document', address);
      await until('its focus', async () => (await stage.events()).at(-1)?.[0] !== 'document');
      await stage.press(KEY.back);
      await until(
        'the portal again',
        async () =>
          (await stage.events()).findLast(([kind]) => kind === 'document')?.[1] === '/40/0001/portal.bml',
      );
    }
    const used = (await stage.events()).flatMap(([kind, groups]) =>
      kind === 'usedKeys' ? [String(groups)] : [],
    );
    expect(used).toContain('basic,data-button,numeric-tuning');
    expect(await stage.logs()).toEqual([]);
    expect(
      await stage.page.evaluate(() => localStorage.getItem('svc_bml_own_gr/network-32744/local/0')),
    ).not.toBeNull();
  });

  test('a station in standard definition has the plane 720x480', async () => {
    const { messages } = stationMessages('GR', 'T27', 1, AT);
    await stage.start(messages, true);
    await stage.seen('document', '/40/0001/portal.bml');
    const planes = async (): Promise<unknown[]> =>
      (await stage.events()).flatMap(([kind, plane]) => (kind === 'plane' ? [plane] : []));
    await until('a plane', async () => (await planes()).length > 0);
    expect(await planes()).toContainEqual(expect.objectContaining({ width: 720, height: 480 }));
  });

  test('a font that arrives late is used', async () => {
    const body =
      '<p style="left:0px; top:0px; width:960px; height:200px; font-size:36px; color-index:7">ABCDEFGHIJKLMNOPQRSTUVWXYZ gjpqy</p>';
    await stage.start(broadcast({ 'startup.bml': page('', body) }));
    await stage.seen('phase', 'shown');
    const shown = async (): Promise<string> => (await stage.page.screenshot()).toString('base64');
    const substitute = await shown();
    stage.releaseFont();
    await until('other letters', async () => (await shown()) !== substitute);
  });

  describe('attacks', () => {
    test('1, 2, 3: markup, handlers, styles and names of a document do nothing in the page', async () => {
      const body = `
<iframe srcdoc="&lt;script&gt;parent.pwned=1&lt;/script&gt;"></iframe><svg onload="pwned=1"/><img src="/evil" onerror="pwned=1"/>
<object data="javascript:pwned=1" type="image/jpeg"/><object data="http://evil.test/a" type="image/jpeg"/>
<link rel="import" href="/evil"/><link rel="stylesheet" href="/evil.css"/><meta http-equiv="refresh" content="0;url=/evil"/><base href="/evil/"/>
<p id="location" onclick="location='/evil'" style="background:url(/evil); background-image:url(/evil); content:url(/evil); behavior:url(/evil); width:expression(pwned=1)">a</p>
<p id="constructor">b</p><p id="__proto__">c</p><style><![CDATA[@import "/evil"; p { background-image: url(/evil) }]]></style>`;
      const script =
        'var __proto__ = 1; var constructor = 2; function load() { document.getElementById("__proto__").firstChild.data = "x"; "".constructor.constructor("return 1")(); }';
      await stage.start(broadcast({ 'startup.bml': page(script, body) }));
      await stage.seen('phase', 'shown');
      expect(
        await stage.page.evaluate(() => [
          Object.hasOwn(globalThis, 'pwned'),
          location.pathname,
          document.body.childElementCount,
        ]),
      ).toEqual([false, '/', 2]);
      expect(stage.requests.filter((path) => path !== '/bml.mjs' && !path.startsWith('/api/font/'))).toEqual(
        [],
      );
      expect(await stage.page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
    });

    test.each([
      ['5: an endless loop', 'function load() { while (true); }', 'busy'],
      [
        '5: a loop of large tables',
        'function load() { while (true) new BinaryTable("t.tbl", "0,U:1b,U:7b"); }',
        'busy',
      ],
      ['6: a text that doubles', 'function load() { var s = "x"; while (true) s += s; }', 'memory'],
      [
        '6: properties without end',
        'function load() { var a = new Array(); for (var i = 0; ; i++) a["p" + i] = i; }',
        'memory',
      ],
    ])('%s ends with a reason, and the page stays free', async (_, script, reason) => {
      const before = await stage.mainThreadMs();
      const files = { 'startup.bml': page(script), 't.tbl': new Uint8Array(200_000) };
      await stage.start(broadcast(files));
      expect(await stage.ended()).toBe(reason);
      // 4 s of scripts, of which the page's thread has almost nothing.
      expect((await stage.mainThreadMs()) - before).toBeLessThan(500);
      await isAlive();
    });

    test('7: a flood of style writes, and launches in a loop, leave the page free', async () => {
      const flood =
        'function load() { browser.setInterval("f();", 50, 0); } function f() { var s = document.getElementById("a").normalStyle; for (var i = 0; i < 4000; i++) { s.left = i + "px"; s.colorIndex = i % 100; } }';
      const before = await stage.mainThreadMs();
      await stage.start(broadcast({ 'startup.bml': page(flood, '<p id="a">x</p>') }));
      await stage.seen('phase', 'shown');
      const since = performance.now();
      await until('two seconds of it', () => performance.now() - since > 2000);
      await stage.start(
        broadcast({
          'startup.bml': page('function load() { browser.launchDocument("/40/0000/startup.bml"); }'),
        }),
      );
      const launched = performance.now();
      await until('three seconds of launches', () => performance.now() - launched > 3000);
      const launches = (await stage.events()).filter(([kind]) => kind === 'document').length;
      expect(launches).toBeLessThanOrEqual(16);
      expect((await stage.mainThreadMs()) - before).toBeLessThan(1500);
      await isAlive();
    });

    test('8: a document of 1 MB with 10,000 elements, 10,000 deep, and an entity bomb is shown', async () => {
      const bomb = '<!DOCTYPE bml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
      const body = `${'<div>'.repeat(10_000)}${'</div>'.repeat(10_000)}${'<p style="width:9px;height:9px">&b;&b;</p>'.repeat(10_000)}<p id="${'i'.repeat(500_000)}">${'あ'.repeat(100_000)}</p>`;
      await stage.start(broadcast({ 'startup.bml': bomb + page('', body) }));
      await stage.seen('phase', 'shown');
      expect((await stage.logs()).some((line) => line.includes('too large'))).toBe(true);
      await isAlive();
    });

    test('9, 10: pictures, glyphs and sounds that lie about their size', async () => {
      const u32 = (value: number): number[] => [
        value >>> 24,
        (value >> 16) & 255,
        (value >> 8) & 255,
        value & 255,
      ];
      const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
      const chunk = (type: string, data: number[]): number[] => [
        ...u32(data.length),
        ...Buffer.from(type),
        ...data,
        0,
        0,
        0,
        0,
      ];
      const header = (side: number): number[] => chunk('IHDR', [...u32(side), ...u32(side), 8, 3, 0, 0, 0]);
      const zeros = [...Bun.deflateSync(new Uint8Array(64 << 20), { level: 9 })];
      const file = (...parts: number[][]): Uint8Array => Uint8Array.from([...png, ...parts.flat()]);
      const files = {
        'startup.bml': page(
          'function load() { browser.loadDRCS("g.drc"); for (var i = 0; i < 50; i++) { browser.playRomSound("romsound://" + i % 14); document.getElementById("s").streamStatus = "stop"; document.getElementById("s").streamStatus = "play"; } }',
          `${['huge.png', 'bomb.png', 'cut.png', 'svg.png', 'html.png', 'bad.jpg'].map((name) => `<object style="width:9px; height:9px" type="image/jpeg" data="${name}"/>`).join('')}<object id="s" type="audio/X-arib-aiff" data="lie.aif"/><object id="m" type="image/X-arib-mng" data="lie.mng" streamstatus="play"/>`,
        ),
        'huge.png': file(header(65_535), chunk('IDAT', [1]), chunk('IEND', [])),
        'bomb.png': file(header(16), chunk('IDAT', zeros), chunk('IEND', [])),
        'cut.png': file([0xff, 0xff, 0xff, 0xff, ...Buffer.from('IHDR')]),
        'svg.png':
          '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.pwned=1"><image href="/evil"/></svg>',
        'html.png': '<html><script>parent.pwned=1</script></html>',
        'bad.jpg': Uint8Array.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0x4e, 0x20, 0x4e, 0x20, 1, 0, 0, 0]),
        'lie.aif': Uint8Array.from([
          ...Buffer.from('FORM'),
          ...u32(0xffffffff),
          ...Buffer.from('AIFFCOMM'),
          ...u32(0xffffffff),
        ]),
        'lie.mng': Uint8Array.from([0x8a, ...png.slice(1), ...chunk('MHDR', new Array(28).fill(255))]),
        'g.drc': Uint8Array.from([255, ...new Array(60_000).fill(255)]),
      };
      await stage.start(broadcast(files));
      await stage.seen('phase', 'shown');
      await isAlive();
      expect(stage.requests.filter((path) => path.includes('evil'))).toEqual([]);
    });

    test('11, 13: carousels that flap and messages that are malformed', async () => {
      await stage.start(broadcast({ 'startup.bml': page('') }));
      await stage.seen('phase', 'shown');
      const flapping = Array.from({ length: 400 }, (_, index): ResponseMessage[] => [
        {
          type: 'moduleListUpdated',
          componentId: 0x40,
          dataEventId: index % 15,
          returnToEntryFlag: index % 2 === 0,
          modules: [{ id: 0, version: index % 256, size: 0xffffffff }],
        },
        moduleMessage(0x40, 0, { 'startup.bml': page('') }, index % 256, index % 15),
      ]).flat();
      const malformed = [
        null,
        1,
        {},
        { type: 'pmt' },
        { type: 'moduleDownloaded', files: 3 },
        { type: 'esEventUpdated', events: [{}] },
        { type: '__proto__' },
      ];
      await stage.data(...flapping, ...(malformed as unknown as ResponseMessage[]));
      await isAlive();
    });

    test('14: the page leaves at once, whatever the document does', async () => {
      await stage.start(broadcast({ 'startup.bml': page('while (true);') }));
      await stage.page.evaluate(() => bmlStage.close());
      const count = (await stage.events()).length;
      await isAlive();
      expect(count).toBeLessThan(5);
    });

    test('16: storage that is full is told, and nothing outside of the own prefix is touched', async () => {
      await stage.page.evaluate(() => {
        localStorage.setItem('other', 'x');
        Storage.prototype.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      });
      const script =
        'function load() { var a = new Array(1); a[0] = 1; browser.writePersistentArray("nvram://local/1", "U:1B", a); browser.writePersistentArray("nvram://7FE1;local/1", "U:1B", a); browser.writePersistentArray("nvram://../other", "U:1B", a); }';
      await stage.start(broadcast({ 'startup.bml': page(script) }));
      await until('the log', async () => (await stage.logs()).some((line) => line.includes('full')));
      expect(
        await stage.page.evaluate(() => [
          localStorage.getItem('other'),
          Object.keys(localStorage).filter((key) => key.includes('32737') || key.includes('..')),
        ]),
      ).toEqual(['x', []]);
    });
  });

  test('a document of a server with its files, by the worker, which loads nothing else', async () => {
    const site = 'http://www.example.jp/news/';
    const png = Buffer.from(symbolPng('sun', 64, true));
    const files: Record<string, readonly [type: string, body: string | Uint8Array]> = {
      [`${site}top.bml`]: [
        'text/X-arib-bml; charset="EUC-JP"',
        page(
          'function load() { paint(); }',
          '<div id="box"/><object id="o" type="image/X-arib-png" data="sun.png" style="left:100px; top:0px; width:64px; height:64px"/>',
          'onload="load();"',
          '<link rel="stylesheet" type="text/css" href="style.css"/><script src="script.ecm"/>',
        ),
      ],
      [`${site}style.css`]: [
        'text/css',
        '#box { left:0px; top:0px; width:50px; height:50px; background-color-index:1 }',
      ],
      [`${site}script.ecm`]: [
        'text/X-arib-ecmascript',
        'function paint() { document.getElementById("box").normalStyle.backgroundColorIndex = "2"; }',
      ],
      [`${site}sun.png`]: ['image/X-arib-png', png],
    };
    stage.proxy = (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const url = searchParams.get('url') ?? '';
      const [type, body] = pathname === '/api/bml/proxy' ? (files[url] ?? []) : [];
      if (type === undefined || body === undefined || request.headers.get('sec-fetch-dest') !== 'empty')
        return new Response(null, { status: 403 });
      return new Response(new Uint8Array(typeof body === 'string' ? encodeEucJp(body) : body), {
        headers: {
          'content-type': 'application/octet-stream',
          'content-security-policy': 'sandbox',
          [PEER_STATUS_HEADER]: '200',
          [PEER_TYPE_HEADER]: type,
          [PEER_URL_HEADER]: url,
        },
      });
    };
    await stage.start(
      broadcast({ 'startup.bml': page(`function load() { browser.launchDocument("${site}top.bml"); }`) }),
      false,
      true,
    );
    await stage.seen('document', `${site}top.bml`);
    // Green by the script over the red of the sheet; then the picture, which has colours of its own.
    await until('the script and the sheet', async () => (await stage.colours([25, 25]))[0] === '0,255,0');
    await until('the picture', async () => (await stage.colours([132, 32]))[0] !== PICTURE);
    expect(stage.requests.filter((path) => !path.startsWith('/api/bml/proxy')).sort()).toEqual([
      '/api/font/svc-font.woff2',
      '/bml.mjs',
    ]);
    const events = (await stage.events()).filter(
      ([kind]) => kind === 'communication' || kind === 'launchFailed',
    );
    expect(events.slice(0, 2)).toEqual([
      ['communication', true],
      ['communication', false],
    ]);
  });

  test('of a server that hangs, nothing is left when the viewer leaves', async () => {
    const ended = Promise.withResolvers<void>();
    stage.proxy = (request) =>
      new Promise(() => request.signal.addEventListener('abort', () => ended.resolve()));
    await stage.start(
      broadcast({
        'startup.bml': page('function load() { browser.launchDocument("http://www.example.jp/"); }'),
      }),
      false,
      true,
    );
    await stage.seen('communication', true);
    await stage.page.evaluate(() => bmlStage.close());
    await ended.promise;
  });
});
