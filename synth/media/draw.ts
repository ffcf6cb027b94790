/** The raw material of a loop: one wide picture that is scrolled, and the samples of the sound. */
import { Random } from '../random.ts';
import { type AudioRecipe, BEEP_MS, MARK_SAMPLES, SAMPLE_RATE, type VideoRecipe } from './recipes.ts';

const TILE = 256;

/** Smooth noise that repeats at its edges: several octaves, 0..1. */
function noiseTile(random: Random): Float32Array {
  const tile = new Float32Array(TILE * TILE);
  let amplitude = 0.5;
  for (let cells = 8; cells <= TILE; cells *= 2, amplitude /= 1.6) {
    const grid = Float32Array.from({ length: cells * cells }, () => random.next() - 0.5);
    const step = TILE / cells;
    for (let y = 0; y < TILE; y++) {
      const row = Math.floor(y / step);
      const below = (row + 1) % cells;
      const fy = y / step - row;
      for (let x = 0; x < TILE; x++) {
        const column = Math.floor(x / step);
        const right = (column + 1) % cells;
        const fx = x / step - column;
        const top =
          (grid[row * cells + column] as number) * (1 - fx) + (grid[row * cells + right] as number) * fx;
        const low =
          (grid[below * cells + column] as number) * (1 - fx) + (grid[below * cells + right] as number) * fx;
        tile[y * TILE + x] = (tile[y * TILE + x] as number) + amplitude * (top * (1 - fy) + low * fy);
      }
    }
  }
  return tile;
}

/** Chroma of a hue at moderate saturation: U and V around 128. */
function chroma(hue: number): { u: number; v: number } {
  const angle = (hue * Math.PI) / 180;
  return { u: 128 + 44 * Math.cos(angle), v: 128 + 44 * Math.sin(angle) };
}

/** One yuv420p picture that joins at its sides: bands of the station's colour under fine texture. */
export function drawPicture(recipe: VideoRecipe): Uint8Array {
  const { width, height } = recipe.plan;
  const tile = noiseTile(new Random('picture', recipe.label, recipe.hue));
  const picture = new Uint8Array((width * height * 3) / 2);
  const scale = Math.max(1, Math.round(1080 / height));
  for (let y = 0; y < height; y++) {
    const band = 70 + 90 * (y / height);
    for (let x = 0; x < width; x++) {
      const noise = tile[((y * scale) % TILE) * TILE + ((x * scale) % TILE)] as number;
      const stripe = Math.floor((x * 12) / width) % 2 === 0 ? 0 : 18;
      picture[y * width + x] = Math.max(16, Math.min(235, band + stripe + 110 * noise));
    }
  }
  const plane = (width / 2) * (height / 2);
  let at = width * height;
  for (let y = 0; y < height / 2; y++) {
    for (let x = 0; x < width / 2; x++) {
      const { u, v } = chroma(recipe.hue + (Math.floor((x * 24) / width) % 4) * 25);
      picture[at] = u;
      picture[at + plane] = v;
      at += 1;
    }
  }
  return picture;
}

const BEEP_LEVEL = 0.3;
const HUM_LEVEL = 0.01;
/** 208 Hz: whole cycles from mark to mark, so that all of the sound repeats with the marks. */
const HUM_SAMPLES = 231;
/** Beeps end softly so that they do not click; they begin at full strength so that the instant is sharp. */
const RELEASE_SAMPLES = 480;
const BEEP_SAMPLES = (BEEP_MS * SAMPLE_RATE) / 1000;

/** 16-bit samples of one channel from one mark to the next. */
function drawMark(frequency: number): Int16Array {
  return Int16Array.from({ length: MARK_SAMPLES }, (_, index) => {
    const hum = HUM_LEVEL * Math.sin((2 * Math.PI * index) / HUM_SAMPLES);
    const release = Math.min(1, Math.max(0, BEEP_SAMPLES - index) / RELEASE_SAMPLES);
    const beep = BEEP_LEVEL * release * Math.cos((2 * Math.PI * frequency * index) / SAMPLE_RATE);
    return Math.round(32_767 * (hum + beep));
  });
}

/** Interleaved 16-bit stereo from sample `from` (may be negative: the sound is endless) to `to`. */
export function drawSound(recipe: AudioRecipe, from: number, to: number): Uint8Array {
  const [left, right] = recipe.beepHz.map(drawMark) as [Int16Array, Int16Array];
  const samples = new Int16Array(2 * (to - from));
  let phase = ((from % MARK_SAMPLES) + MARK_SAMPLES) % MARK_SAMPLES;
  for (let at = 0; at < samples.length; at += 2) {
    samples[at] = left[phase] as number;
    samples[at + 1] = right[phase] as number;
    phase += 1;
    if (phase === MARK_SAMPLES) phase = 0;
  }
  return new Uint8Array(samples.buffer);
}
