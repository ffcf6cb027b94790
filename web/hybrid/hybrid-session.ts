/**
 * An application that an AIT controls, on the page's side: its documents one after the other, each in a frame of its own, and
 * everything that they ask for. Nothing is done without a check here: the boundary of its AIT for each address, the bits of its
 * permission_bitmap for each call, and bounds for messages, octets and documents.
 */
import type { ControlledApplication } from '../../lib/arib/application/application.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import type { ApplicationStart, NetworkFault, VideoRectangle } from '../bml/bml-messages.ts';
import type { Confirmation, NetworkAnswer } from '../bml/engine/network.ts';
import { ApplicationFrame, type FrameFault } from './application-frame.ts';
import { FIRST_KEY_SET, takesKey, WHOLE_KEY_SET } from './application-keys.ts';
import { type ApplicationIds, ApplicationStorage } from './application-storage.ts';
import {
  Boundary,
  type FoundApplication,
  findApplication,
  isStopped,
  type Permission,
  type StartFault,
} from './find-application.ts';
import {
  type ApplicationFacts,
  type CurrentEvent,
  type FetchMessage,
  type FrameMessage,
  PLANE,
  type Rectangle,
  type Region,
} from './hybrid-messages.ts';

/** The font of the receiver, for frames that cannot fetch it. */
const FONT = 'api/font/svc-font.woff2';
/** Without it the application is shown in fonts of the device. */
const LIMIT_MS = 3000;

let held: ArrayBuffer | undefined;

/** @param base address of the page @returns undefined: it cannot be had now */
async function receiverFont(base: string): Promise<ArrayBuffer | undefined> {
  try {
    const response = held ?? (await fetch(new URL(FONT, base), { signal: AbortSignal.timeout(LIMIT_MS) }));
    if (response instanceof Response) held = response.ok ? await response.arrayBuffer() : undefined;
  } catch {
    // The next application asks again.
  }
  return held;
}

/** Why it ended; `closed`: by itself. `outside`: an address that its AIT does not allow. `loop`: documents without end. */
export type ApplicationEnd = StartFault | FrameFault | 'closed' | 'killed' | 'outside' | 'loop' | 'slow';

interface OpenDocument {
  readonly frame: ApplicationFrame;
  readonly end: AbortController;
  /** The viewer is asked for the region. */
  asking?: Promise<boolean> | undefined;
}

/** The document that asks, as it was then: another one, perhaps of another application, may have followed. */
interface Asker {
  readonly boundary: Boundary;
  readonly signal: AbortSignal;
  answer(id: number, value: unknown, transfer?: Transferable[]): void;
}

/** From the request of its first document until it is there. */
const MAX_LOAD_MS = 25_000;
/** Documents and applications after each other; more are a loop. */
const MAX_DOCUMENTS = 8;
const DOCUMENTS_MS = 20_000;
/** Octets that an application fetches until it ends. */
const MAX_FETCHED = 64 << 20;
const MAX_CONFIRM_MS = 4000;

