/** Volume, mute, and the browsers' autoplay rule that sound needs a user gesture. */
import { batch, type ReadonlySignal, signal } from '@preact/signals';
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
