/** What the engine is given by its worker, and what it reports to the page, asks of it and has it play. */
import type { EngineMessage, EventTimes, InputRequest, PageRequest, StartMessage } from '../bml-messages.ts';
import type { EncodedPicture } from '../picture/picture.ts';
import { createRomSound, ROM_SOUND_COUNT } from '../sound/sound.ts';
import type { TextFonts } from '../view/sources.ts';
import type { Surface } from './document-screen.ts';
import type { Sound } from './media-objects.ts';
import type { ModuleStore } from './module-store.ts';
import { type Network, RateLimit } from './network.ts';
import type { TaskClock } from './timers.ts';

/** What the engine needs of its worker. */
export interface EngineHost {
  readonly clock: TaskClock;
  /** Epoch ms of the machine, until the broadcast tells its time. */
  wall(): number;
  random(): number;
  post(message: EngineMessage): void;
  decode(picture: EncodedPicture): Promise<ImageBitmap | undefined>;
  createCanvas(width: number, height: number): OffscreenCanvas;
  nextFrame(call: () => void): void;
  readonly surface: Surface;
  readonly fonts: TextFonts;
  /** Communication; none if not given. */
  readonly network?: Network;
}

export type EngineStart = Pick<
  StartMessage,
  'nvram' | 'globalRegisters' | 'receiver' | 'media' | 'isDataKeyPressed' | 'isRecording'
>;

const MAX_PER_SECOND = 64;
const FLUSH_MS = 100;

/**
 * What documents write, on its way to the page: at once, and in a flood only the last value of each key, a few times a
 * second. The page's main thread is not loaded by a script that writes in a loop.
 */
export class EngineOutbox {
  readonly #clock: TaskClock;
  readonly #post: (message: EngineMessage) => void;
  readonly #limit = new RateLimit(MAX_PER_SECOND, 1000);
  readonly #held = new Map<string, EngineMessage>();

  constructor(clock: TaskClock, post: (message: EngineMessage) => void) {
    this.#clock = clock;
    this.#post = post;
  }

  /** @param key messages with the same one replace each other */
  post(key: string, message: EngineMessage): void {
    if (this.#held.size === 0 && this.#limit.take(this.#clock.now()) === 0) {
      this.#post(message);
      return;
    }
    if (this.#held.size === 0) this.#clock.after(FLUSH_MS, () => this.#flush());
    this.#held.set(key, message);
  }

  #flush(): void {
    const messages = [...this.#held.values()];
    this.#held.clear();
    for (const message of messages) this.#post(message);
  }
}

const PROGRESS_MS = 200;
const MAX_LOG_LINES = 500;
const MAX_LINE_LENGTH = 500;

/** What the engine tells the page of its work: a log for developers, and how much was received. */
export class EngineReports {
  readonly #clock: TaskClock;
  readonly #store: ModuleStore;
  readonly #post: (message: EngineMessage) => void;
  #isProgressDue = false;
  #logLines = 0;

  constructor(clock: TaskClock, store: ModuleStore, post: (message: EngineMessage) => void) {
    this.#clock = clock;
    this.#store = store;
    this.#post = post;
  }

  log(text: string): void {
    if (this.#logLines++ < MAX_LOG_LINES) this.#post({ kind: 'log', text: text.slice(0, MAX_LINE_LENGTH) });
  }

  /** Sums up what was received and whether a document waits for more, a few times a second. */
  progress(): void {
    if (this.#isProgressDue) return;
    this.#isProgressDue = true;
    this.#clock.after(PROGRESS_MS, () => {
      this.#isProgressDue = false;
      const { progress, isAwaiting } = this.#store;
      this.#post({ kind: 'progress', components: progress, isAwaiting });
    });
  }
}

type Answer = number | EventTimes | undefined;

const MAX_REQUESTS = 16;

/** What documents ask of the page and wait for: its answers, and a text that the viewer enters. */
export class DocumentRequests {
  readonly #post: (message: EngineMessage) => void;
  readonly #requests = new Map<number, (answer: Answer) => void>();
  #lastRequest = 0;
  #input: ((text: string | undefined) => void) | undefined;

  constructor(post: (message: EngineMessage) => void) {
    this.#post = post;
  }

