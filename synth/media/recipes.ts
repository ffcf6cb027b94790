/**
 * The films and sounds to be made: each is one loop. A recipe is a value; its hash names the file in the
 * cache, so a changed recipe is made again.
 */
import { MARK_PERIOD } from '../clock.ts';
import type { AudioMode, AudioPlan, Theme, VideoPlan } from '../scenario/model.ts';
import { PRODUCTS } from './scene/cards.ts';
import { programmeShots, type SceneName } from './scene/shots.ts';

/** Increment if the same recipe gives other bytes. */
const EDITION = { video: 9, audio: 4 };

/**
 * `main`: a programme, with flash marks and the station's logo. `sponsor`: the sponsors' card, with the logo.
 * Without the logo: `commercial`, `announcement` of other programmes, `black`, and the `pause` of the night.
 */
export type Film = 'main' | 'sponsor' | 'commercial' | 'announcement' | 'black' | 'pause';

/** Shooting format: 60 fields per second, or 24 frames converted to 60 fields in 3:2 cadence. */
export type Cadence = 'video' | 'film';

export interface VideoRecipe {
  kind: 'video';
  edition: number;
  plan: VideoPlan;
  film: Film;
  cadence: Cadence;
  label: string;
  hue: number;
  /** Scenes that follow each other. */
  shots: readonly SceneName[];
  /** Input of the logo's drawing; null: no logo. */
  logo: string | null;
  /** Index within its kind, from 0 on. */
  number: number;
  /**
   * Smaller, with a still frame above it and to its left, as for disaster news. Absent: it fills the screen.
   */
  framed?: true;
}

export interface AudioRecipe {
  kind: 'audio';
  edition: number;
  /** `marks`: beeps at the times of the flashes. `tune`: a melody, selected by `number`. */
  sound: 'marks' | 'tune' | 'silence';
  mode: AudioMode;
  elements: AudioPlan['elements'];
  /** Whether frames carry a CRC; those of surround never do. */
  crc: boolean;
  /** For each channel, in the order of `CHANNELS`. */
  beepHz: readonly number[];
  number: number;
  bitrate: number;
}

export type Recipe = VideoRecipe | AudioRecipe;

interface Station {
  name: string;
  hue: number;
  theme?: Theme;
}

/** Of films other than programmes. */
const SHOTS: Record<Exclude<Film, 'main'>, readonly SceneName[]> = {
  sponsor: ['sponsors'],
  commercial: ['product', 'name-card'],
  announcement: ['announcement'],
  black: ['black'],
  pause: ['bars'],
};

function film(plan: VideoPlan, kind: Film, changed: Partial<VideoRecipe>): VideoRecipe {
  const plain = { cadence: 'video', label: '', hue: 0, logo: null, number: 0 } as const;
  const shots = kind === 'main' ? [] : SHOTS[kind];
  return { kind: 'video', edition: EDITION.video, plan, film: kind, shots, ...plain, ...changed };
}

export function mainFilm(plan: VideoPlan, station: Station, cadence: Cadence): VideoRecipe {
  const { name, hue, theme = 'general' } = station;
  const shots = programmeShots(name, theme, cadence === 'film');
  return film(plan, 'main', { cadence, label: name, hue, shots, logo: name });
}

const SPONSORS = '架空製菓　例田電機　見本自動車';

export function sponsorFilm(plan: VideoPlan, { name, hue }: Station): VideoRecipe {
  return film(plan, 'sponsor', { label: `提供　${SPONSORS}`, hue, logo: name });
}

/** Commercials that differ in picture, colour, motion and sound. */
export const COMMERCIALS = PRODUCTS.length;

export function commercialFilm(plan: VideoPlan, number: number): VideoRecipe {
  const label = PRODUCTS[number]?.name ?? '';
  return film(plan, 'commercial', { label, hue: (number * 360) / COMMERCIALS, number });
}

export function announcementFilm(plan: VideoPlan): VideoRecipe {
  return film(plan, 'announcement', { label: '番組のお知らせ', hue: 300 });
}

export function blackFilm(plan: VideoPlan): VideoRecipe {
  return film(plan, 'black', {});
}

