/** What a scene consists of: a background that passes by, objects before it, and texts. */
import type { Box, Canvas } from './canvas.ts';

export interface SceneText {
  readonly text: string;
  /** Its left edge, or its centre, and its top; units. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly colour: number;
  readonly centred?: true;
}

/** An object before the background, with its own movement. */
export interface Sprite {
  readonly box: Box;
  readonly draw: (canvas: Canvas) => unknown;
  /** Distance to both sides of its place, units, and seconds for the way there and back. */
  readonly sway?: { readonly x: number; readonly y: number; readonly seconds: number };
  /** Must lie on what is drawn. */
  readonly texts?: readonly SceneText[];
}

export interface Scene {
  /** Opaque; its right side continues at its left. Calm at the upper right, where stations show their logos. */
  background: (canvas: Canvas) => unknown;
  /** Widths by which the background passes in 8 s; positive: to the left. */
  readonly pan: number;
  /** Strength of the texture on the background, 0 to 255. */
  readonly grain: number;
  readonly sprites: readonly Sprite[];
}
