/**
 * The data broadcast in Chromium: size of the engine, time from the last module to the picture, what a running document
 * costs the page's main thread, and memory over 100 changes of documents. Synthetic stations, without the live socket.
 *
 *   npm run bench bml
 */
import type { CDPSession } from 'playwright-core';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { KEY } from '../../web/bml/engine/keys.ts';
import { until } from '../until.ts';
import { BmlStage, stationMessages } from '../web/bml-stage.ts';
import { Figures, quantile } from './guide/figures.ts';

const AT = Date.UTC(2026, 10, 26, 3, 30);
const MAX_KB = 150;
const MAX_PICTURE_MS = 300;
const MAX_TASK_MS = 8;
const MAX_GROWTH_MB = 2;
const CHANGES = 100;
const RUN_MS = 10_000;
const ROUNDS = 5;
const PORTAL = '/40/0001/portal.bml';

const figures = new Figures();

async function engineKb(): Promise<number> {
  const built = await Bun.build({
    entrypoints: ['web/bml/bml.worker.ts'],
    target: 'browser',
    format: 'esm',
    minify: true,
  });
  const [output] = built.outputs;
  return output === undefined ? Number.NaN : Bun.gzipSync(await output.arrayBuffer()).length / 1000;
}

/** From the module of the portal, which the station's first document waits for, to its picture. */
async function pictureMs(stage: BmlStage): Promise<number> {
  const { messages } = stationMessages('GR', 'T27', 0, AT);
  const isPortal = (message: ResponseMessage): boolean =>
    message.type === 'moduleDownloaded' && message.componentId === 0x40 && message.moduleId === 1;
  await stage.start(
    messages.filter((message) => !isPortal(message)),
    true,
  );
  await stage.seen('phase', 'hidden');
  return stage.page.evaluate(
    (portal) =>
      new Promise<number>((resolve) => {
        const since = performance.now();
        bmlStage.data(portal);
        const check = (): void => {
          const isShown = bmlStage.events.some(([kind, phase]) => kind === 'phase' && phase === 'shown');
          if (isShown) resolve(performance.now() - since);
          else setTimeout(check, 1);
        };
        check();
      }),
    messages.filter(isPortal),
  );
}

/** While a document runs: the longest time in which the page's main thread did not answer, and its processor time. */
async function mainThread(stage: BmlStage): Promise<{ longest: number; share: number }> {
  const before = await stage.mainThreadMs();
  await stage.page.waitForTimeout(RUN_MS);
  const share = ((await stage.mainThreadMs()) - before) / RUN_MS;
  const longest = await stage.page.evaluate(
    (ms) =>
      new Promise<number>((resolve) => {
        const until = performance.now() + ms;
        const channel = new MessageChannel();
        let last = performance.now();
        const gaps: number[] = [];
        channel.port1.onmessage = () => {
          const now = performance.now();
          gaps.push(now - last);
          last = now;
          if (now < until) setTimeout(() => channel.port2.postMessage(0), 0);
          else resolve(gaps.sort((a, b) => a - b)[Math.floor(gaps.length * 0.99)] ?? 0);
        };
        channel.port2.postMessage(0);
      }),
    RUN_MS,
  );
  return { longest, share };
}

/** Used heap of the engine's worker after a collection, MB. */
class WorkerHeap {
  #session = '';
  #id = 0;
  readonly #answers = new Map<number, (result: { usedSize?: number }) => void>();

  constructor(private readonly page: CDPSession) {
    page.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') this.#session = sessionId;
    });
    page.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { id?: number; result?: { usedSize?: number } };
      if (id !== undefined) this.#answers.get(id)?.(result ?? {});
    });
  }

  async attach(): Promise<void> {
    await this.page.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
    await until('the worker', () => this.#session !== '');
  }

  #send(method: string): Promise<{ usedSize?: number }> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, resolve);
      this.page
        .send('Target.sendMessageToTarget', {
          sessionId: this.#session,
          message: JSON.stringify({ id, method }),
        })
        .catch(reject);
    });
  }

  async megabytes(): Promise<number> {
    for (let round = 0; round < 3; round++) await this.#send('HeapProfiler.collectGarbage');
    return ((await this.#send('Runtime.getHeapUsage')).usedSize ?? Number.NaN) / 1e6;
  }
}

const stage = await BmlStage.open();
const kb = await engineKb();
figures.limited('engine, gzip', kb, 'kB', MAX_KB);

const times: number[] = [];
for (let round = 0; round < ROUNDS; round++) times.push(await pictureMs(stage));
figures.limited(`last module to picture, median of ${ROUNDS}`, quantile(times, 0.5), 'ms', MAX_PICTURE_MS);

const { longest, share } = await mainThread(stage);
figures.limited('answer of the main thread, p99', longest, 'ms', MAX_TASK_MS);
figures.note('processor time of the main thread', share * 100, '%');

const heap = new WorkerHeap(await stage.page.context().newCDPSession(stage.page));
await heap.attach();
const documents = async (): Promise<number> =>
  (await stage.events()).filter(([kind]) => kind === 'document').length;
async function change(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const before = await documents();
    await stage.press(index % 2 === 0 ? KEY.blue : KEY.back);
    await until('the next document', async () => (await documents()) > before);
  }
}
await change(20);
const first = await heap.megabytes();
await change(CHANGES);
const growth = (await heap.megabytes()) - first;
figures.limited(
  `memory over ${CHANGES} documents, more than ${first.toFixed(1)} MB`,
  growth,
  'MB',
  MAX_GROWTH_MB,
);
const last = (await stage.events()).findLast(([kind]) => kind === 'document')?.[1];
if (last !== PORTAL) throw new Error(`the last document is ${String(last)}`);
await stage.close();
process.exit(figures.failed ? 1 : 0);
