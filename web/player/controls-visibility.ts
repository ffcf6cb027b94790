/** Overlays of the player and how long they are shown: controls while the viewer is active, information, the volume. */
import { type Signal, signal } from '@preact/signals';

const AWAKE_MS = 3_000;
/** Input by remote control is slower than by mouse. */
const AWAKE_KEYS_MS = 6_000;
const INFO_MS = 5_000;
const METER_MS = 1_400;

export class ControlsVisibility {
  /** Controls are shown and can take the focus. */
  readonly awake = signal(false);
  /** The title of the current programme is shown. */
  readonly info = signal(false);
  /** The volume's level is shown. */
  readonly meter = signal(false);
  readonly #timers = new Map<Signal<boolean>, ReturnType<typeof setTimeout>>();
  readonly #hold: () => boolean;

  /** @param hold true while the controls must stay (paused, an open sheet) */
  constructor(hold: () => boolean) {
    this.#hold = hold;
  }

  wake(byKey = false): void {
    this.#show(this.awake, byKey ? AWAKE_KEYS_MS : AWAKE_MS);
  }

  sleep(): void {
    this.#hide(this.awake);
  }

  showInfo(): void {
    this.#show(this.info, INFO_MS);
  }

  showMeter(): void {
    this.#show(this.meter, METER_MS);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #show(shown: Signal<boolean>, ms: number): void {
    shown.value = true;
    clearTimeout(this.#timers.get(shown));
    const end = (): void => {
      if (shown === this.awake && this.#hold()) this.#show(shown, ms);
      else this.#hide(shown);
    };
    this.#timers.set(shown, setTimeout(end, ms));
  }

  #hide(shown: Signal<boolean>): void {
    clearTimeout(this.#timers.get(shown));
    shown.value = false;
  }
}
