/** ffmpeg arguments for a sound. */
import { type AudioRecipe, CHANNELS, SAMPLE_RATE } from './recipes.ts';

/** Coding tools that beeps do not need and that take three quarters of the encoder's time. */
const NO_AUDIO_TOOLS = ['-aac_ms', '0', '-aac_is', '0', '-aac_tns', '0', '-aac_pns', '0'];
/**
 * Beeps and tunes have no higher frequencies; coding silence up to 20 kHz takes half of the encoder's time.
 */
const CUTOFF = ['-cutoff', '6000'];

/** Bit rate of surround relative to stereo. */
const SURROUND_RATE = 2;

function bitrateOf({ bitrate, mode }: AudioRecipe, single: boolean): number {
  if (mode === 'surround') return SURROUND_RATE * bitrate;
  return single ? bitrate / 2 : bitrate;
}

/**
 * 16-bit samples by pipe; frames are cut afterwards. @param channel encodes only this one, at half the rate
 */
export function audioArgs(recipe: AudioRecipe, channel?: 0 | 1): string[] {
  // bitexact omits the fill element that names the encoder, so that frames begin with their sound.
  const single = channel === undefined ? [] : ['-af', `pan=mono|c0=c${channel}`, '-flags:a', '+bitexact'];
  return [
    ...[
      '-f',
      's16le',
      '-ar',
      String(SAMPLE_RATE),
      '-ac',
      String(CHANNELS[recipe.mode]),
      '-i',
      'pipe:0',
      ...single,
    ],
    ...['-c:a', 'aac', '-profile:a', 'aac_low', '-aac_coder', 'fast', ...NO_AUDIO_TOOLS, ...CUTOFF],
    ...['-b:a', String(bitrateOf(recipe, channel !== undefined)), '-f', 'adts'],
  ];
}
