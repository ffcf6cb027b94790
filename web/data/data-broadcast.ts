/**
 * The data broadcast of the station or the recording that is watched: opened by d, left by the viewer or with the station.
 * It holds what the screen shows of it and decides which keys are the document's. The engine runs in a worker behind
 * `session`, which is started with the first d; the service sends the messages only while there is one.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import type {
  Abilities,
  ApplicationStart,
  ComponentProgress,
  DocumentPhase,
  EndReason,
  EventTimes,
  InputRequest,
  LaunchFault,
  MediaState,
  PageRequest,
  VideoRectangle,
} from '../bml/bml-messages.ts';
import { KEY } from '../bml/engine/keys.ts';
import type { ReceiverSettings } from '../bml/engine/nvram.ts';
import type { BmlSession, BmlSessionOptions } from '../bml/session.ts';
import type { DataMessage } from '../player/side-tracks.ts';
import { type ApplicationFault, type ApplicationPlace, DataApplication } from './application.ts';
import { isDigit, LeavePresses } from './remote-keys.ts';

/** `silent`: the service sends nothing. */
export type DataEnd = EndReason | 'silent';

type DataState =
  | { readonly kind: 'off' }
  /** Until the first document is drawn. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown' }
  /** The document waits for d, and the station's picture is as without it. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'ended'; readonly reason: DataEnd };

export interface Plane {
  readonly width: number;
  readonly height: number;
  /** Width by height on the screen. */
  readonly aspect: number;
}

type Session = Pick<
  BmlSession,
  | 'data'
  | 'beginSnapshot'
  | 'endSnapshot'
  | 'setRate'
  | 'key'
  | 'press'
  | 'setMedia'
  | 'setAbilities'
  | 'setVolume'
  | 'enterText'
  | 'close'
>;

/** Takes the messages of a station, or of a recording. */
export interface DataTaker {
  message(message: DataMessage): void;
  /** Of a recording: the messages until `endSnapshot` are all that was received by the time of a seek. */
  beginSnapshot(): void;
  endSnapshot(): void;
  /** No message will come. */
  failed(reason: DataEnd): void;
}

export interface DataHost {
  /** Asks the service for the messages, until the returned function is called. */
  take(taker: DataTaker): () => void;
  /** A recording is watched, not a station. */
  readonly isRecording: boolean;
  /** Of the recording: 1 as it was broadcast, 0 while its picture stands. */
  readonly rate: ReadonlySignal<number>;
  createSession(options: BmlSessionOptions): Session;
  receiver(): ReceiverSettings;
  readonly media: ReadonlySignal<MediaState>;
  readonly abilities: ReadonlySignal<Abilities>;
  /** 0 to 1. */
  readonly volume: ReadonlySignal<number>;
  request(request: PageRequest): Promise<number | EventTimes | undefined>;
  savePostalCode(postalCode: string): void;
  readonly application: ApplicationPlace;
  /** An application that a document has asked for does not start. */
  onApplicationFailed(fault: ApplicationFault): void;
  /** A document of a server cannot be shown: the data broadcast starts again. */
  onLaunchFailed(fault: LaunchFault): void;
  /** The document does not answer to d: the viewer may press it again. */
  onWaiting(): void;
  now(): MonotonicMs;
  /** @returns cancels it */
  later(ms: number, run: () => void): () => void;
}

/** Longer than the engine repeats the press that opened it. */
const ANSWER_MS = 10_000;
/** The service sends the components as soon as it has received the station's PMT. */
const SILENCE_MS = 20_000;
/** A document that was put away returns at once within this time; then nothing is asked of the service any more. */
const HIDDEN_KEPT_MS = 60_000;

/** After a request has ended. */
const SIGN_MS = 800;
const LOG_LINES = 40;

const DEFAULT_PLANE: Plane = { width: 960, height: 540, aspect: 16 / 9 };
const AUDIO_STREAM = 0x0f;

