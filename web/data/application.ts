/**
 * The AIT-controlled application that a data broadcast has started. It takes the place of the data broadcast, which has ended
 * then; d, Back and another station end it whatever it does. What runs it (`web/hybrid`) is loaded with the first one.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import type { ApplicationStart, VideoRectangle } from '../bml/bml-messages.ts';
import { KEY } from '../bml/engine/keys.ts';
import type { CurrentEvent, Region } from '../hybrid/hybrid-messages.ts';
import type { ApplicationEnd, HybridSession } from '../hybrid/hybrid-session.ts';
import type { DataMessage } from '../player/side-tracks.ts';
import { LeavePresses } from './remote-keys.ts';

type Library = typeof import('../hybrid/hybrid.ts');
type Found = ConstructorParameters<Library['HybridSession']>[0]['found'];
type Signalled = Found['application'];

/** Why there is no application, or no longer; `library`: what runs it could not be loaded. */
export type ApplicationFault = Exclude<ApplicationEnd, 'closed'> | 'library';

type ApplicationState =
  | { readonly kind: 'off' }
  /** Until its first document is there. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown' }
  | { readonly kind: 'ended'; readonly reason: ApplicationFault };

/** Whose application it is. */
interface ApplicationName {
  readonly name: string | null;
  readonly organisation: number;
}

/** The page around an application. */
export interface ApplicationPlace {
  load(): Promise<Library>;
  /** Of the service's page. */
  base(): string;
  storage(): Storage;
  region(): Region;
  station(): string;
  focusPage(): void;
}

interface ApplicationHost extends ApplicationPlace {
  /** The data broadcast's messages, until the returned function is called. */
  take(taker: (message: DataMessage) => void): () => void;
  /** Whether applications may run. */
  readonly isAllowed: () => boolean;
  /** 0 to 1. */
  readonly volume: ReadonlySignal<number>;
  onLog(text: string): void;
  now(): MonotonicMs;
}

/** Codes of the remote control that an application gets, by codes of `KEY`. */
const CODES: ReadonlyMap<number, keyof Library['VK']> = new Map([
  [KEY.up, 'VK_UP'],
  [KEY.down, 'VK_DOWN'],
  [KEY.left, 'VK_LEFT'],
  [KEY.right, 'VK_RIGHT'],
  [KEY.enter, 'VK_ENTER'],
  [KEY.back, 'VK_BACK'],
  [KEY.data, 'VK_DBUTTON'],
  [KEY.blue, 'VK_BLUE'],
  [KEY.red, 'VK_RED'],
  [KEY.green, 'VK_GREEN'],
  [KEY.yellow, 'VK_YELLOW'],
]);

interface StartQuestion {
  readonly application: ApplicationName;
  answer(isGiven: boolean): void;
}

const NOBODY: ApplicationName = { name: null, organisation: 0 };

const currentEventOf = (message: DataMessage): CurrentEvent =>
  message as unknown as CurrentEvent & DataMessage;

export class DataApplication {
  readonly #host: ApplicationHost;
  readonly #state = signal<ApplicationState>({ kind: 'off' });
  readonly #run = signal(0);
  readonly #application = signal(NOBODY);
  readonly #video = signal<VideoRectangle | undefined>(undefined);
  readonly #isVideoAbove = signal(false);
  readonly #isCommunicating = signal(false);
  readonly #question = signal<StartQuestion | undefined>(undefined);
  readonly #presses = new LeavePresses();
  readonly #held = new Map<number, number>();
  #library: Library | undefined;
  #found: Found | undefined;
  #session: HybridSession | undefined;
  #signalled: readonly Signalled[] | undefined;
  #event: CurrentEvent | undefined;
  #stops: (() => void)[] = [];

  constructor(host: ApplicationHost) {
    this.#host = host;
  }

  get state(): ReadonlySignal<ApplicationState> {
    return this.#state;
  }

  /** Each run gets an element of its own, by `attach`. */
  get run(): ReadonlySignal<number> {
    return this.#run;
  }

  get application(): ReadonlySignal<ApplicationName> {
    return this.#application;
  }

  /** Where the application has the station's picture, px of the plane. */
  get video(): ReadonlySignal<VideoRectangle | undefined> {
    return this.#video;
  }

  /** Nothing of the application is to be over the picture. */
  get isVideoAbove(): ReadonlySignal<boolean> {
    return this.#isVideoAbove;
  }

  get isCommunicating(): ReadonlySignal<boolean> {
    return this.#isCommunicating;
  }

  /** Whether it may know the viewer's region. */
  get question(): ReadonlySignal<StartQuestion | undefined> {
    return this.#question;
  }

  get isOpen(): boolean {
    return this.#state.value.kind !== 'off';
  }

  /** A message of the data broadcast, also before an application runs. */
  hear(message: DataMessage): void {
    if (message.type === 'programInfo') this.#event = currentEventOf(message);
    if (message.type !== 'ait' || !Array.isArray(message.applications)) return;
    this.#signalled = message.applications as Signalled[];
    this.#session?.setSignalled(this.#signalled);
  }

