/**
 * Initial frames for the next viewer of a session: initialisation segment, clock, current faults, fragments since a key
 * frame (for the first viewer: since the beginning), caption languages, and the current caption page of each language.
 */
import {
  type CaptionFrame,
  type CaptionTrackFrame,
  type ClockFrame,
  type FaultFrame,
  type FragmentFrame,
  type Frame,
  frameBytes,
  type InitFrame,
} from './frame.ts';

/** Ten seconds at 6 Mbit/s; key frames come every second, so more than this means that there are none. */
const MAX_FRAGMENT_BYTES = 8 * 1024 * 1024;
/** Eight languages each of captions and superimposed text, ARIB STD-B24 Volume 1 Part 3, 9.3.1. */
const MAX_PAGES = 16;

export class Backlog {
  #init: InitFrame | undefined;
  #clock: ClockFrame | undefined;
  #fault: FaultFrame | undefined;
  #fragments: FragmentFrame[] = [];
  #bytes = 0;
  /** Until then all fragments are kept, because the request of the first viewer may arrive after some of them. */
  #hasViewer = false;
  /** Key: whether the text is superimposed. */
  readonly #tracks = new Map<boolean, CaptionTrackFrame>();
  /** By kind of text and language. */
  readonly #captions = new Map<string, CaptionFrame>();

  keep(frame: Frame): void {
    switch (frame.kind) {
      case 'init':
        this.#init = frame;
        break;
      case 'clock':
        this.#clock = frame;
        break;
      case 'fault':
        this.#fault = frame.fault === null ? undefined : frame;
        break;
      case 'captionTrack':
        this.#tracks.set(frame.superimpose, frame);
        for (const [key, page] of this.#captions) {
          if (page.superimpose === frame.superimpose) this.#captions.delete(key);
        }
        break;
      case 'caption':
        this.#keepCaption(frame);
        break;
      case 'fragment':
        this.#keepFragment(frame);
        break;
      case 'packets':
      case 'notice':
      case 'data':
        break;
    }
  }

  /** Whether a viewer of fragments could start now. */
  get isReady(): boolean {
    return this.#init !== undefined && this.#fragments.length > 0;
  }

  /** Called for each viewer. */
  frames(): Frame[] {
    this.#hasViewer = true;
    const head = [this.#init, this.#clock, this.#fault].filter((frame) => frame !== undefined);
    return [...head, ...this.captionFrames(), ...this.#fragments];
  }

  /** Caption languages, then the current pages. */
  captionFrames(): (CaptionFrame | CaptionTrackFrame)[] {
    return [...this.#tracks.values(), ...this.#captions.values()];
  }

  #keepCaption(frame: CaptionFrame): void {
    const key = `${frame.superimpose}/${frame.language}`;
    if (this.#captions.has(key) || this.#captions.size < MAX_PAGES) this.#captions.set(key, frame);
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
