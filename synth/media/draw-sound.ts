/** The samples of the sounds. */
import { Random } from '../random.ts';
import {
  AUDIO_FRAME_SAMPLES,
  type AudioRecipe,
  BEEP_MS,
  CHANNELS,
  MARK_SAMPLES,
  SAMPLE_RATE,
  SOUND_FRAMES,
} from './recipes.ts';

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