  /** Looks for the application. @returns undefined if it starts: then `open` shows it */
  async find(start: ApplicationStart, signal: AbortSignal): Promise<ApplicationFault | undefined> {
    let library: Library;
    try {
      library = await this.#host.load();
    } catch {
      return 'library';
    }
    const network = library.openNetwork(this.#proxies, () => {});
    const found = await library.findApplication(start, this.#signalled, (url) => network.get(url, signal));
    if (typeof found === 'string') return found;
    this.#library = library;
    this.#found = found;
    return undefined;
  }

  /** Shows what `find` has found, or it again. */
  open(): void {
    if (this.#found === undefined) return;
    this.#end();
    this.#name(this.#found.application);
    this.#state.value = { kind: 'loading' };
    this.#run.value += 1;
  }

  attach(element: HTMLElement): void {
    const host = this.#host;
    const [library, found] = [this.#library, this.#found];
    if (library === undefined || found === undefined) return;
    const session = new library.HybridSession({
      ...{ element, found, base: host.base(), storage: host.storage(), signalled: this.#signalled },
      network: library.openNetwork(this.#proxies, (isRunning) => {
        this.#isCommunicating.value = isRunning;
      }),
      volume: host.volume.peek(),
      title: this.#application.peek().name ?? host.station(),
      now: host.now,
      region: host.region,
      askRegion: (application, signal) => this.#ask(application, signal),
      currentEvent: () => this.#event,
      focusPage: host.focusPage,
      handlers: {
        onShown: () => {
          this.#state.value = { kind: 'shown' };
        },
        onApplication: (application) => this.#name(application),
        onVideo: (rectangle, isAbove) => {
          this.#video.value = rectangle;
          this.#isVideoAbove.value = isAbove;
        },
        onEnd: (reason) => {
          this.#end();
          this.#state.value = reason === 'closed' ? { kind: 'off' } : { kind: 'ended', reason };
        },
        onLog: host.onLog,
      },
    });
    this.#session = session;
    this.#stops = [
      host.take((message) => this.hear(message)),
      effect(() => session.setVolume(host.volume.value)),
      effect(() => {
        if (!host.isAllowed()) queueMicrotask(() => this.#switchedOff(session));
      }),
    ];
  }

  leave(): void {
    this.#end();
    this.#state.value = { kind: 'off' };
  }

  /** Another station is watched. */
  forget(): void {
    this.leave();
    this.#found = undefined;
    this.#signalled = undefined;
    this.#event = undefined;
  }

  /** A key goes down. @param code of `KEY` @returns false: it is the receiver's */
  down(code: number, isRepeat: boolean): boolean {
    const name = CODES.get(code);
    const vk = name === undefined ? undefined : this.#library?.VK[name];
    const takes =
      vk !== undefined && this.#state.peek().kind === 'shown' && this.#session?.takes(vk) === true;
    if (code === KEY.data || code === KEY.back) {
      const now = this.#host.now();
      const isLeaving =
        code === KEY.back ? this.#presses.back(now, isRepeat) : !isRepeat && this.#presses.data(now);
      // A press that the application does not take ends it.
      if (isLeaving || (!takes && !isRepeat)) {
        this.leave();
        return true;
      }
    }
    if (takes && vk !== undefined && !isRepeat) {
      this.#held.set(code, vk);
      this.#session?.key(vk, true);
    }
    return name !== undefined;
  }

  /** @returns whether its press was the application's */
  up(code: number): boolean {
    const vk = this.#held.get(code);
    if (vk === undefined) return false;
    this.#held.delete(code);
    this.#session?.key(vk, false);
    return true;
  }

  releaseAll(): void {
    for (const code of [...this.#held.keys()]) this.up(code);
  }

  /** A key that is pressed and released. */
  press(code: number): void {
    this.down(code, false);
    this.up(code);
  }

  get #proxies(): string {
    return `${this.#host.base()}api/bml/`;
  }

  #name({ name, organizationId }: Signalled): void {
    this.#application.value = { name, organisation: organizationId };
  }

  /** Bidirectional use was switched off. */
  #switchedOff(session: HybridSession): void {
    if (this.#session !== session) return;
    this.#end();
    this.#state.value = { kind: 'ended', reason: 'off' };
  }

  #ask(application: Signalled, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const question: StartQuestion = {
        application: { name: application.name, organisation: application.organizationId },
        answer: (isGiven) => {
          if (this.#question.peek() === question) this.#question.value = undefined;
          resolve(isGiven);
        },
      };
      this.#question.value = question;
      signal.addEventListener('abort', () => question.answer(false), { once: true });
    });
  }

  #end(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#session?.close();
    this.#session = undefined;
    this.#question.peek()?.answer(false);
    this.#held.clear();
    this.#video.value = undefined;
    this.#isVideoAbove.value = false;
    this.#isCommunicating.value = false;
  }
}
