/** The running document on the page's canvas: draws it once a frame at most, and reports what the page needs to know. */
import type { DocumentPhase, EngineMessage } from '../bml-messages.ts';
import { planeOf } from '../view/layout.ts';
import type { DrawingContext, TextFonts } from '../view/sources.ts';
import { DocumentView } from '../view/view.ts';
import { KEY_GROUPS } from './keys.ts';
import type { RunningDocument } from './running-document.ts';
import type { TaskClock } from './timers.ts';

/** The canvas of the page. */
export interface Surface {
  /** Sets the size, in px of the plane, and empties it. */
  resize(width: number, height: number): DrawingContext;
  clear(): void;
}

interface ScreenHost {
  readonly clock: TaskClock;
  readonly surface: Surface;
  readonly fonts: TextFonts;
  /** Calls before the next frame of the display. */
  nextFrame(call: () => void): void;
  post(message: EngineMessage): void;
}

/** A document whose scripts are still loading is not drawn for this long: it would flicker. */
const LOADING_MS = 500;
/** A document that locks the screen and forgets it is drawn nevertheless. */
const LOCKED_MS = 3000;

export class DocumentScreen {
  readonly #host: ScreenHost;
  #running: RunningDocument | undefined;
  #view: DocumentView | undefined;
  /** No frame is drawn before that time. */
  #notBefore = 0;
  #lockedSince: number | undefined;
  #isScheduled = false;
  readonly #reported = new Map<string, string>();
  #phase: DocumentPhase | undefined;
  /** Of the document's last frame. */
  #wasVisible = true;
  /** A document that was hidden shows itself. */
  onAppear: (() => void) | undefined;

  constructor(host: ScreenHost) {
    this.#host = host;
  }

  /** The document is shown from the next frame after `loaded`. */
  show(running: RunningDocument): void {
    this.#running = running;
    this.#view = undefined;
    this.#lockedSince = undefined;
    this.#wasVisible = true;
    this.#notBefore = this.#host.clock.now() + LOADING_MS;
    this.changed(true);
  }

  /** Its scripts have run. */
  loaded(): void {
    this.#notBefore = 0;
    this.changed(false);
  }

  clear(): void {
    this.#running = undefined;
    this.#view = undefined;
    this.#host.surface.clear();
    this.#report({ kind: 'video', rectangle: undefined });
    this.#report({ kind: 'usedKeys', groups: [] });
  }

  /** @param isWhole everything has to be drawn again */
  changed(isWhole: boolean): void {
    if (isWhole) this.#view?.invalidate();
    if (this.#isScheduled || this.#running === undefined) return;
    this.#isScheduled = true;
    this.#host.nextFrame(() => {
      this.#isScheduled = false;
      this.#draw();
    });
  }

  #mayDraw(running: RunningDocument, now: number): boolean {
    if (now < this.#notBefore) return false;
    if (!running.isScreenLocked) {
      this.#lockedSince = undefined;
      return true;
    }
    this.#lockedSince ??= now;
    return now - this.#lockedSince > LOCKED_MS;
  }

  #draw(): void {
    const running = this.#running;
    if (running === undefined || running.isClosed) return;
    const now = this.#host.clock.now();
    if (!this.#mayDraw(running, now)) {
      this.changed(false);
      return;
    }
    this.#view ??= this.#createView(running);
    const { plane, video, isAnimated } = this.#view.frame(now);
    this.#report({ kind: 'plane', width: plane.width, height: plane.height, aspect: plane.aspectRatio });
    this.#report({ kind: 'video', rectangle: video });
    const used = running.document.shownStyle(running.document.body).get('used-key-list').split(' ');
    this.#report({
      kind: 'usedKeys',
      groups: used.includes('none') ? [] : KEY_GROUPS.filter((group) => used.includes(group)),
    });
    const isVisible = !running.document.isInvisible;
    this.setPhase(isVisible ? 'shown' : 'hidden');
    if (isVisible && !this.#wasVisible) this.onAppear?.();
    this.#wasVisible = isVisible;
    if (isAnimated) this.changed(false);
  }

  #createView(running: RunningDocument): DocumentView {
    const { surface, fonts } = this.#host;
    const { width, height } = planeOf(running.document);
    return new DocumentView(running.document, surface.resize(width, height), running.sources, fonts);
  }

  /** Whether a document was drawn last, and is not hidden. */
  get isShown(): boolean {
    return this.#phase === 'shown';
  }

  setPhase(phase: DocumentPhase): void {
    this.#phase = phase;
    this.#report({ kind: 'phase', phase, reason: undefined });
  }

  /** Posts a message unless it is the last one of its kind. */
  #report(message: EngineMessage): boolean {
    const text = JSON.stringify(message);
    if (this.#reported.get(message.kind) === text) return false;
    this.#reported.set(message.kind, text);
    this.#host.post(message);
    return true;
  }

  /** Forgets what was reported of the phase: the engine reported another one itself. */
  forgetPhase(): void {
    this.#phase = undefined;
    this.#reported.delete('phase');
  }
}