  ask(request: PageRequest): Promise<Answer> {
    if (this.#requests.size >= MAX_REQUESTS) return Promise.resolve(undefined);
    const id = ++this.#lastRequest;
    return new Promise((resolve) => {
      this.#requests.set(id, resolve);
      this.#post({ kind: 'request', id, request });
    });
  }

  answer(id: number, value: Answer): void {
    this.#requests.get(id)?.(value);
    this.#requests.delete(id);
  }

  /** Replaces an open panel. Undefined: closes it. */
  openInput(input: InputRequest | undefined): Promise<string | undefined> {
    const open = this.#input;
    this.#input = undefined;
    open?.(undefined);
    if (input !== undefined || open !== undefined) this.#post({ kind: 'input', input });
    if (input === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#input = resolve;
    });
  }

  /** The viewer has entered a text; undefined: has left the panel. */
  enterText(text: string | undefined): void {
    const open = this.#input;
    this.#input = undefined;
    open?.(text);
  }
}

/** Number of the receiver's sounds in messages. */
const ROM_SOUND = 0;
const MAX_ROM_SOUNDS = 10;
/** Sounds of objects that a script starts and stops in a loop: each is copied to the page. */
const MAX_SOUNDS = 10;

/** Sounds of documents, which the page plays: one of an object and one of the receiver at a time. */
export class EngineAudio {
  readonly #post: (message: EngineMessage) => void;
  readonly #now: () => number;
  readonly #romLimit = new RateLimit(MAX_ROM_SOUNDS, 1000);
  readonly #limit = new RateLimit(MAX_SOUNDS, 1000);
  #isPlaying = false;
  #last = ROM_SOUND;
  #ended: (() => void) | undefined;

  constructor(post: (message: EngineMessage) => void, now: () => number) {
    this.#post = post;
    this.#now = now;
  }

  /** @returns whether there is such a sound */
  playRom(number: number): boolean {
    if (!(number >= 0 && number < ROM_SOUND_COUNT)) return false;
    // Only then it is made: that takes some ms.
    if (this.#romLimit.take(this.#now()) === 0) {
      const pcm = createRomSound(number);
      if (pcm !== undefined) this.#post({ kind: 'pcm', sound: ROM_SOUND, pcm, loops: 1 });
    }
    return true;
  }

  play(sound: Sound, loops: number, ended: () => void): void {
    if (this.#limit.take(this.#now()) > 0) {
      ended();
      return;
    }
    this.#last++;
    this.#ended = ended;
    this.#isPlaying = true;
    if ('pcm' in sound) this.#post({ kind: 'pcm', sound: this.#last, pcm: sound.pcm, loops });
    else this.#post({ kind: 'aac', sound: this.#last, bytes: sound.aac.bytes, loops });
  }

  /** The page has played it to its end, or could not. */
  ended(sound: number): void {
    if (sound !== this.#last) return;
    const ended = this.#ended;
    this.#ended = undefined;
    this.#isPlaying = false;
    ended?.();
  }

  silence(): void {
    this.#ended = undefined;
    if (this.#isPlaying) this.#post({ kind: 'silence' });
    this.#isPlaying = false;
  }
}

const REPEAT_MS = 2500;
const REPEATS = 3;

/**
 * The press of the d key that opened the engine. Stations show a document that waits for it, and some ignore it for their
 * first seconds: it is repeated every 2.5 s, three times at most, until the document answers.
 */
export class OpeningPress {
  readonly #clock: TaskClock;
  /** Presses the key. @returns whether the document answered */
  readonly #press: () => Promise<boolean>;
  #left: number;
  #isForHidden = false;
  #cancel: (() => void) | undefined;

  constructor(clock: TaskClock, isPressed: boolean, press: () => Promise<boolean>) {
    this.#clock = clock;
    this.#press = press;
    this.#left = 0;
    if (isPressed) this.arm();
  }

  /** The key was pressed to open the data broadcast. @param isForHidden a document that shows itself does not get it */
  arm(isForHidden = false): void {
    this.#isForHidden = isForHidden;
    this.#cancel?.();
    this.#left = 1 + REPEATS;
  }

  get isPending(): boolean {
    return this.#left > 0;
  }

  /** A document has loaded. The first one gets the press; any other one is the answer to it. */
  documentLoaded(isHidden: boolean): void {
    const isWanted = isHidden || !this.#isForHidden;
    if (this.#left === 1 + REPEATS && isWanted) this.#next();
    else this.answered();
  }

  #next(): void {
    if (this.#left <= 0) return;
    this.#left--;
    void this.#press().then((isAnswered) => {
      if (isAnswered) this.answered();
      else if (this.#left > 0) this.#cancel = this.#clock.after(REPEAT_MS, () => this.#next());
    });
  }

  /** The document became visible, another one was launched, or the viewer pressed another key. */
  answered(): void {
    this.#left = 0;
    this.#cancel?.();
  }
}
