/**
 * The page's side of a station's data broadcast. The first press of d creates a session; it loads the engine's worker and
 * ends with `close` (another station, or the viewer leaves).
 *
 *     const session = new BmlSession({
 *       canvas,                     // a new canvas element for each session: its control goes to the worker
 *       receiver: { postalCode: '1500001', prefecture: 14 },
 *       media: { captionLanguages: [1], captionShown: undefined, audioComponent: 0x10, audioChannel: undefined },
 *       abilities: { network: true, applications: false },
 *       volume: 1,
 *       isDataKeyPressed: true,     // the press that opened it is delivered to the document
 *       isRecording: false,
 *       handlers,
 *     });
 *     const end = tracks.take(DATA, (message) => session.data(message));
 *     session.key(KEY.enter, true); session.key(KEY.enter, false);   // or session.press(KEY.enter)
 *
 * What the page shows:
 * - The canvas has the size of the document's plane (`onPlane`); style it to the picture's rectangle, with that aspect
 *   ratio. It covers the video element and is transparent where nothing is drawn.
 * - `onVideo`: where the document shows the station's picture, in px of the plane; the video element is scaled to that
 *   rectangle, and hidden without one. While the document is hidden or has ended, the picture is as large as ever.
 * - `onPhase`: `loading` until the first document is drawn; `hidden`: the document waits for d; `ended`, with a reason.
 *   After `ended`, d starts the data broadcast again.
 * - `onUsedKeys`: which keys belong to the document. Digits change the channel unless `numeric-tuning` is among them.
 *   Leaving is up to the page and cannot be prevented: it does not pass the keys on that leave.
 *
 * Only one key is held at a time; a page that loses the focus has to release it.
 */
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import type {
  Abilities,
  ComponentProgress,
  DocumentPhase,
  EndReason,
  EngineMessage,
  EventTimes,
  InputRequest,
  LaunchFault,
  MediaState,
  PageRequest,
  SessionMessage,
  VideoRectangle,
} from './bml-messages.ts';
import type { NvramSnapshot, ReceiverSettings } from './engine/nvram.ts';
import type { Pcm } from './sound/sound.ts';

// The receiver's persistent memory in the browser's storage.

const PREFIX = 'svc_bml_own_';

function readNvram(storage: Storage): NvramSnapshot {
  const blocks = Object.create(null) as Record<string, string>;
  for (let index = 0; index < storage.length; index++) {
    const name = storage.key(index);
    if (name?.startsWith(PREFIX) === true) blocks[name.slice(PREFIX.length)] = storage.getItem(name) ?? '';
  }
  return blocks;
}

/** @param key built by `engine/nvram.ts`. @returns false: the storage is full or refused */
function writeNvram(storage: Storage, key: string, base64: string): boolean {
  try {
    storage.setItem(PREFIX + key, base64);
    return true;
  } catch {
    return false;
  }
}

/** Number of the receiver's own sounds (`engine/engine-page.ts`). */
const ROM_SOUND = 0;

/** Plays the sounds of a document: one of an object and one of the receiver at a time, at the station's volume. */
class SessionAudio {
  #context: AudioContext | undefined;
  #gain: GainNode | undefined;
  #volume: number;
  readonly #ended: (sound: number) => void;
  /** By slot: the receiver's sounds, and those of objects. */
  readonly #playing = new Map<'rom' | 'object', AudioBufferSourceNode>();
  /** Number of the object's sound that was asked for last. */
  #last = ROM_SOUND;

  /** @param ended told when a sound has ended, or cannot be played; not when another one replaces it */
  constructor(volume: number, ended: (sound: number) => void) {
    this.#volume = volume;
    this.#ended = ended;
  }

  /** Created with the first sound: the viewer has pressed keys then, so that browsers allow it. */
  #open(): { context: AudioContext; gain: GainNode } {
    this.#context ??= new AudioContext();
    if (this.#gain === undefined) {
      this.#gain = this.#context.createGain();
      this.#gain.gain.value = this.#volume;
      this.#gain.connect(this.#context.destination);
    }
    void this.#context.resume().catch(() => undefined);
    return { context: this.#context, gain: this.#gain };
  }

