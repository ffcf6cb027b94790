/**
 * Cost of appending live video on the page's main thread: H.264 of 20 Mbit/s in fragments of 0.1 s, by a media source
 * on the main thread and by one in a worker to which the fragments are transferred. Processor time of the main thread;
 * on a processor four times as slow its longest task and the worst answer to a key press. `bun test/bench/append.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { BoxCutter } from '../../lib/mp4/boxes.ts';
import { sharedBrowser } from '../web/browser.ts';

const SECONDS = 6;
const FRAGMENT_MS = 100;
const THROTTLE = 4;
const MIME = 'video/mp4; codecs="avc1.640029"';

async function fragments(): Promise<Uint8Array[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    const file = join(folder, 'video.mp4');
    const source = `testsrc2=size=1920x1080:rate=30:duration=${SECONDS},noise=alls=30:allf=t`;
    const rate = ['-b:v', '20M', '-minrate', '20M', '-maxrate', '20M', '-bufsize', '4M', '-nal-hrd', 'cbr'];
    const video = [
      '-c:v',
      'libx264',
      '-profile:v',
      'high',
      '-level',
      '4.1',
      '-preset',
      'ultrafast',
      '-g',
      '30',
    ];
    const output = [
      '-movflags',
      'empty_moov+default_base_moof',
      '-frag_duration',
      String(FRAGMENT_MS * 1_000),
    ];
    const args = ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...video, '-pix_fmt', 'yuv420p', ...rate];
    const child = Bun.spawn(['ffmpeg', ...args, ...output, file], { stderr: 'pipe', timeout: 150_000 });
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    const parts: Uint8Array[] = [];
    let held: Uint8Array[] = [];
    for (const { type, bytes } of new BoxCutter().feed(await Bun.file(file).bytes())) {
      held.push(bytes.slice());
      if (type !== 'moov' && type !== 'mdat') continue;
      parts.push(Buffer.concat(held));
      held = [];
    }
    return parts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The source buffer, on either thread. Must be self-contained. */
const APPENDER = `
  function appender(source, mime) {
    let buffer, queue = [];
    const next = () => { if (buffer && !buffer.updating && queue.length) buffer.appendBuffer(queue.shift()); };
    source.addEventListener('sourceopen', () => {
      buffer = source.addSourceBuffer(mime);
      buffer.addEventListener('updateend', next);
      next();
    }, { once: true });
    return (bytes) => { queue.push(bytes); next(); };
  }`;

const WORKER = `${APPENDER}
  let append;
  onmessage = ({ data }) => {
    if (typeof data === 'string') {
      const source = new MediaSource();
      append = appender(source, data);
      postMessage(source.handle, [source.handle]);
    } else append(data);
  };`;

/** `nothing`: discards the fragments, to measure the rest of the page. */
type Place = 'nothing' | 'page' | 'worker';

interface Cost {
  /** Processor time of the main thread, ms per second of video. */
  readonly main: number;
  readonly longestTask: number;
  readonly longTasks: number;
  /** From a key press to the next picture of the page. */
  readonly worstKey: number;
}

async function cost(page: Page, place: Place, parts: number, throttle: number): Promise<Cost> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: throttle });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN;
  };
  await page.evaluate(async (count) => {
    const all: ArrayBuffer[] = [];
    for (let at = 0; at < count; at += 1) all.push(await (await fetch(`part/${at}`)).arrayBuffer());
    Object.assign(window, { parts: all });
  }, parts);
  const before = await busy();
  const seen = await page.evaluate(
    async ({ mime, to, everyMs }) => {
      const { parts: all } = window as unknown as { parts: ArrayBuffer[] };
      for (const old of document.querySelectorAll('video')) old.remove();
      const video = document.createElement('video');
      video.muted = true;
      document.body.append(video);
      let send = (_bytes: ArrayBuffer): void => {};
      if (to === 'worker') {
        const worker = new Worker('worker.js');
        const handle = new Promise<MediaSourceHandle>((done) => {
          worker.onmessage = ({ data }) => done(data);
        });
        worker.postMessage(mime);
        // The DOM types do not list it yet as a media source.
        video.srcObject = (await handle) as unknown as MediaSource;
        send = (bytes) => worker.postMessage(bytes, [bytes]);
      } else if (to === 'page') {
        const { appender } = window as unknown as {
          appender: (source: MediaSource, mime: string) => (bytes: ArrayBuffer) => void;
        };
        const source = new MediaSource();
        send = appender(source, mime);
        video.src = URL.createObjectURL(source);
      }
      const tasks: number[] = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration);
      }).observe({ entryTypes: ['longtask'] });
      let worstKey = 0;
      for (const bytes of all) {
        const pressed = performance.now();
        send(bytes);
        void new Promise((done) => requestAnimationFrame(done)).then(() => {
          worstKey = Math.max(worstKey, performance.now() - pressed);
        });
        if (video.paused && video.readyState >= 3) void video.play();
        await new Promise((done) => setTimeout(done, everyMs));
      }
      const buffered = video.buffered.length > 0 ? video.buffered.end(0) : 0;
      return { tasks, worstKey, buffered };
    },
    { mime: MIME, to: place, everyMs: FRAGMENT_MS },
  );
  const main = (1_000 * ((await busy()) - before)) / SECONDS;
  await session.detach();
  if (place !== 'nothing' && seen.buffered < SECONDS - 1)
    throw new Error(`${place}: only ${seen.buffered} s were buffered`);
  return {
    main,
    longTasks: seen.tasks.length,
    longestTask: Math.max(0, ...seen.tasks),
    worstKey: seen.worstKey,
  };
}

const parts = await fragments();
const html = { headers: { 'content-type': 'text/html' } };
const script = { headers: { 'content-type': 'text/javascript' } };
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return new Response(`<!doctype html><script>${APPENDER}</script>`, html);
    if (pathname === '/worker.js') return new Response(WORKER, script);
    const part = parts[Number(pathname.slice('/part/'.length))];
    return new Response(part === undefined ? null : Uint8Array.from(part), {
      status: part === undefined ? 404 : 200,
    });
  },
});
const browser = await sharedBrowser();
try {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  console.log(`${parts.length} fragments, ${((bytes * 8) / SECONDS / 1e6).toFixed(1)} Mbit/s`);
  for (const place of ['nothing', 'page', 'worker', 'nothing', 'page', 'worker'] as const) {
    const page = await browser.newPage();
    await page.goto(server.url.href);
    // Throttling itself takes processor time of the thread that it slows down.
    const { main } = await cost(page, place, parts.length, 1);
    const { longTasks, longestTask, worstKey } = await cost(page, place, parts.length, THROTTLE);
    console.log(
      `${place.padEnd(7)} main thread ${main.toFixed(1)} ms/s; / ${THROTTLE}: ${longTasks} long tasks ` +
        `(longest ${longestTask.toFixed(0)} ms), worst key ${worstKey.toFixed(0)} ms`,
    );
    await page.close();
  }
} finally {
  await browser.close();
  await server.stop(true);
}
