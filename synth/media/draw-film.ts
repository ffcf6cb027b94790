/**
 * The pictures of which a film is composed: backgrounds and objects, each drawn once. They lie one below the
 * other in one tall picture, which is the input of ffmpeg.
 */
import { Random } from '../random.ts';
import { filmFrames, GROUP_FRAMES, type VideoRecipe } from './recipes.ts';
import { type Box, Canvas, HIGH, WHOLE, WIDE } from './scene/canvas.ts';
import type { Scene, Sprite } from './scene/scene.ts';
import { sceneOf } from './scene/shots.ts';

/** Where a picture lies in the tall one, and its place on the screen; pixels, all even. */
export interface Layer {
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface SpriteLayer {
  readonly layer: Layer;
  readonly sprite: Sprite;
}

/** A scene without a cut. */
export interface Shot {
  readonly scene: Scene;
  readonly frames: number;
  readonly background: Layer;
  readonly sprites: readonly SpriteLayer[];
}

function layerOf({ x, y, w, h }: Box, row: number, { width, height }: VideoRecipe['plan']): Layer {
  const even = (value: number): number => 2 * Math.floor(value / 2);
  const [left, top] = [even((x * width) / WIDE), even((y * height) / HIGH)];
  return {
    row,
    x: left,
    y: top,
    width: Math.min(width, even(((x + w) * width) / WIDE + 1)) - left,
    height: Math.min(height, even(((y + h) * height) / HIGH + 1)) - top,
  };
}

/** The shots in order; every cut is between two groups of pictures. */
export function filmShots(recipe: VideoRecipe): Shot[] {
  const { plan, shots, hue, number } = recipe;
  const length = 2 * GROUP_FRAMES * Math.ceil(filmFrames(recipe) / shots.length / (2 * GROUP_FRAMES));
  let row = 0;
  const place = (box: Box): Layer => {
    const layer = layerOf(box, row, plan);
    row += layer.height;
    return layer;
  };
  return shots.map((name, index) => {
    const scene = sceneOf(name, hue, number);
    return {
      scene,
      frames: Math.min(length, filmFrames(recipe) - index * length),
      background: place(WHOLE),
      sprites: scene.sprites.map((sprite) => ({ layer: place(sprite.box), sprite })),
    };
  });
}

/** Height of the tall picture. */
export function filmRows(shots: readonly Shot[]): number {
  const layers = shots.flatMap(({ background, sprites }) => [
    background,
    ...sprites.map(({ layer }) => layer),
  ]);
  return layers.reduce((sum, { height }) => sum + height, 0);
}

const TILE = 128;
const CELLS = [16, 64];

/** A texture of two scales that continues at its sides, -0.5 to 0.5. */
function noiseTile(random: Random): Float32Array {
  const tile = new Float32Array(TILE * TILE);
  for (const cells of CELLS) {
    const grid = Float32Array.from({ length: cells * cells }, () => (random.next() - 0.5) / CELLS.length);
    const step = TILE / cells;
    for (let at = 0; at < tile.length; at++) {
      const cell = Math.floor(at / TILE / step) * cells + Math.floor((at % TILE) / step);
      tile[at] = (tile[at] as number) + (grid[cell] as number);
    }
  }
  return tile;
}

/** Weights of red and blue in luma, Recommendation ITU-R BT.709 and BT.601. */
const WEIGHTS = { high: { red: 0.2126, blue: 0.0722 }, standard: { red: 0.299, blue: 0.114 } };
/** Minimum height of HD, with its colour matrix; smaller pictures use that of SD. */
export const HD_HEIGHT = 720;

/** The planes of a tall picture in yuva420p. */
class Planes {
  readonly bytes: Uint8Array;
  readonly #size: number;
  readonly #weights: { red: number; blue: number };

  constructor(
    readonly width: number,
    readonly rows: number,
    isHd: boolean,
  ) {
    this.#size = width * rows;
    this.bytes = new Uint8Array(2.5 * this.#size).fill(128, this.#size, 1.5 * this.#size);
    this.#weights = isHd ? WEIGHTS.high : WEIGHTS.standard;
  }

  put({ pixels, width, height }: Canvas, row: number, grain: Float32Array | undefined): void {
    const { red, blue } = this.#weights;
    const { bytes } = this;
    const [chroma, alpha] = [this.#size, 1.5 * this.#size];
    const lumaOf = (at: number): number =>
      red * (pixels[at] as number) +
      (1 - red - blue) * (pixels[at + 1] as number) +
      blue * (pixels[at + 2] as number);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x);
        const noise = grain === undefined ? 0 : (grain[(y % TILE) * TILE + (x % TILE)] as number);
        const to = (row + y) * this.width + x;
        bytes[to] = Math.max(16, Math.min(235, 16.5 + (219 / 255) * lumaOf(at) + noise));
        bytes[alpha + to] = pixels[at + 3] as number;
      }
    }
    for (let y = 0; y < height; y += 2) {
      for (let x = 0; x < width; x += 2) {
        const at = 4 * (y * width + x);
        const luma = lumaOf(at);
        const to = chroma + ((row + y) / 2) * (this.width / 2) + x / 2;
        bytes[to] = 128.5 + ((112 / 255) * ((pixels[at + 2] as number) - luma)) / (1 - blue);
        bytes[to + this.#size / 4] = 128.5 + ((112 / 255) * ((pixels[at] as number) - luma)) / (1 - red);
      }
    }
  }
}

/** The tall picture of a film, yuva420p. */
export function drawFilm(recipe: VideoRecipe): Uint8Array {
  const { width, height } = recipe.plan;
  const shots = filmShots(recipe);
  const planes = new Planes(width, filmRows(shots), height >= HD_HEIGHT);
  const tile = noiseTile(new Random('grain', recipe.hue));
  for (const { scene, background, sprites } of shots) {
    const canvas = new Canvas(width, height, WHOLE, true);
    scene.background(canvas);
    planes.put(
      canvas,
      background.row,
      tile.map((value) => scene.grain * value),
    );
    for (const { layer, sprite } of sprites) {
      const box = {
        x: (layer.x * WIDE) / width,
        y: (layer.y * HIGH) / height,
        w: (layer.width * WIDE) / width,
        h: (layer.height * HIGH) / height,
      };
      const own = new Canvas(layer.width, layer.height, box);
      sprite.draw(own);
      planes.put(own, layer.row, undefined);
    }
  }
  return planes.bytes;
}