  setVolume(volume: number): void {
    this.#volume = volume;
    if (this.#gain !== undefined) this.#gain.gain.value = volume;
  }

  playPcm(sound: number, { rate, channels }: Pcm, loops: number): void {
    if (sound !== ROM_SOUND) this.#last = sound;
    try {
      const length = channels[0]?.length ?? 0;
      const { context } = this.#open();
      const buffer = context.createBuffer(channels.length, length, rate);
      for (const [index, samples] of channels.entries()) buffer.copyToChannel(samples, index);
      this.#play(sound, buffer, loops);
    } catch {
      this.#ended(sound);
    }
  }

  async playAac(sound: number, bytes: Uint8Array<ArrayBuffer>, loops: number): Promise<void> {
    this.#last = sound;
    try {
      const buffer = await this.#open().context.decodeAudioData(bytes.buffer);
      if (sound === this.#last) this.#play(sound, buffer, loops);
    } catch {
      this.#ended(sound);
    }
  }

  #play(sound: number, buffer: AudioBuffer, loops: number): void {
    const { context, gain } = this.#open();
    const slot = sound === ROM_SOUND ? 'rom' : 'object';
    this.#stop(slot);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.loop = loops > 1;
    source.connect(gain);
    this.#playing.set(slot, source);
    source.onended = () => {
      if (this.#playing.get(slot) !== source) return;
      this.#playing.delete(slot);
      this.#ended(sound);
    };
    source.start();
    if (loops > 1) source.stop(context.currentTime + buffer.duration * loops);
  }

  #stop(slot: 'rom' | 'object'): void {
    const source = this.#playing.get(slot);
    this.#playing.delete(slot);
    source?.stop();
  }

  /** Ends the sound of an object. */
  silence(): void {
    this.#last = ROM_SOUND;
    this.#stop('object');
  }

  close(): void {
    this.#stop('rom');
    this.silence();
    void this.#context?.close().catch(() => undefined);
  }
}

/** Beside the page's own files (`tools/web.ts`). */
const WORKER = 'bml.mjs';
const FONT = 'api/font/svc-font.woff2';
const PROXIES = 'api/bml/';
const PING_MS = 2000;
/** A task of the engine takes 5 ms, and drawing the largest document some 100 ms. */
const MAX_SILENCE_MS = 10_000;
/** The shortest that a document notices. */
const PRESS_MS = 60;

interface BmlHandlers {
  onPhase(phase: DocumentPhase, reason: EndReason | undefined): void;
  /** `address`: of the document, for a details view. */
  onDocument(address: string): void;
  /** `aspect`: width by height on the screen. */
  onPlane(plane: { readonly width: number; readonly height: number; readonly aspect: number }): void;
  onVideo(rectangle: VideoRectangle | undefined): void;
  /** `basic` (arrows, Enter, Back), `data-button` (colours), `numeric-tuning` (digits). */
  onUsedKeys(groups: readonly string[]): void;
  /** What of the carousels was received; `isAwaiting`: a document waits for a part of it. */
  onProgress(components: readonly ComponentProgress[], isAwaiting: boolean): void;
  /** A text is asked for (`enterText` answers); undefined: no longer. */
  onInput(request: InputRequest | undefined): void;
  /** Resolves with the answer as `PageRequest` says; undefined: failed. */
  onRequest(request: PageRequest): Promise<number | EventTimes | undefined>;
  /** Requests to servers of broadcasters are running, or no longer. */
  onCommunication(isRunning: boolean): void;
  /** A document of a server cannot be shown; the data broadcast starts again. */
  onLaunchFailed(fault: LaunchFault): void;
  /** A document has set the viewer's postal code. */
  onPostalCode(postalCode: string): void;
  /** Errors of scripts and what the engine does not know; a few hundred lines at most. */
  onLog(text: string): void;
}

export interface BmlSessionOptions {
  readonly canvas: HTMLCanvasElement;
  readonly receiver: ReceiverSettings;
  readonly media: MediaState;
  readonly abilities: Abilities;
  /** 0 to 1, of the station's sound. */
  readonly volume: number;
  readonly isDataKeyPressed: boolean;
  /** A recording plays: its documents never communicate. */
  readonly isRecording: boolean;
  readonly handlers: BmlHandlers;
}

/** `Greg` lives until the receiver is switched off: as long as the page. */
const globalRegisters: string[] = [];

export class BmlSession {
  readonly #worker: Worker;
  readonly #handlers: BmlHandlers;
  readonly #audio: SessionAudio;
  readonly #watchdog: ReturnType<typeof setInterval>;
  /** When the ping was sent that is not answered yet. */
  #pingedAt: number | undefined;
  /** The key that `press` holds. */
  #pressed: { readonly code: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  #isClosed = false;

  constructor(options: BmlSessionOptions) {
    const { canvas, volume, handlers, ...start } = options;
    this.#handlers = handlers;
    this.#worker = new Worker(new URL(WORKER, document.baseURI), { type: 'module' });
    this.#audio = new SessionAudio(volume, (sound) => this.#post({ kind: 'soundEnded', sound }));
    this.#worker.onmessage = ({ data }: MessageEvent<EngineMessage>) => this.#take(data);
    this.#worker.onerror = () => this.#fail();
    const offscreen = canvas.transferControlToOffscreen();
    this.#post(
      {
        kind: 'start',
        canvas: offscreen,
        font: new URL(FONT, document.baseURI).href,
        proxies: new URL(PROXIES, document.baseURI).href,
        nvram: readNvram(localStorage),
        globalRegisters,
        ...start,
      },
      [offscreen],
    );
    this.#watchdog = setInterval(() => this.#watch(), PING_MS);
  }

