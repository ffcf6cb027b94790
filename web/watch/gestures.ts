/**
 * Touch gestures on the picture of a recording: a tap shows or hides the controls, repeated taps at a side skip, a
 * horizontal drag seeks. Pure except for its timer; positions in CSS pixels.
 */
import type { MonotonicMs } from '../../lib/wire/times.ts';

interface GestureHandlers {
  onTap(): void;
  /** Two or more taps at a side; `count` of them beyond the first. */
  onSkip(by: 1 | -1, count: number): void;
  /** A drag continues: the distance to the right as a share of the picture's width (negative: left). */
  onStroke(part: number): void;
  onStrokeEnd(part: number): void;
  onStrokeCancel(): void;
}

export interface Touch {
  readonly x: number;
  readonly y: number;
  /** Of the picture. */
  readonly width: number;
  /** Time of the event, `Event.timeStamp`. */
  readonly at: MonotonicMs;
}

/** Taps further apart are two. */
const AGAIN_MS = 320;
/** A finger never rests quite still. */
const SLACK = 14;
/** The parts at either side that skip. */
const SIDE = 0.38;

export class Gestures {
  readonly #handlers: GestureHandlers;
  #down: Touch | undefined;
  #stroke = false;
  #last: { readonly side: 1 | -1 | 0; readonly at: MonotonicMs; readonly count: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: GestureHandlers) {
    this.#handlers = handlers;
  }

  down(touch: Touch): void {
    this.#down = touch;
    this.#stroke = false;
  }

  /** True while the stroke is ours and not the page's. */
  move(touch: Touch): boolean {
    const from = this.#down;
    if (from === undefined) return false;
    const [across, along] = [touch.x - from.x, touch.y - from.y];
    if (!this.#stroke && (Math.abs(across) < SLACK || Math.abs(across) < Math.abs(along) * 1.5)) return false;
    this.#stroke = true;
    this.#handlers.onStroke(across / Math.max(1, from.width));
    return true;
  }

  up(touch: Touch): void {
    const from = this.#down;
    this.#down = undefined;
    if (from === undefined) return;
    if (this.#stroke) {
      this.#stroke = false;
      this.#handlers.onStrokeEnd((touch.x - from.x) / Math.max(1, from.width));
      return;
    }
    if (Math.hypot(touch.x - from.x, touch.y - from.y) < SLACK) this.#tap(touch);
  }

  cancel(): void {
    this.#down = undefined;
    if (this.#stroke) this.#handlers.onStrokeCancel();
    this.#stroke = false;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #tap({ x, width, at }: Touch): void {
    const part = x / Math.max(1, width);
    const side = part < SIDE ? -1 : part > 1 - SIDE ? 1 : 0;
    const before = this.#last;
    clearTimeout(this.#timer);
    if (side !== 0 && before?.side === side && at - before.at < AGAIN_MS) {
      this.#last = { side, at, count: before.count + 1 };
      this.#handlers.onSkip(side, before.count + 1);
      return;
    }
    this.#last = { side, at, count: 0 };
    // In the middle no second tap is waited for.
    if (side === 0) this.#handlers.onTap();
    else this.#timer = setTimeout(() => this.#handlers.onTap(), AGAIN_MS);
  }
}
