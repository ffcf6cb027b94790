/**
 * Short programmes of varied composition with their truth: parts made of shots, as broadcasters make them, and of what
 * misleads a detector. Pure: a seed gives a programme.
 *
 * Spots are silent for 15 frames at least at either end, as the broadcasters' and the agencies' associations demand of what
 * is delivered (テレビCM素材搬入基準 of JBA and JAAA, as producers hand it on: prodisc.jp/cm-xdcam/standard); finished
 * programmes are asked for the same at their parts' ends, what is live is not, so half of the programmes here have less.
 * Spots that break the rule hardly ever pass the broadcaster's check; they are a tenth here (`tight`), and another tenth
 * has no silence at all (`loud`).
 */
import { type AudioRecipe, silence, tuneSound, type VideoRecipe } from '../../../synth/media/recipes.ts';
import type { Random } from '../../../synth/random.ts';
import type { AudioPlan, VideoPlan } from '../../../synth/scenario/model.ts';

export const KINDS = [
  'usual',
  'cards',
  'none',
  'fading-logo',
  'loud',
  'pauses',
  'framed',
  'no-logo',
  'logo-stays',
  'tight',
] as const;
export type Kind = (typeof KINDS)[number];

interface Shot {
  readonly film: VideoRecipe;
  /** Half seconds. */
  readonly groups: number;
  /** Number of half seconds of it already shown, after which it continues. */
  readonly shown: number;
}

interface Sound {
  readonly recipe: AudioRecipe;
  /** Seconds. */
  readonly length: number;
}

export interface Programme {
  readonly kind: Kind;
  /** Name of the station; a station shows its logo in the same way in all programmes. */
  readonly station: string;
  readonly shots: readonly Shot[];
  readonly sounds: readonly Sound[];
  /** Commercial breaks, in half seconds. */
  readonly commercials: readonly { readonly from: number; readonly to: number }[];
  readonly groups: number;
}

export const VIDEO: VideoPlan = { codec: 'mpeg2', width: 480, height: 320, bitrate: 1_500_000 };
export const AUDIO: AudioPlan = {
  mode: 'stereo',
  elements: 'pair',
  languages: ['jpn'],
  beepHz: [1000, 1000],
  label: '',
  bitrate: 96_000,
};
const STATIONS = ['ひばり放送', 'あさぎりテレビ'];
const LOOKS = 12;
/** One scene each: the composer cuts. */
const SHOTS: readonly VideoRecipe['shots'][] = [
  ['news'],
  ['product'],
  ['sports'],
  ['lake'],
  ['talk'],
  ['drama'],
  ['name-card'],
  ['street'],
  ['anime'],
  ['cooking'],
  ['music'],
  ['railway'],
];
const TUNES = 8;
/** Seconds in half a second of pictures: 15 frames. */
const GROUP_SECONDS = (15 * 1001) / 30_000;

function film(look: number, logo: string | null, changed: Partial<VideoRecipe> = {}): VideoRecipe {
  const kinds = ['commercial', 'announcement', 'commercial', 'main'] as const;
  const kind = kinds[look % kinds.length] ?? 'main';
  return {
    kind: 'video',
    edition: 8,
    plan: VIDEO,
    film: kind,
    cadence: 'video',
    label: kind === 'main' ? '' : '映像'.slice(0, 1 + (look % 2)),
    hue: (look * 47) % 360,
    shots: SHOTS[look % SHOTS.length] ?? ['lake'],
    logo,
    number: look,
    ...changed,
  };
}

const BLACK: VideoRecipe = {
  ...film(0, null),
  film: 'black',
  shots: ['black'],
  label: '',
  hue: 0,
  number: 0,
};

function sponsorCard(logo: string | null): VideoRecipe {
  return film(1, logo, { film: 'sponsor', shots: ['sponsors'], label: '提供　例田電機', number: 0 });
}

/** Every film that a programme may need. */
export function allFilms(): VideoRecipe[] {
  const films = [BLACK, sponsorCard(null), ...STATIONS.map(sponsorCard)];
  for (let look = 0; look < LOOKS; look += 1) {
    for (const logo of [null, ...STATIONS]) films.push(film(look, logo), film(look, logo, { framed: true }));
  }
  return films;
}

export function allSounds(): AudioRecipe[] {
  return [silence(AUDIO), ...Array.from({ length: TUNES }, (_, number) => tuneSound(AUDIO, number))];
}

/** Seconds of silence as the rule requires, and a little more where the sound fades. */
function fullEdge(random: Random): number {
  return 0.5 + 0.15 * random.next();
}

/** Seconds of silence as in a live programme. */
function shortEdge(random: Random): number {
  return 0.12 + 0.3 * random.next();
}

class Composer {
  readonly shots: Shot[] = [];
  readonly sounds: Sound[] = [];
  readonly commercials: { from: number; to: number }[] = [];
  groups = 0;
  #look = -1;
  #tune = -1;

  constructor(
    readonly random: Random,
    readonly kind: Kind,
    /** Shown during programmes. */
    readonly logo: string | null,
    /** Shown during commercials. */
    readonly cmLogo: string | null,
  ) {}