  #post(message: SessionMessage, transfer: Transferable[] = []): void {
    if (!this.#isClosed) this.#worker.postMessage(message, transfer);
  }

  #watch(): void {
    const now = performance.now();
    if (this.#pingedAt === undefined) {
      this.#pingedAt = now;
      this.#post({ kind: 'ping' });
    } else if (now - this.#pingedAt > MAX_SILENCE_MS) this.#fail();
  }

  #fail(): void {
    if (this.#isClosed) return;
    this.close();
    this.#handlers.onPhase('ended', 'failed');
  }

  #take(message: EngineMessage): void {
    if (this.#isClosed) return;
    const handlers = this.#handlers;
    switch (message.kind) {
      case 'pong':
        this.#pingedAt = undefined;
        break;
      case 'phase':
        if (message.phase === 'ended') this.#audio.silence();
        handlers.onPhase(message.phase, message.reason);
        break;
      case 'document':
        handlers.onDocument(message.address);
        break;
      case 'plane':
        handlers.onPlane(message);
        break;
      case 'video':
        handlers.onVideo(message.rectangle);
        break;
      case 'usedKeys':
        handlers.onUsedKeys(message.groups);
        break;
      case 'progress':
        handlers.onProgress(message.components, message.isAwaiting);
        break;
      case 'input':
        handlers.onInput(message.input);
        break;
      case 'communication':
        handlers.onCommunication(message.isRunning);
        break;
      case 'launchFailed':
        handlers.onLaunchFailed(message.fault);
        break;
      case 'log':
        handlers.onLog(message.text);
        break;
      case 'postalCode':
        handlers.onPostalCode(message.postalCode);
        break;
      case 'globalRegister':
        globalRegisters[message.index] = message.value;
        break;
      case 'nvram':
        if (!writeNvram(localStorage, message.key, message.base64))
          handlers.onLog('localStorage is full: what the document stored is lost with this session');
        break;
      case 'pcm':
        this.#audio.playPcm(message.sound, message.pcm, message.loops);
        break;
      case 'aac':
        void this.#audio.playAac(message.sound, message.bytes, message.loops);
        break;
      case 'silence':
        this.#audio.silence();
        break;
      case 'request':
        void handlers.onRequest(message.request).then(
          (value) => this.#post({ kind: 'answer', id: message.id, value }),
          () => this.#post({ kind: 'answer', id: message.id, value: undefined }),
        );
        break;
    }
  }

  /** A message of the station's data broadcast, as the live socket delivers it. */
  data(message: { readonly type: string }): void {
    // The worker ignores types that it does not know.
    this.#post({ kind: 'data', message: message as ResponseMessage });
  }

  /** Of a recording: the messages that follow, until `endSnapshot`, are all that was received by the time of a seek. */
  beginSnapshot(): void {
    this.#post({ kind: 'beginSnapshot' });
  }

  endSnapshot(): void {
    this.#post({ kind: 'endSnapshot' });
  }

  /** Of a recording: 1 as it was broadcast, 0 while it is paused. */
  setRate(rate: number): void {
    this.#post({ kind: 'rate', rate });
  }

  /** @param code of `KEY` */
  key(code: number, isDown: boolean): void {
    this.#post({ kind: 'key', code, isDown });
  }

  /** Presses a key and releases it shortly after, or with the next press. */
  press(code: number): void {
    this.#release();
    this.key(code, true);
    this.#pressed = { code, timer: setTimeout(() => this.#release(), PRESS_MS) };
  }

  #release(): void {
    if (this.#pressed === undefined) return;
    const { code, timer } = this.#pressed;
    this.#pressed = undefined;
    clearTimeout(timer);
    this.key(code, false);
  }

  setMedia(media: MediaState): void {
    this.#post({ kind: 'media', media });
  }

  setAbilities(abilities: Abilities): void {
    this.#post({ kind: 'abilities', abilities });
  }

  setVolume(volume: number): void {
    this.#audio.setVolume(volume);
  }

  /** Undefined: the viewer has cancelled. */
  enterText(text: string | undefined): void {
    this.#post({ kind: 'input', text });
  }

  /** Ends the worker at once, whatever it does. */
  close(): void {
    if (this.#isClosed) return;
    this.#release();
    this.#isClosed = true;
    clearInterval(this.#watchdog);
    this.#worker.terminate();
    this.#audio.close();
  }
}
