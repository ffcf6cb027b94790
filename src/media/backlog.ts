/**
 * Initial media for the next viewer of a session: initialisation segment, current faults, and fragments since a key
 * frame (for the first viewer: since the beginning).
 */
import { type FaultFrame, type FragmentFrame, type Frame, frameBytes, type InitFrame } from './frame.ts';

/** Ten seconds at 6 Mbit/s; key frames come every second, so more than this means that there are none. */
const MAX_FRAGMENT_BYTES = 8 * 1024 * 1024;

export class Backlog {
  #init: InitFrame | undefined;
  #fault: FaultFrame | undefined;
  #fragments: FragmentFrame[] = [];
  #bytes = 0;
  /** Until then all fragments are kept, because the request of the first viewer may arrive after some of them. */
  #hasViewer = false;

  keep(frame: Frame): void {
    if (frame.kind === 'init') this.#init = frame;
    else if (frame.kind === 'fault') this.#fault = frame.fault === null ? undefined : frame;
    else if (frame.kind === 'fragment') this.#keepFragment(frame);
  }

  /** Whether a viewer of fragments could start now. */
  get isReady(): boolean {
    return this.#init !== undefined && this.#fragments.length > 0;
  }

  /** Called for each viewer. @param side current side data, sent before the fragments */
  frames(side: readonly Frame[]): Frame[] {
    this.#hasViewer = true;
    const head = [this.#init, this.#fault].filter((frame) => frame !== undefined);
    return [...head, ...side, ...this.#fragments];
  }

  #keepFragment(frame: FragmentFrame): void {
    if ((frame.isSync && this.#hasViewer) || this.#bytes + frameBytes(frame) > MAX_FRAGMENT_BYTES) {
      this.#fragments = [];
      this.#bytes = 0;
    }
    if (!frame.isSync && this.#fragments.length === 0) return;
    this.#fragments.push(frame);
    this.#bytes += frameBytes(frame);
  }
}
