/** Makes the loop of a recipe with ffmpeg. */
import { type AccessUnit, adtsFrames, h264Units, MediaError, mpeg2Units } from './access-units.ts';
import { asMpeg2, joinDualMono, joinPair } from './adts-frame.ts';
import { drawFilm } from './draw-film.ts';
import { drawSound } from './draw-sound.ts';
import { type Ffmpeg, runFfmpeg } from './ffmpeg.ts';
import type { Loop } from './loop.ts';
import { audioLoop, videoLoop } from './packetise.ts';
import {
  AUDIO_FRAME_SAMPLES,
  AUDIO_FRAME_TICKS,
  type AudioRecipe,
  CHANNELS,
  FRAME_TICKS,
  filmFrames,
  GROUP_FRAMES,
  PARTIAL_FRAME_TICKS,
  PARTIAL_FRAMES,
  PARTIAL_GROUP_FRAMES,
  type Recipe,
  SAMPLE_RATE,
  SOUND_FRAMES,
  type VideoRecipe,
} from './recipes.ts';
import { videoArgs } from './video-args.ts';

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

/** vbv_buffer_size of MP@ML and MP@H-14, ISO/IEC 13818-2 table 8-13; one-segment stays within the smaller one. */
const BUFFER_BITS = { standard: 1_835_008, high: 7_340_032 };

/** Ticks by which groups are sent early: those of one-segment are longer and less even. */
const LEAD = { group: 40_500, partial: 67_500 };

/** A group of another length would break the time stamps where two loops meet. */
function checkGroups(units: AccessUnit[], groupUnits: number): AccessUnit[] {
  const wrong = units.findIndex(({ randomAccess }, index) => randomAccess !== (index % groupUnits === 0));
  if (wrong >= 0) throw new MediaError(`picture ${wrong} is not where its group wants it`);
  return units;
}

async function makeVideo(ffmpeg: Ffmpeg, recipe: VideoRecipe): Promise<Loop> {
  const bytes = await runFfmpeg(ffmpeg, videoArgs(recipe), drawFilm(recipe));
  const { codec, width, bitrate } = recipe.plan;
  const bufferBits = width > 720 ? BUFFER_BITS.high : BUFFER_BITS.standard;
  if (codec === 'mpeg2') {
    const units = mpeg2Units(bytes, filmFrames(recipe), FRAME_TICKS);
    const shape = { groupUnits: GROUP_FRAMES, unitTicks: FRAME_TICKS, bitrate, bufferBits, lead: LEAD.group };
    return videoLoop(bytes, checkGroups(units, GROUP_FRAMES), shape);
  }
  const units = h264Units(bytes, PARTIAL_FRAMES, PARTIAL_FRAME_TICKS);
  const shape = {
    groupUnits: PARTIAL_GROUP_FRAMES,
    unitTicks: PARTIAL_FRAME_TICKS,
    bitrate,
    bufferBits,
    lead: LEAD.partial,
  };
  return videoLoop(bytes, checkGroups(units, PARTIAL_GROUP_FRAMES), shape);
}

/** Joins two mono streams as the recipe specifies. */
function joinAll(
  { elements, crc }: AudioRecipe,
  main: readonly Uint8Array[],
  sub: readonly Uint8Array[],
): Uint8Array[] {
  const join = elements === 'singles' ? joinDualMono : joinPair;
  return main.map((frame, index) => join(frame, sub[index] as Uint8Array, crc));
}

/** Frames encoded before the loop, so that the encoder has settled and the joint is between two beeps. */
const RUN_IN_FRAMES = 24;
/** The encoder's first frame only contains its look-ahead: every frame is delayed by one. */
const ENCODER_DELAY_FRAMES = 1;
const RUN_OUT_FRAMES = 4;
/** Frames between the cut and the first sound: marks are cut in the silence before a beep. */
const CUT_BEFORE_FRAMES = { marks: 12, tune: 0, silence: 0 };

/**
 * The endless sound is encoded for one period and a little more; frames that are a whole loop apart follow
 * each other at the joint.
 */
async function makeAudio(ffmpeg: Ffmpeg, recipe: AudioRecipe): Promise<Loop> {
  const count = SOUND_FRAMES[recipe.sound];
  const early = CUT_BEFORE_FRAMES[recipe.sound];
  const first = -(early + RUN_IN_FRAMES);
  const last = count - early + RUN_OUT_FRAMES;
  const input = drawSound(recipe, first * AUDIO_FRAME_SAMPLES, last * AUDIO_FRAME_SAMPLES);
  const cut = RUN_IN_FRAMES + ENCODER_DELAY_FRAMES;
  const encode = async (channel?: 0 | 1): Promise<Uint8Array[]> => {
    const frames = adtsFrames(await runFfmpeg(ffmpeg, audioArgs(recipe, channel), input));
    if (frames.length < cut + count) throw new MediaError(`${frames.length} audio frames are too few`);
    return frames.slice(cut, cut + count);
  };
  // The CRC covers parts of each channel: their positions are known if each was encoded separately.
  const apart = recipe.elements === 'singles' || recipe.crc;
  const around = apart ? joinAll(recipe, await encode(0), await encode(1)) : (await encode()).map(asMpeg2);
  return audioLoop([...around.slice(early), ...around.slice(0, early)], AUDIO_FRAME_TICKS);
}

/** @throws FfmpegError, MediaError */
export function makeLoop(ffmpeg: Ffmpeg, recipe: Recipe): Promise<Loop> {
  return recipe.kind === 'video' ? makeVideo(ffmpeg, recipe) : makeAudio(ffmpeg, recipe);
}
