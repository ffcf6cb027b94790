/** The consecutive parts that a station shows, including the exact time of every cut. */
import type { Programme } from '../guide/programme.ts';
import { AUDIO_FRAME_TICKS, type Cadence, type Film, FRAME_TICKS, GROUP_FRAMES } from '../media/recipes.ts';

/**
 * Parts begin and end with groups of pictures, counted from the clock's zero; every second group is at a
 * mark.
 */
export const GROUP_TICKS = GROUP_FRAMES * FRAME_TICKS;

/** Fifteen seconds as broadcasters count them: 450 frames. */
export const SPOT_GROUPS = 450 / GROUP_FRAMES;

/** A part without its position. */
export interface Piece {
  kind: Film;
  groups: number;
  /** Which commercial. */
  number: number;
}

/** Groups `from <= group < to`. */
export interface Part {
  kind: Film;
  from: number;
  to: number;
  number: number;
  /** Cadence of the part's own pictures: commercials and the like are video also in a film. */
  cadence: Cadence;
  /** The programme during which it is shown, if any. */
  programme: Programme | undefined;
}

/** Programmes and sponsors' cards have the station's logo. */
export function hasLogo({ kind }: Part): boolean {
  return kind === 'main' || kind === 'sponsor';
}

/** Whether it has flashes and beeps. */
export function hasMarks({ kind }: Part): boolean {
  return kind === 'main';
}

/**
 * Sound switches to the next part this many of its frames before the picture: a decoder needs one more frame
 * until its output is clean, which is then the case at the first picture.
 */
const EARLY_FRAMES = 2;

/** The first frame of sound of a part. */
export function firstSoundFrame(group: number): number {
  return Math.ceil((group * GROUP_TICKS) / AUDIO_FRAME_TICKS) - EARLY_FRAMES;
}

/** The group of pictures whose part a frame of sound belongs to. */
export function groupOfSound(frame: number): number {
  return Math.floor(((frame + EARLY_FRAMES) * AUDIO_FRAME_TICKS) / GROUP_TICKS);
}

/** Frames of sound `from <= frame < to` of one kind. */
export interface SoundPiece {
  from: number;
  to: number;
  sound: 'marks' | 'tune' | 'silence';
  /** Which tune. */
  number: number;
}

/** A commercial begins and ends in silence: 0.38 s together with its neighbour's. */
const HEAD_SILENCE_FRAMES = 9;
const TAIL_SILENCE_FRAMES = 9;

/** The first tunes are those of the commercials. */
export const SPONSOR_TUNE = 100;
export const ANNOUNCEMENT_TUNE = 101;

/** The sounds of a part. */
export function soundPieces({ kind, from, to, number }: Part): SoundPiece[] {
  const first = firstSoundFrame(from);
  const end = firstSoundFrame(to);
  const piece = (begin: number, until: number, sound: SoundPiece['sound'], tune = 0): SoundPiece => ({
    from: begin,
    to: until,
    sound,
    number: tune,
  });
  switch (kind) {
    case 'main':
      return [piece(first, end, 'marks')];
    case 'black':
    case 'pause':
      return [piece(first, end, 'silence')];
    case 'sponsor':
      return [piece(first, end, 'tune', SPONSOR_TUNE)];
    default: {
      const tune = kind === 'commercial' ? number : ANNOUNCEMENT_TUNE;
      const begin = first + HEAD_SILENCE_FRAMES;
      const until = end - TAIL_SILENCE_FRAMES;
      return [
        piece(first, begin, 'silence'),
        piece(begin, until, 'tune', tune),
        piece(until, end, 'silence'),
      ];
    }
  }
}
