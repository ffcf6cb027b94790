/** Runs data broadcasts in Chromium: the page's session and the real worker, without the rest of the UI. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { TICKS_PER_SECOND } from '../../synth/clock.ts';
import { stationPages } from '../../synth/data/pages.ts';
import { placeChannel } from '../../synth/scenario/layout.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import { until } from '../until.ts';
import type { StageEvent } from './bml-stage-page.ts';
import { sharedBrowser } from './browser.ts';

const ROOT = join(import.meta.dir, '..', '..');
const COMPONENTS = [0x40, 0x60, 0x61];
/** The policy of the service (`src/http/headers.ts`), as far as it concerns scripts and requests. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' blob:";
const DOCUMENT =
  '<!doctype html><style>body{margin:0;background:#448844}canvas{width:960px;height:540px;display:block}</style><canvas></canvas><script src="page.js"></script>';

interface StationMessages {
  /** In which manner its first document waits for d. */
  readonly opening: string | undefined;
  readonly messages: ResponseMessage[];
}

/** All that a viewer of a synthetic station receives when it joins. */
export function stationMessages(
  type: 'GR' | 'BS' | 'CS',
  channelName: string,
  index: number,
  at: number,
): StationMessages {
  const channel = findChannel(loadScenario('default'), type, channelName);
  const station = placeChannel(channel).stations[index];
  const pages = station === undefined ? null : stationPages(channel, station.plan);
  if (station === undefined || pages === null) throw new Error(`no pages: ${channelName} ${index}`);
  const ticks = (at / 1000) * TICKS_PER_SECOND;
  const networkId = type === 'GR' ? 0x7fe8 : type === 'BS' ? 4 : 7;
  const messages: ResponseMessage[] = [
    {
      type: 'pmt',
      components: COMPONENTS.map((componentId) => ({
        pid: 0x100 + componentId,
        componentId,
        streamType: 0x0d,
        dataComponentId: 0x0c,
        bxmlInfo: null,
      })),
    },
    {
      type: 'programInfo',
      networkId,
      transportStreamId: 0x7fe8,
      serviceId: 1024,
      eventId: 1,
      startAt: at,
      durationMs: 1_800_000,
      name: null,
    },
    {
      type: 'bit',
      networkId,
      affiliations: [1, 2, 3, 4, 5, 6, 7, 8, 9],
      broadcasterId: type === 'GR' ? 255 : 1,
      terrestrialBroadcasterId: null,
    },
  ];
  for (const componentId of COMPONENTS) {
    const modules = pages.modules(componentId, ticks);
    messages.push({
      type: 'moduleListUpdated',
      componentId,
      dataEventId: 15,
      returnToEntryFlag: false,
      modules: modules.map(({ id, version, bytes }) => ({ id, version, size: bytes.length })),
    });
    for (const { id, version, resources } of modules)
      messages.push({
        type: 'moduleDownloaded',
        componentId,
        dataEventId: 15,
        moduleId: id,
        version,
        files: resources.map(({ name, type: contentType, bytes }) => ({
          contentLocation: name === '' ? null : name,
          contentType,
          dataBase64: Buffer.from(bytes).toString('base64'),
        })),
      });
  }
  messages.push({ type: 'currentTime', at });
  return { opening: station.plan.opening, messages };
}

/** Latin letters only, which is enough to see that it is used. */
const FONT = join(ROOT, 'node_modules/@fontsource/kosugi-maru/files/kosugi-maru-latin-400-normal.woff2');

export class BmlStage {
  /** Addresses that the browser asked for. */
  readonly requests: string[] = [];
  /** What the service's proxies answer; none if not given. */
  proxy: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly #folder: string;
  readonly #server: Bun.Server<undefined>;
  readonly #metrics: CDPSession;

  private constructor(
    readonly page: Page,
    metrics: CDPSession,
    folder: string,
    server: Bun.Server<undefined>,
    /** Lets the font of documents arrive. */
    readonly releaseFont: () => void,
  ) {
    this.#metrics = metrics;
    this.#folder = folder;
    this.#server = server;
    page.on('request', (request) => this.requests.push(new URL(request.url()).pathname));
  }