export interface HybridNetwork {
  get(url: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault>;
  post(url: string, body: string, signal: AbortSignal, type: string): Promise<NetworkAnswer | NetworkFault>;
  confirm(host: string, timeoutMs: number, signal: AbortSignal): Promise<Confirmation | undefined>;
}

interface HybridOptions {
  /** Into which the frames are put. */
  readonly element: HTMLElement;
  readonly base: string;
  readonly storage: Storage;
  readonly network: HybridNetwork;
  readonly found: FoundApplication;
  /** Of the station; undefined: it has none. */
  readonly signalled: readonly ControlledApplication[] | undefined;
  /** 0 to 1. */
  readonly volume: number;
  /** What the frame is called, for those who do not see it. */
  readonly title: string;
  now(): MonotonicMs;
  region(): Region;
  /** Resolves with the viewer's answer; false where `signal` withdraws the question. */
  askRegion(application: ControlledApplication, signal: AbortSignal): Promise<boolean>;
  currentEvent(): CurrentEvent | undefined;
  focusPage(): void;
  readonly handlers: {
    /** A document is there. */
    onShown(): void;
    onApplication(application: ControlledApplication): void;
    /** Undefined: nowhere. `isAbove`: nothing is to cover it. */
    onVideo(rectangle: VideoRectangle | undefined, isAbove: boolean): void;
    onEnd(reason: ApplicationEnd): void;
    onLog(text: string): void;
  };
}

const onPlane = ({ left, top, width, height }: Rectangle): VideoRectangle => ({
  left: left * PLANE.width,
  top: top * PLANE.height,
  width: width * PLANE.width,
  height: height * PLANE.height,
});

export class HybridSession {
  readonly #options: HybridOptions;
  readonly #end = new AbortController();
  #application: ControlledApplication;
  #isSignalled: boolean;
  #signalled: readonly ControlledApplication[] | undefined;
  #boundary: Boundary;
  #storage: ApplicationStorage;
  #document: OpenDocument | undefined;
  /** Of the document. */
  #url = '';
  #keySet: number = FIRST_KEY_SET;
  #volume: number;
  #isThreadShared: boolean | undefined;
  #documents: MonotonicMs[] = [];
  #fetched = 0;
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HybridOptions) {
    this.#options = options;
    const { application, isSignalled } = options.found;
    this.#application = application;
    this.#isSignalled = isSignalled;
    this.#signalled = options.signalled;
    this.#volume = options.volume;
    this.#boundary = new Boundary(application);
    this.#storage = this.#openStorage();
    void this.#open(application.url ?? '');
  }