  #next(count: number, last: number): number {
    const number = this.random.below(count);
    return number === last ? (number + 1) % count : number;
  }

  shot(groups: number, made: (look: number) => VideoRecipe): void {
    this.#look = this.#next(LOOKS, this.#look);
    this.add(made(this.#look), groups);
  }

  add(recipe: VideoRecipe, groups: number, shown = 0): void {
    this.shots.push({ film: recipe, groups, shown });
    this.groups += groups;
  }

  tune(length: number): void {
    if (length <= 0) return;
    this.#tune = this.#next(TUNES, this.#tune);
    this.sounds.push({ recipe: tuneSound(AUDIO, this.#tune), length });
  }

  quiet(length: number): void {
    if (length > 0) this.sounds.push({ recipe: silence(AUDIO), length });
  }

  /** A part of the programme, with silence at its ends unless it is loud. */
  main(groups: number, edge: { head: number; tail: number }): void {
    const { random, logo, kind } = this;
    let left = groups;
    const isFramed = kind === 'framed' && random.below(3) > 0;
    // Not at a cut: it fades during a shot.
    const hidden = kind === 'fading-logo' && groups > 30;
    const from = hidden ? 6 + random.below(groups - 26) : groups;
    const to = hidden ? Math.min(groups - 4, from + 8 + random.below(60)) : groups;
    let at = 0;
    while (left > 0) {
      const length = Math.min(left, 3 + random.below(14));
      this.#look = this.#next(LOOKS, this.#look);
      const look = this.#look;
      for (const [begin, end, shown] of [
        [at, Math.min(at + length, from), true],
        [Math.max(at, from), Math.min(at + length, to), false],
        [Math.max(at, to), at + length, true],
      ] as const) {
        if (end <= begin) continue;
        this.add(film(look, shown ? logo : null, isFramed ? { framed: true } : {}), end - begin, begin - at);
      }
      at += length;
      left -= length;
    }
    this.#mainSound(groups * GROUP_SECONDS, edge);
  }

  #mainSound(seconds: number, { head, tail }: { head: number; tail: number }): void {
    this.quiet(head);
    let left = seconds - head - tail;
    while (left > 0) {
      // Sometimes pauses 15 s apart, which should not occur in a programme.
      const isApart = this.kind === 'pauses' && this.random.below(2) === 0;
      const length = Math.min(left, isApart ? 15 : 4 + 12 * this.random.next());
      const pause = this.kind === 'pauses' || this.random.below(6) === 0 ? 0.2 + 0.9 * this.random.next() : 0;
      const quiet = left - length > pause + 1 ? pause : 0;
      this.tune(length - quiet);
      this.quiet(quiet);
      left -= length;
    }
    this.quiet(tail);
  }

  /** Seconds without sound at an end of a spot. */
  spotEdge(): number {
    if (this.kind === 'loud') return 0;
    return this.kind === 'tight' ? shortEdge(this.random) : fullEdge(this.random);
  }

  break(units: number): void {
    const { random, kind } = this;
    const from = this.groups;
    const isBlack = random.below(2) === 0 && kind !== 'loud';
    const black = (): void => {
      if (!isBlack) return;
      this.add(BLACK, 1);
      this.quiet(GROUP_SECONDS);
    };
    black();
    let left = units;
    while (left > 0) {
      const length = random.pick([1, 1, 1, 1, 1, 1, 2, 2, 2, 4].filter((one) => one <= left));
      const [head, tail] = [this.spotEdge(), this.spotEdge()];
      let groups = 30 * length;
      while (groups > 0) {
        const shot = Math.min(groups, 2 + random.below(7));
        this.shot(shot, (look) => film(look, this.cmLogo));
        groups -= shot;
      }
      const seconds = 30 * length * GROUP_SECONDS;
      this.quiet(head);
      this.tune(seconds - head - tail);
      this.quiet(tail);
      left -= length;
    }
    black();
    this.commercials.push({ from, to: this.groups });
  }

  /** The recording begins within a spot. */
  rest(groups: number): void {
    this.shot(groups, (look) => film(look, this.cmLogo));
    const tail = this.spotEdge();
    this.tune(groups * GROUP_SECONDS - tail);
    this.quiet(tail);
    this.commercials.push({ from: 0, to: groups });
  }

  card(): void {
    const groups = this.random.pick([10, 20]);
    this.add(sponsorCard(this.logo), groups);
    this.quiet(0.2);
    this.tune(groups * GROUP_SECONDS - 0.4);
    this.quiet(0.2);
  }
}

/** A programme of two to four minutes. */
export function composeShort(random: Random, kind: Kind): Programme {
  const station = random.pick(STATIONS);
  const hasLogo = kind !== 'no-logo' && (kind !== 'tight' || random.below(3) > 0);
  const logo = hasLogo ? station : null;
  const composer = new Composer(random, kind, logo, kind === 'logo-stays' ? logo : null);
  const isLive = kind === 'tight' || random.below(2) === 0;
  const quiet = (): number => (kind === 'loud' ? 0 : isLive ? shortEdge(random) : fullEdge(random));
  const breaks = kind === 'none' ? 0 : 1 + random.below(2);
  if (breaks > 0 && random.below(4) === 0) composer.rest(6 + random.below(18));
  for (let index = 0; index <= breaks; index += 1) {
    const length = 50 + random.below(breaks === 0 ? 250 : 90);
    if (kind === 'cards' && index > 0) composer.card();
    composer.main(length, { head: quiet(), tail: quiet() });
    if (kind === 'cards' && index < breaks) composer.card();
    // Breaks of broadcasters are mostly one to two minutes long.
    if (index < breaks) composer.break(3 + random.below(5));
  }
  const { shots, sounds, commercials, groups } = composer;
  const isUsual = hasLogo && kind !== 'logo-stays';
  return { kind, station: isUsual ? station : `${station} ${kind}`, shots, sounds, commercials, groups };
}
