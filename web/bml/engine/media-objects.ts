/** Objects of a document that play: animations and sounds of its modules (ARIB STD-B24 Vol. 2 Appendix 2, 5.3.2.4). */
import type { BmlDocument, BmlElement } from '../document/document.ts';
import { type Animation, readMng } from '../picture/mng.ts';
import type { Palette } from '../picture/palette.ts';
import type { EncodedPicture } from '../picture/picture.ts';
import { type AacSound, type Pcm, readAdts, readAiff } from '../sound/sound.ts';
import type { Picture } from '../view/sources.ts';
import type { TaskClock } from './timers.ts';

interface PlayerHost {
  readonly clock: TaskClock;
  decode(picture: EncodedPicture): Promise<ImageBitmap | undefined>;
  createCanvas(width: number, height: number): OffscreenCanvas;
  /** Another frame is shown. */
  changed(): void;
  /** The last frame was shown for its time. */
  ended(): void;
}

/** Plays an MNG animation of an object: composes its frames on a canvas of its own, at their time. */
class AnimationPlayer {
  readonly #animation: Animation;
  readonly #host: PlayerHost;
  readonly #canvas: OffscreenCanvas;
  readonly #bitmaps = new Map<EncodedPicture, Promise<ImageBitmap | undefined>>();
  #frame = 0;
  #drawn = -1;
  #shown: Picture | null = null;
  #cancel: (() => void) | undefined;
  #isClosed = false;
  #run = 0;

  constructor(animation: Animation, host: PlayerHost) {
    this.#animation = animation;
    this.#host = host;
    this.#canvas = host.createCanvas(animation.width, animation.height);
  }

  /** A new object for each frame. Null: stopped, or not drawn yet. */
  get shown(): Picture | null {
    return this.#shown;
  }

  /** Number of the frame that is shown. */
  get position(): number {
    return this.#frame;
  }