  get #ids(): ApplicationIds {
    const { organizationId, applicationId } = this.#application;
    return { organisation: organizationId, application: applicationId };
  }

  #openStorage(): ApplicationStorage {
    const { storage, handlers } = this.#options;
    const url = this.#application.url ?? '';
    const origin = URL.canParse(url) ? new URL(url).origin : '';
    return new ApplicationStorage(storage, { ...this.#ids, origin }, () =>
      handlers.onLog('the storage of the browser is full'),
    );
  }

  /** Whether the application takes the key. @param code of `VK` */
  takes(code: number): boolean {
    return takesKey(this.#keySet, code);
  }

  key(code: number, isDown: boolean): void {
    this.#document?.frame.send({ kind: 'key', code, isDown });
  }

  setVolume(volume: number): void {
    this.#volume = volume;
    this.#document?.frame.send({ kind: 'volume', volume });
  }

  /** The station's AIT has changed. */
  setSignalled(applications: readonly ControlledApplication[]): void {
    this.#signalled = applications;
    if (isStopped(applications, this.#application, this.#isSignalled)) this.#stop('killed');
  }

  /** Ends it at once, without `onEnd`. */
  close(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    clearTimeout(this.#late);
    this.#closeDocument();
    this.#storage.close();
  }

  #closeDocument(): void {
    this.#document?.end.abort();
    this.#document?.frame.close();
    this.#document = undefined;
  }

  #stop(reason: ApplicationEnd): void {
    if (this.#end.signal.aborted) return;
    this.close();
    this.#options.handlers.onEnd(reason);
  }

  /** @returns whether one more document may be opened now */
  #count(): boolean {
    const now = this.#options.now();
    this.#documents = [...this.#documents.filter((at) => now - at < DOCUMENTS_MS), now];
    return this.#documents.length <= MAX_DOCUMENTS;
  }

  async #open(address: string): Promise<void> {
    const { network, handlers, title, base } = this.#options;
    if (!this.#count()) return this.#stop('loop');
    const url = this.#boundary.allowed(address)?.href;
    if (url === undefined) return this.#stop('outside');
    this.#closeDocument();
    clearTimeout(this.#late);
    this.#late = setTimeout(() => this.#stop('slow'), MAX_LOAD_MS);
    this.#url = url;
    this.#keySet = FIRST_KEY_SET;
    handlers.onVideo(undefined, false);
    const end = new AbortController();
    const frame = this.#makeFrame(url, title, end.signal);
    this.#document = { frame, end };
    const received = network.get(url, end.signal);
    const [isReady, answer, font] = await Promise.all([frame.ready, received, receiverFont(base)]);
    if (!isReady || end.signal.aborted) return undefined;
    if (typeof answer === 'string') return this.#stop(answer);
    if (answer.status !== 200) return this.#stop('missing');
    const final = this.#boundary.allowed(answer.url || url)?.href;
    if (final === undefined) return this.#stop('outside');
    this.#url = final;
    this.#isThreadShared ??= await frame.isThreadShared();
    if (end.signal.aborted) return undefined;
    const html = new TextDecoder(charsetOf(answer.type)).decode(answer.bytes);
    frame.send({ kind: 'document', url: final, html, font, facts: this.#facts(this.#isThreadShared) });
    return undefined;
  }

  /** @param signal aborted with the document: what is answered later belongs to nobody */
  #makeFrame(url: string, title: string, signal: AbortSignal): ApplicationFrame {
    const { element, base, now, focusPage, handlers } = this.#options;
    const boundary = this.#boundary;
    const answer = (id: number, value: unknown, transfer?: Transferable[]): void => {
      if (!signal.aborted) frame.send({ kind: 'answer', id, answer: value }, transfer);
    };
    const host = {
      ...{ element, base, now, focusPage },
      onLog: handlers.onLog,
      onMessage: (message: FrameMessage) => {
        if (!signal.aborted) this.#take(message, { boundary, signal, answer });
      },
      onFault: (fault: FrameFault) => this.#stop(fault),
    };
    const frame = new ApplicationFrame(host, this.#ids, url, title);
    return frame;
  }

  #facts(isThreadShared: boolean): ApplicationFacts {
    const { control, autostartPriority, boundaries } = this.#application;
    return {
      ...this.#ids,
      controlCode: control.toUpperCase(),
      autostartPriority,
      boundaries,
      canStore: this.#permits('storage'),
      stored: this.#permits('storage') ? this.#storage.values : {},
      region: this.#storage.regionConsent === true ? this.#options.region() : undefined,
      isThreadShared,
      volume: this.#volume,
    };
  }

  #permits(permission: Permission): boolean {
    return this.#boundary.permits(this.#url, permission);
  }

  #take(message: FrameMessage, asker: Asker): void {
    const { handlers } = this.#options;
    switch (message.kind) {
      case 'loaded':
        clearTimeout(this.#late);
        handlers.onShown();
        break;
      case 'fetch':
        void this.#fetch(message, asker).then(
          (answer) => asker.answer(message.id, answer, answer === undefined ? [] : [answer.bytes]),
          () => asker.answer(message.id, undefined),
        );
        break;
      case 'keySet':
        this.#keySet = message.keySet & WHOLE_KEY_SET;
        break;
      case 'video': {
        if (!this.#permits('broadcast')) break;
        const { rectangle, isCovered } = message;
        const isAbove = !isCovered || !this.#permits('overPicture');
        handlers.onVideo(rectangle === undefined ? undefined : onPlane(rectangle), isAbove);
        break;
      }
      case 'currentEvent':
        asker.answer(message.id, this.#permits('currentEvent') ? this.#options.currentEvent() : undefined);
        break;
      case 'confirm':
        void this.#confirm(message.id, message.host, asker);
        break;
      case 'region':
        void this.#region(message.id, asker);
        break;
      case 'store':
        if (!this.#permits('storage') || !this.#storage.write(message.key, message.value))
          handlers.onLog('a value of the application was not stored');
        break;
      case 'clearStore':
        if (this.#permits('storage')) this.#storage.clear();
        break;
      case 'navigate':
        if (this.#boundary.allowed(message.url) === undefined)
          handlers.onLog(`outside of the boundary: ${message.url.slice(0, 200)}`);
        else void this.#open(message.url);
        break;
      case 'replace':
        void this.#replace(
          {
            organisation: message.ids?.organisation,
            application: message.ids?.application,
            aitUrl: message.aitUrl,
          },
          asker,
        );
        break;
      case 'destroy':
        this.#stop('closed');
        break;
      case 'log':
        handlers.onLog(message.text);
        break;
    }
  }

  /** Undefined: refused, or it failed. */
  async #fetch({ url: address, body }: FetchMessage, { boundary, signal }: Asker) {
    const { network, handlers } = this.#options;
    const url = boundary.allowed(address)?.href;
    if (url === undefined || this.#fetched > MAX_FETCHED) {
      handlers.onLog(
        `${url === undefined ? 'outside of the boundary' : 'too much was fetched'}: ${address.slice(0, 200)}`,
      );
      return undefined;
    }
    const answer =
      body === undefined
        ? await network.get(url, signal)
        : await network.post(url, body.text, signal, body.type);
    if (typeof answer === 'string') {
      handlers.onLog(`${answer}: ${url.slice(0, 200)}`);
      return undefined;
    }
    this.#fetched += answer.bytes.length;
    // After redirects.
    if (boundary.allowed(answer.url || url) === undefined) {
      handlers.onLog(`redirected out of the boundary: ${url.slice(0, 200)}`);
      return undefined;
    }
    const bytes = answer.bytes.buffer as ArrayBuffer;
    return { status: answer.status, contentType: answer.type ?? 'application/octet-stream', bytes };
  }

  async #confirm(id: number, host: string, { boundary, signal, answer: tell }: Asker): Promise<void> {
    const isAllowed = this.#permits('confirmNetwork') && boundary.allowsHost(host);
    const answer = isAllowed ? await this.#options.network.confirm(host, MAX_CONFIRM_MS, signal) : undefined;
    tell(id, answer === undefined ? undefined : { success: answer.isReachable, responsetime: answer.ms });
  }

  /** The viewer is asked once for each application. */
  async #region(id: number, { signal, answer }: Asker): Promise<void> {
    const [storage, document] = [this.#storage, this.#document];
    if (storage.regionConsent === undefined && document !== undefined) {
      document.asking ??= this.#options.askRegion(this.#application, signal);
      const isGiven = await document.asking;
      if (signal.aborted) return;
      document.asking = undefined;
      storage.regionConsent = isGiven;
    }
    answer(id, storage.regionConsent === true ? this.#options.region() : undefined);
  }

  /** An AIT that it names is within its boundary as well: the address may carry anything. */
  async #replace(start: ApplicationStart, { boundary, signal }: Asker): Promise<void> {
    const { network, handlers } = this.#options;
    if (!this.#count()) return this.#stop('loop');
    if (start.aitUrl !== undefined && boundary.allowed(start.aitUrl) === undefined)
      return this.#stop('outside');
    const found = await findApplication(start, this.#signalled, (url) => network.get(url, signal));
    if (signal.aborted) return undefined;
    if (typeof found === 'string') return this.#stop(found);
    this.#application = found.application;
    this.#isSignalled = found.isSignalled;
    this.#boundary = new Boundary(found.application);
    this.#storage.close();
    this.#storage = this.#openStorage();
    handlers.onApplication(found.application);
    return await this.#open(found.application.url ?? '');
  }
}

/** Of a content type; pages of televisions are in UTF-8 where they say nothing. */
function charsetOf(type: string | undefined): string {
  const [, label = 'utf-8'] = /charset\s*=\s*["']?([\w-]+)/i.exec(type ?? '') ?? [];
  return isCharset(label) ? label : 'utf-8';
}

function isCharset(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
