/** Volume, mute, and the browsers' autoplay rule that sound needs a user gesture. */
import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { AudioSide } from '../../lib/wire/vocabulary.ts';
import { muted, volume } from '../device/preferences.ts';

export class SoundOutput {
  readonly #video: HTMLVideoElement;
  readonly #silenced = signal(false);

  constructor(video: HTMLVideoElement) {
    this.#video = video;
    video.volume = volume.value;
    video.muted = muted.value;
  }

  /** The browser allowed playback only without sound, until the viewer touches something. */
  get silenced(): ReadonlySignal<boolean> {
    return this.#silenced;
  }

  /** @param level 0 to 1 */
  setVolume(level: number): void {
    const rounded = Math.round(Math.min(1, Math.max(0, level)) * 100) / 100;
    batch(() => {
      volume.value = rounded;
      muted.value = rounded === 0;
    });
    this.#apply();
  }

  toggleMute(): void {
    if (this.#silenced.value) muted.value = false;
    else muted.value = !muted.value;
    if (!muted.value && volume.value === 0) volume.value = 0.5;
    this.#apply();
  }

  /** Starts playback with sound where the browser allows it, else without. */
  async play(): Promise<void> {
    this.#video.volume = volume.value;
    // Tried again at every start: the viewer may have touched something since.
    this.#video.muted = muted.value;
    try {
      await this.#video.play();
      this.#silenced.value = false;
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      this.#video.muted = true;
      this.#silenced.value = !muted.value;
      await this.#video.play().catch(() => this.#video.pause());
    }
  }

  #apply(): void {
    this.#silenced.value = false;
    this.#video.volume = volume.value;
    this.#video.muted = muted.value;
  }
}

// Selects one of the two sounds of a dual-mono broadcast, which media elements do not support. From the first selection
// on, the element's sound goes through an audio graph; it cannot be detached again.

const GESTURES = ['pointerdown', 'keydown'] as const;

export class SoundSides {
  readonly #video: HTMLVideoElement;
  #context: AudioContext | undefined;
  #source: MediaElementAudioSourceNode | undefined;
  #splitter: ChannelSplitterNode | undefined;
  #side: AudioSide = 'both';

  constructor(video: HTMLVideoElement) {
    this.#video = video;
  }

  /** `main`, `sub`: left or right to both ears; `both`: as it comes. */
  set side(side: AudioSide) {
    if (side === this.#side) return;
    this.#side = side;
    if (this.#context === undefined && side === 'both') return;
    this.#route();
  }

  close(): void {
    for (const name of GESTURES) document.removeEventListener(name, this.#resume);
    void this.#context?.close();
    this.#context = undefined;
  }

  #route(): void {
    const context = this.#context ?? this.#begin();
    const source = this.#source;
    const splitter = this.#splitter;
    if (source === undefined || splitter === undefined) return;
    source.disconnect();
    splitter.disconnect();
    if (this.#side === 'both') source.connect(context.destination);
    else {
      source.connect(splitter);
      // One channel is played by both ears.
      splitter.connect(context.destination, this.#side === 'main' ? 0 : 1);
    }
    this.#resume();
  }

  #begin(): AudioContext {
    const context = new AudioContext();
    this.#context = context;
    this.#source = context.createMediaElementSource(this.#video);
    this.#splitter = context.createChannelSplitter(2);
    // Where sound starts only after the viewer touched something.
    for (const name of GESTURES) document.addEventListener(name, this.#resume);
    return context;
  }

  readonly #resume = (): void => {
    if (this.#context?.state === 'suspended') void this.#context.resume().catch(() => undefined);
  };
}

/** Of the id of an Audio option, `<stream>:<side>`. */
export function sideOf(audio: string | undefined): AudioSide {
  const side = audio?.split(':')[1];
  return side === 'main' || side === 'sub' ? side : 'both';
}
