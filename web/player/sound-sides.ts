/**
 * Selects one of the two sounds of a dual-mono broadcast, which media elements do not support. From the first selection
 * on, the element's sound goes through an audio graph; it cannot be detached again.
 */

type SoundSide = 'both' | 'main' | 'sub';

const GESTURES = ['pointerdown', 'keydown'] as const;

export class SoundSides {
  readonly #video: HTMLVideoElement;
  #context: AudioContext | undefined;
  #source: MediaElementAudioSourceNode | undefined;
  #splitter: ChannelSplitterNode | undefined;
  #side: SoundSide = 'both';

  constructor(video: HTMLVideoElement) {
    this.#video = video;
  }

  /** `main`, `sub`: left or right to both ears; `both`: as it comes. */
  set side(side: SoundSide) {
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
export function sideOf(audio: string | undefined): SoundSide {
  const side = audio?.split(':')[1];
  return side === 'main' || side === 'sub' ? side : 'both';
}
