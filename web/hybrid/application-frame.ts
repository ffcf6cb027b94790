/**
 * The frame of one document of an application: container, messages, watchdog. It is removed whatever the application does,
 * and gets a new one, with a new nonce, for its next document.
 */
import type { MonotonicMs } from '../../lib/wire/times.ts';
import type { ApplicationIds } from './application-storage.ts';
import {
  type FrameMessage,
  type HostEnvelope,
  type HostMessage,
  PLANE,
  readFrameMessage,
  VIEWPORTS,
} from './hybrid-messages.ts';

const WINDOW_MS = 1000;
/** A document with a hundred files, or a script that stores with each key. */
const MAX_MESSAGES = 500;
/** Messages with another nonce, other ids or an unknown form: an application with a fault of its own sends few. */
const MAX_REFUSED = 50;

/** `refused`: ignored. `flood`: more than an application may send. */
type Verdict = FrameMessage | 'foreign' | 'refused' | 'flood';

/**
 * Which messages of the window are the application's: from its frame, with the nonce of that frame and the application's own
 * ids, of a known form, and not more of them than the page can take.
 */
export class MessageGate {
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #refused = 0;

  constructor(
    private readonly nonce: string,
    private readonly ids: ApplicationIds,
  ) {}

  /** @param isFrames its source is the frame */
  take(isFrames: boolean, data: unknown, now: MonotonicMs): Verdict {
    if (!isFrames) return 'foreign';
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count > MAX_MESSAGES) return 'flood';
    const message = this.#read(data);
    if (message !== undefined) return message;
    this.#refused += 1;
    return this.#refused > MAX_REFUSED ? 'flood' : 'refused';
  }

  #read(data: unknown): FrameMessage | undefined {
    if (typeof data !== 'object' || data === null) return undefined;
    const { nonce, organisation, application, message } = data as Record<string, unknown>;
    if (nonce !== this.nonce) return undefined;
    if (organisation !== this.ids.organisation || application !== this.ids.application) return undefined;
    return readFrameMessage(message);
  }
}

const CONTAINER = 'api/bml/hybrid';
const PING_MS = 1000;
/** An application that is silent for longer is stuck. */
const MAX_SILENCE_MS = 5000;
/** Of the container, from the service of this home. */
const MAX_START_MS = 10_000;
const SAMPLE_MS = 4;
/** Less than the frame is busy for a probe. */
const SHARED_GAP_MS = 45;
/** The page itself may have been busy during one. */
const PROBES = 2;
/** A frame that takes the keyboard this often is not used by keys, but against them. */
const MAX_FOCUS_THEFTS = 20;

export type FrameFault = 'stuck' | 'flood' | 'focus' | 'failed';

interface FrameHost {
  readonly element: HTMLElement;
  /** Of the service's page. */
  readonly base: string;
  now(): MonotonicMs;
  onMessage(message: FrameMessage): void;
  onFault(fault: FrameFault): void;
  /** The keyboard belongs to the page again. */
  focusPage(): void;
  onLog(text: string): void;
}

function makeNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (octet) =>
    octet.toString(16).padStart(2, '0'),
  ).join('');
}

export class ApplicationFrame {
  readonly #host: FrameHost;
  readonly #frame: HTMLIFrameElement;
  readonly #nonce = makeNonce();
  readonly #gate: MessageGate;
  readonly #openedAt: MonotonicMs;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #resize: ResizeObserver;
  #width = VIEWPORTS[0] ?? 0;
  #isReady = false;
  #pingedAt: MonotonicMs | undefined;
  #thefts = 0;
  #ready = Promise.withResolvers<boolean>();
  #probed: (() => void) | undefined;
  #isClosed = false;

