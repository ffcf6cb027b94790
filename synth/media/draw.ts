/** The raw material of a loop: one wide picture that is scrolled, and the samples of the sound. */
import { Random } from '../random.ts';
import {
  AUDIO_FRAME_SAMPLES,
  type AudioRecipe,
  BEEP_MS,
  CHANNELS,
  MARK_SAMPLES,
  SAMPLE_RATE,
  SOUND_FRAMES,
  type VideoRecipe,
} from './recipes.ts';

const TILE = 256;

/** Seamlessly tileable noise of several octaves, 0..1. */
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

const BLACK = 16;
const WHITE = 235;
const NO_COLOUR = 128;

/** Brightness of a film, and its number of stripes. */
const LOOKS: Record<VideoRecipe['film'], { base: number; rise: number; grain: number; stripes: number }> = {
  main: { base: 70, rise: 90, grain: 110, stripes: 12 },
  sponsor: { base: 40, rise: 30, grain: 40, stripes: 4 },
  commercial: { base: 90, rise: 60, grain: 120, stripes: 8 },
  announcement: { base: 110, rise: 40, grain: 50, stripes: 2 },
  black: { base: BLACK, rise: 0, grain: 0, stripes: 0 },
  pause: { base: 60, rise: 20, grain: 0, stripes: 7 },
};

/** One horizontally tileable yuv420p picture: bands of the film's colour under a fine texture. */
export function drawPicture(recipe: VideoRecipe): Uint8Array {
  const { width, height } = recipe.plan;
  const picture = new Uint8Array((width * height * 3) / 2).fill(NO_COLOUR);
  if (recipe.film === 'black') return picture.fill(BLACK, 0, width * height);
  const look = LOOKS[recipe.film];
  const tile = noiseTile(new Random('picture', recipe.label, recipe.hue));
  const scale = Math.max(1, Math.round(1080 / height));
  for (let y = 0; y < height; y++) {
    const band = look.base + look.rise * (y / height);
    for (let x = 0; x < width; x++) {
      const noise = tile[((y * scale) % TILE) * TILE + ((x * scale) % TILE)] as number;
      const stripe = Math.floor((x * look.stripes) / width) % 2 === 0 ? 0 : 18;
      picture[y * width + x] = Math.max(BLACK, Math.min(WHITE, band + stripe + look.grain * noise));
    }
  }
  const plane = (width / 2) * (height / 2);
  let at = width * height;
  for (let y = 0; y < height / 2; y++) {
    for (let x = 0; x < width / 2; x++) {
      const { u, v } = chroma(recipe.hue + (Math.floor((x * 2 * look.stripes) / width) % 4) * 25);
      picture[at] = u;
      picture[at + plane] = v;
      at += 1;
    }
  }
  return picture;
}

const BEEP_LEVEL = 0.3;
const HUM_LEVEL = 0.01;
/** 208 Hz: whole cycles from mark to mark, so that the whole sound repeats with the marks. */
const HUM_SAMPLES = 231;
/** Beeps fade out so that they do not click; they begin at full strength so that the onset is sharp. */
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

/**
 * Number of notes in a tune; all have the same length, so that the whole repeats after whole frames of sound.
 */
const NOTES = 16;
const NOTE_SAMPLES = (SOUND_FRAMES.tune * AUDIO_FRAME_SAMPLES) / NOTES;
const TUNE_LEVEL = 0.25;
const LOWEST_HZ = 262;
/** Semitones above the lowest note: five notes per octave. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16, 19, 21];
/** Length of the fade at both ends of a note. */
const SWELL_SAMPLES = 240;

function drawTune(number: number): Int16Array {
  const random = new Random('tune', number);
  const samples = new Int16Array(NOTES * NOTE_SAMPLES);
  for (let note = 0; note < NOTES; note++) {
    const hz = LOWEST_HZ * 2 ** (random.pick(SCALE) / 12);
    for (let index = 0; index < NOTE_SAMPLES; index++) {
      const swell = Math.min(1, index / SWELL_SAMPLES, (NOTE_SAMPLES - index) / SWELL_SAMPLES);
      const decay = 0.3 + 0.7 * (1 - index / NOTE_SAMPLES);
      const wave = Math.sin((2 * Math.PI * hz * index) / SAMPLE_RATE);
      samples[note * NOTE_SAMPLES + index] = Math.round(32_767 * TUNE_LEVEL * swell * decay * wave);
    }
  }
  return samples;
}

/** One period of each channel. */
function drawChannels({ sound, mode, beepHz, number }: AudioRecipe): Int16Array[] {
  if (sound === 'marks') return beepHz.map(drawMark);
  const same = sound === 'tune' ? drawTune(number) : new Int16Array(AUDIO_FRAME_SAMPLES);
  return Array.from({ length: CHANNELS[mode] }, () => same);
}

/** Interleaved 16-bit samples from sample `from` (may be negative: the sound is endless) to `to`. */
export function drawSound(recipe: AudioRecipe, from: number, to: number): Uint8Array {
  const channels = drawChannels(recipe);
  const [{ length } = new Int16Array(1)] = channels;
  const samples = new Int16Array(channels.length * (to - from));
  let phase = ((from % length) + length) % length;
  const count = channels.length;
  for (let at = 0; at < samples.length; at += count) {
    for (let channel = 0; channel < count; channel++) {
      samples[at + channel] = (channels[channel] as Int16Array)[phase] as number;
    }
    phase += 1;
    if (phase === length) phase = 0;
  }
  return new Uint8Array(samples.buffer);
}