  static async open(): Promise<BmlStage> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bml-'));
    const files = [
      ['test/web/bml-stage-page.ts', 'page.js'],
      ['web/bml/bml.worker.ts', 'bml.mjs'],
    ] as const;
    for (const [source, name] of files)
      await Bun.build({
        entrypoints: [join(ROOT, source)],
        outdir: folder,
        target: 'browser',
        minify: true,
        naming: { entry: name },
      });
    const font = Promise.withResolvers<void>();
    const server = Bun.serve({
      port: 0,
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        const headers = { 'content-security-policy': POLICY };
        if (pathname === '/')
          return new Response(DOCUMENT, { headers: { ...headers, 'content-type': 'text/html' } });
        // Like a slow network: it arrives when the test says so.
        if (pathname.startsWith('/api/font/'))
          return font.promise.then(() => new Response(Bun.file(FONT), { headers }));
        if (pathname.startsWith('/api/bml/') && stage.proxy !== undefined) return stage.proxy(request);
        const known = files.find(([, name]) => pathname === `/${name}`);
        if (known === undefined) return new Response(null, { status: 404 });
        return new Response(Bun.file(join(folder, known[1])), {
          headers: { ...headers, 'content-type': 'text/javascript' },
        });
      },
    });
    const context = await (await sharedBrowser()).newContext({ viewport: { width: 960, height: 540 } });
    const page = await context.newPage();
    const metrics = await context.newCDPSession(page);
    await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
    const stage: BmlStage = new BmlStage(page, metrics, folder, server, () => font.resolve());
    await page.goto(`http://localhost:${server.port}/`);
    return stage;
  }

  /** A session that has received these messages. */
  async start(
    messages: readonly ResponseMessage[],
    isDataKeyPressed = false,
    network = false,
  ): Promise<void> {
    this.requests.length = 0;
    await this.page.evaluate(
      ([all, isPressed, isOn]) => {
        const abilities = { network: isOn, applications: false };
        bmlStage.open({ isDataKeyPressed: isPressed, abilities });
        bmlStage.data(all);
      },
      [[...messages], isDataKeyPressed, network] as const,
    );
  }

  async data(...messages: ResponseMessage[]): Promise<void> {
    await this.page.evaluate((all) => bmlStage.data(all), messages);
  }

  async press(code: number): Promise<void> {
    await this.page.evaluate((key) => bmlStage.press(key), code);
  }

  async events(): Promise<StageEvent[]> {
    return this.page.evaluate(() => bmlStage.events);
  }

  /** Waits for an event with that name whose first detail is `detail`. */
  async seen(name: string, detail: string | boolean): Promise<void> {
    await until(`${name} ${detail}`, async () =>
      (await this.events()).some(([kind, first]) => kind === name && first === detail),
    );
  }

  /** Waits until the session has ended. @returns why */
  async ended(): Promise<unknown> {
    await this.seen('phase', 'ended');
    return (await this.events()).find(([kind, first]) => kind === 'phase' && first === 'ended')?.[2];
  }

  async logs(): Promise<string[]> {
    return (await this.events()).flatMap(([kind, text]) => (kind === 'log' ? [String(text)] : []));
  }

  /** `r,g,b` of places of the screen. */
  async colours(...places: readonly (readonly [x: number, y: number])[]): Promise<string[]> {
    const png = (await this.page.screenshot()).toString('base64');
    return this.page.evaluate(
      async ([base64, points]) => {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context?.drawImage(bitmap, 0, 0);
        return points.map(([x, y]) => [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join());
      },
      [png, places] as const,
    );
  }

  /** Processor time of the page's main thread so far, ms. */
  async mainThreadMs(): Promise<number> {
    const { metrics } = await this.#metrics.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  }

  async close(): Promise<void> {
    await this.page.context().close();
    await this.#server.stop(true);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
