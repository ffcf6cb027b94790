/** Makes the loop of a recipe with ffmpeg. */
import { adtsFrames, h264Units, MediaError, mpeg2Units } from './access-units.ts';
import { drawPicture, drawSound } from './draw.ts';
import { joinMono } from './dual-mono.ts';
import { type Ffmpeg, runFfmpeg } from './ffmpeg.ts';
import type { Loop } from './loop.ts';
import { audioLoop, videoLoop } from './packetise.ts';
import {
  AUDIO_FRAME_SAMPLES,
  AUDIO_FRAME_TICKS,
  type AudioRecipe,
  audioArgs,
  FRAME_TICKS,
  LOOP_AUDIO_FRAMES,
  LOOP_FRAMES,
  PARTIAL_FRAME_TICKS,
  PARTIAL_FRAMES,
  type Recipe,
  VIDEO_PERIOD,
  type VideoRecipe,
  videoArgs,
} from './recipes.ts';

/** vbv_buffer_size of MP@ML and MP@H-14, ISO/IEC 13818-2 table 8-13; one-segment stays within the smaller one. */
const BUFFER_BITS = { standard: 1_835_008, high: 7_340_032 };

async function makeVideo(ffmpeg: Ffmpeg, recipe: VideoRecipe): Promise<Loop> {
  const bytes = await runFfmpeg(ffmpeg, videoArgs(recipe), drawPicture(recipe));
  const units =
    recipe.plan.codec === 'mpeg2'
      ? mpeg2Units(bytes, LOOP_FRAMES, FRAME_TICKS)
      : h264Units(bytes, PARTIAL_FRAMES, PARTIAL_FRAME_TICKS);
  const bufferBits = recipe.plan.width > 720 ? BUFFER_BITS.high : BUFFER_BITS.standard;
  return videoLoop(bytes, units, VIDEO_PERIOD, bufferBits);
}

function joinAll(main: readonly Uint8Array[], sub: readonly Uint8Array[]): Uint8Array[] {
  return main.map((frame, index) => joinMono(frame, sub[index] as Uint8Array));
}

/** Frames encoded before the loop, so that the encoder has settled and the joint lies between two beeps. */
const RUN_IN_FRAMES = 24;
/** The encoder's own first frame holds only what it looks ahead: every frame comes out one later. */
const ENCODER_DELAY_FRAMES = 1;
const RUN_OUT_FRAMES = 4;
/** Frames by which the cut lies before the first beep. */
const CUT_BEFORE_FRAMES = 12;

/**
 * The endless sound is encoded once round and a little further; frames that lie a whole loop apart follow each
 * other at the joint, which is in the quiet between two beeps.
 */
async function makeAudio(ffmpeg: Ffmpeg, recipe: AudioRecipe): Promise<Loop> {
  const first = -(CUT_BEFORE_FRAMES + RUN_IN_FRAMES);
  const last = LOOP_AUDIO_FRAMES - CUT_BEFORE_FRAMES + RUN_OUT_FRAMES;
  const input = drawSound(recipe, first * AUDIO_FRAME_SAMPLES, last * AUDIO_FRAME_SAMPLES);
  const cut = RUN_IN_FRAMES + ENCODER_DELAY_FRAMES;
  const encode = async (channel?: 0 | 1): Promise<Uint8Array[]> => {
    const frames = adtsFrames(await runFfmpeg(ffmpeg, audioArgs(recipe, channel), input));
    if (frames.length < cut + LOOP_AUDIO_FRAMES)
      throw new MediaError(`${frames.length} audio frames are too few`);
    return frames.slice(cut, cut + LOOP_AUDIO_FRAMES);
  };
  const around = recipe.elements === 'pair' ? await encode() : joinAll(await encode(0), await encode(1));
  const ordered = [...around.slice(CUT_BEFORE_FRAMES), ...around.slice(0, CUT_BEFORE_FRAMES)];
  return audioLoop(ordered, AUDIO_FRAME_TICKS);
}

/** @throws FfmpegError, MediaError. */
export function makeLoop(ffmpeg: Ffmpeg, recipe: Recipe): Promise<Loop> {
  return recipe.kind === 'video' ? makeVideo(ffmpeg, recipe) : makeAudio(ffmpeg, recipe);
}