export class DataBroadcast {
  readonly #host: DataHost;
  readonly #state = signal<DataState>({ kind: 'off' });
  readonly #run = signal(0);
  readonly #plane = signal(DEFAULT_PLANE);
  readonly #video = signal<VideoRectangle | undefined>(undefined);
  readonly #progress = signal<readonly ComponentProgress[]>([]);
  readonly #usedKeys = signal<readonly string[]>([]);
  readonly #input = signal<InputRequest | undefined>(undefined);
  readonly #address = signal('');
  readonly #log = signal<readonly string[]>([]);
  readonly #isCommunicating = signal(false);
  readonly #isMissing = signal(false);
  readonly #presses = new LeavePresses();
  readonly #held = new Set<number>();
  #session: Session | undefined;
  #ended = new AbortController();
  #stops: (() => void)[] = [];
  #cancel: () => void = () => {};
  #cancelSilence: () => void = () => {};
  #cancelSign: () => void = () => {};
  #hasAppeared = false;
  /** A document of another moment may show nothing before it gets the press of d. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #audioComponents: readonly number[] = [];

  /** What a document has started; it is shown in place of the data broadcast. */
  readonly application: DataApplication;

  constructor(host: DataHost) {
    this.#host = host;
    this.application = new DataApplication({
      ...host.application,
      // Of stations only: there are no snapshots.
      take: (message) =>
        host.take({ message, beginSnapshot: () => {}, endSnapshot: () => {}, failed: () => {} }),
      isAllowed: () => host.abilities.value.applications,
      volume: host.volume,
      onLog: (text) => this.#note(text),
      now: () => host.now(),
    });
  }

  get state(): ReadonlySignal<DataState> {
    return this.#state;
  }

  /** Each run needs a canvas of its own, which `attach` gets. */
  get run(): ReadonlySignal<number> {
    return this.#run;
  }

  get plane(): ReadonlySignal<Plane> {
    return this.#plane;
  }

  /** Where the shown document has the station's picture, px of the plane; undefined: nowhere. */
  get video(): ReadonlySignal<VideoRectangle | undefined> {
    return this.#video;
  }

  get progress(): ReadonlySignal<readonly ComponentProgress[]> {
    return this.#progress;
  }

  /** A text is to be entered for the document. */
  get input(): ReadonlySignal<InputRequest | undefined> {
    return this.#input;
  }

  /** Of the document. */
  get address(): ReadonlySignal<string> {
    return this.#address;
  }

  /** What went wrong in documents, newest last. */
  get log(): ReadonlySignal<readonly string[]> {
    return this.#log;
  }

  /** Documents ask servers of the broadcaster. */
  get isCommunicating(): ReadonlySignal<boolean> {
    return this.#isCommunicating;
  }

