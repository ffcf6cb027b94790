import { type ReadonlySignal, signal } from '@preact/signals';
import { TEXTS } from '../ui/texts.ts';
import { showToast } from '../ui/toast.tsx';
import type { PlayerData } from './create-data.ts';

/** The data broadcast of a player, whose scripts come after the picture's. */
export class LateData {
  readonly #load: () => Promise<PlayerData>;
  readonly #loaded = signal<PlayerData | undefined>(undefined);
  #isLoading = false;
  #isPressed = false;
  #isClosed = false;

  constructor(load: () => Promise<PlayerData>) {
    this.#load = load;
    void this.#start();
  }

  get loaded(): ReadonlySignal<PlayerData | undefined> {
    return this.#loaded;
  }

  async #start(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      const loaded = await this.#load();
      if (this.#isClosed) loaded.close();
      else this.#loaded.value = loaded;
      if (this.#isPressed) loaded.data.pressData();
    } catch {
      // The next press loads it again.
      if (this.#isPressed && !this.#isClosed) showToast(TEXTS.notLoaded);
    }
    this.#isLoading = false;
    this.#isPressed = false;
  }

  /** The d key; what is on its way gets it when it is here. */
  pressData(): void {
    const loaded = this.#loaded.peek();
    if (loaded !== undefined) {
      loaded.data.pressData();
      return;
    }
    this.#isPressed = true;
    void this.#start();
  }

  /** Something else is watched. */
  forget(): void {
    this.#isPressed = false;
    this.#loaded.peek()?.data.forget();
  }

  close(): void {
    this.#isClosed = true;
    this.#isPressed = false;
    this.#loaded.peek()?.close();
  }
}