  constructor(host: FrameHost, ids: ApplicationIds, url: string, title: string) {
    this.#host = host;
    this.#gate = new MessageGate(this.#nonce, ids);
    this.#openedAt = host.now();
    const frame = document.createElement('iframe');
    this.#frame = frame;
    const query = new URLSearchParams({
      url,
      organisation: String(ids.organisation),
      application: String(ids.application),
    });
    frame.className = 'data-frame';
    frame.title = title;
    frame.tabIndex = -1;
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.allow = 'autoplay';
    frame.src = new URL(`${CONTAINER}?${query}#${this.#nonce}`, host.base).href;
    addEventListener('message', this.#take);
    addEventListener('blur', this.#onBlur);
    host.element.append(frame);
    this.#resize = new ResizeObserver(() => this.#scale());
    this.#resize.observe(host.element);
    this.#watch = setInterval(() => this.#check(), PING_MS);
  }

  /** Resolves once the container runs; false: it was closed before. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  send(message: HostMessage, transfer: Transferable[] = []): void {
    if (this.#isClosed) return;
    const envelope: HostEnvelope = { nonce: this.#nonce, message };
    // Its origin is opaque.
    this.#frame.contentWindow?.postMessage(envelope, '*', transfer);
  }

  /**
   * Whether the frame and the page share a thread, as in browsers that give a sandboxed frame no process of its own:
   * measured, because nothing tells it.
   */
  async isThreadShared(): Promise<boolean> {
    for (let probe = 0; probe < PROBES; probe++) if ((await this.#probe()) < SHARED_GAP_MS) return false;
    return true;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#watch);
    removeEventListener('message', this.#take);
    removeEventListener('blur', this.#onBlur);
    this.#resize.disconnect();
    this.#frame.remove();
    this.#ready.resolve(false);
    this.#probed?.();
  }

  /** @returns the longest pause of the page meanwhile, ms */
  async #probe(): Promise<number> {
    let last = this.#host.now();
    let longest = 0;
    const sample = (): void => {
      const now = this.#host.now();
      longest = Math.max(longest, now - last);
      last = now;
    };
    const timer = setInterval(sample, SAMPLE_MS);
    await new Promise<void>((resolve) => {
      this.#probed = resolve;
      this.send({ kind: 'probe' });
      if (this.#isClosed) resolve();
    });
    sample();
    clearInterval(timer);
    return longest;
  }

  readonly #take = ({ source, data }: MessageEvent<unknown>): void => {
    const verdict = this.#gate.take(source === this.#frame.contentWindow, data, this.#host.now());
    if (verdict === 'foreign') return;
    if (verdict === 'flood') this.#host.onFault('flood');
    else if (verdict === 'refused') this.#host.onLog('a message of the application was refused');
    else this.#receive(verdict);
  };

  #receive(message: FrameMessage): void {
    this.#pingedAt = undefined;
    switch (message.kind) {
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve(true);
        break;
      case 'probed':
        this.#probed?.();
        break;
      case 'pong':
        break;
      case 'viewport':
        this.#width = message.width;
        this.#scale();
        break;
      case 'busy':
        this.#host.onFault('stuck');
        break;
      default:
        this.#host.onMessage(message);
    }
  }

  /** The document has the size for which it is made, whatever that of the page is. */
  #scale(): void {
    const { style } = this.#frame;
    style.width = `${this.#width}px`;
    style.height = `${(this.#width * PLANE.height) / PLANE.width}px`;
    style.transform = `scale(${this.#host.element.clientWidth / this.#width})`;
  }

  #check(): void {
    const now = this.#host.now();
    if (!this.#isReady) {
      if (now - this.#openedAt > MAX_START_MS) this.#host.onFault('failed');
    } else if (this.#pingedAt === undefined) {
      this.#pingedAt = now;
      this.send({ kind: 'ping' });
    } else if (now - this.#pingedAt > MAX_SILENCE_MS) this.#host.onFault('stuck');
    this.#returnFocus();
  }

  readonly #onBlur = (): void => {
    // The new focus is known only then.
    setTimeout(() => this.#returnFocus(), 0);
  };

  #returnFocus(): void {
    if (this.#isClosed || document.activeElement !== this.#frame) return;
    this.#thefts += 1;
    this.#frame.blur();
    this.#host.focusPage();
    if (this.#thefts > MAX_FOCUS_THEFTS) this.#host.onFault('focus');
  }
}