  /** Host of the server whose document is shown; undefined: the document is broadcast. */
  get server(): string | undefined {
    return /^https?:/.test(this.#address.value) ? new URL(this.#address.value).hostname : undefined;
  }

  /** Of a recording, not of a station. */
  get isRecording(): boolean {
    return this.#host.isRecording;
  }

  /** The station is known to have none now. */
  get isMissing(): ReadonlySignal<boolean> {
    return this.#isMissing;
  }

  /** Whether the document takes the digits; else they are the receiver's. */
  get takesDigits(): boolean {
    return this.#state.value.kind === 'shown' && this.#usedKeys.value.includes('numeric-tuning');
  }

  /** The screen belongs to the document, or to what is said about it. */
  get isOpen(): boolean {
    const { kind } = this.#state.value;
    return this.application.isOpen || (kind !== 'off' && kind !== 'hidden');
  }

  /** component_tag of the sounds, in the order of the PMT. */
  get audioComponents(): readonly number[] {
    return this.#audioComponents;
  }

  /** From the beginning, with the press of d that opened it. */
  open(): void {
    this.#end();
    this.application.leave();
    this.#state.value = { kind: 'loading' };
    this.#run.value += 1;
  }

  attach(canvas: HTMLCanvasElement): void {
    const host = this.#host;
    this.#hasAppeared = false;
    let session: Session;
    try {
      session = host.createSession({
        canvas,
        receiver: host.receiver(),
        media: host.media.peek(),
        abilities: host.abilities.peek(),
        volume: host.volume.peek(),
        isDataKeyPressed: true,
        isRecording: host.isRecording,
        handlers: {
          onPhase: (phase, reason) => this.#onPhase(phase, reason),
          onDocument: (address) => {
            this.#address.value = address;
            this.#presses.documentChanged();
          },
          onPlane: ({ width, height, aspect }) => {
            this.#plane.value = { width, height, aspect };
          },
          onVideo: (rectangle) => {
            this.#video.value = rectangle;
          },
          onUsedKeys: (groups) => {
            this.#usedKeys.value = groups;
          },
          onProgress: (components) => {
            this.#progress.value = components;
          },
          onInput: (input) => {
            this.#input.value = input;
          },
          onRequest: (request) => host.request(request),
          onCommunication: (isRunning) => this.#onCommunication(isRunning),
          onLaunchFailed: (fault) => host.onLaunchFailed(fault),
          onPostalCode: (postalCode) => host.savePostalCode(postalCode),
          onLog: (text) => this.#note(text),
        },
      });
    } catch {
      // A browser without canvases in workers.
      this.#state.value = { kind: 'ended', reason: 'failed' };
      return;
    }
    this.#session = session;
    // The messages of a recording are asked for again until that is known to be in vain.
    if (!host.isRecording) this.#cancelSilence = host.later(SILENCE_MS, () => this.#fail('silent'));
    this.#stops = [
      host.take(this.#takerOf(session)),
      effect(() => session.setRate(host.rate.value)),
      effect(() => session.setMedia(host.media.value)),
      effect(() => session.setAbilities(host.abilities.value)),
      effect(() => session.setVolume(host.volume.value)),
    ];
  }

  leave(): void {
    this.application.leave();
    this.#end();
    this.#state.value = { kind: 'off' };
  }

  /** Another station is watched. */
  forget(): void {
    this.leave();
    this.application.forget();
    this.#isMissing.value = false;
  }

  /** Undefined: the viewer has cancelled. */
  enterText(text: string | undefined): void {
    this.#input.value = undefined;
    this.#session?.enterText(text);
  }

  /** A key goes down. @param code of `KEY` @returns false: it is the receiver's */
  down(code: number, isRepeat = false): boolean {
    if (this.application.isOpen) return this.application.down(code, isRepeat);
    const { kind } = this.#state.peek();
    if (code === KEY.data) {
      if (!isRepeat) this.pressData();
      return true;
    }
    if (kind === 'off' || kind === 'hidden') return false;
    if (code === KEY.back) {
      this.#pressBack(isRepeat);
      return true;
    }
    if (kind === 'ended') return false;
    if (isDigit(code)) {
      if (!this.takesDigits) return false;
      this.#presses.digit(this.#host.now());
    }
    if (kind === 'shown' && !isRepeat) this.#forward(code);
    return true;
  }

  /** @returns whether its press was the document's */
  up(code: number): boolean {
    if (this.application.up(code)) return true;
    if (!this.#held.delete(code)) return false;
    this.#session?.key(code, false);
    return true;
  }

  /** The page has lost the keyboard. */
  releaseAll(): void {
    for (const code of [...this.#held]) this.up(code);
    this.application.releaseAll();
  }

  #forward(code: number): void {
    this.#movedAt = Number.NEGATIVE_INFINITY;
    this.#held.add(code);
    this.#session?.key(code, true);
  }

  /** The d key: opens it, is the document's, and leaves when it is pressed twice. */
  pressData(): void {
    const { kind } = this.#state.peek();
    if (this.application.isOpen) this.application.press(KEY.data);
    else if (kind === 'off' || kind === 'ended') this.open();
    else if (this.#presses.data(this.#host.now())) this.leave();
    else {
      this.#movedAt = Number.NEGATIVE_INFINITY;
      this.#session?.press(KEY.data);
    }
  }

  /** A document asks for an application. @returns whether it starts; the data broadcast has ended then */
  async startApplication(start: ApplicationStart): Promise<boolean> {
    const session = this.#session;
    if (session === undefined || !this.#host.abilities.peek().applications) return false;
    const fault = await this.application.find(start, this.#ended.signal);
    if (this.#session !== session) return false;
    if (fault !== undefined) {
      this.#host.onApplicationFailed(fault);
      return false;
    }
    this.#end();
    this.#state.value = { kind: 'off' };
    this.application.open();
    return true;
  }

  #note(text: string): void {
    this.#log.value = [...this.#log.value.slice(1 - LOG_LINES), text];
  }

  #pressBack(isRepeat: boolean): void {
    const isLeaving = this.#presses.back(this.#host.now(), isRepeat);
    const isDocuments = this.#state.peek().kind === 'shown' && this.#usedKeys.peek().includes('basic');
    if (isLeaving || !isDocuments) this.leave();
    else if (!isRepeat) this.#forward(KEY.back);
  }

  #takerOf(session: Session): DataTaker {
    return {
      message: (message) => this.#hear(message),
      beginSnapshot: () => {
        // A document that was put away returns with d, as one of that moment.
        if (this.#state.peek().kind === 'hidden') this.leave();
        this.#movedAt = this.#host.now();
        session.beginSnapshot();
      },
      endSnapshot: () => session.endSnapshot(),
      failed: (reason) => this.#fail(reason),
    };
  }

  #hear(message: DataMessage): void {
    if (message.type === 'pmt' && Array.isArray(message.components)) {
      const components = message.components as { componentId: number; streamType: number }[];
      this.#audioComponents = components
        .filter(({ streamType }) => streamType === AUDIO_STREAM)
        .map(({ componentId }) => componentId);
    }
    this.#cancelSilence();
    this.application.hear(message);
    this.#session?.data(message);
  }

  /** The sign of a short request stays long enough to be seen. */
  #onCommunication(isRunning: boolean): void {
    this.#cancelSign();
    if (isRunning) this.#isCommunicating.value = true;
    else
      this.#cancelSign = this.#host.later(SIGN_MS, () => {
        this.#isCommunicating.value = false;
      });
  }

  #onPhase(phase: DocumentPhase, reason: EndReason | undefined): void {
    const before = this.#state.peek().kind;
    switch (phase) {
      case 'loading':
        // A document that ended while it was put away stays put away.
        if (before !== 'hidden') this.#state.value = { kind: 'loading' };
        return;
      case 'shown':
        this.#cancel();
        this.#hasAppeared = true;
        this.#isMissing.value = false;
        this.#state.value = { kind: 'shown' };
        return;
      case 'hidden':
        if (this.#hasAppeared && this.#host.now() - this.#movedAt > ANSWER_MS) this.#hide();
        else
          this.#after(ANSWER_MS, () => {
            this.#host.onWaiting();
            this.#hide();
          });
        return;
      case 'ended':
        if (reason === 'noBroadcast' || reason === 'unsupported') this.#isMissing.value = true;
        if (before === 'hidden') this.leave();
        else this.#fail(reason ?? 'failed');
    }
  }

  #hide(): void {
    this.#state.value = { kind: 'hidden' };
    this.#after(HIDDEN_KEPT_MS, () => this.leave());
  }

  #fail(reason: DataEnd): void {
    this.#end();
    this.#state.value = { kind: 'ended', reason };
  }

  /** Replaces what was to happen later. */
  #after(ms: number, run: () => void): void {
    this.#cancel();
    this.#cancel = this.#host.later(ms, run);
  }

  #end(): void {
    this.#cancel();
    this.#cancelSilence();
    this.#cancelSign();
    for (const stop of this.#stops.splice(0)) stop();
    this.#session?.close();
    this.#session = undefined;
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#held.clear();
    this.#plane.value = DEFAULT_PLANE;
    this.#video.value = undefined;
    this.#progress.value = [];
    this.#usedKeys.value = [];
    this.#input.value = undefined;
    this.#isCommunicating.value = false;
    this.#address.value = '';
    this.#log.value = [];
  }
}
