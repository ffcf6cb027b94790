/**
 * The script of the container (`GET /api/bml/hybrid`), which runs before anything of the application does. It gets the
 * application's document from the page, rewrites it so that everything comes by messages, writes it in its own place, and plays
 * the receiver for it. It is no border: the frame's sandbox and content security policy are, and the page checks each message.
 */
import type { HostMessage, Rectangle } from '../hybrid-messages.ts';
import { followLinks, installApi } from './application-api.ts';
import { LateElements } from './late-elements.ts';
import { installNetwork } from './network-shims.ts';
import { PageLink } from './page-link.ts';
import { BROADCAST_OBJECT, pageText } from './page-text.ts';
import { installFont } from './receiver-font.ts';
import { Resources } from './resources.ts';
import { TURN_NAME } from './script-text.ts';
import { installStorage } from './storage-shims.ts';
import { dispatchKey, installFocus } from './virtual-focus.ts';

// Where the application has the station's picture: the place of its broadcast object, and whether something covers it.

const CHECK_MS = 200;
/** Points of the picture at which it is looked what lies there, in both directions. */
const POINTS = [0.04, 0.25, 0.5, 0.75, 0.96];

/** @returns whether an element other than those around it is over the object */
function isObjectCovered(object: Element, { left, top, width, height }: DOMRect): boolean {
  return POINTS.some((x) =>
    POINTS.some((y) => {
      const found = document.elementFromPoint(left + x * width, top + y * height);
      return found !== null && found !== object && !found.contains(object);
    }),
  );
}

function place(): { readonly rectangle: Rectangle | undefined; readonly isCovered: boolean } {
  const object = document.querySelector(BROADCAST_OBJECT);
  const box = object?.getBoundingClientRect();
  if (object === null || box === undefined || box.width < 1 || box.height < 1)
    return { rectangle: undefined, isCovered: false };
  if (getComputedStyle(object).visibility !== 'visible') return { rectangle: undefined, isCovered: false };
  const part = (value: number, whole: number): number => Math.round((value / Math.max(1, whole)) * 1e5) / 1e5;
  return {
    rectangle: {
      left: part(box.left, innerWidth),
      top: part(box.top, innerHeight),
      width: part(box.width, innerWidth),
      height: part(box.height, innerHeight),
    },
    isCovered: isObjectCovered(object, box),
  };
}

/** Tells the page when it changes. */
function followPicture(link: PageLink): void {
  let sent = '';
  const check = (): void => {
    const now = place();
    const text = JSON.stringify(now);
    if (text === sent) return;
    sent = text;
    link.send({ kind: 'video', ...now });
  };
  check();
  setInterval(check, CHECK_MS);
}

// Sounds of the application are as loud as the station is.

/** Elements that played, at most. */
const MOST = 64;

let objectVolume = 1;
const playing = new Set<WeakRef<HTMLMediaElement>>();
const { play } = HTMLMediaElement.prototype;

function apply(element: HTMLMediaElement): void {
  element.volume = objectVolume;
  element.muted = objectVolume === 0;
}

HTMLMediaElement.prototype.play = function playAsLoud(this: HTMLMediaElement): Promise<void> {
  apply(this);
  if (playing.size < MOST) playing.add(new WeakRef(this));
  return play.call(this);
};

/** @param to 0 to 1 */
function followVolume(to: number): void {
  objectVolume = to;
  for (const reference of playing) {
    const element = reference.deref();
    if (element === undefined) playing.delete(reference);
    else apply(element);
  }
}

/** The page measures whether its own thread stands still meanwhile. */
const PROBE_MS = 60;
/** Loops of one task of an application that shares the page's thread; longer while its document begins. */
const TASK_MS = 80;
const FIRST_TASKS_MS = 250;
const BEGINNING_MS = 3000;
/** Turns between looks at the time. */
const TURNS = 64;

const frameQuery = new URLSearchParams(location.search);
const ids = {
  organisation: Number(frameQuery.get('organisation')),
  application: Number(frameQuery.get('application')),
};

/** Ends a loop that holds the page's thread. A task begins with its first turn, and has ended when a message comes through. */
function limitLoops(link: PageLink): void {
  const openedAt = performance.now();
  const { port1, port2 } = new MessageChannel();
  let startedAt: number | undefined;
  let turns = 0;
  let isStopped = false;
  port1.onmessage = () => {
    startedAt = undefined;
  };
  const turn = (): void => {
    turns += 1;
    if (!isStopped) {
      if (startedAt === undefined) {
        startedAt = performance.now();
        port2.postMessage(0);
      }
      if (turns % TURNS !== 0) return;
      const now = performance.now();
      if (now - startedAt < (now - openedAt < BEGINNING_MS ? FIRST_TASKS_MS : TASK_MS)) return;
      link.send({ kind: 'busy' });
    }
    // From now on in each turn, so that no loop around it goes on.
    isStopped = true;
    throw new Error('stopped: the script holds the receiver up');
  };
  Object.defineProperty(window, TURN_NAME, { value: turn });
}

function probe(link: PageLink): void {
  const end = performance.now() + PROBE_MS;
  while (performance.now() < end);
  link.send({ kind: 'probed' });
}

type ShownDocument = Extract<HostMessage, { kind: 'document' }>;

async function show(link: PageLink, { url, html, font, facts }: ShownDocument): Promise<void> {
  const resources = new Resources(link, facts.isThreadShared);
  const { html: text, base, viewport } = await pageText(html, url, resources);
  if (viewport !== undefined) link.send({ kind: 'viewport', width: viewport });
  const late = new LateElements(resources, base);
  installNetwork(link, () => base);
  installStorage(link, facts);
  installApi(link, url, facts);
  installFocus();
  followVolume(facts.volume);
  if (facts.isThreadShared) limitLoops(link);
  const { write } = document;
  document.open();
  link.listen();
  late.install();
  late.observe();
  followLinks(link);
  write.call(document, text);
  document.close();
  if (font !== undefined) installFont(font);
  followPicture(link);
  link.send({ kind: 'loaded' });
}

const link = new PageLink(location.hash.slice(1), ids, (message: HostMessage) => {
  switch (message.kind) {
    case 'probe':
      probe(link);
      break;
    case 'ping':
      link.send({ kind: 'pong' });
      break;
    case 'document':
      void show(link, message);
      break;
    case 'key':
      dispatchKey(message.code, message.isDown);
      break;
    case 'volume':
      followVolume(message.volume);
      break;
  }
});
link.send({ kind: 'ready' });