export function pauseFilm(plan: VideoPlan): VideoRecipe {
  return film(plan, 'pause', { label: '放送休止中', hue: 210 });
}

type Coding = Pick<AudioPlan, 'bitrate' | 'crc'>;

/** Channels in coding order; surround is left, right, centre, LFE, left and right surround. */
export const CHANNELS: Record<AudioMode, number> = { stereo: 2, dual: 2, surround: 6 };
/** Pitches of the last four channels of surround, relative to the main one; the LFE has its own. */
const SURROUND_PITCHES = { centre: 1.25, lfeHz: 100, left: 1.5, right: 1.75 };

/** The pitches of a stream's channels, by which sounds are distinguished. */
export function beepPitches(plan: AudioPlan, mode: AudioMode): readonly number[] {
  const [main, sub] = plan.beepHz;
  if (mode === 'surround') {
    const { centre, lfeHz, left, right } = SURROUND_PITCHES;
    return [main, sub, centre * main, lfeHz, left * main, right * main];
  }
  if (mode === plan.mode) return plan.beepHz;
  return mode === 'stereo' ? [main, main] : [main, main === sub ? 2 * main : sub];
}

/**
 * The sound of a programme as its station sends it; both channels have the same pitch if it is not dual mono.
 */
export function markSound(plan: AudioPlan, mode: AudioMode): AudioRecipe {
  const elements = mode === 'dual' ? plan.elements : 'pair';
  const crc = plan.crc === true && mode !== 'surround';
  return sound('marks', plan, { mode, elements, crc, beepHz: beepPitches(plan, mode) });
}

export function tuneSound(coding: Coding, number: number): AudioRecipe {
  return sound('tune', coding, { number });
}

export function silence(coding: Coding): AudioRecipe {
  return sound('silence', coding, {});
}

function sound(
  kind: AudioRecipe['sound'],
  { bitrate, crc = false }: Coding,
  changed: Partial<AudioRecipe>,
): AudioRecipe {
  const plain = { mode: 'stereo', elements: 'pair', beepHz: [0, 0], number: 0 } as const;
  return { kind: 'audio', edition: EDITION.audio, sound: kind, bitrate, crc, ...plain, ...changed };
}

/** 29.97 frames a second. */
export const FRAME_TICKS = 3_003;
/** Closed groups of pictures of half a second: parts of programmes begin and end with them. */
export const GROUP_FRAMES = 15;
/** The loop of a programme: 240 frames, 8.008 s. */
export const LOOP_FRAMES = 240;
/** Frames between two flashes. */
export const MARK_FRAMES = MARK_PERIOD / FRAME_TICKS;
export const FLASH_FRAMES = 2;
/**
 * Shares of the picture's width and height that the box of the flash takes, at the lower right. It is dark
 * between flashes and shows the number of the frame.
 */
export const FLASH_SHARE = { width: 1 / 8, height: 1 / 10 };
/** One-segment pictures show every second frame, in groups of two seconds. */
export const PARTIAL_FRAMES = LOOP_FRAMES / 2;
export const PARTIAL_FRAME_TICKS = 2 * FRAME_TICKS;
export const PARTIAL_GROUP_FRAMES = 30;

/** Frames of each loop, in whole groups. A commercial's five seconds are played three times or more. */
const FILM_FRAMES: Record<Film, number> = {
  main: LOOP_FRAMES,
  sponsor: 2 * GROUP_FRAMES,
  commercial: 10 * GROUP_FRAMES,
  announcement: 5 * GROUP_FRAMES,
  black: GROUP_FRAMES,
  pause: 2 * GROUP_FRAMES,
};

export function filmFrames(recipe: VideoRecipe): number {
  return FILM_FRAMES[recipe.film];
}

export const SAMPLE_RATE = 48_000;
export const AUDIO_FRAME_SAMPLES = 1_024;
export const AUDIO_FRAME_TICKS = 1_920;
export const MARK_SAMPLES = (MARK_PERIOD * SAMPLE_RATE) / 90_000;
export const BEEP_MS = 70;

/** Frames of each loop. The loop of the marks is the shortest with whole frames and whole beeps: 64 s. */
export const SOUND_FRAMES: Record<AudioRecipe['sound'], number> = { marks: 3_003, tune: 240, silence: 1 };
