/** The worker of the data broadcast, served as `bml.mjs`: the engine, with the browser's clock, canvas and decoders. */
import type { EngineMessage, SessionMessage, StartMessage } from './bml-messages.ts';
import { Engine } from './engine/engine.ts';
import type { TaskClock } from './engine/timers.ts';
import { decodePicture } from './picture/picture.ts';
import { ProxyNetwork } from './proxy-network.ts';
import type { TextFonts } from './view/sources.ts';

const FONT = 'svc-bml';
/** Part of the em above the baseline of that font. */
const ASCENT = 0.88;
const FRAME_MS = 1000 / 60;

/** Calls without a delay come one after another, not with the 4 ms that browsers add to nested timers. */
function createClock(): TaskClock {
  const waiting: (() => void)[] = [];
  const channel = new MessageChannel();
  channel.port1.onmessage = () => waiting.shift()?.();
  return {
    now: () => performance.now(),
    after: (ms, call) => {
      if (ms > 0) {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      }
      let isCancelled = false;
      waiting.push(() => {
        if (!isCancelled) call();
      });
      channel.port2.postMessage(undefined);
      return () => {
        isCancelled = true;
      };
    },
  };
}

function post(message: EngineMessage): void {
  if (message.kind === 'pcm')
    postMessage(message, { transfer: message.pcm.channels.map((samples) => samples.buffer) });
  else if (message.kind === 'aac') postMessage(message, { transfer: [message.bytes.buffer] });
  else postMessage(message);
}

/**
 * The font of captions also has the additional symbols of broadcasting. It is named only once it is here: a canvas that
 * has drawn with a font that is still loading may keep the substitute. Then the document is drawn again.
 */
function loadFont(address: string | undefined, loaded: () => void): TextFonts {
  let families = 'sans-serif';
  if (address !== undefined) {
    const face = new FontFace(FONT, `url(${address})`);
    face.load().then(
      () => {
        // The types of workers and pages exclude each other; both have it.
        (self as unknown as { readonly fonts: FontFaceSet }).fonts.add(face);
        families = `${FONT}, sans-serif`;
        loaded();
      },
      (error: unknown) => post({ kind: 'log', text: `font: ${String(error)}` }),
    );
  }
  return {
    get round() {
      return families;
    },
    get square() {
      return families;
    },
    ascent: ASCENT,
  };
}

function start({ canvas, font, proxies, ...rest }: StartMessage): Engine {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  const clock = createClock();
  network = new ProxyNetwork(
    {
      base: proxies,
      isRecording: rest.isRecording,
      clock,
      fetch: (address, init) => fetch(address, init),
      changed: (isRunning) => post({ kind: 'communication', isRunning }),
    },
    rest.abilities,
  );
  const engine = new Engine(
    {
      clock,
      wall: () => Date.now(),
      random: () => Math.random(),
      post,
      network,
      decode: decodePicture,
      createCanvas: (width, height) => new OffscreenCanvas(width, height),
      // Not every browser has frames in workers.
      nextFrame: (call) => {
        if (typeof requestAnimationFrame === 'function') requestAnimationFrame(call);
        else setTimeout(call, FRAME_MS);
      },
      surface: {
        resize: (width, height) => {
          canvas.width = width;
          canvas.height = height;
          return context;
        },
        clear: () => context.clearRect(0, 0, canvas.width, canvas.height),
      },
      fonts: loadFont(font, () => engine.redraw()),
    },
    rest,
  );
  return engine;
}

let running: Engine | undefined;
let network: ProxyNetwork | undefined;

function take(message: SessionMessage): void {
  if (message.kind === 'start') {
    running = start(message);
    return;
  }
  switch (message.kind) {
    case 'data':
      running?.data(message.message);
      break;
    case 'beginSnapshot':
      running?.beginSnapshot();
      break;
    case 'endSnapshot':
      running?.endSnapshot();
      break;
    case 'rate':
      running?.setRate(message.rate);
      break;
    case 'key':
      running?.key(message.code, message.isDown);
      break;
    case 'media':
      running?.setMedia(message.media);
      break;
    case 'abilities':
      if (network !== undefined) network.abilities = message.abilities;
      break;
    case 'soundEnded':
      running?.soundEnded(message.sound);
      break;
    case 'input':
      running?.link.enterText(message.text);
      break;
    case 'answer':
      running?.link.answer(message.id, message.value);
      break;
    case 'ping':
      post({ kind: 'pong' });
      break;
  }
}

/** A message that the engine cannot handle must not end the others. */
self.onmessage = ({ data }: MessageEvent<SessionMessage>) => {
  try {
    take(data);
  } catch (error) {
    post({
      kind: 'log',
      text: `engine: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    });
    if (data.kind === 'start') post({ kind: 'phase', phase: 'ended', reason: 'failed' });
  }
};
self.addEventListener('unhandledrejection', (event) => {
  post({ kind: 'log', text: `engine: ${String(event.reason)}` });
  event.preventDefault();
});
