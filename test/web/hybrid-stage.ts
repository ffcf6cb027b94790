/**
 * Runs AIT-controlled applications in a real browser: the page's session and the real container, with a table of files in place
 * of the service's proxies. The applications report by a request, since nothing else leaves their frame.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlledApplication } from '../../lib/arib/application/application.ts';
import { PEER_STATUS_HEADER, PEER_TYPE_HEADER, PEER_URL_HEADER } from '../../lib/wire/data-broadcast.ts';
import { addSecurityHeaders } from '../../src/http/headers.ts';
import { containerResponse } from '../../src/http/hybrid-route.ts';
import { until } from '../until.ts';
import type { StageStart } from './hybrid-stage-page.ts';

const ROOT = join(import.meta.dir, '..', '..');
/** Of the applications of tests. */
export const SITE = 'http://app.example/';
const DOCUMENT =
  '<!doctype html><main tabindex="-1"></main><input id="other"><script src="page.js"></script>';

/** A browser with the stage's page. */
export interface StageBrowser {
  open(url: string): Promise<void>;
  /** @param expression its value is JSON, or a promise of JSON */
  evaluate(expression: string): Promise<unknown>;
}

interface Peer {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly status?: number;
  /** After redirects. */
  readonly url?: string;
  /** The service itself answers with this status. */
  readonly refusal?: number;
}

export const application = (more: Partial<ControlledApplication> = {}): ControlledApplication => ({
  ...{ organizationId: 17, applicationId: 34, control: 'autostart', name: 'テスト', autostartPriority: null },
  url: `${SITE}index.html`,
  boundaries: [],
  ...more,
});

export class HybridStage {
  /** Answers by address; others are 404. */
  readonly files = new Map<string, Peer>();
  /** Requests of the applications. */
  readonly asked: string[] = [];
  /** Requests that reached the service otherwise than by its proxies. */
  readonly strays: string[] = [];
  /** What the application reported, `report(…)`. */
  readonly reports: unknown[] = [];
  readonly url: string;
  readonly #server: Bun.Server<undefined>;
  readonly #folder: string;

  private constructor(
    readonly browser: StageBrowser,
    folder: string,
  ) {
    this.#folder = folder;
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => addSecurityHeaders(await this.#answer(request)),
    });
    this.url = `http://127.0.0.1:${this.#server.port}/`;
  }

  static async open(browser: StageBrowser): Promise<HybridStage> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-hybrid-'));
    const common = { outdir: folder, target: 'browser', format: 'iife' } as const;
    await Bun.build({
      ...common,
      entrypoints: [join(import.meta.dir, 'hybrid-stage-page.ts')],
      naming: { entry: 'page.js' },
    });
    await Bun.build({
      ...common,
      entrypoints: [join(ROOT, 'web/hybrid/frame/frame.ts')],
      naming: { entry: 'frame.js' },
      minify: true,
    });
    const stage = new HybridStage(browser, folder);
    await browser.open(stage.url);
    return stage;
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
    await rm(this.#folder, { recursive: true });
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case '/':
        return new Response(DOCUMENT, {
          headers: { 'content-type': 'text/html' },
        });
      case '/page.js':
        return new Response(Bun.file(join(this.#folder, 'page.js')));
      case '/api/bml/hybrid':
        return containerResponse(await Bun.file(join(this.#folder, 'frame.js')).text());
      case '/api/bml/proxy':
        return this.#peer(searchParams.get('url') ?? '');
      case '/api/bml/post':
        return this.#post(searchParams.get('url') ?? '', request);
      case '/api/bml/confirm':
        this.asked.push(`confirm ${searchParams.get('host')}`);
        return Response.json({ reachable: true, ipAddress: '203.0.113.1', responseTimeMs: 7 });
      default:
        // The page itself asks for the receiver's font; a frame without an origin would be another site.
        if (
          pathname === '/api/font/svc-font.woff2' &&
          request.headers.get('sec-fetch-site') === 'same-origin'
        )
          return new Response('not found', { status: 404 });
        this.strays.push(`${request.method} ${pathname}`);
        return new Response('not found', { status: 404 });
    }
  }

  async #post(url: string, request: Request): Promise<Response> {
    const body = await request.text();
    if (url === `${SITE}report`) {
      this.reports.push(JSON.parse(body));
      return this.#peer(url, false);
    }
    this.asked.push(`POST ${url} ${request.headers.get('content-type')} ${body.slice(0, 100)}`);
    return this.#peer(url, false);
  }

  #peer(url: string, isNoted = true): Response {
    if (isNoted) this.asked.push(url);
    const file: Peer = this.files.get(url) ?? { type: 'text/plain', body: 'not there', status: 404 };
    if (file.refusal !== undefined) return new Response('', { status: file.refusal });
    return new Response(file.body, {
      headers: {
        'content-type': 'application/octet-stream',
        [PEER_STATUS_HEADER]: String(file.status ?? 200),
        [PEER_TYPE_HEADER]: file.type,
        [PEER_URL_HEADER]: file.url ?? url,
      },
    });
  }

  html(body: string, name = 'index.html'): void {
    this.files.set(SITE + name, {
      type: 'text/html; charset=utf-8',
      body: `<!doctype html><meta charset=utf-8><script>function report(value){var request=new XMLHttpRequest();request.open('POST','${SITE}report');request.setRequestHeader('Content-Type','application/json');request.send(JSON.stringify(value))}</script><body>${body}`,
    });
  }

  /** Starts an application with this document. */
  async start(body: string, start: Partial<StageStart> = {}): Promise<void> {
    this.files.clear();
    this.html(body);
    await this.run(start);
  }

  async run(start: Partial<StageStart> = {}): Promise<void> {
    for (const list of [this.asked, this.strays, this.reports]) list.length = 0;
    await this.browser.evaluate(
      `hybridStage.start(${JSON.stringify({ application: application(), ...start })})`,
    );
  }

  /** Starts it and waits for the first report. */
  async report(body: string, start: Partial<StageStart> = {}): Promise<unknown> {
    await this.start(body, start);
    await until(() => this.reports.length > 0);
    return this.reports[0];
  }

  async state<T>(expression: string): Promise<T> {
    return (await this.browser.evaluate(expression)) as T;
  }

  /** Waits until the expression is true in the page. */
  async when(expression: string): Promise<void> {
    await until(async () => (await this.browser.evaluate(`!!(${expression})`)) === true);
  }

  async ended(): Promise<string> {
    await this.when('hybridStage.state.ended !== undefined');
    return await this.state('hybridStage.state.ended');
  }
}