  get #length(): number {
    return this.#animation.frames.length;
  }

  play(): void {
    this.#halt();
    const run = ++this.#run;
    void this.#play(run, this.#frame >= this.#length - 1 ? 0 : this.#frame, 1);
  }

  async #play(run: number, first: number, pass: number): Promise<void> {
    let frame = first;
    let passes = pass;
    let due = this.#host.clock.now();
    for (;;) {
      await this.#draw(frame);
      if (run !== this.#run || this.#isClosed) return;
      due = Math.max(due + (this.#animation.frames[frame]?.durationMs ?? 0), this.#host.clock.now());
      await new Promise<void>((resolve) => {
        this.#cancel = this.#host.clock.after(Math.max(0, due - this.#host.clock.now()), resolve);
      });
      if (run !== this.#run || this.#isClosed) return;
      if (++frame < this.#length) continue;
      if (passes++ >= this.#animation.repeats) break;
      frame = 0;
    }
    this.#host.ended();
  }

  /** Shows one frame. */
  pause(position: number): void {
    this.#halt();
    void this.#draw(Math.max(0, Math.min(position, this.#length - 1)));
  }

  /** Shows nothing, and begins again. */
  stop(): void {
    this.#halt();
    this.#frame = 0;
    this.#shown = null;
    this.#host.changed();
  }

  #halt(): void {
    this.#run++;
    this.#cancel?.();
  }

  async #draw(frame: number): Promise<void> {
    const run = this.#run;
    const { frames, width, height } = this.#animation;
    // Frames are composed over those before, back to one that clears the canvas.
    let first = frame;
    while (first > 0 && first !== this.#drawn + 1 && frames[first]?.isCleared !== true) first--;
    const steps = frames.slice(first, frame + 1);
    const layers = await Promise.all(
      steps.map((step) =>
        Promise.all(
          step.layers.map(async ({ picture, x, y }) => ({ image: await this.#bitmap(picture), x, y })),
        ),
      ),
    );
    if (run !== this.#run || this.#isClosed) return;
    const context = this.#canvas.getContext('2d');
    for (const [index, step] of steps.entries()) {
      if (step.isCleared) context?.clearRect(0, 0, width, height);
      for (const { image, x, y } of layers[index] ?? [])
        if (image !== undefined) context?.drawImage(image, x, y);
    }
    this.#drawn = frame;
    this.#frame = frame;
    this.#shown = { image: this.#canvas, width, height, isStill: false };
    this.#host.changed();
  }

  #bitmap(picture: EncodedPicture): Promise<ImageBitmap | undefined> {
    const known = this.#bitmaps.get(picture) ?? this.#host.decode(picture);
    this.#bitmaps.set(picture, known);
    return known;
  }

  close(): void {
    this.#isClosed = true;
    this.#halt();
    for (const bitmap of this.#bitmaps.values()) void bitmap.then((image) => image?.close());
    this.#bitmaps.clear();
  }
}

export type Sound = { readonly pcm: Pcm } | { readonly aac: AacSound };

interface MediaHost {
  readonly clock: TaskClock;
  fetch(address: string): Promise<Uint8Array | undefined>;
  palette(element: BmlElement): Promise<Palette>;
  decode(picture: EncodedPicture): Promise<ImageBitmap | undefined>;
  createCanvas(width: number, height: number): OffscreenCanvas;
  changed(): void;
  /** Plays it instead of any other sound. */
  play(sound: Sound, loops: number, ended: () => void): void;
  silence(): void;
  /** MediaStopped. */
  stopped(object: BmlElement): void;
  /** `data` names a sound of the broadcast, not of a module. */
  selectAudio(reference: string): void;
}

interface KnownPlayer {
  readonly player: Promise<AnimationPlayer | undefined>;
  current: AnimationPlayer | undefined;
}

const ANIMATION = /^image\/x-arib-mng$/i;
const SOUND = /^audio\/x-arib-(?:aiff|mpeg2-aac)$/i;
/** Of all objects of a document. */
const MAX_ANIMATIONS = 16;

export class MediaObjects {
  readonly #document: BmlDocument;
  readonly #host: MediaHost;
  readonly #players = new Map<BmlElement, KnownPlayer>();
  /** The object whose sound is heard. */
  #sounding: BmlElement | undefined;
  #isClosed = false;

  constructor(document: BmlDocument, host: MediaHost) {
    this.#document = document;
    this.#host = host;
  }

  start(): void {
    for (const element of this.#document.elements()) if (element.tagName === 'object') this.#apply(element);
  }

  /** A property of an object was written. */
  changed(element: BmlElement, name: string): void {
    if (name === 'streamStatus' || name === 'streamPosition') this.#apply(element);
    if (name !== 'data') return;
    const known = this.#players.get(element);
    if (known !== undefined) {
      known.current?.close();
      this.#players.delete(element);
    }
    const address = String(element.read('data'));
    if (SOUND.test(element.attribute('type')) && isBroadcastSound(address)) this.#host.selectAudio(address);
    else this.#apply(element);
  }

  /** What an animated object shows now; undefined: it is none. */
  readonly frameOf = (element: BmlElement): Picture | null | undefined => {
    if (!ANIMATION.test(element.attribute('type'))) return undefined;
    return this.#players.get(element)?.current?.shown ?? null;
  };

  #apply(element: BmlElement): void {
    const type = element.attribute('type');
    if (ANIMATION.test(type)) void this.#animate(element);
    else if (SOUND.test(type)) void this.#sound(element);
  }

  async #animate(element: BmlElement): Promise<void> {
    const address = String(element.read('data'));
    if (address === '') return;
    let known = this.#players.get(element);
    if (known === undefined) {
      if (element.streamStatus === 'stop' || this.#players.size >= MAX_ANIMATIONS) return;
      known = { player: this.#createPlayer(element, address), current: undefined };
      this.#players.set(element, known);
      known.current = await known.player;
    }
    const player = await known.player;
    if (player === undefined || this.#isClosed || this.#players.get(element) !== known) return;
    const status = element.streamStatus;
    if (status === 'play') player.play();
    else if (status === 'pause') player.pause(Number(element.read('streamPosition')));
    else player.stop();
  }

  async #createPlayer(element: BmlElement, address: string): Promise<AnimationPlayer | undefined> {
    const [file, palette] = await Promise.all([this.#host.fetch(address), this.#host.palette(element)]);
    const animation = file === undefined ? undefined : readMng(file, palette);
    if (animation === undefined || this.#isClosed) return undefined;
    const { clock, decode, createCanvas, changed, stopped } = this.#host;
    const player: AnimationPlayer = new AnimationPlayer(animation, {
      clock,
      decode,
      createCanvas,
      changed,
      ended: () => {
        element.write('streamPosition', player.position);
        element.write('streamStatus', 'pause');
        stopped(element);
      },
    });
    return player;
  }

  async #sound(element: BmlElement): Promise<void> {
    const address = String(element.read('data'));
    if (element.streamStatus !== 'play') {
      if (this.#sounding === element) this.#silence();
      return;
    }
    if (this.#sounding === element || isBroadcastSound(address)) return;
    this.#sounding = element;
    const file = await this.#host.fetch(address);
    if (this.#isClosed || this.#sounding !== element) return;
    const sound = file === undefined ? undefined : soundOf(file);
    const ended = (): void => {
      if (this.#isClosed || this.#sounding !== element) return;
      this.#sounding = undefined;
      element.write('streamStatus', 'stop');
      this.#host.stopped(element);
    };
    if (sound === undefined) ended();
    else this.#host.play(sound, loopsOf(element), ended);
  }

  #silence(): void {
    this.#sounding = undefined;
    this.#host.silence();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#sounding !== undefined) this.#silence();
    for (const { current } of this.#players.values()) current?.close();
    this.#players.clear();
  }
}

function soundOf(file: Uint8Array): Sound | undefined {
  const pcm = readAiff(file);
  if (pcm !== undefined) return { pcm };
  const aac = readAdts(file);
  return aac === undefined ? undefined : { aac };
}

/** A component of the service, such as `/10;1`, and none of the modules. */
function isBroadcastSound(address: string): boolean {
  return address === '' || /^(?:arib:\/\/[^/]*)?\/(?:-1|[0-9a-f]{1,2})(?:;\d)?$/i.test(address);
}

/** `streamLooping`: how often it is heard; once without it. */
function loopsOf(element: BmlElement): number {
  const count = Number.parseInt(element.attribute('streamlooping'), 10);
  return count > 0 ? Math.min(count, 1000) : 1;
}
